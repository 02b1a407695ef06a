"""Are the names inside entries written as entries write them (classic.md 12, 137 to 140)?

The reference sees these where an entry is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.enclosures import enclosures
from serq_lsp.checks.visits import first, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.references import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.enclosures import Enclosure
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
OWN = Rule("queue-own-index", _ERROR, "an entry names its own pool or stage with an index")
SINGLE = Rule("queue-self-single", _ERROR, "`self` in an entry of a single queue", aliases=("stmt-self",))
AGGREGATE = Rule(
    "queue-aggregate-name", _ERROR, "an aggregate's index has a name of the entry", aliases=("entry-aggregate-index",)
)
SOURCE = Rule("queue-source-index", _ERROR, "the source of an entry is named with an index")
RULES = (OWN, SINGLE, AGGREGATE, SOURCE)


def check(model: Model) -> Iterator[Finding]:
    """Yield names inside the entries and requests that are called."""
    if model.edition is Edition.CURRENT:
        return
    for it in enclosures(model):
        calls = _calls(model, it)
        if calls:
            yield from _names(model, it, calls)


def _calls(model: Model, it: Enclosure) -> tuple[Note, ...]:
    """Return where the entry or request is called, as notes; empty where nothing does."""
    found: list[Note] = []
    for visit in visits_of(model, "call_statement"):
        call = visit.node.child("call")
        function = call.child("function") if call is not None else None
        parts = written(function) if function is not None else None
        if function is None or parts is None or parts.name != it.station.name:
            continue
        same = f"{parts.name}.{parts.member}" == it.title
        same = same and (visit.node.child("from") is not None) == (it.source is not None)
        if it.engine is not None or same:
            found.append(Note("called here", model.path, function.span))
    return tuple(found)


def _names(model: Model, it: Enclosure, calls: tuple[Note, ...]) -> Iterator[Finding]:
    taken = {*it.parameters, *it.own, "self", it.source}
    for visit in visits(it.node):
        node = visit.node
        parts = written(node) if node.kind in ("reference", "subscript") else None
        index = node.child("index") if node.kind == "aggregate" else None
        if index is not None and index.text in taken:
            message = f"`{index.text}` is a name of the entry already"
            yield Finding(AGGREGATE, model.path, index.span, message, calls, "give the index its own name")
        elif parts is not None and parts.index is not None and parts.member is None and it.queue is not None:
            yield from _indexed(model, it, node, parts.name, calls)
        elif node.kind == "name" and node.text == "self" and it.queue is not None and not it.queue.array:
            known = node.field == "member" or any(around.kind == "aggregate" for around in visit.around)
            if not known:
                yield Finding(SINGLE, model.path, node.span, f"`{it.queue.name}` has no members", calls)


def _indexed(model: Model, it: Enclosure, node: Node, name: str, calls: tuple[Note, ...]) -> Iterator[Finding]:
    if name == it.source:
        message = f"`{name}` is the pool that this entry takes from, and takes no index"
        yield Finding(SOURCE, model.path, first(node), message, calls, f"write `{name}`")
    elif name in it.pools or name == it.stage:
        message = f"inside its queue `{name}` is the member's own, and takes no index"
        yield Finding(OWN, model.path, first(node), message, calls, f"write `{name}`")
