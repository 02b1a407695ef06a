"""Do devices, engines and the pools on them fit together (engine.md 5)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import first, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.diag.spelling import nearest
from serq_lsp.lang.editions import Edition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

    _Owned = dict[tuple[str, str], Node]

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
NO_DEVICE = Rule("engine-no-device", _ERROR, "an engine stands on no device above", _ENGINE, ("queue-engine-device",))
BUSY = Rule("engine-device-busy", _ERROR, "two engines stand on one device", _ENGINE)
SHAPE = Rule("engine-family-shape", _ERROR, "an engine's family does not fit its device's", _ENGINE)
RESOURCE = Rule("dev-resource-twice", _ERROR, "a device names a resource twice", _ENGINE)
CAPACITY = Rule("capacity-twice", _ERROR, "an engine names a capacity twice", _ENGINE)
NOT_POOL = Rule("capacity-not-pool", _ERROR, "a capacity that no pool is declared on", _ENGINE)
NESTED = Rule(
    "capacity-family-in-family",
    _ERROR,
    "a family of capacities in a family of engines",
    _ENGINE,
    ("queue-capacity-family",),
)
UNKNOWN = Rule(
    "pool-on-unknown",
    _ERROR,
    "a pool stands on nothing declared above",
    _ENGINE,
    ("queue-pool-owner", "pool-on-engine-device"),
)
NO_CAPACITY = Rule("pool-on-no-capacity", _ERROR, "a pool's owner has no capacity of its name", _ENGINE)
TIME = Rule("pool-on-time", _ERROR, "a pool on a time resource", _ENGINE)
TWICE = Rule("pool-on-twice", _ERROR, "a capacity is declared as a pool twice", _ENGINE)
CAP = Rule("pool-on-cap", _ERROR, "a pool on an owner states its own capacity", _ENGINE)
ARRAY = Rule("pool-on-array", _ERROR, "a pool on an owner states its own size", _ENGINE)
TWO_MEMORIES = Rule("dev-two-kv", _ERROR, "two pools on one device that runs an engine", _ENGINE)
RULES = (
    NO_DEVICE, BUSY, SHAPE, RESOURCE, CAPACITY, NOT_POOL, NESTED, UNKNOWN, NO_CAPACITY, TIME, TWICE, CAP, ARRAY,
    TWO_MEMORIES,
)  # fmt: skip


def check(model: Model) -> Iterator[Finding]:
    """Yield what does not fit among devices, engines and pools."""
    if model.edition is not Edition.ENGINE:
        return
    used: dict[str, Node] = {}
    owned: _Owned = {}
    memories: dict[str, Node] = {}
    for visit in visits_of(model, "device", "engine", "pool"):
        node = visit.node
        match node.kind:
            case "device":
                yield from _repeated(model, node, RESOURCE, "time_resource", "capacity")
            case "engine":
                yield from _repeated(model, node, CAPACITY, "capacity")
                yield from _engine(model, node, used, visit.inside("queue"))
            case "pool":
                yield from _pool(model, visit, owned, memories)
    yield from _undeclared(model)


def _at(model: Model, rule: Rule, span: Span, message: str, *notes: Note, help_text: str | None = None) -> Finding:
    return Finding(rule, model.path, span, message, notes, help_text)


def _repeated(model: Model, owner: Node, rule: Rule, *kinds: str) -> Iterator[Finding]:
    seen: dict[str, Node] = {}
    for part in owner.of_kind(*kinds):
        name = part.child("name")
        if name is None:
            continue
        if name.text in seen:
            note = Note("the first", model.path, seen[name.text].span)
            yield _at(model, rule, name.span, f"`{name.text}` is named already", note)
        seen.setdefault(name.text, name)


def _engine(model: Model, node: Node, used: dict[str, Node], queue: Node | None) -> Iterator[Finding]:
    on, name = node.child("device"), node.child("name")
    place = name or on or node
    if on is None:
        return
    if queue is not None:
        if not any((own := it.child("name")) is not None and own.text == on.text for it in queue.of_kind("device")):
            yield _at(model, NO_DEVICE, on.span, f"the queue has no device `{on.text}`")
        for capacity in node.of_kind("capacity"):
            own = capacity.child("name")
            if own is not None and capacity.child("size") is not None:
                yield _at(model, NESTED, own.span, "each member has its own already")
        return
    device = model.declared.devices.get(on.text)
    if device is None or device.node.start > node.start:
        near = nearest(on.text, model.declared.devices)
        help_text = f"did you mean `{near}`?" if near else None
        yield _at(model, NO_DEVICE, on.span, f"no device above is called `{on.text}`", help_text=help_text)
        return
    if on.text in used:
        note = Note("the other engine", model.path, used[on.text].span)
        yield _at(model, BUSY, place.span, f"`{on.text}` runs an engine already", note)
    used.setdefault(on.text, place)
    if (device.node.child("size") is not None) != (node.child("size") is not None):
        yield _at(
            model, SHAPE, place.span, f"an engine runs on each member of `{on.text}`: both are families, or neither"
        )
    elif device.count != _count(model, place):
        yield _at(model, SHAPE, place.span, f"`{on.text}` has {device.count} members, and each runs one engine")
    for capacity in node.of_kind("capacity"):
        own = capacity.child("name")
        if (
            own is not None
            and capacity.child("size") is not None
            and (node.child("size") is not None or queue is not None)
        ):
            yield _at(model, NESTED, own.span, "each member has its own already")


def _count(model: Model, name: Node) -> int:
    engine = model.declared.engines.get(name.text)
    return engine.stage.count if engine is not None else 1


def _pool(model: Model, visit: Visit, owned: _Owned, memories: dict[str, Node]) -> Iterator[Finding]:
    node, queue = visit.node, visit.inside("queue")
    on = node.child("on")
    if on is None:
        return
    name, owner, member = node.child("name"), on.child("owner"), on.child("device")
    if name is None or owner is None:
        return
    for cap in node.of_kind("cap"):
        yield _at(model, CAP, first(cap), f"its capacity is that of `{owner.text}`")
    if node.child("size") is not None:
        yield _at(model, ARRAY, name.span, f"it has a member for each of `{owner.text}`")
    if queue is not None and (own := queue.child("name")) is not None:
        devices = [it.text for part in queue.of_kind("device") for it in part.each("name")]
        if owner.text in (own.text, *devices):
            return  # its capacities are the queue's own, and are looked up there
    declared = model.declared
    engine, device = declared.engines.get(owner.text), declared.devices.get(owner.text)
    if member is not None:
        if engine is None or engine.device != member.text:
            yield _at(
                model, UNKNOWN, owner.span, f"`{owner.text}.{member.text}` is no engine and the device it runs on"
            )
            return
        device, engine = declared.devices.get(member.text), None
    below = (it.node.start > node.start for it in (engine, device) if it is not None)
    if (engine is None and device is None) or any(below) or _outside(queue, engine or device):
        near = nearest(owner.text, (*declared.engines, *declared.devices))
        help_text = f"did you mean `{near}`?" if near else None
        yield _at(
            model, UNKNOWN, owner.span, f"no engine or device above is called `{owner.text}`", help_text=help_text
        )
        return
    of = member.text if member is not None else owner.text
    if device is not None and engine is None and name.text in device.resources:
        yield _at(model, TIME, name.span, f"`{name.text}` is a time, and no pool holds it")
        return
    capacities = engine.capacities if engine is not None else device.capacities if device is not None else {}
    if name.text not in capacities:
        known = ", ".join(f"`{it}`" for it in capacities) or "none"
        yield _at(model, NO_CAPACITY, name.span, f"`{of}` has no capacity `{name.text}`; it has {known}")
        return
    if (of, name.text) in owned:
        note = Note("the first", model.path, owned[of, name.text].span)
        yield _at(model, TWICE, owner.span, f"`{name.text}` of `{of}` is a pool already", note)
    owned.setdefault((of, name.text), name)
    if device is not None and engine is None and any(it.device == of for it in declared.engines.values()):
        if of in memories and memories[of].text != name.text:
            note = Note("the other", model.path, memories[of].span)
            yield _at(model, TWO_MEMORIES, owner.span, f"which pool of `{of}` is its engine's memory?", note)
        memories.setdefault(of, name)


def _outside(queue: Node | None, owner: object) -> bool:
    """Say whether a queue's pool stands on an owner outside the queue, or the other way round."""
    node = getattr(owner, "node", None)
    if node is None:
        return False
    return queue is not None and not (queue.start <= node.start and node.end <= queue.end)


def _undeclared(model: Model) -> Iterator[Finding]:
    """Every capacity of an engine or device is some pool."""
    declared = model.declared
    pools = [(it.name.rsplit(".", 1)[-1], it.owner or "") for it in declared.pools.values()]
    for engine in declared.engines.values():
        for name, node in engine.capacities.items():
            own = node.child("name")
            if own is not None and not any(
                pool == name and owner in (engine.name, engine.queue) for pool, owner in pools
            ):
                message = f"no pool is declared for `{name}`"
                yield _at(model, NOT_POOL, own.span, message, help_text=f"add `pool {name} on {engine.name} {{ }}`")
