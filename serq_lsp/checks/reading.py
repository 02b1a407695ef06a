"""Every expression of a program with the moment at which it is read, and every read in it (classic.md 10, engine.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.commands import anchor
from serq_lsp.checks.visits import all_steps, visits_of
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import arguments, unfold
from serq_lsp.sema.once import once
from serq_lsp.sema.reads import expressions
from serq_lsp.sema.scopes import Pasted, Scope, Station

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

NODES_MAX = 5_000
"""So many nodes of one expression are looked at, definitions expanded."""


class Position(NamedTuple):
    """An expression: its `moment` by the name the construct table gives it, the scope it is read in.

    `stage` is the engine whose expression it is, `pool` the pool whose key or header. `anchor` is where the reference
    reports a fault of the statement; None for a declaration.
    """

    node: Node
    scope: Scope
    moment: str
    stage: str | None = None
    pool: str | None = None
    anchor: Span | None = None


class Read(NamedTuple):
    """A name, member, call or draw in an expression, with the scope it stands in."""

    node: Node
    scope: Scope


_OF_POOLS, _OF_STAGES = ("queue_order", "evict", "preempt", "spill"), ("ps", "step", "engine")
_STATISTICS = ("gauge", "claim")


@once
def positions(model: Model) -> list[Position]:
    """Return the expressions of a program that have a moment; constants have none."""
    return list(_positions(model))


def _positions(model: Model) -> Iterator[Position]:
    for visit in visits_of(model, *_OF_POOLS, *_OF_STAGES, *_STATISTICS):
        yield from _declared(model, visit)
    first = [id(step) for block in (model.flow.init, model.flow.turn) for step in block]
    for step_visit in all_steps(model):
        yield from _statement(step_visit.step, early=id(step_visit.step) in first)


def _statement(step: Step, *, early: bool) -> Iterator[Position]:
    station = step.scope.station
    moment = "init" if early else "request" if station is not None and station.request else "statement"
    if step.form in ("hold", "admission"):
        header = "taking" if step.form == "admission" else "header"
        unit = step.node.child("unit")
        reference = unit.child("pool") if unit is not None else None
        pool = None
        if reference is not None and (name := reference.child("name")) is not None:
            pool = name.text
        place = anchor(step)
        for it in step.node.each("unit"):
            for node in (it.child("units"), _value(it.child("reserve"))):
                if node is not None:
                    yield Position(node, step.header, header, pool=pool, anchor=place)
        bound = _value(step.node.child("reuse"))
        if bound is not None:
            yield Position(bound, step.header, header, pool=pool, anchor=place)
        return
    for node, scope in expressions(step):
        yield Position(node, scope, moment, anchor=anchor(step))


def _value(clause: Node | None) -> Node | None:
    return clause.child("value") if clause is not None else None


def _declared(model: Model, visit: Visit) -> Iterator[Position]:
    node = visit.node
    scope = Scope(model.path, at=node.start)
    match node.kind:
        case "queue_order" | "evict" | "preempt":
            moment = {"queue_order": "select", "evict": "evict"}.get(node.kind, "victim")
            pool = visit.around[-1].child("name")
            for key in _keys(node):
                yield Position(key, scope, moment, pool=pool.text if pool is not None else None)
        case "spill":
            pool = visit.around[-1].child("name")
            for part in (node.child("work"), node.child("test")):
                if part is not None:
                    yield Position(part, scope, "evict", pool=pool.text if pool is not None else None)
        case "ps":
            through = node.child("throughput")
            if through is not None:
                yield Position(through, scope, "capacity")
        case "gauge" | "claim":
            yield from _statistic(node, scope)
        case "step":
            owner = visit.around[-1].child("name") or (visit.inside("queue") or visit.around[-1]).child("name")
            yield from _engine(node, scope, owner.text if owner is not None else None)
        case "engine":
            name = node.child("name") or (visit.inside("queue") or node).child("name")
            engine = model.declared.engines.get(name.text) if name is not None else None
            if engine is not None:
                device = model.declared.devices.get(engine.device)
                station = Station(engine.name, f"{engine.name}.", engine.stage, None)
                calls = device.resources if device is not None else None
                yield from _engine(node, Scope(model.path, calls=calls, station=station, at=node.start), engine.name)


def _statistic(node: Node, scope: Scope) -> Iterator[Position]:
    value, given = node.child("value"), node.child("given")
    test = given.child("test") if given is not None else None
    if test is not None:
        yield Position(test, scope, "given")
    if value is not None:
        form = node.child("form")
        stage = node.child("stage")
        name = stage.child("name") if stage is not None else None
        moment = "gauge" if node.kind == "gauge" else "end" if form is not None and form.kind == "at" else "iteration"
        yield Position(value, scope, moment, stage=name.text if name is not None else None)


_STAGE_VALUES = {
    "budget": "tokens-cap", "tokens_cap": "tokens-cap", "chunk": "each", "each_at_most": "each", "cost": "cost",
    "execute": "cost",
}  # fmt: skip


def _engine(owner: Node, scope: Scope, stage: str | None) -> Iterator[Position]:
    """Yield the expressions of a step stage or an engine, but for requests."""
    names: dict[str, Pasted] = {}
    todo: list[tuple[Node, bool]] = [(owner, False)]
    while todo:
        node, body = todo.pop()
        value = node.child("value")
        if node.kind in _STAGE_VALUES and value is not None:
            inner = scope.inner(names) if node.kind == "each_at_most" else scope
            yield Position(value, inner, _STAGE_VALUES[node.kind], stage=stage)
        elif node.kind == "let" and value is not None and (name := node.child("name")) is not None:
            names = {**names, name.text: Pasted(value, scope.inner(names))}
        elif node.kind == "set" and value is not None:
            yield Position(value, scope, "plan", stage=stage)
        elif node.kind in ("only", "gate", "iteration_branch", "schedule_branch"):
            test = node.child("test")
            if test is not None:
                yield Position(test, scope, "only" if node.kind == "only" else "plan", stage=stage)
        elif node.kind == "order_by":
            for key in _keys(node):
                yield Position(key, scope, "only" if body and owner.kind == "step" else "by", stage=stage)
        inside = body or node.kind in ("iteration_block", "schedule_block")
        skipped = ("engine_request", "taking", "capacity", "state", "granule")
        todo.extend((child, inside) for child in reversed(node.children) if child.named and child.kind not in skipped)


def _keys(node: Node) -> list[Node]:
    keys = node.child("keys")
    return keys.each("key") if keys is not None else []


@once
def _reads_by_place(_model: Model) -> dict[tuple[Node, Scope], list[Read]]:
    return {}


def reads(model: Model, node: Node, scope: Scope) -> list[Read]:
    """Return what an expression reads: names that no frame explains, members, calls and draws; definitions expanded."""
    known = _reads_by_place(model)
    if (node, scope) not in known:
        known[node, scope] = list(_reads(model, node, scope))
    return known[node, scope]


def _reads(model: Model, node: Node, scope: Scope) -> Iterator[Read]:
    todo = [Read(node, scope)]
    seen: set[tuple[int, int]] = set()
    for _ in range(NODES_MAX):
        if not todo:
            return
        here, frame = todo.pop()
        match here.kind:
            case "name":
                meaning = frame.find(here.text)
                if meaning is None:
                    yield Read(here, frame)
                elif isinstance(meaning, Pasted) and (id(meaning.node), id(meaning.scope)) not in seen:
                    seen.add((id(meaning.node), id(meaning.scope)))
                    todo.append(Read(meaning.node, meaning.scope))
            case "member":
                yield Read(here, frame)
            case "call":
                todo.extend(reversed(list(_called(model, here, frame))))
                function = here.child("function")
                if function is not None and not _defined(model, function, frame):
                    yield Read(here, frame)
            case "aggregate":
                body, index = here.child("body"), here.child("index")
                inner = frame.inner({index.text: Pasted(index, Scope(frame.path))}) if index is not None else frame
                if body is not None:
                    todo.append(Read(body, inner))
            case "subscript":
                continue
            case _:
                if here.kind == "draw":
                    yield Read(here, frame)
                    todo.extend(Read(arg, frame) for arg in reversed(arguments(here)))
                else:
                    todo.extend(Read(child, frame) for child in reversed(here.children) if child.named)


def _defined(model: Model, function: Node, scope: Scope) -> bool:
    name, home = scope.name(function.text)
    return (home.find_call(name) or model.tables.definitions.get(name)) is not None


def _called(model: Model, call: Node, scope: Scope) -> Iterator[Read]:
    """Yield what a call reads: the body of a definition, or the arguments that are values."""
    function = call.child("function")
    name, home = scope.name(function.text if function is not None else "")
    made = home.find_call(name) or model.tables.definitions.get(name)
    if made is not None:
        inner = unfold(made, call, scope, wants_statements=False, report=_ignore)
        if inner is not None and made.value is not None:
            yield Read(made.value, inner)
        return
    known = supplied.functions(model.edition).get(name)
    given = arguments(call)
    for number, arg in enumerate(given):
        takes = known.takes[min(number, len(known.takes) - 1)] if known is not None else "value"
        if takes == "value" or (takes == "resources" and number == len(given) - 1):
            yield Read(arg, scope)
        elif (index := arg.child("index")) is not None:
            yield Read(index, scope)


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is known already."""
