"""Do copies inside entries come from where they are said to (classic.md 12, 51, 141 and 142)?

A `transfer` without a stage in an entry of a queue with a `nic` is a read over both queues' cards: it takes from the
entry's source, over the relation that names the queue as its reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.enclosures import enclosures, named
from serq_lsp.checks.visits import all_steps, step_visits
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.declarations import Queue
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Place
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
SOURCE = Rule("transfer-source", _ERROR, "a read takes from something else than its source", aliases=("copy-source",))
UNDECLARED = Rule("pull-undeclared", _ERROR, "a read over no relation", aliases=("copy-missing",))
OTHER = Rule("pull-source", _ERROR, "a read from another queue than its relation names")
RULES = (SOURCE, UNDECLARED, OTHER)


def check(model: Model) -> Iterator[Finding]:
    """Yield reads from the wrong place."""
    if model.edition is Edition.CURRENT:
        return
    for it in enclosures(model):
        if it.source is not None and it.queue is not None and it.queue.nic is not None:
            for visit in step_visits(it.steps):
                if it.holds(visit.step) and _is_read(visit.step):
                    yield from _source(visit.step, it.source)
    told: set[tuple[str, int]] = set()
    for visit in all_steps(model):
        station = visit.step.scope.station
        queue = model.declared.queues.get(station.name) if station is not None and not station.request else None
        if queue is None or queue.nic is None or not _is_read(visit.step) or not visit.step.scope.via:
            continue
        call = _call(visit.step)
        if station is not None and (call.path, call.span.start) not in told:
            told.add((call.path, call.span.start))
            yield from _relation(model, visit.step, queue, station.source_queue, call)


def _is_read(step: Step) -> bool:
    return step.form == "transfer" and not step.node.each("stage") and step.scope.station is not None


def _call(step: Step) -> Place:
    """Return where the entry of a step is called: the outermost frame's innermost place."""
    scope = step.scope
    while scope.parent is not None:
        scope = scope.parent
    return scope.via[0] if scope.via else step.scope.via[0]


def _from(node: Node) -> Node | None:
    part = node.child("from")
    return part.child("pool") if part is not None else None


def _source(step: Step, source: str) -> Iterator[Finding]:
    reference = _from(step.node)
    found = named(reference, step.scope) if reference is not None else None
    if reference is None or found is None or (found.name == source and found.member is None):
        return
    message = f"a read takes from the entry's source: `from {source}`"
    yield Finding(SOURCE, step.scope.path, reference.span, message, help="or name the stage: `transfer on STAGE (…) …`")


def _relation(model: Model, step: Step, queue: Queue, source: str | None, call: Place) -> Iterator[Finding]:
    notes = (Note("the read", step.scope.path, step.node.span),)
    relation = next((it for it in model.declared.relations if it.reader == queue.name), None)
    if relation is None:
        message = f"`{queue.name}` reads over no relation here"
        yield Finding(
            UNDECLARED, call.path, call.span, message, notes, f"declare `{queue.name} pull SOURCE share maxmin;`"
        )
    elif source is not None and source != relation.source and relation.source in model.declared.queues:
        note = Note("the relation", model.path, relation.node.span)
        message = f"`{queue.name}` reads from `{relation.source}`, and is called from `{source}`"
        yield Finding(OTHER, call.path, call.span, message, (note, *notes))
