"""Proofs that one expression never exceeds another (checks.md 1).

A proof holds up to the rounding of doubles. No proof means undecided, never the contrary.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

from serq_lsp.checks.bounds import assume, interval_of
from serq_lsp.checks.intervals import INF
from serq_lsp.ir.expr import Binary, Call, Cond, Cost, Num, PoolArg, Sample, StageArg, Unary, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.bounds import Facts
    from serq_lsp.ir.expr import Arg, Expr

    Linear = dict[Expr | None, float]
    """A sum: a factor for each part that is not linear itself; under None the constant."""

NODES_MAX = 400
"""Expressions with more nodes than this are left undecided."""
STEPS_MAX = 600
"""A proof that needs more steps than this is given up."""
ROUNDING = 1e-9
"""Relative size of what rounding may add up to."""


def never_exceeds(a: Expr, b: Expr, facts: Facts, gap: float = 0.0) -> bool:
    """Prove `a + gap <= b` for every value of what both read at one instant; False where there is no proof.

    Neither may become not-a-number, and parts that draw are compared by their bounds only.
    """
    if sum(1 for _ in islice(_nodes(a, b), NODES_MAX + 1)) > NODES_MAX:
        return False
    return _Proof(gap).at_most(a, b, facts)


def _nodes(a: Expr, b: Expr) -> Iterator[Expr]:
    yield from walk(a)
    yield from walk(b)


class _Proof:
    """One attempt; counts its steps."""

    def __init__(self, gap: float) -> None:
        self.gap = gap
        self.steps = STEPS_MAX

    def at_most(self, a: Expr, b: Expr, facts: Facts) -> bool:
        """Prove `a + gap <= b` under `facts`."""
        self.steps -= 1
        low, high = interval_of(a, facts), interval_of(b, facts)
        if self.steps < 0 or low.nan or high.nan:
            return False
        if low.high + self.gap <= high.low:
            return True
        if self.gap <= 0 and not _draws(a) and (a == b or (a, b) in facts.orders):
            return True
        if isinstance(a, Cost):
            return self.at_most(a.expr, b, facts)
        if isinstance(b, Cost):
            return self.at_most(a, b.expr, facts)
        answer = self._by_shape(a, b, facts)
        if answer is not None:
            return answer
        sums = linear(b), linear(a)
        if sums[0] is None or sums[1] is None:
            return False
        return self.not_negative(_minus(_minus(sums[0], sums[1], 1), {None: self.gap}, 1), facts, 3)

    def _by_shape(self, a: Expr, b: Expr, facts: Facts) -> bool | None:
        """Take `min`, `max` and `?:` at the top apart; None where the sums have to tell."""
        if isinstance(a, Call) and a.function == "Min" and any(self.at_most(_value(it), b, facts) for it in a.args):
            return True
        if isinstance(b, Call) and b.function == "Max" and any(self.at_most(a, _value(it), facts) for it in b.args):
            return True
        match a:
            case Call("Max", (p, q)):
                return self.at_most(_value(p), b, facts) and self.at_most(_value(q), b, facts)
            case Cond(test, then, other):
                return self._cases(test, [(then, b), (other, b)], facts)
        match b:
            case Call("Min", (p, q)):
                return self.at_most(a, _value(p), facts) and self.at_most(a, _value(q), facts)
            case Cond(test, then, other):
                return self._cases(test, [(a, then), (a, other)], facts)
        return None

    def _cases(self, test: Expr, pairs: list[tuple[Expr, Expr]], facts: Facts) -> bool:
        if _draws(test):
            return all(self.at_most(*pair, facts) for pair in pairs)
        for truth, pair in zip((True, False), pairs, strict=True):
            narrowed = assume(facts, test, truth)
            if narrowed is not None and not self.at_most(*pair, narrowed):
                return False
        return True

    def not_negative(self, total: Linear, facts: Facts, depth: int) -> bool:
        """Prove that a sum is at least 0: by bounds, by cases, or with what is known to be at least 0."""
        self.steps -= 1
        parts = {part: factor for part, factor in total.items() if part is not None}
        if self.steps < 0 or not all(interval_of(part, facts).finite for part in parts):
            return False
        if _least(total, facts) >= -ROUNDING * max(1.0, _size(total, facts)):
            return True
        for part, factor in parts.items():
            choices = list(_choices(part, facts))
            if choices:
                return all(
                    narrowed is None or self.not_negative(_replaced(total, part, factor, value), narrowed, depth)
                    for value, narrowed in choices
                )
        if depth == 0:
            return False
        for known in _known(parts, facts):
            for part, factor in parts.items():
                if known.get(part, 0.0) * factor > 0 and self.not_negative(
                    _minus(total, known, factor / known[part]), facts, depth - 1
                ):
                    return True
        return False


def linear(expr: Expr) -> Linear | None:
    """Return `expr` as a sum, or None if a number in it is not finite or a part draws."""
    match expr:
        case Num(value):
            return {None: value} if math.isfinite(value) else None
        case Cost(_, inner):
            return linear(inner)
        case Unary("Neg", operand):
            inside = linear(operand)
            return None if inside is None else _minus({}, inside, 1)
        case Binary("Add" | "Sub", left, right):
            first, second = linear(left), linear(right)
            if first is None or second is None:
                return None
            return _minus(first, second, 1 if expr.op == "Sub" else -1)
        case Binary("Mul", left, right):
            for number, other in ((left, right), (right, left)):
                if isinstance(number, Num) and math.isfinite(number.value):
                    inside = linear(other)
                    return None if inside is None else _minus({}, inside, -number.value)
        case Binary("Div", left, Num(value)) if value and math.isfinite(value):
            inside = linear(left)
            return None if inside is None else _minus({}, inside, -1 / value)
    return None if _draws(expr) else {expr: 1.0}


def _minus(a: Linear, b: Linear, factor: float) -> Linear:
    """`a - factor * b`, parts that cancel left out."""
    total = dict(a)
    for part, value in b.items():
        total[part] = total.get(part, 0.0) - factor * value
        if part is not None and abs(total[part]) <= ROUNDING * abs(factor * value):
            del total[part]
    return total


def _replaced(total: Linear, part: Expr, factor: float, value: Expr) -> Linear:
    """Return the sum with `value` in the place of `part`."""
    inside = linear(value)
    rest = {it: number for it, number in total.items() if it != part}
    return _minus(rest, {value: 1.0} if inside is None else inside, -factor)


def _least(total: Linear, facts: Facts) -> float:
    """Return a lower bound of a sum."""
    least = total.get(None, 0.0)
    for part, factor in total.items():
        if part is not None:
            bounds = interval_of(part, facts)
            least += factor * (bounds.low if factor > 0 else bounds.high)
    return -INF if math.isnan(least) else least


def _size(total: Linear, facts: Facts) -> float:
    """Return how large the terms can be where they are bounded, for the rounding."""
    size = abs(total.get(None, 0.0))
    for part, factor in total.items():
        if part is not None:
            bounds = interval_of(part, facts)
            size = max(size, *(abs(factor * end) for end in (bounds.low, bounds.high) if math.isfinite(end)), 0.0)
    return size


def _choices(part: Expr, facts: Facts) -> Iterator[tuple[Expr, Facts | None]]:
    """Yield the values that a `min`, `max`, `abs` or `?:` can stand for, each with what is known then."""
    match part:
        case Call("Min" | "Max", (first, second)):
            p, q = _value(first), _value(second)
            if part.function == "Max":
                p, q = q, p
            # of min(p, q): p where p <= q; of max(q, p): p where p <= q means q
            yield (p if part.function == "Min" else q), assume(facts, Binary("Le", p, q), truth=True)
            yield (q if part.function == "Min" else p), assume(facts, Binary("Le", q, p), truth=True)
        case Call("Abs", (first,)):
            p = _value(first)
            yield p, assume(facts, Binary("Le", Num(0.0), p), truth=True)
            yield Unary("Neg", p), assume(facts, Binary("Le", p, Num(0.0)), truth=True)
        case Cond(test, then, other) if not _draws(test):
            yield then, assume(facts, test, truth=True)
            yield other, assume(facts, test, truth=False)


def _known(parts: dict[Expr, float], facts: Facts) -> Iterator[Linear]:
    """Yield sums that are at least 0: the orders among the facts, and what rounding functions promise."""
    for low, high in facts.orders:
        sums = linear(high), linear(low)
        if sums[0] is not None and sums[1] is not None:
            yield _minus(sums[0], sums[1], 1)
    for part in parts:
        match part:
            case Call("Floor" | "Ceil", (first,)):
                inside = linear(_value(first))
                if inside is not None:
                    sign = 1 if part.function == "Floor" else -1
                    yield _minus(_minus({}, inside, -sign), {part: 1.0}, sign)
                    yield _minus({part: 1.0 * sign, None: 1.0}, inside, sign)
            case Binary("Mul", Call("Floor" | "Ceil" as function, (first,)), step):
                quotient = _value(first)
                if isinstance(quotient, Binary) and quotient.op == "Div" and quotient.right == step:
                    inside = linear(quotient.left)
                    if inside is not None and interval_of(step, facts).low > 0:
                        sign = 1 if function == "Floor" else -1
                        yield _minus(_minus({}, inside, -sign), {part: 1.0}, sign)


def _value(arg: Arg) -> Expr:
    """Return an argument of an arithmetic function; those take no pools and stages."""
    assert not isinstance(arg, (PoolArg, StageArg))
    return arg


def _draws(expr: Expr) -> bool:
    return any(isinstance(node, Sample) for node in walk(expr))
