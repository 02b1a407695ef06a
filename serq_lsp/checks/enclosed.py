"""Do entries and requests read and act on what is theirs only (classic.md 12, 98 to 102 and 123; engine-rules-2.md)?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Union

from serq_lsp.checks.enclosures import enclosures, named, places, resource
from serq_lsp.checks.visits import first, step_visits
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.calls import taking
from serq_lsp.sema.references import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.enclosures import Enclosure, Named, Place
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
READS = Rule(
    "queue-entry-reads", _ERROR, "an entry reads an attribute of the session", aliases=("entry-reads-outside",)
)
HEADER = Rule(
    "queue-entry-header", _ERROR, "a hold's header in an entry reads more than it sees", aliases=("entry-header",)
)
HOLDS = Rule("queue-entry-holds", _ERROR, "an entry acts on a pool of others", aliases=("entry-foreign-pool",))
FOREIGN = Rule(
    "queue-entry-foreign", _ERROR, "an entry reads a pool or stage of others", aliases=("entry-foreign-read",)
)
DOTTED = Rule("entry-own-dotted", _ERROR, "an entry names its own pool through its queue", _ENGINE)
NUMBER = Rule("queue-source-number", _ERROR, "an entry reads its source as a number", aliases=("entry-from-number",))
REQUEST_READS = Rule("req-reads-outside", _ERROR, "a request reads an attribute of the session", _ENGINE)
REQUEST_HOLDS = Rule("req-foreign-pool", _ERROR, "a request acts on a pool it is not admitted with", _ENGINE)
REQUEST_FOREIGN = Rule("req-foreign-read", _ERROR, "a request reads a pool or stage of others", _ENGINE)
TAKING = Rule("taking-reads", _ERROR, "an admission reads more than it sees", _ENGINE)
RESOURCE = Rule("req-resource-number", _ERROR, "a pool, stage or device is read as a number", _ENGINE)
LEASE = Rule(
    "queue-entry-lease", _ERROR, "an entry leases a pool of others, or another than its queue leases",
    aliases=("entry-lease-foreign",),
)  # fmt: skip
RULES = (
    LEASE, READS, HEADER, HOLDS, FOREIGN, DOTTED, NUMBER, REQUEST_READS, REQUEST_HOLDS, REQUEST_FOREIGN, TAKING, RESOURCE,
)  # fmt: skip
_Told = Union[tuple[Rule, str], tuple[Rule, str, str]]  # noqa: UP007 (evaluated at run time, on 3.10 too)
"""A rule, the message, and the cure if there is one."""
_SEEN = ("cached", "computed", "inf")
_ACTS = ("grow", "load", "drop", "release")


class _Table(NamedTuple):
    """What the names of a program mean outside entries and requests."""

    attributes: frozenset[str]
    hidden: frozenset[str]
    resources: frozenset[str]


def check(model: Model) -> Iterator[Finding]:
    """Yield what entries and requests read or act on and is not theirs."""
    if model.edition is Edition.CURRENT:
        return
    declared = model.declared
    table = _Table(
        frozenset({*model.tables.attributes, *BUILTIN_ATTRS} - {*model.tables.constants, *_SEEN}),
        frozenset(it.text for it in declared.hidden),
        frozenset({*declared.pools, *declared.stages, *declared.devices, *declared.queues}),
    )
    yield from _leases(model)
    for it in enclosures(model):
        if it.node.kind == "entry" and it.title.endswith(".route"):
            continue  # a gateway reads across queues
        for place in places(model, it):
            yield from _read(model, it, table, place)
        for visit in step_visits(it.steps):
            if it.holds(visit.step):
                yield from _acts(model, it, visit.step)


def _at(model: Model, it: Enclosure, place: tuple[Node, Scope], told: _Told) -> Finding:
    node, scope = place
    rule, message, *cure = told
    notes = [Note(f"in `{it.title}`", model.path, it.word)]
    if it.engine is not None and (take := taking(it.engine)) is not None:
        notes.append(Note("its admission", model.path, first(take)))
    notes += [Note("used here", via.path, via.span) for via in scope.via[:1]]
    return Finding(rule, scope.path, node.span, message, tuple(notes), cure[0] if cure else None)


def _read(model: Model, it: Enclosure, table: _Table, place: Place) -> Iterator[Finding]:
    node, scope = place.read
    if node.kind == "name":
        told = _name(model, it, table, place)
    elif node.kind == "call":
        found = resource(model, place.read)
        told = _state(model, it, table, place.header, found) if found is not None else None
    elif node.kind == "member":
        told = _member(model, it, node)
    else:
        return
    if told is not None:
        yield _at(model, it, (node, scope), told)


def _name(model: Model, it: Enclosure, table: _Table, place: Place) -> _Told | None:
    name = place.read.node.text
    if name in _SEEN or name in it.parameters or name in model.tables.constants:
        return None
    if name == it.source:
        uses = [(place.read.scope.path, place.read.node.span), *place.read.scope.via]
        trees = {model.path: model.tree} | {library.path: library.tree for library in model.libraries}
        ways = [trees[path].path_at(span.start) for path, span in uses if path in trees]
        if any(around.field == "index" for way in ways for around in way):
            return None  # as an index it is the member of the source
        return NUMBER, f"`{name}` is what the entry takes, and no number"
    if name in it.own:
        return _local(model, it, place)
    if place.header and name == "now":
        rule = HEADER if it.engine is None else TAKING
        return rule, "an admission is judged by what is here, not by the clock", "pass it as a parameter"
    if name in table.hidden:
        return None  # `hidden-read` speaks of the header, and the body may read it
    if name in table.attributes:
        if it.engine is None:
            rule = HEADER if place.header else READS
            return rule, f"`{name}` belongs to the session, and the entry does not see it", "pass it as a parameter"
        rule = TAKING if place.header else REQUEST_READS
        return rule, f"`{name}` belongs to the session, and the request does not see it", "pass it as a parameter"
    if name in model.tables.registers and place.header and it.engine is not None:
        return TAKING, f"`{name}` is the schedule's, and no part of an admission"
    if model.edition is Edition.ENGINE and (name in table.resources or name in it.pools):
        return RESOURCE, f"`{name}` is no number", "read what it has: `queued(…)`, `holders(…)`, `work(…)`"
    return None


def _local(model: Model, it: Enclosure, place: Place) -> tuple[Rule, str, str] | None:
    """A name of its own in a header: classic entries see none, else it is set on every way to the hold."""
    name = place.read.node.text
    if not place.header:
        return None
    if model.edition is Edition.CLASSIC:
        return HEADER, f"`{name}` is set by the entry, and its header does not see it", "pass it as a parameter"
    if name in place.known:
        return None
    rule = HEADER if it.engine is None else TAKING
    return rule, f"`{name}` is not set on every way to this admission", "set it first"


def _state(model: Model, it: Enclosure, table: _Table, header: bool, found: Named) -> _Told | None:
    """Judge the pool or stage of a state function."""
    if found.member is not None:
        return _across(model, it, found.name, f"{found.name}.{found.member}")
    if found.name in it.pools or found.name in (it.stage, it.source) or found.name not in table.resources:
        return None
    if it.engine is not None:
        return (
            REQUEST_FOREIGN,
            f"the request does not see `{found.name}`",
            "take it, or pass what it has as a parameter",
        )
    bare = model.edition is Edition.CLASSIC and not header and not found.indexed
    rule = READS if bare else FOREIGN
    return rule, f"`{found.name}` is not of this queue, and the entry does not see it", "pass it as a parameter"


def _across(model: Model, it: Enclosure, name: str, text: str) -> _Told | None:
    """Judge a dotted name: another queue's, or its own."""
    if it.engine is not None or name not in model.declared.queues:
        return None
    if name == it.station.name and model.edition is Edition.ENGINE and text.partition(".")[2] in it.pools:
        return DOTTED, "its own pool is written without the queue", f"write `{text.partition('.')[2]}`"
    return FOREIGN, f"`{text}` is not the entry's to read", "pass it as a parameter"


def _member(model: Model, it: Enclosure, node: Node) -> _Told | None:
    parts = written(node)
    if parts is None or parts.member is None or parts.name in it.own or parts.name in it.parameters:
        return None
    return _across(model, it, parts.name, f"{parts.name}.{parts.member}")


def _acts(model: Model, it: Enclosure, step: Step) -> Iterator[Finding]:
    """What a statement takes, grows, fills or gives back is its own, or what it takes from its source."""
    rule = HOLDS if it.engine is None else REQUEST_HOLDS
    known = {name for queue in model.declared.queues.values() for name in queue.pools} | model.declared.pools.keys()
    for reference in _acted(step):
        found = named(reference, step.scope)
        if found is None or found.name not in known or found.name in it.pools or found.name == it.source:
            continue
        if it.engine is None:
            message = f"`{found.name}` is no pool of `{it.station.name}`: an entry acts on its own"
        else:
            message = f"`{found.name}` is not taken at the admission: a request acts on what it is admitted with"
        yield _at(model, it, (reference, step.scope), (rule, message))


def _leases(model: Model) -> Iterator[Finding]:
    """The entries of a queue lease one pool, which is the queue's."""
    first_of: dict[str, tuple[str, Node]] = {}
    for it in enclosures(model):
        for visit in step_visits(it.steps):
            lease = visit.step.node.child("lease") if visit.step.form == "hold" and it.holds(visit.step) else None
            pool = lease.child("pool") if lease is not None else None
            found = named(pool, visit.step.scope) if pool is not None else None
            if it.queue is None or pool is None or found is None or found.member is not None:
                continue
            place = (pool, visit.step.scope)
            if found.name not in it.pools:
                yield _at(model, it, place, (LEASE, f"`{found.name}` is no pool of `{it.queue.name}`"))
                continue
            one = first_of.setdefault(it.queue.name, (found.name, pool))
            if one[0] != found.name:
                message = f"`{it.queue.name}` leases `{one[0]}` already, and who takes from it needs one pool"
                yield _at(model, it, place, (LEASE, message))


def _acted(step: Step) -> Iterator[Node]:
    if step.form == "hold":
        found = [it.child("pool") for it in step.node.each("unit")]
    elif step.form in _ACTS:
        found = [step.node.child("pool")]
    else:
        growing = step.node.child("growing")
        found = [growing.child("pool")] if growing is not None else []
    yield from (it for it in found if it is not None)
