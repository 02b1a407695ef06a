"""Statements: from steps to the blocks of the kernel (semantics.md 1.1, engine.md 6 and 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir import stmt as ir
from serq_lsp.ir.expr import Cost, Ctx, PoolTarget, Sample
from serq_lsp.lower.runs import lower_run, lower_serving, lower_transfer
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.scopes import Place
from serq_lsp.sema.targets import joint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.ir.expr import Expr, Ref, Target
    from serq_lsp.ir.stmt import Stmt
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node


class Blocks:
    """The blocks of a program as they are written out; a block gets its number when its statement is reached."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.blocks: list[list[Stmt]] = []
        self.sides: list[list[str]] = []
        self.places: dict[tuple[int, int], tuple[Place, ...]] = {}
        self.observed: dict[int, Place] = {}

    def reserve(self, steps: Iterable[Step]) -> int:
        """Write out a block and what is nested in it, and return its number."""
        return self.fill(self.number(), steps)

    def number(self) -> int:
        """Return the number of a new, empty block."""
        self.blocks.append([])
        self.sides.append([])
        return len(self.blocks) - 1

    def fill(self, block: int, steps: Iterable[Step]) -> int:
        """Write the statements of `steps` into a block."""
        for step in steps:
            for statement in self._lower(step):
                self.add(block, statement, server=step.server, place=_chain(step))
        return block

    def add(self, block: int, statement: Stmt, *, server: bool, place: tuple[Place, ...] = ()) -> None:
        """Append one statement."""
        if place:
            self.places[block, len(self.blocks[block])] = place
        self.blocks[block].append(statement)
        self.sides[block].append("Server" if server else "Workload")

    def _lower(self, step: Step) -> Iterable[Stmt]:
        node, ctx = step.node, self.ctx
        match step.form:
            case "set" | "bind":
                return (ir.Set(self._slot(step), ctx.build(ctx.child(node, "value", step.header), step.header)),)
            case "observe":
                name = ctx.child(node, "name")
                number = ctx.tables.observations[name.text]
                self.observed.setdefault(number, Place(step.scope.path, name.span))
                return (ir.Observe(number, self._value(step)),)
            case "declare":
                return self._declare(step)
            case "mark":
                return (ir.Set(self._slot(step), Ctx("Now")),)
            case "turn":
                return (ir.Turn(),)
            case "end":
                return (ir.End(),)
            case "join":
                return (ir.Join(),)
            case "branch":
                test = ctx.build(ctx.child(node, "test"), step.scope)
                if node.kind == "branch" and node.has_word("with"):
                    test = Sample("Bernoulli", (test,))
                then = self.reserve(step.blocks[0])
                return (ir.Branch(test, then, self.reserve(step.blocks[1])),)
            case "while":
                return (ir.While(ctx.build(ctx.child(node, "test"), step.scope), self.reserve(step.blocks[0])),)
            case "loop":
                return (ir.Loop(self.reserve(step.blocks[0])),)
            case "fork":
                return (ir.Fork(self.reserve(step.blocks[0])),)
            case "choose":
                count = ctx.build(ctx.child(node, "count"), step.scope)
                return (ir.Choose(self._slot(step), count, ctx.keys(node, step.scope)),)
            case "hold" | "admission":
                return (self._hold(step),)
            case "grow":
                return (ir.Grow(self._pool(step), self._value(step)),)
            case "load":
                return (ir.Load(self._pool(step), self._value(step)),)
            case "drop":
                return (ir.Drop(self._pool(step)),)
            case "release":
                return (ir.Release(self._pool(step)),)
            case "run":
                return (lower_run(ctx, step),)
            case "prefill" | "decode" | "tool":
                return (lower_serving(ctx, step),)
            case "transfer" | "arrived":
                return lower_transfer(ctx, step)
            case _:
                raise ctx.fail(node, node.kind, step.scope)

    def _slot(self, step: Step) -> int:
        return self.ctx.tables.attributes[assigned(step)[0]]

    def _value(self, step: Step) -> Expr:
        return self.ctx.build(self.ctx.child(step.node, "value", step.scope), step.scope)

    def _pool(self, step: Step) -> Ref:
        return self.ctx.pool(self.ctx.child(step.node, "pool", step.scope), step.scope)

    def _declare(self, step: Step) -> Iterable[Stmt]:
        """Return the `Set`s of a `Size` or `Cost`; a record sets its fields in order, each the cost of its resource."""
        ctx, slots = self.ctx, [self.ctx.tables.attributes[name] for name in assigned(step)]
        record = step.node.child("record")
        if record is None:
            return (ir.Set(slots[0], self._value(step)),)
        found: list[Stmt] = []
        for slot, part in zip(slots, record.of_kind("record_field"), strict=True):
            target = ctx.builder.target([ctx.child(part, "name", step.scope)], step.scope)
            if target is None:
                raise ctx.fail(part, "unknown resource", step.scope)
            found.append(ir.Set(slot, Cost(target, ctx.build(ctx.child(part, "value", step.scope), step.scope))))
        return found

    def _hold(self, step: Step) -> Stmt:
        """Return a hold; a request's admission wraps its amounts in costs (engine.md 11.2)."""
        ctx, node, header = self.ctx, step.node, step.header
        wraps = step.form == "admission"
        pools: list[ir.HoldPool] = []
        targets: list[Target] = []
        for unit in node.each("unit"):
            ref = ctx.pool(ctx.child(unit, "pool", header), header)
            target = PoolTarget(ref.base, ref.count)
            targets.append(target)
            amounts = [ctx.build(ctx.child(unit, "units", header), header)]
            reserve = unit.child("reserve")
            if reserve is not None:
                amounts.append(ctx.build(ctx.child(reserve, "value", header), header))
            if wraps:
                amounts = [Cost(target, amount) for amount in amounts]
            pools.append(ir.HoldPool(ref, amounts[0], amounts[1] if reserve is not None else None))
        if node.child("prefix") is not None:
            raise ctx.fail(node, "prefix", header)
        every = joint(targets) if wraps else None
        reuse = self._clause(node.child("reuse"), header, every)
        body = self.reserve(step.blocks[0])
        cache = self._clause(step.cache if wraps else node.child("cache"), header, every)
        return ir.Hold(tuple(pools), body, reuse, cache, self._lease(node, header))

    def _clause(self, clause: Node | None, header: Scope, target: Target | None) -> Expr | None:
        if clause is None:
            return None
        value = self.ctx.build(self.ctx.child(clause, "value", header), header)
        return value if target is None else Cost(target, value)

    def _lease(self, node: Node, header: Scope) -> ir.Lease | None:
        lease = node.child("lease")
        if lease is None:
            return None
        pool = self.ctx.pool(self.ctx.child(lease, "pool", header), header)
        return ir.Lease(pool, self.ctx.build(self.ctx.child(lease, "time", header), header))


def _chain(step: Step) -> tuple[Place, ...]:
    return (Place(step.scope.path, step.node.span), *step.scope.via)
