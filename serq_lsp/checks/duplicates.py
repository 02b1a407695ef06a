"""Is every name declared once?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.sema.faults import Duplicate
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model

DECLARATION = Rule(
    "duplicate-declaration",
    Severity.ERROR,
    "a pool or stage is declared twice",
    aliases=("duplicate-pool", "duplicate-stage", "name-clash"),
)
QUEUE = Rule("queue-twice", Severity.ERROR, "a queue is declared twice", aliases=("name-clash",))
DEFINITION = Rule("def-twice", Severity.ERROR, "a definition is made twice", aliases=("name-clash",))
DEVICE = Rule("dev-twice", Severity.ERROR, "a device is declared twice", editions=("engine",))
RULES = (DECLARATION, QUEUE, DEFINITION, DEVICE)
_BY_KIND = {
    Kind.QUEUE: QUEUE, Kind.DEF: DEFINITION, Kind.DEVICE: DEVICE,
}  # fmt: skip


def check(model: Model) -> Iterator[Finding]:
    """Yield second declarations, each with the place of the first."""
    for fault in model.faults:
        if isinstance(fault, Duplicate) and not _told_elsewhere(model, fault):
            yield Finding(
                _BY_KIND.get(fault.kind, DECLARATION),
                fault.path,
                fault.span,
                f"{_article(fault.kind.value)} {fault.kind.value} called `{fault.name}` is declared already",
                (Note("first declared here", fault.first_path, fault.first),),
            )


def _told_elsewhere(model: Model, fault: Duplicate) -> bool:
    """Say whether a rule on queues, relations or owners speaks of it: what a queue, relation or owner makes twice."""
    if fault.kind not in (Kind.POOL, Kind.STAGE) or fault.path != model.path:
        return False
    place = model.tree.path_at(fault.span.start)
    queue = next((it for it in place if it.kind == "queue"), None)
    same = queue is not None and queue.start <= fault.first.start < queue.end
    owned = any(it.kind == "pool" and it.child("on") is not None for it in place)
    return same or owned or any(it.kind == "relation" for it in place)


def _article(noun: str) -> str:
    return "an" if noun[:1] in "aeiou" else "a"
