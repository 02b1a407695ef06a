"""Bucket maps are recognised by their values."""

from __future__ import annotations

import math

import pytest

from serq_lsp.checks.bucketmaps import recognise
from serq_lsp.ir.expr import Attr, Binary, Call, Cond, Ctx, Expr, Num, Sample

COUNT = Ctx("Ndec")


def rungs(*sizes: float, last: float, op: str = "Le") -> Expr:
    """`n <= size ? size : …`, ending in `last`."""
    result: Expr = Num(last)
    for size in reversed(sizes):
        result = Cond(Binary(op, COUNT, Num(size)), Num(size), result)
    return result


def test_a_ladder_is_a_map() -> None:
    """Counts, buckets and rungs of `n <= 1 ? 1 : n <= 2 ? 2 : 4`."""
    found = recognise(rungs(1, 2, last=4), 4)
    assert found is not None
    assert found.steps == ((1, 1.0), (2, 2.0), (3, 4.0))
    assert found.buckets == found.rungs == (1.0, 2.0, 4.0)
    assert found.uncovered() is None
    assert [found.bucket(count) for count in range(1, 5)] == [1, 2, 4, 4]


@pytest.mark.parametrize(
    ("expr", "most", "hole"),
    [
        (rungs(1, 2, last=4), 8, (5, 8)),
        (rungs(1, 2, 4, last=math.inf), 8, (5, 8)),
        (rungs(1, 2, 4, last=math.nan), 6, (5, 6)),
        (rungs(1, 2, 4, last=0), 8, (5, 8)),
        (rungs(2, 4, last=8), 8, None),
        (rungs(4, 8, last=16), 16, None),
        (Cond(Binary("Gt", COUNT, Num(4.0)), Num(8.0), rungs(1, 2, last=4)), 8, None),
        (Cond(Binary("Gt", COUNT, Num(3.0)), Num(8.0), rungs(1, last=2)), 8, (3, 3)),
        (rungs(1, 2, last=4), 60_000, (5, 60_000)),
    ],
)
def test_the_first_uncovered_range(expr: Expr, most: int, hole: tuple[int, int] | None) -> None:
    """The counts that no bucket covers: beyond the largest, at an infinity, between two."""
    found = recognise(expr, most)
    assert found is not None
    assert found.uncovered() == hole


def test_a_formula_is_a_map_too() -> None:
    """`2 ^ ceil(ln(n) / ln(2))` is known by its values; `min(4, …)` leaves a hole."""
    logs = Binary("Div", Call("Ln", (COUNT,)), Call("Ln", (Num(2.0),)))
    powers = Binary("Pow", Num(2.0), Call("Ceil", (Binary("Sub", logs, Num(1e-9)),)))
    found = recognise(powers, 16)
    assert found is not None
    assert found.uncovered() is None
    capped = recognise(Call("Min", (Num(4.0), powers)), 16)
    assert capped is not None
    assert capped.uncovered() == (5, 16)


@pytest.mark.parametrize(
    "expr",
    [
        COUNT,
        Num(4.0),
        rungs(4, last=4),
        Cond(Binary("Le", COUNT, Num(4.0)), Num(10.0), Num(20.0)),
        Binary("Mul", Num(2.0), rungs(1, 2, last=4)),
        Binary("Mul", Num(0.1), rungs(1, 2, last=4)),
        Binary("Add", COUNT, Num(1.0)),
        Call("Max", (COUNT, Num(4.0))),
        Binary("Add", Num(1.0), Call("Min", (Num(5.0), COUNT))),
        Call("Min", (Num(5.0), Call("Abs", (COUNT,)))),
        Cond(Binary("Le", COUNT, Attr(3)), Num(1.0), Num(2.0)),
        Cond(Binary("Le", COUNT, Num(4.0)), Sample("Exp", (Num(2.0),)), Num(8.0)),
    ],
)
def test_other_functions_are_no_maps(expr: Expr) -> None:
    """A count, a constant, a table of times, a multiple of a bucket, and what reads more than the count."""
    assert recognise(expr, 16) is None


def test_a_map_that_falls() -> None:
    """A ladder of several rungs in the wrong order is still a map, and says where it falls."""
    expr = Cond(
        Binary("Le", COUNT, Num(1.0)), Num(1.0), Cond(Binary("Le", COUNT, Num(2.0)), Num(4.0), rungs(3, last=8))
    )
    found = recognise(expr, 8)
    assert found is not None
    assert found.falls() == (3, 4.0, 3.0)


def test_large_formulas_are_left_alone() -> None:
    """What would take too long to evaluate for every count is not recognised."""
    expr: Expr = COUNT
    for _ in range(3000):
        expr = Call("Max", (expr, Num(1.0)))
    assert recognise(expr, 60_000) is None
