"""What an expression's value is (semantics.md 2 and 6). Pure: whatever is not arithmetic is asked of the caller.

The interpreter compiles expressions instead (`serq_lsp.sim.compile`); a property holds both to the same answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir import arith
from serq_lsp.ir.expr import (
    ARITHMETIC,
    Agg,
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    Ctx,
    Num,
    Reg,
    Sample,
    Unary,
    children,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.ir.expr import Expr

    Read = Callable[[Expr, list[float]], float]


def _add(a: float, b: float) -> float:
    return a + b


def _sub(a: float, b: float) -> float:
    return a - b


def _mul(a: float, b: float) -> float:
    return a * b


def _lt(a: float, b: float) -> float:
    return 1.0 if a < b else 0.0


def _le(a: float, b: float) -> float:
    return 1.0 if a <= b else 0.0


def _gt(a: float, b: float) -> float:
    return 1.0 if a > b else 0.0


def _ge(a: float, b: float) -> float:
    return 1.0 if a >= b else 0.0


def _eq(a: float, b: float) -> float:
    return 1.0 if a == b else 0.0


def _ne(a: float, b: float) -> float:
    return 1.0 if a != b else 0.0


_BINARY = {
    "Add": _add, "Sub": _sub, "Mul": _mul, "Div": arith.divide, "Pow": arith.power,
    "Lt": _lt, "Le": _le, "Gt": _gt, "Ge": _ge, "Eq": _eq, "Ne": _ne,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "Min": arith.minimum, "Max": arith.maximum, "Abs": abs, "Floor": arith.floor, "Ceil": arith.ceil,
    "Sqrt": arith.square_root, "Exp": arith.exponential, "Ln": arith.logarithm, "Pow": arith.power,
}  # fmt: skip


def unary(op: str, x: float) -> float:
    """The value of a unary operator (`expr.UNARY_OPS`)."""
    if op == "Neg":
        return -x
    return 0.0 if x != 0 else 1.0


def binary(op: str, a: float, b: float) -> float:
    """The value of a binary operator (`expr.BINARY_OPS`) on operands that have both been read."""
    if op == "And":
        return 1.0 if a != 0 and b != 0 else 0.0
    if op == "Or":
        return 1.0 if a != 0 or b != 0 else 0.0
    return _BINARY[op](a, b)


def function(name: str, *args: float) -> float:
    """The value of a function of `expr.ARITHMETIC`."""
    return _FUNCTIONS[name](*args)


def evaluate(expr: Expr, read: Read) -> float:
    """The value of `expr`. Never raises of itself, for any operands and any depth.

    `read(node, values)` answers for the nodes that are no arithmetic: `Attr`, `Ctx`, `Reg`, `Agg`, `Sample` and calls of
    state functions; `values` are those of `children(node)`. It is called in the order of semantics.md 6; operands that
    `?:`, `&&` and `||` pass over are not read.
    """
    todo: list[Expr | _Then] = [expr]
    done: list[float] = []
    while todo:
        item = todo.pop()
        if isinstance(item, _Then):
            item.go_on(todo, done, read)
            continue
        match item:
            case Num(value):
                done.append(value)
            case Cond(test, _, _):
                todo += (_Then(item), test)
            case Binary("And" | "Or", left, _):
                todo += (_Then(item), left)
            case Cost(_, inner):
                todo.append(inner)
            case _:
                todo.append(_Then(item))
                todo.extend(reversed(children(item)))
    return done[-1]


class _Then:
    """What is left to do for a node once its first operands have their values."""

    __slots__ = ("node",)

    def __init__(self, node: Expr) -> None:
        self.node = node

    def go_on(self, todo: list[Expr | _Then], done: list[float], read: Read) -> None:
        """Take the operands off `done`, and push the value or what has to be read next."""
        node = self.node
        match node:
            case Cond(_, then, other):
                todo.append(then if done.pop() != 0 else other)
            case Binary("And" | "Or", _, right):
                truth = done.pop() != 0
                if truth == (node.op == "Or"):
                    done.append(1.0 if truth else 0.0)
                else:
                    todo += (_Then(Unary("Not", right)), _Then(Unary("Not", right)), right)
            case _:
                split = len(done) - len(children(node))
                values = done[split:]
                del done[split:]
                done.append(_apply(node, values, read))


def _apply(node: Expr, values: list[float], read: Read) -> float:
    match node:
        case Unary(op, _):
            return unary(op, values[0])
        case Binary(op, _, _):
            return binary(op, values[0], values[1])
        case Call(name, _) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*values)
        case _:
            return read(node, values)


def constant(expr: Expr) -> float | None:
    """The value of an expression that reads nothing and draws nothing, else None.

    Of `c ? a : b` with a constant test only the chosen arm counts; `&&` and `||` read both sides (engine.md 11.2).
    """
    todo = [expr]
    while todo:
        node = todo.pop()
        match node:
            case Cond(test, then, other):
                truth = constant(test)
                if truth is None:
                    return None
                todo.append(then if truth != 0 else other)
            case Attr() | Ctx() | Reg() | Agg() | Sample():
                return None
            case Call(name, _) if name not in ARITHMETIC:
                return None
            case _:
                todo.extend(children(node))
    return evaluate(expr, _nothing)


def _nothing(_node: Expr, _values: list[float]) -> float:
    return 0.0


def moves(expr: Expr) -> bool:
    """Whether the value may change while a session waits: it reads more than attributes (semantics.md 7.2)."""
    return any(
        isinstance(node, (Ctx, Reg, Agg, Sample)) or (isinstance(node, Call) and node.function not in ARITHMETIC)
        for node in walk(expr)
    )


def draws(expr: Expr) -> bool:
    """Whether reading the value takes random numbers."""
    return any(isinstance(node, Sample) for node in walk(expr))
