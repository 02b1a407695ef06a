"""Recognises the function that maps a count to a compiled shape, by its values (checks.md 3).

A bucket map is a function of one count that is piecewise constant in three steps or more, covers the count on an initial
part, pads some count, and keeps its own values: a bucket is its own bucket. So a table of times (`n <= 4 ? 10 : 20`) is
none, nor is twice a bucket; nor is a table of two steps, which may be a time or a factor as well; nor a count that stops
at a number (`min(n, 4)`), however it is written.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.witness import leaves_of, value_of
from serq_lsp.ir import arith
from serq_lsp.ir.eval import draws
from serq_lsp.ir.expr import Binary, Cond, Cost, Num, walk

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr

COUNT_MAX = 65_536
"""Counts above this are not looked at."""
NODES_MAX = 4_000
"""Larger expressions are not looked at."""
EVALUATIONS_MAX = 400_000
"""So many nodes are evaluated at most to recognise one map."""
_PROBE = 64
STEPS_MIN = 3
"""A table of fewer steps may mean anything. A step to infinity, where nothing runs, counts."""


class Map(NamedTuple):
    """A bucket map over the counts 1 … `most`.

    `steps` are `(first count, bucket)` in order of counts: the bucket holds up to the next step. `rungs` are the
    buckets as written, also those that no count reaches; empty where the map is no ladder of comparisons.
    """

    leaf: Expr
    most: int
    steps: tuple[tuple[int, float], ...]
    rungs: tuple[float, ...]

    @property
    def buckets(self) -> tuple[float, ...]:
        """The buckets that some count maps to, ascending, infinities left out."""
        return tuple(sorted({size for _, size in self.steps if math.isfinite(size)}))

    def bucket(self, count: int) -> float:
        """Return the bucket of a count."""
        return next(size for first, size in reversed(self.steps) if first <= count)

    def uncovered(self) -> tuple[int, int] | None:
        """Return the first range of counts that no bucket covers, both ends included."""
        ends = [first - 1 for first, _ in self.steps[1:]] + [self.most]
        for (first, size), last in zip(self.steps, ends, strict=True):
            from_here = first if not size >= first else int(size) + 1 if math.isfinite(size) else last + 1
            if math.isinf(size):
                from_here = first
            if from_here <= last:
                return from_here, self._until(from_here)
        return None

    def _until(self, first: int) -> int:
        """Return the last count of the uncovered range that begins at `first`."""
        for start, size in self.steps:
            if start > first and math.isfinite(size) and size >= start:
                return start - 1
        return self.most

    @property
    def tight(self) -> bool:
        """Whether every bucket but the last is the largest count that maps to it."""
        return all(size == first - 1 for (_, size), (first, _) in pairwise(self.steps))

    def falls(self) -> tuple[int, float, float] | None:
        """Return the first count at which the bucket decreases, with the buckets before and there."""
        for (_, before), (first, size) in pairwise(self.steps):
            if math.isfinite(before) and size < before:
                return first, before, size
        return None


def recognise(expr: Expr, most: int) -> Map | None:
    """Return the bucket map that `expr` is for counts up to `most`, or None."""
    if not 2 <= most <= COUNT_MAX or draws(expr):
        return None
    leaves = leaves_of((expr,))
    if len(leaves) != 1:
        return None
    size = sum(1 for _ in walk(expr))
    rungs = ladder(expr, leaves[0])
    if size > NODES_MAX or (rungs is None and size * most > EVALUATIONS_MAX):
        return None
    points = _points(rungs, most) if rungs is not None else range(1, most + 1)
    if rungs is None and not _promising(expr, leaves[0], most):
        return None
    steps: list[tuple[int, float]] = []
    for count in points:
        value = value_of(expr, {leaves[0]: float(count)})
        if not steps or not (steps[-1][1] == value or (math.isnan(value) and math.isnan(steps[-1][1]))):
            steps.append((count, value))
    found = Map(leaves[0], most, tuple(steps), tuple(value for _, value in rungs or ()))
    return found if _is_map(found) else None


def ladder(expr: Expr, leaf: Expr) -> list[tuple[float, float]] | None:
    """Return the rungs `(threshold, value)` of a chain of comparisons with constants; None for other expressions.

    The last rung's threshold is infinite. The threshold is the number that the count is compared with.
    """
    rungs: list[tuple[float, float]] = []
    while True:
        match expr:
            case Cost(_, inner):
                expr = inner
            case Num(value):
                return [*rungs, (math.inf, value)]
            case Cond(Binary("Le" | "Lt", count, Num(threshold)), Num(value), other) if count == leaf:
                rungs.append((threshold, value))
                expr = other
            case Cond(Binary("Gt" | "Ge", count, Num(threshold)), other, Num(value)) if count == leaf:
                rungs.append((threshold, value))
                expr = other
            case Cond(Binary("Ge" | "Gt", Num(threshold), count), Num(value), other) if count == leaf:
                rungs.append((threshold, value))
                expr = other
            case _:
                return None


def _points(rungs: list[tuple[float, float]], most: int) -> list[int]:
    """Return the counts at which a ladder can change."""
    near = {1, most}
    for threshold, value in rungs:
        for number in (threshold, value):
            if math.isfinite(number) and abs(number) <= most:
                near |= {int(number) - 1, int(number), int(number) + 1}
    return sorted(count for count in near if 1 <= count <= most)


def _promising(expr: Expr, leaf: Expr, most: int) -> bool:
    """Look at small counts before all are evaluated: a map covers the first one and takes whole values."""
    values = [value_of(expr, {leaf: float(count)}) for count in range(1, min(most, _PROBE) + 1)]
    return values[0] >= 1 and all(arith.is_whole(value) or math.isinf(value) for value in values)


def _is_map(found: Map) -> bool:
    sizes = found.buckets
    if len(sizes) < 2 or len(found.steps) < STEPS_MIN or not found.steps[0][1] >= 1:
        return False
    if not any(size > first for first, size in found.steps):
        return False  # never more than the count: the count itself, or a part of it
    if not found.rungs and len(found.steps) * 2 > found.most + 2:
        return False  # a step a count
    if not all(arith.is_whole(size) and size >= 0 for size in sizes):
        return False
    within = [size for size in sizes if 1 <= size <= found.most]
    kept = [size for size in within if found.bucket(int(size)) == size]
    return (len(kept) >= 2 and 2 * len(kept) >= len(within)) or _by_rungs(found)


def _by_rungs(found: Map) -> bool:
    """A ladder of three rungs or more is a map though it falls somewhere, if most values stand in order."""
    rungs = found.rungs
    rising = sum(1 for a, b in pairwise(rungs) if a < b)
    return len(rungs) >= 4 and rising >= len(rungs) - 2 and all(size >= 1 for size in rungs)
