"""What is proved, refuted and left undecided about the forms that programs use."""

from __future__ import annotations

import math

import pytest

from serq_lsp.checks.bounds import Facts, assume, interval_of
from serq_lsp.checks.intervals import COUNT, NATURAL, Interval, exactly
from serq_lsp.checks.orders import never_exceeds
from serq_lsp.checks.witness import find
from serq_lsp.ir.expr import Attr, Binary, Call, Cond, Cost, Expr, Num, PoolTarget, Sample

PROMPT, KEPT, LEFT, HIT = (Attr(slot) for slot in range(4))
FACTS = Facts({PROMPT: COUNT, KEPT: COUNT, LEFT: NATURAL, HIT: NATURAL})


def lesser(a: Expr, b: Expr) -> Expr:
    """`min(a, b)`."""
    return Call("Min", (a, b))


def greater(a: Expr, b: Expr) -> Expr:
    """`max(a, b)`."""
    return Call("Max", (a, b))


def plus(a: Expr, b: Expr) -> Expr:
    """`a + b`."""
    return Binary("Add", a, b)


def minus(a: Expr, b: Expr) -> Expr:
    """`a - b`."""
    return Binary("Sub", a, b)


def blocks(x: Expr, step: Expr) -> Expr:
    """`floor(x / step) * step`."""
    return Binary("Mul", Call("Floor", (Binary("Div", x, step),)), step)


KNOWN = Cond(Binary("Lt", KEPT, PROMPT), PROMPT, plus(KEPT, Num(1.0)))
REUSABLE = blocks(minus(PROMPT, Num(1.0)), Num(16.0))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (lesser(PROMPT, LEFT), PROMPT),
        (lesser(LEFT, PROMPT), PROMPT),
        (PROMPT, greater(KEPT, PROMPT)),
        (minus(PROMPT, Num(1.0)), PROMPT),
        (minus(PROMPT, LEFT), PROMPT),
        (PROMPT, KNOWN),
        (KEPT, KNOWN),
        (lesser(KNOWN, plus(HIT, LEFT)), KNOWN),
        (REUSABLE, PROMPT),
        (lesser(HIT, REUSABLE), PROMPT),
        (plus(REUSABLE, Num(1.0)), PROMPT),
        (lesser(PROMPT, plus(PROMPT, LEFT)), plus(PROMPT, Num(0.0))),
        (Cost(PoolTarget(0), lesser(PROMPT, LEFT)), Cost(PoolTarget(0), PROMPT)),
        (PROMPT, Num(math.inf)),
    ],
)
def test_orders_that_hold_are_proved(a: Expr, b: Expr) -> None:
    """The order facts of checks.md 1: min, max, differences, cases with the guard assumed, whole blocks."""
    assert never_exceeds(a, b, FACTS)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (PROMPT, KEPT),
        (greater(PROMPT, KEPT), PROMPT),
        (PROMPT, blocks(PROMPT, Num(16.0))),
        (plus(PROMPT, Num(1.0)), KNOWN),
        (Sample("Exp", (Num(3.0),)), Sample("Exp", (Num(3.0),))),
    ],
)
def test_orders_that_fail_are_not_proved(a: Expr, b: Expr) -> None:
    """What does not hold for every value has no proof; neither has a draw against another one."""
    assert not never_exceeds(a, b, FACTS)


def test_rounding_down_to_blocks_needs_a_block_above_zero() -> None:
    """`floor(x / s) * s <= x` holds for s > 0; a negative s turns it round."""
    step = HIT
    assert never_exceeds(blocks(PROMPT, step), PROMPT, FACTS.knowing(step, Interval(1, 64)))
    assert not never_exceeds(blocks(PROMPT, step), PROMPT, FACTS.knowing(step, Interval(-64, 64)))


def test_a_gap_needs_a_difference() -> None:
    """`x + 3` exceeds `x` by 2 at least, but not by 4."""
    assert never_exceeds(PROMPT, plus(PROMPT, Num(3.0)), FACTS, gap=2.0)
    assert not never_exceeds(PROMPT, plus(PROMPT, Num(3.0)), FACTS, gap=4.0)


def test_an_assumption_narrows_whole_numbers_strictly() -> None:
    """`prompt < 5` leaves at most 4 of a whole number; a test that cannot hold leaves nothing."""
    narrowed = assume(FACTS, Binary("Lt", PROMPT, Num(5.0)), truth=True)
    assert narrowed is not None
    assert narrowed.of(PROMPT) == Interval(0, 4, whole=True)
    assert assume(FACTS, Binary("Lt", PROMPT, Num(0.0)), truth=True) is None


def test_a_division_by_what_may_be_zero_is_unknown() -> None:
    """Dividing by something that may be 0 may give an infinity or not-a-number."""
    assert interval_of(Binary("Div", PROMPT, KEPT), FACTS).nan
    assert interval_of(Binary("Div", PROMPT, Num(16.0)), FACTS) == Interval(0, math.inf)


@pytest.mark.parametrize(
    ("draw", "interval"),
    [
        (Sample("Uniform", (Num(2.0), Num(7.0))), Interval(2, 7)),
        (Sample("Bernoulli", (Num(0.5),)), Interval(0, 1, whole=True)),
        (Sample("Exp", (Num(5.0),)), NATURAL),
        (Sample("Erlang", (Num(3.0), Num(5.0))), NATURAL),
        (Sample("Det", (Num(5.0),)), exactly(5.0)),
    ],
)
def test_draws_lie_in_their_distributions(draw: Expr, interval: Interval) -> None:
    """Bounds of the distributions (semantics.md 11.4)."""
    assert interval_of(draw, Facts()) == interval


def test_a_witness_is_looked_for_among_small_values() -> None:
    """`hold kv (prompt) reserve (4)` is refuted by a prompt above 4."""
    found = find((Num(4.0), PROMPT), Facts({PROMPT: Interval(2, 6, whole=True)}), lambda it: it[0] < it[1])
    assert found is not None
    assert found[0][PROMPT] == 6.0


def test_no_witness_where_none_is() -> None:
    """Within its interval no value refutes; the answer is undecided, not proved."""
    assert find((Num(8.0), PROMPT), Facts({PROMPT: Interval(2, 6)}), lambda it: it[0] < it[1]) is None


def test_a_huge_expression_is_left_undecided() -> None:
    """A sum of thousands of terms is given up, its interval is still found."""
    total: Expr = PROMPT
    for _ in range(5000):
        total = plus(total, Num(1.0))
    assert not never_exceeds(PROMPT, total, FACTS)
    assert interval_of(total, FACTS).low == 5000
