"""Arithmetic of serQ values (semantics.md 2): IEEE doubles, no operation raises, not-a-number is an ordinary answer.

The sign of a not-a-number shows only where keys are put in order; it is the one of the usual processors: 0/0, inf - inf and
roots of negatives sort below everything, logarithms of negatives above.
"""

from __future__ import annotations

import math
import struct

NAN = math.nan
NEGATIVE_NAN = -math.nan

_DOUBLE = struct.Struct("<d")
_INTEGER = struct.Struct("<q")
_LOW_BITS = 0x7FFF_FFFF_FFFF_FFFF


def divide(a: float, b: float) -> float:
    """`a / b`; by zero an infinity, 0/0 not a number."""
    if b:
        return a / b
    if a != a or not a:  # noqa: PLR0124
        return a or NEGATIVE_NAN
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def power(a: float, b: float) -> float:
    """C's `pow(a, b)`."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and _odd(b) else math.inf
    except ValueError:
        if a:
            return NEGATIVE_NAN  # a negative number to a power that is not whole
        return math.copysign(math.inf, a) if _odd(b) else math.inf


def _odd(x: float) -> bool:
    return math.isfinite(x) and math.fmod(x, 2.0) in (1.0, -1.0)


def minimum(a: float, b: float) -> float:
    """The lesser; the other one if either is not a number; the second of equal ones."""
    return a if a < b or b != b else b  # noqa: PLR0124


def maximum(a: float, b: float) -> float:
    """The greater; the other one if either is not a number; the second of equal ones."""
    return a if a > b or b != b else b  # noqa: PLR0124


def floor(x: float) -> float:
    """The greatest whole number not above `x`; zero keeps its sign."""
    whole = x // 1.0
    return whole if whole == whole else x  # noqa: PLR0124


def ceil(x: float) -> float:
    """The least whole number not below `x`; zero keeps its sign."""
    whole = -(-x // 1.0)
    return whole if whole == whole else x  # noqa: PLR0124


def square_root(x: float) -> float:
    """The square root; of a negative not a number."""
    return NEGATIVE_NAN if x < 0 else math.sqrt(x)


def exponential(x: float) -> float:
    """E to the `x`, infinite when too large."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def logarithm(x: float) -> float:
    """The natural logarithm; of zero minus infinity, of a negative not a number."""
    if x > 0:
        return math.log(x)
    if x < 0:
        return NAN
    return x if x != x else -math.inf  # noqa: PLR0124


def order_key(x: float) -> int:
    """A whole number that puts doubles in their total order: -nan, -inf, …, -0, +0, …, inf, nan."""
    bits: int = _INTEGER.unpack(_DOUBLE.pack(x))[0]
    return bits if bits >= 0 else bits ^ _LOW_BITS


def same_bits(a: float, b: float) -> bool:
    """Whether two doubles are the same, signs of zero and not-a-numbers told apart."""
    return _DOUBLE.pack(a) == _DOUBLE.pack(b)


def is_whole(x: float) -> bool:
    """Whether `x` is a finite whole number."""
    return x == x // 1.0 and math.isfinite(x)
