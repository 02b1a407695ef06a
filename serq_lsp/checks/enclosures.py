"""Entries of queues and requests of engines, each unfolded once without a caller, and what they read and act on.

An entry sees its parameters, its queue's pools and stage, and what it sets itself; a request sees its parameters, the
pools it is admitted with, its engine, and what it sets itself (classic.md 6.2, engine.md 4 and 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.reading import reads
from serq_lsp.checks.visits import first, step_visits
from serq_lsp.ir.expr import Num
from serq_lsp.sema import supplied
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.calls import admitted, parameters, taking
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.flow import Unfolder
from serq_lsp.sema.once import once
from serq_lsp.sema.reads import expressions
from serq_lsp.sema.references import written
from serq_lsp.sema.scopes import Scope, Station, Valued

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.checks.reading import Read
    from serq_lsp.sema.declarations import Engine, Queue
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Meaning
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

_HOPS = 64
"""A parameter may be handed on through so many definitions."""


class Enclosure(NamedTuple):
    """An entry or a request.

    `word` is its verb or the word `request`, `title` what messages call it. `pools` and `stage` are the names of what
    is its own, `source` the name of what an entry takes from. `own` are the names it sets itself.
    """

    node: Node
    word: Span
    title: str
    station: Station
    steps: tuple[Step, ...]
    parameters: frozenset[str]
    pools: frozenset[str]
    stage: str
    source: str | None
    own: frozenset[str]
    queue: Queue | None
    engine: Engine | None

    def holds(self, step: Step) -> bool:
        """Say whether a step is its own, not one of an entry that it calls."""
        return step.scope.station is self.station


class Named(NamedTuple):
    """What a reference names: a pool, a stage or a queue, the member after a dot, and whether it has an index."""

    node: Node
    name: str
    member: str | None
    indexed: bool


class Place(NamedTuple):
    """Something read: in the header of a hold or not; `known` are the own names set on every way to here."""

    read: Read
    step: Step
    header: bool
    known: frozenset[str]


@once
def enclosures(model: Model) -> tuple[Enclosure, ...]:
    """Return the entries and requests of a program, in the order of declaration."""
    into = Unfolder(model.declared, model.edition, model.path, _ignore)
    found = [
        _entry(model, into, queue, verb, node)
        for queue in model.declared.queues.values()
        for verb, node in queue.entries.items()
    ]
    found += [
        _request(model, into, engine, engine.request)
        for engine in model.declared.engines.values()
        if engine.request is not None and engine.queue is None and not engine.stage.array
    ]
    return tuple(found)


def _entry(model: Model, into: Unfolder, queue: Queue, verb: str, node: Node) -> Enclosure:
    local = node.child("source")
    source = local.text if local is not None else None
    station = Station(queue.name, f"{queue.name}.", queue.stage, None, renames=verb != "route", source=source)
    names: dict[str, Meaning] = {name: Valued(Num(0.0)) for name in parameters(node)}
    if queue.array:
        names["self"] = Valued(Num(0.0))
    into.calls.append(f"{queue.name}.{verb}")
    steps = into.block(node.child("body"), Scope(model.path, names, station=station), server=True)
    into.calls.pop()
    name = node.child("name")
    return Enclosure(
        node,
        name.span if name is not None else first(node),
        f"{queue.name}.{verb.partition(' ')[0]}",
        station,
        tuple(steps),
        frozenset(parameters(node)),
        frozenset(queue.pools),
        queue.name,
        source,
        _own(steps, station),
        queue,
        None,
    )


def _request(model: Model, into: Unfolder, engine: Engine, node: Node) -> Enclosure:
    station = Station(engine.name, f"{engine.name}.", engine.stage, None, request=True)
    names: dict[str, Meaning] = {name: Valued(Num(0.0)) for name in parameters(node)}
    into.calls.append(f"{engine.name}.request")
    steps = admitted(into, engine, node, Scope(model.path, names, station=station), server=True)
    into.calls.pop()
    take = taking(engine)
    units = take.each("unit") if take is not None else []
    broken = is_broken(engine.node)
    pools = (
        set(model.declared.pools)
        if broken
        else {parts.name for it in units if (pool := it.child("pool")) is not None and (parts := written(pool))}
    )
    return Enclosure(
        node,
        first(node),
        f"{engine.name}.request",
        station,
        tuple(steps),
        frozenset(parameters(node)),
        frozenset(pools),
        engine.name,
        None,
        _own(steps, station),
        None,
        engine,
    )


def _own(steps: Iterable[Step], station: Station) -> frozenset[str]:
    found: set[str] = set()
    for visit in step_visits(steps):
        if visit.step.scope.station is station and visit.step.form != "mark":
            found.update(name.partition(".")[0] for name in assigned(visit.step))
    return frozenset(found)


def places(model: Model, it: Enclosure) -> Iterator[Place]:
    """Yield what an entry or request reads, in the order of its statements, definitions expanded."""
    found: list[Place] = []
    _walk(model, it, it.steps, set(), found)
    return iter(found)


def _walk(model: Model, it: Enclosure, steps: Iterable[Step], known: set[str], found: list[Place]) -> None:
    """Note what steps read; `known` gains what they set on every way through."""
    for step in steps:
        header = {id(node) for node in _header(step)} if it.holds(step) else set()
        for node, scope in expressions(step):
            now = frozenset(known)
            in_header = id(node) in header or step.form == "bind"
            found.extend(
                Place(read, step, in_header, now)
                for read in reads(model, node, scope)
                if read.scope.station is it.station
            )
        if it.holds(step) and step.form != "mark":
            known.update(assigned(step))
        match step.form:
            case "branch":
                sides = [set(known) for _ in step.blocks]
                for block, side in zip(step.blocks, sides, strict=True):
                    _walk(model, it, block, side, found)
                if len(sides) > 1:
                    known |= set.intersection(*sides)
            case "while" | "fork":
                for block in step.blocks:
                    _walk(model, it, block, set(known), found)
            case _:
                for block in step.blocks:
                    _walk(model, it, block, known, found)


def _header(step: Step) -> Iterator[Node]:
    """Yield the expressions of a hold's header that are read at admission."""
    if step.form not in ("hold", "admission"):
        return
    for unit in step.node.each("unit"):
        reserve = unit.child("reserve")
        for node in (unit.child("units"), reserve.child("value") if reserve is not None else None):
            if node is not None:
                yield node
    reuse = step.node.child("reuse")
    value = reuse.child("value") if reuse is not None else None
    if value is not None:
        yield value


def resource(model: Model, read: Read) -> Named | None:
    """Return the pool or stage that a call of a state function names; None for other reads."""
    function = read.node.child("function") if read.node.kind == "call" else None
    known = supplied.functions(model.edition).get(function.text) if function is not None else None
    given = arguments(read.node)
    if known is None or not given or known.takes[0] not in ("pool", "stage"):
        return None
    return named(given[0], read.scope)


def named(node: Node, scope: Scope) -> Named | None:
    """Return what a reference names once parameters of definitions are followed."""
    indexed = False
    for _ in range(_HOPS):
        parts = written(node)
        if parts is None:
            return None
        indexed = indexed or parts.index is not None
        pasted = scope.parameters.get(parts.name)
        if pasted is None or parts.member is not None:
            return Named(node, parts.name, parts.member, indexed)
        node, scope = pasted.node, pasted.scope
    return None


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is found where the entry is called, or is no fault as it is not."""
