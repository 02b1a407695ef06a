"""Pools and engines as the rules need them: capacities, budgets, costs, and what belongs to what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.broken import is_broken
from serq_lsp.ir.eval import constant
from serq_lsp.sema.expressions import Builder
from serq_lsp.sema.once import once
from serq_lsp.sema.scopes import Pasted, Scope, Station

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.declarations import Engine as DeclaredEngine
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Meaning
    from serq_lsp.syntax.tree import Node


class Pool(NamedTuple):
    """A pool: capacity in units (None where it is no constant), block size, whether a growth may preempt.

    `cap_node` is the value that says the capacity, `via` the stage that admits its queue.
    """

    family: Family
    cap: float | None
    cap_node: Node | None
    block: float | None
    preempts: bool
    via: str | None

    def rounded(self, units: float) -> float:
        """Return what an allocation of so many units takes."""
        if self.block == math.inf:
            return math.nan  # nothing fits, as the kernel reckons
        if self.block is None or not self.block > 0 or not math.isfinite(units):
            return units
        return math.ceil(units / self.block) * self.block


class Engine(NamedTuple):
    """A stage that runs iterations. `cost` is the expression of an iteration's time, read in `scope`.

    `budget` and `chunks` (caps of one run, None read as none) are in tokens. `memory` is the pool it is measured
    by, `admits` the pools whose waiting sessions it lets in.
    """

    stage: Family
    scope: Scope
    cost: Node | None
    budget: Node | None
    chunks: tuple[tuple[Node, Scope], ...]
    memory: str | None
    admits: tuple[str, ...]


def silent(model: Model) -> Builder:
    """Return a builder of expressions that reports nothing: its faults are known already."""
    return Builder(model.tables, _ignore)


def _ignore(_fault: Fault) -> None:
    """Take no note."""


def value(model: Model, node: Node | None, scope: Scope | None = None) -> float | None:
    """Return the value of a constant expression; None where it is none, or not a number."""
    if node is None:
        return None
    found = constant(silent(model).build(node, scope or Scope(model.path)))
    return found if found is not None and not math.isnan(found) else None


@once
def pools(model: Model) -> dict[str, Pool]:
    """Return the pools of the program by name (`kv`, `Q.kv`)."""
    return {name: _pool(model, family) for name, family in model.declared.pools.items()}


def _pool(model: Model, family: Family) -> Pool:
    node = family.node
    via = None
    cap_node = None
    if node is not None:
        via = next((it.child("stage") for it in node.of_kind("admit_via")), None)
        cap_node = next((it.child("value") for it in reversed(node.of_kind("cap"))), None)
    on = node.child("on") if node is not None else None
    admitted_by = via.text if via is not None else None
    if on is not None:
        cap_node = _owned_capacity(model, family)
        admitted_by = family.owner if family.owner in model.declared.engines else None
    cap = value(model, cap_node) if cap_node is not None else math.inf if on is None else None
    if node is not None and is_broken(node):
        cap = None
    preempts = node is not None and any(
        not it.has_word("none") and not it.has_word("leases") for it in node.of_kind("preempt")[-1:]
    )
    return Pool(family, cap, cap_node, model.tables.blocks.get(family.name), preempts, admitted_by)


def _owned_capacity(model: Model, family: Family) -> Node | None:
    """Return the value of the capacity that a pool `on` an engine or device is."""
    name = family.name.rsplit(".", 1)[-1]
    engine = model.declared.engines.get(family.owner or "")
    device = model.declared.devices.get(engine.device if engine is not None else family.owner or "")
    for owner in (engine, device):
        if owner is not None and name in owner.capacities:
            return owner.capacities[name].child("value")
    return None


@once
def engines(model: Model) -> list[Engine]:
    """Return the stages that run iterations, in text order."""
    found = [_engine(model, it) for it in model.declared.engines.values()]
    for stage in model.declared.stages.values():
        kind = stage.node.child("kind") if stage.node is not None and stage.node.kind != "engine" else None
        if kind is not None and kind.kind == "step" and not stage.name.endswith((".nic", ".latency")):
            found.append(_step(model, stage, kind))
    return found


def _step(model: Model, stage: Family, step: Node) -> Engine:
    scope = Scope(model.path)
    memory = next((it.child("pool") for it in reversed(step.of_kind("memory"))), None)
    name = memory.text if memory is not None else None
    if name is not None and stage.queue is not None and f"{stage.queue}.{name}" in model.declared.pools:
        name = f"{stage.queue}.{name}"
    admits = tuple(
        pool.name
        for pool in model.declared.pools.values()
        if pool.node is not None
        and any(
            (via := it.child("stage")) is not None and via.text == stage.name for it in pool.node.of_kind("admit_via")
        )
    )
    chunk = _last(step, "chunk")
    return Engine(
        stage, scope, _last(step, "cost"), _last(step, "budget"), ((chunk, scope),) if chunk else (), name, admits
    )


def _engine(model: Model, engine: DeclaredEngine) -> Engine:
    device = model.declared.devices.get(engine.device)
    station = Station(engine.name, f"{engine.name}.", engine.stage, None)
    calls = device.resources if device is not None else {}
    scope = Scope(model.path, calls=calls, station=station)
    admits = tuple(it.name for it in model.declared.pools.values() if it.owner == engine.name)
    memory = next((it.name for it in model.declared.pools.values() if _on_device(it, engine)), None)
    return Engine(
        engine.stage,
        scope,
        _last(engine.node, "execute"),
        _last(engine.node, "tokens_cap"),
        tuple(_caps(engine.node, scope)),
        memory,
        admits,
    )


def _on_device(pool: Family, engine: DeclaredEngine) -> bool:
    if pool.owner == engine.device:
        return True
    on = pool.node.child("on") if pool.node is not None else None
    return pool.owner == engine.name and on is not None and on.child("device") is not None


def _caps(engine: Node, scope: Scope) -> Iterator[tuple[Node, Scope]]:
    """Yield the values of `each at most`, each with the scope in which the schedule's lets are known."""
    for schedule in engine.of_kind("schedule"):
        body = schedule.child("body")
        if body is None:
            continue
        names: dict[str, Meaning] = {}
        inner = scope
        for let in body.of_kind("let"):
            name, given = let.child("name"), let.child("value")
            if name is not None and given is not None:
                names = {**names, name.text: Pasted(given, inner)}
                inner = scope.inner(names)
        todo = [body]
        while todo:
            node = todo.pop()
            cap = node.child("value") if node.kind == "each_at_most" else None
            if cap is not None:
                yield cap, inner
            todo.extend(reversed(node.children))


def _last(node: Node, kind: str) -> Node | None:
    """Return the value of the last option of a kind: a repeated one replaces the earlier."""
    return next((it.child("value") for it in reversed(node.of_kind(kind))), None)


def budget(model: Model, engine: Engine) -> float | None:
    """Return the budget of an engine in tokens, where it is a constant; inf where there is none."""
    if engine.budget is None:
        return math.inf
    return value(model, engine.budget, engine.scope)


def built(model: Model, node: Node, scope: Scope) -> Expr:
    """Return the expression that `node` stands for in `scope`."""
    return silent(model).build(node, scope)
