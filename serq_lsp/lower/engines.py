"""Engines: capacities, schedule and cost of a step stage (engine.md 5 and 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Binary, Cond, Ctx, Num, Unary
from serq_lsp.ir.program import Step
from serq_lsp.ir.stmt import Admit, BodyBranch, Serve
from serq_lsp.lower.orders import order, set_register
from serq_lsp.sema.calls import clause_scope, execute_scope, let_scope
from serq_lsp.sema.tables import device_of, last

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.ir.stmt import BodyStmt
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.declarations import Engine, Family
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

NOT_PREEMPTED = Unary("Not", Ctx("Preempted"))
_GATES: tuple[Expr, ...] = (
    NOT_PREEMPTED,
    Binary("Eq", Ctx("Preempted"), Num(0.0)),
    Binary("Eq", Num(0.0), Ctx("Preempted")),
)
"""The spellings of the gate under which a schedule is the kernel's own (engine.md 11.2)."""


def lower_engine(ctx: Context, family: Family, node: Node) -> tuple[Step, Family | None]:
    """Return the step stage of an engine, and its memory: the pool on its device."""
    engine = ctx.model.declared.engines.get(family.name)
    if engine is None or engine.node is not node:
        raise ctx.fail(node, "two engines of one name")
    for word in ("worker", "connector"):
        for part in node.of_kind(word):
            raise ctx.fail(part, word)
    scope = clause_scope(engine, ctx.model.path)
    budget, granule = last(node, "tokens_cap"), last(node, "granule")
    cost = last(node, "execute")
    schedules = node.of_kind("schedule")
    if budget is None or cost is None or not schedules:
        raise ctx.fail(node, "engine without `tokens cap`, `schedule` or `execute`")
    body = ctx.child(schedules[-1], "body")
    serve, iteration = _schedule(ctx, body, scope)
    step = Step(
        cost=ctx.build(cost, execute_scope(engine, ctx.model.declared, ctx.model.path)),
        budget=ctx.build(budget, scope),
        chunk=_chunk(ctx, body, scope),
        granule=Num(ctx.constant(granule, "granule")) if granule is not None else None,
        serve=serve,
        iteration=iteration,
    )
    return step, memory(ctx, engine)


def memory(ctx: Context, engine: Engine) -> Family | None:
    """Return the pool that stands on the engine's device."""
    declared = ctx.model.declared
    for pool in declared.pools.values():
        if pool.owner is not None and device_of(declared, pool) == engine.device:
            return pool
    return None


def _schedule(ctx: Context, body: Node, scope: Scope) -> tuple[tuple[Expr, ...] | None, tuple[BodyStmt, ...] | None]:
    """Return the serving order and the iteration body of a schedule; no body where the kernel's own does the same."""
    statements = [it for it in body.children if it.named and it.kind not in ("comment", "let")]
    kinds = [it.kind for it in statements]
    if kinds == ["exclusive", "admit_waiting"]:
        return None, None
    if kinds == ["advance_running", "admit_waiting"]:
        advance, admit = statements
        serve, entry = _advance(ctx, advance, scope), _admit(ctx, admit, scope)
        if entry.gate in _GATES and serve.only == entry.only:
            by = serve.by or ()
            if serve.only is None:
                return by, None
            return by, (Serve(serve.only), Admit(serve.only, NOT_PREEMPTED))
    return (), _body(ctx, body, scope)


def _advance(ctx: Context, node: Node, scope: Scope) -> Serve:
    return Serve(_only(ctx, node, scope), order(ctx, node, scope))


def _admit(ctx: Context, node: Node, scope: Scope) -> Admit:
    gate = node.child("gate")
    return Admit(_only(ctx, node, scope), ctx.build(ctx.child(gate, "test"), scope) if gate is not None else None)


def _only(ctx: Context, node: Node, scope: Scope) -> Expr | None:
    only = node.child("only")
    return ctx.build(ctx.child(only, "test"), scope) if only is not None else None


def _body(ctx: Context, block: Node, scope: Scope) -> tuple[BodyStmt, ...]:
    found: list[BodyStmt] = []
    for node in block.children:
        match node.kind:
            case "advance_running":
                found.append(_advance(ctx, node, scope))
            case "admit_waiting":
                found.append(_admit(ctx, node, scope))
            case "schedule_branch":
                found.append(_branch(ctx, node, scope))
            case "set":
                found.append(set_register(ctx, node, scope))
            case "exclusive":
                raise ctx.fail(node, "exclusive prefill beside other statements")
    return tuple(found)


def _branch(ctx: Context, node: Node, scope: Scope) -> BodyBranch:
    test = ctx.build(ctx.child(node, "test"), scope)
    then, other = _body(ctx, ctx.child(node, "then"), scope), node.child("else")
    if other is None:
        return BodyBranch(test, then, ())
    rest = (_branch(ctx, other, scope),) if other.kind == "schedule_branch" else _body(ctx, other, scope)
    return BodyBranch(test, then, rest)


def _chunk(ctx: Context, body: Node, scope: Scope) -> Expr:
    """Return the cap of a run per iteration: what `each at most` says, 0 for none (engine.md 11.2)."""
    limit = _each_at_most(body)
    if limit is None:
        return Num(0.0)
    return _outcomes(ctx.build(ctx.child(limit, "value"), let_scope(body, scope)))


def _each_at_most(block: Node) -> Node | None:
    todo = [block]
    while todo:
        node = todo.pop()
        for child in node.children:
            if child.kind == "each_at_most":
                return child
            if child.named and child.children and child.field not in ("only", "gate", "test"):
                todo.append(child)
    return None


def _outcomes(expr: Expr) -> Expr:
    """Turn the outcomes of a cap into the kernel's: infinity is 0, constants are numbers, fixed tests are decided."""
    value = constant(expr)
    if value is not None:
        return Num(0.0 if value == float("inf") else value)
    match expr:
        case Cond(test, then, other):
            decided = constant(test)
            if decided is not None:
                return _outcomes(then if decided != 0 else other)
            return Cond(test, _outcomes(then), _outcomes(other))
        case _:
            return expr
