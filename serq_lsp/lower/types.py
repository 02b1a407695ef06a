"""The type of each attribute: a size, a value, or a cost of some resource (engine.md 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, Cost, fold
from serq_lsp.ir.stmt import Choose, Set
from serq_lsp.sema.targets import joint

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr, Target
    from serq_lsp.ir.program import AttrType
    from serq_lsp.lower.context import Context
    from serq_lsp.lower.statements import Blocks

_BUILTIN_VALUES = ("cached", "computed")


def attribute_types(ctx: Context, out: Blocks) -> tuple[AttrType, ...]:
    """Return the types of all attributes by slot: what the workload assigns is a size, unless it is a cost."""
    types: list[AttrType] = ["Value"] * len(ctx.tables.attributes)
    for slot, name in enumerate(BUILTIN_ATTRS):
        types[slot] = "Value" if name in _BUILTIN_VALUES else "Size"
    assigned = [
        (statement, side)
        for block, sides in zip(out.blocks, out.sides, strict=True)
        for statement, side in zip(block, sides, strict=True)
    ]
    for statement, side in assigned:
        slot = statement.slot if isinstance(statement, Set) else statement.var if isinstance(statement, Choose) else -1
        if slot >= len(BUILTIN_ATTRS) and side == "Workload":
            types[slot] = "Size"
    costs: dict[int, Target] = {}
    changed = True
    while changed:
        changed = False
        for statement, _ in assigned:
            if isinstance(statement, Set) and statement.slot not in costs:
                target = cost_of(statement.expr, costs)
                if target is not None:
                    costs[statement.slot] = target
                    changed = True
    for slot, target in costs.items():
        types[slot] = target
    return tuple(types)


def cost_of(expr: Expr, costs: dict[int, Target]) -> Target | None:
    """Return the resource that an expression is a cost of, given those of attributes; None for a plain number."""

    def combine(node: Expr, parts: list[Target | None]) -> Target | None:
        match node:
            case Cost(target, _):
                return target
            case Attr(slot):
                return costs.get(slot)
            case _:
                return _common(node, parts)

    return fold(expr, combine)


def _common(node: Expr, parts: list[Target | None]) -> Target | None:
    from serq_lsp.ir.expr import Binary, Call, Cond, Unary

    match node:
        case Binary("Add" | "Sub" | "Mul" | "Div", _, _) | Unary("Neg", _):
            found = [part for part in parts if part is not None]
        case Call("Min" | "Max" | "Floor" | "Ceil" | "Abs", _):
            found = [part for part in parts if part is not None]
        case Cond(_, _, _):
            found = [part for part in parts[1:] if part is not None]
        case _:
            return None
    return joint(found[:1])
