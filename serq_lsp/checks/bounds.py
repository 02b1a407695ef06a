"""Which values an expression can have, given what is known of the things it reads (checks.md 1).

A *leaf* is a part whose value is not computed from other parts: an attribute, a context variable, a register, an aggregate,
a state function or a draw. `Facts` holds what is known of leaves; everything else follows by interval arithmetic.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks import intervals
from serq_lsp.checks.intervals import ANY, COUNT, INF, NATURAL, NUMBER, TRUTH, Interval
from serq_lsp.ir.expr import ARITHMETIC, Agg, Attr, Binary, Call, Cond, Cost, Ctx, Num, Reg, Sample, Unary, fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.ir.expr import Expr

_CONTEXT = {
    "Queued": TRUTH, "Decoding": TRUTH, "N": COUNT, "Nres": COUNT, "Ndec": COUNT, "Admitted": COUNT, "Preempted": COUNT,
    "Arrived": COUNT,
}  # fmt: skip
_FUNCTIONS = {
    "Used": NATURAL, "CachedIn": NATURAL, "Holders": COUNT, "Queued": COUNT, "Queue": COUNT, "Busy": COUNT,
    "Work": NATURAL, "Free": Interval(0, INF, infinite=True), "BudgetLeft": Interval(0, INF, infinite=True),
}  # fmt: skip


class Facts(NamedTuple):
    """What is known: the interval of a leaf, and pairs `(a, b)` with a <= b."""

    leaves: Mapping[Expr, Interval] = MappingProxyType({})
    orders: tuple[tuple[Expr, Expr], ...] = ()

    def of(self, leaf: Expr) -> Interval:
        """Return the interval of a leaf: what was told, within what its kind allows."""
        kind = of_kind(leaf)
        told = self.leaves.get(leaf)
        if told is None:
            return kind
        return intervals.meet(told, kind) or told

    def knowing(self, leaf: Expr, interval: Interval) -> Facts:
        """Return these facts with the leaf's interval replaced."""
        return self._replace(leaves={**self.leaves, leaf: interval})

    def ordered(self, a: Expr, b: Expr) -> Facts:
        """Return these facts with `a <= b` added."""
        return self._replace(orders=(*self.orders, (a, b)))


def is_leaf(expr: Expr) -> bool:
    """Say whether the value is not computed from that of other parts."""
    if isinstance(expr, Call):
        return expr.function not in ARITHMETIC
    return isinstance(expr, (Attr, Ctx, Reg, Agg, Sample))


def of_kind(leaf: Expr) -> Interval:
    """Return what the kind of a leaf alone says (semantics.md 6); a draw needs its arguments and is unknown here."""
    match leaf:
        case Ctx(name):
            return _CONTEXT.get(name, NATURAL)
        case Reg():
            return NUMBER
        case Call(function, _):
            return _FUNCTIONS.get(function, ANY)
        case _:
            return ANY


def interval_of(expr: Expr, facts: Facts) -> Interval:
    """Return an interval that holds every value of `expr`. Nesting may be of any depth."""

    def combine(node: Expr, parts: list[Interval]) -> Interval:
        if isinstance(node, Sample):
            told = facts.leaves.get(node)
            return told if told is not None else draw(node.dist, parts)
        if is_leaf(node):
            return facts.of(node)
        return _inner(node, parts)

    return fold(expr, combine)


def _inner(node: Expr, parts: list[Interval]) -> Interval:
    match node:
        case Num(value):
            return intervals.exactly(value)
        case Cost():
            return parts[0]
        case Unary("Neg", _):
            return intervals.negate(parts[0])
        case Unary():
            truth = intervals.truth(parts[0])
            return TRUTH if truth is None else intervals.exactly(0.0 if truth else 1.0)
        case Cond():
            truth = intervals.truth(parts[0])
            return intervals.join(parts[1:]) if truth is None else parts[1 if truth else 2]
        case Binary(op, _, _):
            return _binary(op, *parts)
        case Call(function, _):
            return _function(function, parts)
        case _:
            return ANY


def _binary(op: str, a: Interval, b: Interval) -> Interval:
    match op:
        case "Add":
            return intervals.add(a, b)
        case "Sub":
            return intervals.subtract(a, b)
        case "Mul":
            return intervals.multiply(a, b)
        case "Div":
            return intervals.divide(a, b)
        case "Pow":
            return intervals.power(a, b)
        case "And" | "Or":
            ends = op == "Or"
            if ends in (intervals.truth(a), intervals.truth(b)):
                return intervals.exactly(1.0 if ends else 0.0)
            both = {intervals.truth(a), intervals.truth(b)}
            return TRUTH if None in both else intervals.exactly(0.0 if ends else 1.0)
        case _:
            return intervals.compare(op, a, b)


def _function(name: str, parts: list[Interval]) -> Interval:
    match name:
        case "Min":
            return intervals.minimum(*parts)
        case "Max":
            return intervals.maximum(*parts)
        case "Abs":
            return intervals.absolute(*parts)
        case "Floor":
            return intervals.floor(*parts)
        case "Ceil":
            return intervals.ceil(*parts)
        case "Sqrt":
            return intervals.square_root(*parts)
        case "Exp":
            return intervals.exponential(*parts)
        case "Ln":
            return intervals.logarithm(*parts)
        case _:
            return intervals.power(*parts)


def draw(dist: str, args: list[Interval]) -> Interval:
    """Return what a distribution can give for arguments in these intervals (semantics.md 11.4)."""
    if not all(it.finite for it in args):
        return ANY
    match dist:
        case "Det":
            return args[0]
        case "Uniform":
            return Interval(min(args[0].low, args[1].low), max(args[0].high, args[1].high))
        case "Bernoulli":
            return TRUTH
        case "Exp" | "Erlang" | "H2":
            mean = args[1] if dist == "Erlang" else args[0]
            positive = all(it.low > 0 for it in args)
            return NATURAL if positive and mean.low > 0 else ANY
        case _:
            return ANY


def assume(facts: Facts, test: Expr, truth: bool) -> Facts | None:
    """Return the facts that hold where `test` is true (or false), or None where it cannot be.

    What a test says of leaves narrows their intervals; a comparison is kept as an order as well.
    """
    known = intervals.truth(interval_of(test, facts))
    if known is not None:
        return facts if known == truth else None
    match test:
        case Unary("Not", operand):
            return assume(facts, operand, not truth)
        case Binary("And" | "Or", left, right) if truth == (test.op == "And"):
            narrowed = assume(facts, left, truth)
            return assume(narrowed, right, truth) if narrowed is not None else None
        case Binary("Lt" | "Le" | "Gt" | "Ge" | "Eq" | "Ne", left, right):
            return _assume_comparison(facts, test.op, left, right, truth)
        case Cost(_, inner):
            return assume(facts, inner, truth)
        case _:
            return facts


_NEGATED = {"Lt": "Ge", "Le": "Gt", "Gt": "Le", "Ge": "Lt", "Eq": "Ne", "Ne": "Eq"}


def _assume_comparison(facts: Facts, op: str, left: Expr, right: Expr, truth: bool) -> Facts | None:
    a, b = interval_of(left, facts), interval_of(right, facts)
    if not truth:
        if a.nan or b.nan:
            return facts
        op = _NEGATED[op]
    if op == "Ne":
        return facts
    if op in ("Gt", "Ge"):
        op, left, right, a, b = {"Gt": "Lt", "Ge": "Le"}[op], right, left, b, a
    strict = op == "Lt" and a.whole and b.whole
    below = a._replace(high=min(a.high, b.high - 1 if strict else b.high), nan=False)
    above = b._replace(low=max(b.low, a.low + 1 if strict else a.low), nan=False)
    if op == "Eq":
        below = below._replace(low=max(a.low, b.low))
        above = above._replace(high=min(a.high, b.high))
    if below.low > below.high or above.low > above.high:
        return None
    if not _draws(left) and not _draws(right):
        facts = facts.ordered(left, right)
        facts = facts.ordered(right, left) if op == "Eq" else facts
    for side, interval in ((left, below), (right, above)):
        if is_leaf(side) and not isinstance(side, Sample):
            facts = facts.knowing(side, interval)
    return facts


def _draws(expr: Expr) -> bool:
    return fold(expr, lambda node, parts: isinstance(node, Sample) or any(parts))
