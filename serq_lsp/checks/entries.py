"""Are entries called with what they need, and where they exist (classic.md 6.3)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.enclosures import enclosures
from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.references import written
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.checks.enclosures import Enclosure
    from serq_lsp.sema.declarations import Queue
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
INDEX = Rule("call-index", _ERROR, "a family is called without an index, or a single queue with one")
TO = Rule("call-to", _ERROR, "`to` on a call that is no transfer")
ENDS = Rule(
    "call-transfer-pools", _ERROR, "a transfer is called without both its ends", aliases=("call-transfer-ends",)
)
DOTTED = Rule("call-source-dotted", _ERROR, "an entry takes from a pool instead of its queue", aliases=("call-from",))
FROM_INDEX = Rule("call-from-index", _ERROR, "a source has an index too many or too few", aliases=("call-from",))
UNLEASED = Rule(
    "call-from-unleased",
    _ERROR,
    "an entry takes from a queue that leases nothing",
    aliases=("entry-from-no-lease", "entry-lease-path"),
)
OTHER = Rule("call-from", _ERROR, "an entry is called from another queue than it takes from", ("engine",))
UNKNOWN = Rule("entry-from-unknown", _ERROR, "an entry takes from no queue above", ("engine",))
SESSION = Rule("entry-in-session", _ERROR, "a session calls an entry or a request", ("engine",))
RULES = (INDEX, TO, ENDS, DOTTED, FROM_INDEX, UNLEASED, OTHER, UNKNOWN, SESSION)


def check(model: Model) -> Iterator[Finding]:
    """Yield calls of entries that lack something, or have something too many."""
    if model.edition is Edition.CURRENT:
        return
    if model.edition is Edition.ENGINE:
        yield from _sources(model)
    for visit in visits_of(model, "call_statement"):
        if visit.inside("def") is not None:
            continue
        call = visit.node.child("call")
        function = call.child("function") if call is not None else None
        if function is not None and visit.inside("session") is not None and _is_station(model, function):
            yield _at(model, SESSION, function, "stations are called by the server; the session says `turn;`")
            continue
        parts = written(function) if function is not None and function.kind == "member" else None
        queue = model.declared.queues.get(parts.name) if parts is not None else None
        if function is None or parts is None or queue is None:
            continue
        own = visit.inside("queue")
        if own is not queue.node:
            yield from _member(model, function, parts.index, queue)
        yield from _ends(model, visit.node, function, parts.member or "", queue)


def _is_station(model: Model, function: Node) -> bool:
    """Say whether a call of an engine program is one of an entry or a request."""
    known = function.kind == "member" or function.text in model.declared.engines
    return known and model.edition is Edition.ENGINE


def _sources(model: Model) -> Iterator[Finding]:
    """An entry takes from a queue that is declared above."""
    for visit in visits_of(model, "entry"):
        source = visit.node.child("source")
        queue = model.declared.queues.get(source.text) if source is not None else None
        if source is not None and (queue is None or queue.node.start > visit.node.start):
            yield _at(model, UNKNOWN, source, f"no queue above is called `{source.text}`")


def _at(model: Model, rule: Rule, node: Node, message: str) -> Finding:
    return Finding(rule, model.path, node.span, message)


def _member(model: Model, function: Node, index: Node | None, queue: Queue) -> Iterator[Finding]:
    if queue.array and index is None:
        yield _at(model, INDEX, function, f"`{queue.name}` has {queue.count} members: say which, `{queue.name}[…]`")
    elif not queue.array and index is not None:
        yield _at(model, INDEX, function, f"`{queue.name}` is a single queue, and takes no index")


def _ends(model: Model, statement: Node, function: Node, verb: str, queue: Queue) -> Iterator[Finding]:
    source, to = statement.child("from"), statement.child("to")
    if verb == "transfer":
        if "transfer" in queue.entries and (source is None or to is None):
            yield _at(model, ENDS, function, "a transfer names both ends: `from P to Q (n)`")
        return
    if to is not None:
        yield _at(model, TO, function, "only a link's `transfer` goes `to` a pool")
    reference = source.child("pool") if source is not None else None
    parts = written(reference) if reference is not None else None
    taken = model.declared.queues.get(parts.name) if parts is not None else None
    if reference is None or parts is None or taken is None:
        return
    if parts.member is not None:
        span = Span(reference.start, reference.end)
        yield Finding(DOTTED, model.path, span, f"take from the queue: `from {taken.name}`")
    elif (called := queue.entries.get(f"{verb} from")) is not None and _other(model, called, taken):
        yield _at(model, OTHER, function, f"this entry takes from another queue than `{taken.name}`")
    elif (
        entry := next((it for it in enclosures(model) if it.queue is taken and not _leases(it, it.steps)), None)
    ) is not None:
        notes = [Note("this entry leases nothing on some way", model.path, entry.word)]
        if called is not None and (name := called.child("source")) is not None:
            notes.append(Note("taken here", model.path, name.span))
        message = f"`{entry.title}` does not lease a pool on every way, so there may be nothing to take"
        yield Finding(UNLEASED, model.path, function.span, message, tuple(notes))
    elif taken.array != (parts.index is not None):
        message = f"`{taken.name}` has members: say which" if taken.array else f"`{taken.name}` takes no index"
        yield _at(model, FROM_INDEX, function, message)


def _other(model: Model, entry: Node, taken: Queue) -> bool:
    """Say whether an entry names another queue as its source; a classic one gives its source a name of its own."""
    name = entry.child("source")
    known = name is not None and name.text in model.declared.queues
    return model.edition is Edition.ENGINE and name is not None and known and name.text != taken.name


def _leases(entry: Enclosure, steps: Iterable[Step]) -> bool:
    """Say whether a pool is leased on every way through these steps; the pass of a loop or a leg does not count."""
    for step in steps:
        if not entry.holds(step):
            continue
        if step.form == "hold" and (step.node.child("lease") is not None or _leases(entry, step.blocks[0])):
            return True
        if step.form == "branch" and all(_leases(entry, block) for block in step.blocks):
            return True
    return False
