"""Entries of queues and requests of engines, put where they are called (classic.md 6.2 and 6.3, engine.md 11.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Num
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.faults import EntryCycle, UnknownName, WrongArity
from serq_lsp.sema.flow import Step
from serq_lsp.sema.references import named, written
from serq_lsp.sema.scopes import Member, Pasted, Place, Renamed, Scope, Station, Valued
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.sema.declarations import Declarations, Engine, Family, Queue
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.flow import Unfolder
    from serq_lsp.sema.scopes import Meaning
    from serq_lsp.syntax.tree import Node


def called(call: Node, scope: Scope) -> tuple[Place, ...]:
    """Return the chain of places that leads to what is called at `call`, innermost first."""
    return (Place(scope.path, call.span), *scope.via)


def parameters(node: Node) -> list[str]:
    """Return the parameters of an entry or a request."""
    return [it.text for part in node.of_kind("parameters") for it in part.each("parameter")]


def route(into: Unfolder, gateway: Node, scope: Scope) -> list[Step]:
    """Return the steps of the gateway that a classic `request G;` names."""
    name, _ = scope.name(gateway.text)
    queue = into.declared.queues.get(name)
    if queue is None:
        names = tuple(into.declared.queues)
        into.report(UnknownName(scope.path, gateway.span, Kind.QUEUE, name, names))
        return []
    found = queue.entries.get("route")
    if found is None:
        return []
    return _enter(into, _Entering(queue, found, "route", gateway, None, {}, None), scope, server=True)


def entry(into: Unfolder, node: Node, call: Node, function: Node, scope: Scope, *, server: bool) -> list[Step]:
    """Return the steps of `Q.verb (…)`, `Q[i].verb (…) from S`, `E.request (…)`."""
    parts = named(function, scope)
    if parts is None or parts.member is None:
        return []
    name, index = parts.name, parts.index
    engine = into.declared.engines.get(name)
    if engine is not None and parts.member == "request":
        return request(into, engine, index, call, scope, server=server)
    queue = into.declared.queues.get(name)
    if queue is None:
        names = (*into.declared.queues, *into.declared.engines)
        into.report(UnknownName(scope.path, function.span, Kind.QUEUE, name, names))
        return []
    source = node.child("from") if node.child("to") is None else None
    verb = f"{parts.member} from" if source is not None else parts.member
    found = queue.entries.get(verb)
    if found is None:
        names = tuple(queue.entries)
        into.report(UnknownName(scope.path, function.span, Kind.ENTRY, f"{name}.{verb}", names))
        return []
    given, wanted = arguments(call), parameters(found)
    if len(given) != len(wanted):
        into.report(WrongArity(scope.path, function.span, Kind.ENTRY, f"{name}.{verb}", len(given), (len(wanted),)))
        return []
    names_of: dict[str, Meaning] = {name: Pasted(arg, scope) for name, arg in zip(wanted, given, strict=True)}
    steps = _enter(into, _Entering(queue, found, verb, function, index, names_of, source), scope, server=server)
    if node.child("to") is not None:
        steps.append(Step("arrived", node, scope, scope, server))
    return steps


@dataclass(frozen=True, slots=True)
class _Entering:
    """One call of an entry: the queue and its member, the entry's node and verb, the call, what its names mean."""

    queue: Queue
    found: Node
    verb: str
    call: Node
    index: Pasted | None
    names: dict[str, Meaning]
    source: Node | None


def _enter(into: Unfolder, it: _Entering, scope: Scope, *, server: bool) -> list[Step]:
    """Return the steps of one entry; what it sets becomes attributes of its queue."""
    queue, names = it.queue, it.names
    here = f"{queue.name}.{it.verb}"
    if here in into.calls:
        into.report(EntryCycle(scope.path, it.call.span, (*into.calls[into.calls.index(here) :], here)))
        return []
    pools = {name: Member(family, it.index) for name, family in queue.pools.items()}
    if it.index is not None:
        names["self"] = it.index
    taken = _source(into, it.source, scope) if it.source is not None else None
    local = it.found.child("source")
    if taken is not None and local is not None:
        member, number, _ = taken
        pools[local.text] = member
        names[local.text] = number if number is not None else Valued(Num(0.0))
    station = Station(
        queue.name,
        f"{queue.name}.",
        queue.stage,
        it.index,
        renames=it.verb != "route",
        source=local.text if local is not None else None,
        source_queue=taken[2] if taken is not None else None,
        source_index=taken[1] if taken is not None else None,
    )
    inner = Scope(into.root.path, names, None, via=called(it.call, scope), pools=pools, station=station)
    into.calls.append(here)
    into.entered.add(here)
    steps = into.block(it.found.child("body"), inner, server=server)
    into.calls.pop()
    if station.renames:
        for name in assigned_here(steps, station):
            names.setdefault(name, Renamed(f"{queue.name}.{name}"))
    return steps


def assigned_here(steps: list[Step], station: Station) -> list[str]:
    """Return the names that an entry itself sets or chooses, not those of the entries it calls."""
    found: list[str] = []
    todo = list(reversed(steps))
    while todo:
        step = todo.pop()
        if step.form in ("set", "choose", "bind") and step.scope.station is station:
            name = step.node.child("name")
            if name is not None:
                found.append(name.text)
        for block in reversed(step.blocks):
            todo.extend(reversed(block))
    return found


def _source(into: Unfolder, source: Node, scope: Scope) -> tuple[Member, Pasted | None, str | None] | None:
    """Return the pool that `from S` takes from, the number of its member, and the queue it belongs to."""
    reference = source.child("pool")
    parts = named(reference, scope) if reference is not None else None
    if reference is None or parts is None:
        return None
    name, index, station = parts.name, parts.index, parts.scope.station
    handed = parts.scope.find_pool(name) if station is not None and station.source == name else None
    if station is not None and handed is not None:
        return handed, station.source_index, station.source_queue
    queue = into.declared.queues.get(name)
    if queue is not None:
        pool = leased(queue, into.declared.definitions)
        return (Member(pool, index), index, name) if pool is not None else None
    pool = into.declared.pools.get(parts.full)
    if pool is None:
        names = (*into.declared.queues, *into.declared.pools)
        into.report(UnknownName(scope.path, reference.span, Kind.QUEUE, name, names))
        return None
    return Member(pool, index), index, None


def leased(queue: Queue, definitions: Mapping[str, Definition]) -> Family | None:
    """Return the pool that the entries of a queue lease, themselves or by definitions they use (classic.md 6.3)."""
    todo: list[tuple[Node, dict[str, str]]] = [(node, {}) for node in queue.entries.values()]
    used: set[tuple[str, tuple[str, ...]]] = set()
    while todo:
        here, names = todo.pop()
        if here.kind == "lease":
            pool = here.child("pool")
            parts = written(pool) if pool is not None else None
            own = queue.pools.get(names.get(parts.name, parts.name)) if parts is not None else None
            if own is not None:
                return own
        call = here.child("call") if here.kind == "call_statement" else None
        function = call.child("function") if call is not None else None
        made = definitions.get(names.get(function.text, function.text)) if function is not None else None
        if call is not None and made is not None and made.body is not None:
            given = tuple(names.get(arg.text, arg.text) for arg in arguments(call))
            if (made.name, given) not in used:
                used.add((made.name, given))
                todo.append((made.body, dict(zip(made.parameters, given, strict=False))))
        todo.extend((child, names) for child in here.children if child.children)
    return None


def clause_scope(engine: Engine, path: str) -> Scope:
    """Return the scope in which the clauses of an engine are read."""
    return Scope(path, station=Station(engine.name, f"{engine.name}.", engine.stage, None))


def execute_scope(engine: Engine, declared: Declarations, path: str) -> Scope:
    """Return the scope in which an engine's `execute` is read: it knows the time resources of the device."""
    device = declared.devices.get(engine.device)
    resources = device.resources if device is not None else {}
    return Scope(path, None, clause_scope(engine, path), calls=resources)


def let_scope(schedule: Node, scope: Scope) -> Scope:
    """Return the scope that knows the `let`s of a schedule, given its block and the scope of its clauses."""
    for let in schedule.of_kind("let"):
        name, value = let.child("name"), let.child("value")
        if name is not None and value is not None:
            scope = scope.inner({name.text: Pasted(value, scope)})
    return scope


def taking(engine: Engine) -> Node | None:
    """Return the `taking` clause of an engine's schedule, if it has one."""
    todo = [part.child("body") for part in engine.node.of_kind("schedule")]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        for child in node.children:
            if child.kind == "admit_waiting" and (found := child.child("taking")) is not None:
                return found
            if child.kind in ("schedule_branch", "schedule_block"):
                todo.append(child)
    return None


def request(
    into: Unfolder, engine: Engine, index: Pasted | None, call: Node, scope: Scope, *, server: bool
) -> list[Step]:
    """Return the steps of a request to an engine: what stands before admission, then a hold with the rest."""
    node = engine.request
    function = call.child("function")
    span = function.span if function is not None else call.span
    if node is None:
        into.report(UnknownName(scope.path, span, Kind.ENTRY, f"{engine.name}.request", ()))
        return []
    given, wanted = arguments(call), parameters(node)
    if len(given) != len(wanted):
        into.report(WrongArity(scope.path, span, Kind.ENGINE, engine.name, len(given), (len(wanted),)))
        return []
    here = f"{engine.name}.request"
    if here in into.calls:
        into.report(EntryCycle(scope.path, span, (*into.calls[into.calls.index(here) :], here)))
        return []
    names: Mapping[str, Meaning] = {name: Pasted(arg, scope) for name, arg in zip(wanted, given, strict=True)}
    station = Station(engine.name, f"{engine.name}.", engine.stage, index, request=True)
    pools = _own_pools(into, engine, index)
    inner = Scope(into.root.path, names, None, via=called(function or call, scope), pools=pools, station=station)
    into.calls.append(here)
    into.entered.add(here)
    steps = admitted(into, engine, node, inner, server=server)
    into.calls.pop()
    return steps


def _own_pools(into: Unfolder, engine: Engine, index: Pasted | None) -> dict[str, Member]:
    """Return the pools of a queue's engine, or of a member of a family, by the names its request writes."""
    queue = into.declared.queues.get(engine.queue) if engine.queue is not None else None
    if queue is not None:
        return {name: Member(family, index) for name, family in queue.pools.items()}
    if index is None:
        return {}
    owned = (engine.name, engine.device)
    return {name: Member(family, index) for name, family in into.declared.pools.items() if family.owner in owned}


def admitted(into: Unfolder, engine: Engine, node: Node, inner: Scope, *, server: bool) -> list[Step]:
    """Return the steps of a request's body around its admission; `inner` says what its parameters mean."""
    body = node.child("body")
    statements = body.children if body is not None else []
    take = taking(engine)
    if take is None:
        return into.statements(statements, inner, server=server)
    at = next((i for i, it in enumerate(statements) if it.kind == "request_admission"), None)
    before = into.statements(statements[:at] if at is not None else [], inner, server=server)
    bindings: list[tuple[str, Node, Scope]] = []
    header = inner
    for binding in statements[at].of_kind("binding") if at is not None else []:
        name, value = binding.child("name"), binding.child("value")
        if name is not None and value is not None:
            bindings.append((name.text, binding, header))
            header = header.inner({name.text: Pasted(value, header)})
    rest = into.statements(statements[at + 1 :] if at is not None else statements, inner, server=server)
    rest = into.bound(bindings, rest, inner, server=server)
    caches = [cache for it in statements if it.kind == "request_cache" for cache in it.of_kind("cache")]
    hold = Step("admission", take, inner, header, server, (tuple(rest),), caches[0] if caches else None)
    return [*before, hold]
