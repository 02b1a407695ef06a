"""Runs: `run`, the serving words, and copies over links and NICs (classic.md 5.3 and 6.4, engine.md 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Cost, Num, PoolTarget, Ref, StageTarget
from serq_lsp.ir.stmt import Load, Release, Run
from serq_lsp.sema.roles import TOOL, is_engine, role
from serq_lsp.sema.targets import joint

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.ir.stmt import Stmt
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.declarations import Family, Relation
    from serq_lsp.sema.flow import Step
    from serq_lsp.syntax.tree import Node

_MODES = {"prefill": "Prefill", "decode": "Decode"}


def lower_run(ctx: Context, step: Step) -> Run:
    """Return a `run`: on the stages it names, or on the own stage of the entry it stands in."""
    node, scope = step.node, step.scope
    stages = [ctx.stage(it, scope) for it in node.each("stage")]
    if node.of_kind("named_argument"):
        raise ctx.fail(node, "run with named arguments", scope)
    if not stages:
        station = scope.station
        if station is None or station.stage is None:
            raise ctx.fail(node, "run without a stage", scope)
        stages = [ctx.member(station.stage, station.index)]
    mode = next((_MODES[it.kind] for it in node.children if it.field == "mode" and it.kind in _MODES), "Plain")
    work = ctx.build(ctx.child(node, "work", scope), scope)
    return Run(stages[0], mode, work, _growing(ctx, step), tuple(stages[1:]))


def _growing(ctx: Context, step: Step) -> Ref | None:
    growing = step.node.child("growing")
    return ctx.pool(ctx.child(growing, "pool", step.scope), step.scope) if growing is not None else None


def lower_serving(ctx: Context, step: Step) -> Run:
    """Return the run that `prefill`, `decode` or `tool` is; with costs its work is one of its stages."""
    stages, families = _places(ctx, step)
    engine = is_engine(families[0])
    mode = _MODES.get(step.form, "Plain") if engine else "Plain"
    work = ctx.build(ctx.child(step.node, "work", step.scope), step.scope)
    return Run(stages[0], mode, _cost(ctx, stages, work), _growing(ctx, step), tuple(stages[1:]))


def _cost(ctx: Context, stages: list[Ref], work: Expr) -> Expr:
    """Return the work as a cost of its stages, where the edition has costs."""
    if not ctx.engine:
        return work
    target = joint(StageTarget(it.base, it.count) for it in stages)
    assert target is not None  # there is at least one stage
    return Cost(target, work)


def _places(ctx: Context, step: Step) -> tuple[list[Ref], list[Family]]:
    """Return the stages a serving word means: those after `on`, or the one that plays the word's role."""
    node, scope = step.node, step.scope
    named = node.each("stage")
    if named:
        refs = [ctx.stage(it, scope) for it in named]
        return refs, [_family(ctx, ref) for ref in refs]
    member = node.child("member")
    index = ctx.builder.index(ctx.child(member, "value", scope), scope) if member is not None else None
    station = scope.station
    if step.form in _MODES and station is not None and station.request and station.stage is not None:
        return [ctx.member(station.stage, station.index)], [station.stage]
    found = role(ctx.model.declared, step.form, scope, node)
    if len(found) == 1:
        own = station is not None and found[0] is station.stage and index is None
        if own and station is not None:
            return [ctx.member(found[0], station.index)], found[:1]
        return [Ref(found[0].base, found[0].count, index)], found[:1]
    if not found and step.form == TOOL and ctx.engine:
        tool = ctx.tool_stage(node)
        return [Ref(tool.base, 1, index)], [tool]
    raise ctx.fail(node, f"no single stage for `{step.form}`", scope)


def _family(ctx: Context, ref: Ref) -> Family:
    return next(it for it in ctx.tables.stages.values() if it.base == ref.base)


def lower_transfer(ctx: Context, step: Step) -> list[Stmt]:
    """Return the run, load and release of a copy; a link's or a relation's wait runs first."""
    node, scope = step.node, step.scope
    found: list[Stmt] = []
    if step.form == "transfer":
        work = ctx.build(ctx.child(node, "work", scope), scope)
        stages, waits = _copy_stages(ctx, step)
        for wait, seconds in waits:
            found.append(Run(wait, "Plain", _cost(ctx, [wait], Num(seconds))))
        found.append(Run(stages[0], "Plain", _cost(ctx, stages, work), None, tuple(stages[1:])))
    to = ctx.child(node, "to", scope)
    source = ctx.child(ctx.child(node, "from", scope), "pool", scope)
    target = ctx.pool(ctx.child(to, "pool", scope), scope)
    amount = ctx.build(ctx.child(to, "amount", scope), scope)
    if ctx.engine:
        amount = Cost(PoolTarget(target.base, target.count), amount)
    taken = ctx.leased_pool(source, scope) if step.form == "arrived" else ctx.pool(source, scope)
    return [*found, Load(target, amount), Release(taken)]


def _copy_stages(ctx: Context, step: Step) -> tuple[list[Ref], list[tuple[Ref, float]]]:
    """Return the stages a copy runs over, and the waits before it with their seconds."""
    relation = _relation(ctx, step)
    station = step.scope.station
    if relation is not None and station is not None:
        queues = ctx.model.declared.queues
        source, reader = queues[relation.source], queues[relation.reader]
        if source.nic is None or reader.nic is None:
            raise ctx.fail(step.node, "relation of a queue without a nic", step.scope)
        stages = [ctx.member(source.nic, station.source_index), ctx.member(reader.nic, station.index)]
        if relation.wait is None:
            return stages, []
        index = station.index if relation.poster == relation.reader else station.source_index
        return stages, [(ctx.member(relation.wait, index), _seconds(ctx, relation.node))]
    stages, families = _places(ctx, step)
    waits: list[tuple[Ref, float]] = []
    for ref, family in zip(stages, families, strict=True):
        queue = ctx.model.declared.queues.get(family.queue or "")
        if queue is not None and queue.stage is family and queue.latency is not None and queue.latency.node is not None:
            wait = queue.latency
            waits.append((Ref(wait.base, wait.count, ref.index), _seconds(ctx, queue.latency.node)))
    return stages, waits


def _seconds(ctx: Context, node: Node) -> float:
    return ctx.constant(ctx.child(ctx.child(node, "latency"), "value"), "latency")


def _relation(ctx: Context, step: Step) -> Relation | None:
    """Return the relation over which an entry copies from its source, where the copy names no link."""
    station, node = step.scope.station, step.node
    if station is None or station.source_queue is None or node.each("stage") or node.child("member") is not None:
        return None
    for relation in ctx.model.declared.relations:
        if relation.reader == station.name and relation.source == station.source_queue:
            return relation
    return None
