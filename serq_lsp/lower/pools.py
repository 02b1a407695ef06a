"""Pools (semantics.md 1.1, engine.md 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Ctx, Unary
from serq_lsp.ir.program import Pool, PreemptBy, Spill
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.tables import admitting, last

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.declarations import Declarations, Family
    from serq_lsp.syntax.tree import Node

INFINITE = float("inf")


def lower_pools(ctx: Context) -> tuple[Pool, ...]:
    """Return all pools of the program, members of families one by one."""
    found: list[Pool] = []
    for family in ctx.model.declared.pools.values():
        found.extend(_members(ctx, family))
    return tuple(found)


def _members(ctx: Context, family: Family) -> list[Pool]:
    node = family.node
    assert node is not None  # every pool is declared
    block = ctx.tables.blocks[family.name]
    cap, evict, preempt = _cap(ctx, family, node), _evict(ctx, node), _preempt(ctx, node)
    queue = _by(ctx, node, "queue_order")
    held = bool(node.of_kind("reserve_held"))
    spill = _spill(ctx, node)
    stage = _stage(ctx, family, node)
    return [
        Pool(
            name=family.name,
            cap=cap,
            index=at if family.array else None,
            block=block,
            evict=evict,
            preempt=preempt,
            queue=queue,
            spill=spill,
            admit_via=member(stage, family, at),
            reserve_held=held,
        )
        for at in range(family.count)
    ]


def member(other: Family | None, family: Family, at: int) -> int | None:
    """Return the number that member `at` of a family is joined to: equal sizes pair up, one serves all."""
    if other is None:
        return None
    return other.base + at if other.count == family.count else other.base


def _cap(ctx: Context, family: Family, node: Node) -> float:
    if family.owner is None:
        value = last(node, "cap")
    else:
        value = capacity(ctx.model.declared, family)
        if value is None:
            raise ctx.fail(node, "pool on something without that capacity")
    return INFINITE if value is None else ctx.constant(value, "cap")


def capacity(declared: Declarations, family: Family) -> Node | None:
    """Return the value of the capacity that a pool declared `on` an engine or device is."""
    name = family.name.rpartition(".")[2]
    engine = declared.engines.get(family.owner or "")
    device = declared.devices.get(engine.device if engine is not None else family.owner or "")
    for holder in (engine, device):
        if holder is not None and name in holder.capacities:
            return holder.capacities[name].child("value")
    return None


def _evict(ctx: Context, node: Node) -> tuple[Expr, ...] | None:
    return _by(ctx, node, "evict")


def _by(ctx: Context, node: Node, option: str) -> tuple[Expr, ...] | None:
    """Return the keys of the last option of a kind; None where it is not `by`."""
    found = node.of_kind(option)
    if not found or found[-1].child("keys") is None:
        return None
    if found[-1].child("every") is not None:
        raise ctx.fail(found[-1], "every")
    return ctx.keys(found[-1])


def _preempt(ctx: Context, node: Node) -> PreemptBy | None:
    found = node.of_kind("preempt")
    if not found or found[-1].has_word("none"):
        return None
    option = found[-1]
    if option.has_word("lifo"):
        return PreemptBy((Unary("Neg", Ctx("Admission")),))
    if option.has_word("leases"):
        raise ctx.fail(option, "preempt leases")
    return PreemptBy(ctx.keys(option), option.has_word("tail"))


def _spill(ctx: Context, node: Node) -> Spill | None:
    found = node.of_kind("spill")
    if not found:
        return None
    option = found[-1]
    to = ctx.builder.reference(ctx.child(option, "to"), ctx.root, Kind.POOL)
    via = ctx.builder.reference(ctx.child(option, "stage"), ctx.root, Kind.STAGE)
    if to is None or via is None:
        raise ctx.fail(option, "spill")
    work, when = ctx.build(ctx.child(option, "work")), ctx.build(ctx.child(option, "test"))
    return Spill(ctx.number(to), ctx.number(via), work, when)


def _stage(ctx: Context, family: Family, node: Node) -> Family | None:
    """Return the stage whose iterations admit this pool's queue."""
    via = node.of_kind("admit_via")
    if not via:
        return admitting(ctx.model.declared, family)
    name = ctx.child(via[-1], "stage")
    stage = ctx.tables.stages.get(name.text)
    if stage is None:
        raise ctx.fail(name, "unknown stage")
    return stage
