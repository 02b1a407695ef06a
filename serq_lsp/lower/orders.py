"""What iteration bodies and schedules have in common: orders of serving, registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Cond, Ctx, Num
from serq_lsp.ir.stmt import SetRegister

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.lower.context import Context
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

DECODE_FIRST: tuple[Expr, ...] = (Cond(Ctx("Decoding"), Num(0.0), Num(1.0)),)
"""The keys of `decode first`."""


def order(ctx: Context, node: Node, scope: Scope | None = None) -> tuple[Expr, ...] | None:
    """Return the keys of the order that a `serve` or `advance` says; None where it says none."""
    said = node.child("order")
    if said is None:
        return None
    match said.kind:
        case "order_admission":
            return ()
        case "order_decode_first":
            return DECODE_FIRST
        case _:
            return ctx.keys(said, scope)


def set_register(ctx: Context, node: Node, scope: Scope | None = None) -> SetRegister:
    """Return a `set` of a register in an iteration body or a schedule."""
    name = ctx.child(node, "name")
    register = ctx.tables.registers.get(name.text)
    if register is None:
        raise ctx.fail(name, "unknown register")
    return SetRegister(register, ctx.build(ctx.child(node, "value"), scope))
