"""Intervals of values, and what arithmetic makes of them (checks.md 1).

Doubles are rounded to nearest, and rounding keeps order, so the same operation on the ends bounds every value in between.
Functions that the C library may round otherwise are widened by a step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ir import arith

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

INF = math.inf
EXACT = 2.0**53
"""Whole doubles up to this size have all their neighbours."""


class Interval(NamedTuple):
    """All values from `low` to `high`, both included; a bound of inf means unbounded unless `infinite`.

    `whole`: every finite value is a whole number. `infinite`: an infinity may occur. `nan`: not-a-number may occur.
    """

    low: float
    high: float
    whole: bool = False
    infinite: bool = False
    nan: bool = False

    @property
    def finite(self) -> bool:
        """Say whether every value is an ordinary number."""
        return not (self.infinite or self.nan)

    @property
    def point(self) -> float | None:
        """The only value, or None if there are several."""
        return self.low if self.low == self.high and not self.nan else None

    def holds(self, value: float) -> bool:
        """Say whether `value` may occur."""
        if math.isnan(value):
            return self.nan
        if math.isinf(value):
            return self.infinite and self.low <= value <= self.high
        return self.low <= value <= self.high and (not self.whole or arith.is_whole(value))

    def has_zero(self) -> bool:
        """Say whether 0 may occur."""
        return self.low <= 0 <= self.high


ANY = Interval(-INF, INF, infinite=True, nan=True)
"""Nothing is known."""
NUMBER = Interval(-INF, INF)
"""An ordinary number."""
NATURAL = Interval(0, INF)
"""An ordinary number that is not negative."""
COUNT = Interval(0, INF, whole=True)
"""A whole number that is not negative."""
TRUTH = Interval(0, 1, whole=True)
"""What a test gives."""


def exactly(value: float) -> Interval:
    """Return the interval of one value."""
    if math.isnan(value):
        return Interval(-INF, INF, infinite=True, nan=True)
    return Interval(value, value, arith.is_whole(value) or math.isinf(value), math.isinf(value))


def join(parts: Iterable[Interval]) -> Interval:
    """Return the smallest interval that holds all `parts`; ANY for none."""
    found = list(parts)
    if not found:
        return ANY
    return Interval(
        min(it.low for it in found),
        max(it.high for it in found),
        all(it.whole for it in found),
        any(it.infinite for it in found),
        any(it.nan for it in found),
    )


def meet(a: Interval, b: Interval) -> Interval | None:
    """Return what both allow, or None if nothing."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low > high:
        return None
    return Interval(low, high, a.whole or b.whole, a.infinite and b.infinite, a.nan and b.nan)


def negate(a: Interval) -> Interval:
    """`-a`."""
    return a._replace(low=-a.high, high=-a.low)


def add(a: Interval, b: Interval) -> Interval:
    """`a + b`."""
    opposite = a.infinite and b.infinite and not (min(a.low, b.low) >= 0 or max(a.high, b.high) <= 0)
    return Interval(
        _or(a.low + b.low, -INF),
        _or(a.high + b.high, INF),
        _still_whole(a, b, a.high + b.high, a.low + b.low),
        a.infinite or b.infinite,
        a.nan or b.nan or opposite,
    )


def subtract(a: Interval, b: Interval) -> Interval:
    """`a - b`."""
    return add(a, negate(b))


def multiply(a: Interval, b: Interval) -> Interval:
    """`a * b`."""
    ends = [_product(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(ends), max(ends)
    return Interval(
        low,
        high,
        _still_whole(a, b, low, high),
        a.infinite or b.infinite,
        a.nan or b.nan or (a.infinite and b.has_zero()) or (b.infinite and a.has_zero()),
    )


def divide(a: Interval, b: Interval) -> Interval:
    """`a / b`."""
    nan = a.nan or b.nan or (a.infinite and b.infinite)
    if b.has_zero():
        return Interval(-INF, INF, infinite=True, nan=nan or a.has_zero())
    ends = [_quotient(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(ends), max(ends), infinite=a.infinite, nan=nan)


def minimum(a: Interval, b: Interval) -> Interval:
    """`min(a, b)`: the other one where one is not a number."""
    low, high = min(a.low, b.low), min(a.high, b.high)
    if a.nan or b.nan:
        high = max(a.high if b.nan else high, b.high if a.nan else high)
    # an infinity above cannot come out where the other one is always finite
    above = a.infinite and b.infinite and high == INF
    below = (a.infinite and a.low == -INF) or (b.infinite and b.low == -INF)
    infinite = above or below or ((a.nan or b.nan) and (a.infinite or b.infinite))
    return Interval(low, high, a.whole and b.whole, infinite, a.nan and b.nan)


def maximum(a: Interval, b: Interval) -> Interval:
    """`max(a, b)`: the other one where one is not a number."""
    return negate(minimum(negate(a), negate(b)))


def absolute(a: Interval) -> Interval:
    """`abs(a)`."""
    low = 0.0 if a.has_zero() else min(abs(a.low), abs(a.high))
    return a._replace(low=low, high=max(abs(a.low), abs(a.high)))


def floor(a: Interval) -> Interval:
    """`floor(a)`."""
    return a._replace(low=arith.floor(a.low), high=arith.floor(a.high), whole=True)


def ceil(a: Interval) -> Interval:
    """`ceil(a)`."""
    return a._replace(low=arith.ceil(a.low), high=arith.ceil(a.high), whole=True)


def square_root(a: Interval) -> Interval:
    """`sqrt(a)`."""
    if a.high < 0:
        return ANY
    low, high = math.sqrt(max(a.low, 0)), _rising(math.sqrt, a.high)
    return Interval(_below(low), _above(high), infinite=a.infinite, nan=a.nan or a.low < 0)


def exponential(a: Interval) -> Interval:
    """`exp(a)`."""
    low, high = arith.exponential(a.low), arith.exponential(a.high)
    return Interval(max(_below(low), 0.0), _above(high), infinite=a.infinite or high == INF, nan=a.nan)


def logarithm(a: Interval) -> Interval:
    """`ln(a)`."""
    if a.high < 0:
        return ANY
    low = -INF if a.low <= 0 else _below(math.log(a.low))
    high = _above(_rising(math.log, a.high)) if a.high > 0 else -INF
    return Interval(low, high, infinite=a.infinite or a.low <= 0, nan=a.nan or a.low < 0)


def power(a: Interval, b: Interval) -> Interval:
    """`a ^ b`; known only for a base of at least 0 and ordinary numbers."""
    if not (a.finite and b.finite) or a.low < 0:
        return ANY
    if a.low == 0 and b.low < 0:
        return Interval(0, INF, infinite=True)
    ends = [arith.power(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    ends += [1.0] if a.low <= 1 <= a.high or b.has_zero() else []
    if any(math.isnan(end) for end in ends):
        return Interval(0, INF, infinite=True)
    low, high = _below(min(ends)), _above(max(ends))
    whole = a.whole and b.whole and b.low >= 0 and high < EXACT
    return Interval(max(low, 0.0), high, whole, infinite=high == INF)


def compare(op: str, a: Interval, b: Interval) -> Interval:
    """A comparison: 0, 1 or either."""
    if a.nan or b.nan:
        return TRUTH
    truth = _decide(op, a, b)
    return TRUTH if truth is None else exactly(1.0 if truth else 0.0)


def _decide(op: str, a: Interval, b: Interval) -> bool | None:
    if op in ("Gt", "Ge"):
        return _decide({"Gt": "Lt", "Ge": "Le"}[op], b, a)
    if op == "Ne":
        equal = _decide("Eq", a, b)
        return None if equal is None else not equal
    if op == "Eq":
        if a.point is not None and a.point == b.point:
            return True
        return False if a.high < b.low or b.high < a.low else None
    if op == "Lt":
        return True if a.high < b.low else False if a.low >= b.high else None
    return True if a.high <= b.low else False if a.low > b.high else None


def truth(a: Interval) -> bool | None:
    """Say whether a value counts as true (not 0), as false, or None if it may be either."""
    if a.nan or not a.has_zero():
        return None if a.nan and a.has_zero() else True
    return False if a.low == a.high == 0 else None


def _still_whole(a: Interval, b: Interval, *ends: float) -> bool:
    """Whole numbers stay whole; beyond 2^53 doubles are whole anyway."""
    return a.whole and b.whole and not any(math.isnan(end) for end in ends)


def _or(value: float, otherwise: float) -> float:
    """`value`, or the bound that says nothing where infinities cancel."""
    return otherwise if math.isnan(value) else value


def _product(x: float, y: float) -> float:
    """A product of ends: 0 times an unbounded end is 0, since every value in between is finite."""
    return 0.0 if x == 0 or y == 0 else x * y


def _quotient(x: float, y: float) -> float:
    if math.isinf(y):
        return 0.0 if not math.isinf(x) else math.copysign(INF, x) * math.copysign(1.0, y)
    return x / y


def _rising(function: Callable[[float], float], x: float) -> float:
    return INF if x == INF else function(x)


def _below(x: float) -> float:
    return math.nextafter(x, -INF)


def _above(x: float) -> float:
    return math.nextafter(x, INF)
