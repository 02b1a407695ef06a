"""Aggregates over all values of an observation (semantics.md 12.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.arith import order_key

if TYPE_CHECKING:
    from collections.abc import Callable


def total(values: list[float]) -> float:
    """The sum, in order of observation."""
    found = -0.0
    for x in values:
        found += x
    return found


def count(values: list[float]) -> float:
    """How many."""
    return float(len(values))


def largest(values: list[float]) -> float:
    """The greatest, 0 for none."""
    return max(values, key=order_key, default=0.0)


def smallest(values: list[float]) -> float:
    """The least, 0 for none."""
    return min(values, key=order_key, default=0.0)


def prefix_total(values: list[float]) -> float:
    """The sum of all prefix sums of the values in ascending order."""
    found = -0.0
    ordered = sorted(values, key=order_key)
    for at, x in enumerate(ordered):
        found += x * (len(ordered) - at)
    return found


AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "Total": total,
    "Count": count,
    "Largest": largest,
    "Smallest": smallest,
    "PrefixTotal": prefix_total,
}
"""The function of each aggregate of the IR."""
