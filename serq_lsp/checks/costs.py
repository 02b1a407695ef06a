"""What kind of quantity an expression is: an ordinary number, or a cost of resources (engine.md 9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.attributes import assignments
from serq_lsp.checks.visits import all_steps
from serq_lsp.ir.expr import (
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    JointTarget,
    PoolTarget,
    StageTarget,
    Unary,
    fold,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.model import Model

Quantity = PoolTarget | StageTarget | JointTarget | None
"""The resources of a cost, or None for an ordinary number."""
ROUNDS_MAX = 5
_KEEPS = ("Floor", "Ceil", "Abs")


@dataclass(eq=False, slots=True)
class Kinds:
    """The quantity of every attribute that is a cost, and what is wrong with how attributes are assigned.

    `mixed` are slots assigned costs and numbers, `two` are slots assigned costs of several resources.
    """

    attributes: dict[int, Quantity] = field(default_factory=dict)
    mixed: set[int] = field(default_factory=set)
    two: set[int] = field(default_factory=set)


class Judged(NamedTuple):
    """What an expression is, and the first fault of combining costs in it (a word of `types.py`), if any."""

    quantity: Quantity
    fault: str | None = None


def kinds(model: Model) -> Kinds:
    """Return the quantities of a program's attributes, from all their assignments."""
    sets: dict[int, list[Expr]] = {}
    for visit in all_steps(model):
        for number, expr in assignments(model, visit.step):
            if expr is not None:
                sets.setdefault(number, []).append(expr)
    found = Kinds()
    for _ in range(ROUNDS_MAX):
        before = dict(found.attributes)
        for number, exprs in sets.items():
            given = [judge(expr, found.attributes).quantity for expr in exprs]
            costs = [it for it in given if it is not None]
            if costs:
                found.attributes[number] = costs[0]
                if any(it != costs[0] for it in costs):
                    found.two.add(number)
                elif len(costs) < len(given):
                    found.mixed.add(number)
                else:
                    found.mixed.discard(number)
        if before == found.attributes:
            break
    return found


def judge(expr: Expr, attributes: Mapping[int, Quantity]) -> Judged:
    """Return what `expr` is. Nesting may be of any depth."""

    def combine(node: Expr, parts: list[Judged]) -> Judged:
        fault = next((it.fault for it in parts if it.fault is not None), None)
        quantity, own = _judge(node, [it.quantity for it in parts], attributes)
        return Judged(quantity, fault or own)

    return fold(expr, combine)


def _judge(node: Expr, parts: list[Quantity], attributes: Mapping[int, Quantity]) -> tuple[Quantity, str | None]:
    match node:
        case Attr(slot):
            return attributes.get(slot), None
        case Cost(target, _):
            return target, "quantity" if parts[0] is not None else None
        case Unary("Neg", _):
            return parts[0], None
        case Cond():
            same = parts[1] == parts[2]
            return parts[1], None if same else "branches"
        case Binary("Add" | "Sub", _, _) | Call("Min" | "Max", _):
            return parts[0] if parts[0] is not None else parts[1], None if parts[0] == parts[1] else "mixed"
        case Binary("Mul", _, _):
            both = parts[0] is not None and parts[1] is not None
            return parts[0] if parts[0] is not None else parts[1], "mixed" if both else None
        case Binary("Div", _, _):
            return parts[0], "mixed" if parts[1] is not None else None
        case Binary("Lt" | "Le" | "Gt" | "Ge" | "Eq" | "Ne", _, _):
            return None, None if parts[0] == parts[1] else "mixed"
        case Call(function, _) if function in _KEEPS:
            return parts[0], None
        case _:
            return None, "function" if any(it is not None for it in parts) else None
