"""Stages: those that are no engines, and the classic step stage (classic.md 3.3 to 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Ctx, Num, Unary
from serq_lsp.ir.program import Delay, Fifo, Ps, Stage, Step
from serq_lsp.ir.stmt import Admit, BodyBranch, Serve
from serq_lsp.lower.engines import lower_engine
from serq_lsp.lower.orders import order, set_register
from serq_lsp.lower.pools import member
from serq_lsp.sema.tables import last

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.ir.program import StageKind
    from serq_lsp.ir.stmt import BodyStmt
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.declarations import Family
    from serq_lsp.syntax.tree import Node


def lower_stages(ctx: Context) -> tuple[Stage, ...]:
    """Return all stages of the program, members of families one by one; a supplied `tool` stage comes last."""
    found: list[Stage] = []
    for family in ctx.model.declared.stages.values():
        found.extend(_members(ctx, family))
    if ctx.supplied_tool is not None:
        found.append(Stage("tool", _delay(ctx)))
    return tuple(found)


def _members(ctx: Context, family: Family) -> list[Stage]:
    node = family.node
    assert node is not None  # every stage is declared
    kind = node.child("kind")
    if node.kind == "engine":
        return _steps(family, *lower_engine(ctx, family, node))
    if kind is not None and kind.kind == "step" and not _is_wait(family):
        return _steps(family, *_step(ctx, family, kind))
    if _is_wait(family):
        plain = _delay(ctx)
    elif kind is not None:
        plain = _plain(ctx, kind)
    else:
        raise ctx.fail(node, "stage without kind")
    return [Stage(family.name, plain, at if family.array else None) for at in range(family.count)]


def _is_wait(family: Family) -> bool:
    """Say whether a stage is the fixed wait of a link or of a relation."""
    return family.queue is not None and family.name.endswith(".latency")


def _steps(family: Family, step: Step, memory: Family | None) -> list[Stage]:
    """Return the members of a family of step stages: they differ only in their memory."""
    return [
        Stage(
            family.name,
            Step(
                step.cost, step.budget, step.chunk, step.granule, step.serve, member(memory, family, at), step.iteration
            ),
            at if family.array else None,
        )
        for at in range(family.count)
    ]


def _delay(ctx: Context) -> StageKind:
    return Ps(Ctx("N")) if ctx.engine else Delay()


def _plain(ctx: Context, kind: Node) -> StageKind:
    match kind.kind:
        case "fifo":
            servers = kind.child("servers")
            return Fifo(ctx.count(servers, "servers") if servers is not None else 1)
        case "ps":
            return Ps(ctx.build(ctx.child(kind, "throughput")))
        case "delay":
            return _delay(ctx)
        case _:
            raise ctx.fail(kind, "this kind of stage")


def _step(ctx: Context, family: Family, kind: Node) -> tuple[Step, Family | None]:
    """Return a classic step stage, and its memory."""
    cost = last(kind, "cost")
    if cost is None:
        raise ctx.fail(kind, "step without cost")
    budget, chunk, granule = (last(kind, option) for option in ("budget", "chunk", "granule"))
    serve, only = _serve(ctx, kind)
    bodies = kind.of_kind("iteration")
    iteration: tuple[BodyStmt, ...] | None = None
    if bodies:
        iteration = _body(ctx, ctx.child(bodies[-1], "body"))
    elif only is not None:
        iteration = (Serve(only), Admit(only, Unary("Not", Ctx("Preempted"))))
    step = Step(
        cost=ctx.build(cost),
        budget=ctx.build(budget) if budget is not None else Num(float("inf")),
        chunk=ctx.build(chunk) if chunk is not None else Num(0.0),
        granule=Num(ctx.constant(granule, "granule")) if granule is not None else None,
        serve=serve,
        iteration=iteration,
    )
    return step, _memory(ctx, family, kind)


def _memory(ctx: Context, family: Family, kind: Node) -> Family | None:
    """Return the pool a step stage names as its memory: a queue's own first."""
    options = kind.of_kind("memory")
    if not options:
        return None
    name = ctx.child(options[-1], "pool")
    queue = ctx.model.declared.queues.get(family.queue or "")
    pool = queue.pools.get(name.text) if queue is not None else None
    pool = pool or ctx.tables.pools.get(name.text)
    if pool is None:
        raise ctx.fail(name, "unknown pool")
    return pool


def _serve(ctx: Context, kind: Node) -> tuple[tuple[Expr, ...] | None, Expr | None]:
    """Return the keys of the serving order (None: exclusive prefill) and what `only` says."""
    options = kind.of_kind("serve_order")
    if not options:
        return (), None
    option = options[-1]
    if option.of_kind("exclusive_prefill"):
        return None, None
    only = option.child("only")
    test = ctx.build(ctx.child(only, "test")) if only is not None else None
    return order(ctx, option) or (), test


def _body(ctx: Context, block: Node) -> tuple[BodyStmt, ...]:
    """Return the statements of an iteration body."""
    return tuple(_body_statement(ctx, node) for node in block.children if node.named and node.kind != "comment")


def _body_statement(ctx: Context, node: Node) -> BodyStmt:
    only, gate = node.child("only"), node.child("gate")
    test = ctx.build(ctx.child(only, "test")) if only is not None else None
    match node.kind:
        case "serve":
            return Serve(test, order(ctx, node))
        case "admit":
            return Admit(test, ctx.build(ctx.child(gate, "test")) if gate is not None else None)
        case "iteration_branch":
            other = node.child("else")
            then = _body(ctx, ctx.child(node, "then"))
            return BodyBranch(ctx.build(ctx.child(node, "test")), then, _body(ctx, other) if other is not None else ())
        case "set":
            return set_register(ctx, node)
        case _:
            raise ctx.fail(node, node.kind)
