"""Whatever is proved or shown about expressions agrees with their values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp.checks.bounds import Facts, assume, interval_of
from serq_lsp.checks.intervals import Interval
from serq_lsp.checks.orders import never_exceeds
from serq_lsp.checks.witness import find, value_of
from serq_lsp.ir.expr import Attr, Binary, Call, Cond, Expr, Num, Unary

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAVES = [Attr(slot) for slot in range(3)]
NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, 7.0, 16.0, 0.5, -1.0, -3.0, 0.1, math.inf])
LEAF: st.SearchStrategy[Expr] = st.one_of(NUMBERS.map(Num), st.sampled_from(LEAVES))


def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    """Return expressions made of `inner` ones."""
    arithmetic = st.sampled_from(["Add", "Sub", "Mul", "Div"])
    tests = st.sampled_from(["Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or"])
    return st.one_of(
        st.builds(Binary, st.one_of(arithmetic, tests), inner, inner),
        st.builds(lambda name, a, b: Call(name, (a, b)), st.sampled_from(["Min", "Max"]), inner, inner),
        st.builds(
            lambda name, a: Call(name, (a,)), st.sampled_from(["Floor", "Ceil", "Abs", "Sqrt", "Exp", "Ln"]), inner
        ),
        st.builds(Unary, st.sampled_from(["Neg", "Not"]), inner),
        st.builds(lambda op, a, b, c, d: Cond(Binary(op, a, b), c, d), tests, inner, inner, inner, inner),
        st.builds(
            lambda x, s: Binary("Mul", Call("Floor", (Binary("Div", x, s),)), s),
            inner,
            st.sampled_from([Num(16.0), LEAVES[0]]),
        ),
    )


EXPRESSIONS = st.recursive(LEAF, grow, max_leaves=8)
TAME = st.recursive(
    st.one_of(st.sampled_from([0.0, 1.0, 2.0, 5.0, 16.0]).map(Num), st.sampled_from(LEAVES)), grow, max_leaves=8
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Facts, Mapping[Expr, float]]:
    """Return facts about the leaves and values that agree with them."""
    facts: dict[Expr, Interval] = {}
    values: dict[Expr, float] = {}
    for leaf in LEAVES:
        whole = draw(st.booleans())
        low = draw(st.integers(-50, 50))
        high = draw(st.one_of(st.integers(low, low + 40), st.just(math.inf)))
        top = 1000 if math.isinf(high) else int(high)
        numbers = st.integers(low, top).map(float) if whole else st.floats(low, top)
        facts[leaf] = Interval(float(low), float(high), whole)
        values[leaf] = draw(numbers)
    return Facts(facts), values


@given(EXPRESSIONS, worlds())
@settings(max_examples=300)
def test_an_interval_holds_every_value(expr: Expr, world: tuple[Facts, Mapping[Expr, float]]) -> None:
    """Whatever the leaves are, the value lies in the interval."""
    facts, values = world
    value = value_of(expr, values)
    found = interval_of(expr, facts)
    assert found.holds(value) or abs(value) > 1e300, (found, value)


@given(TAME, TAME, worlds())
@settings(max_examples=300)
def test_a_proof_is_never_contradicted(a: Expr, b: Expr, world: tuple[Facts, Mapping[Expr, float]]) -> None:
    """Where `a <= b` is proved no values of the leaves make a larger than b, but for rounding."""
    facts, values = world
    for low, high in ((a, b), (Call("Min", (a, b)), a), (a, Call("Max", (b, a)))):
        if never_exceeds(low, high, facts):
            x, y = value_of(low, values), value_of(high, values)
            assert x <= y + 1e-6 * max(1.0, abs(x), abs(y)) or abs(x) > 1e300, (x, y)


@given(TAME, TAME, worlds())
@settings(max_examples=200)
def test_a_gap_is_kept(a: Expr, b: Expr, world: tuple[Facts, Mapping[Expr, float]]) -> None:
    """A proof with a gap says by how much b is larger at least."""
    facts, values = world
    if never_exceeds(a, b, facts, gap=1.0):
        x, y = value_of(a, values), value_of(b, values)
        assert x + 1.0 <= y + 1e-6 * max(1.0, abs(x), abs(y)) or abs(x) > 1e300


@given(TAME, worlds(), st.booleans())
@settings(max_examples=200)
def test_an_assumption_keeps_the_worlds_where_it_holds(
    test: Expr, world: tuple[Facts, Mapping[Expr, float]], truth: bool
) -> None:
    """Assuming a test narrows what is known, but never excludes values for which the test is so."""
    facts, values = world
    if (value_of(test, values) != 0) != truth:
        return
    narrowed = assume(facts, test, truth)
    assert narrowed is not None
    assert all(narrowed.of(leaf).holds(value) for leaf, value in values.items())
    assert all(value_of(low, values) <= value_of(high, values) for low, high in narrowed.orders)


@given(TAME, TAME, worlds())
@settings(max_examples=100)
def test_a_witness_shows_the_fault(a: Expr, b: Expr, world: tuple[Facts, Mapping[Expr, float]]) -> None:
    """The values of a witness lie within the facts, and evaluating with them gives what was said to show."""
    facts, _ = world
    found = find((a, b), facts, lambda values: values[0] > values[1])
    if found is not None:
        leaves, answers = found
        assert answers == [value_of(a, leaves), value_of(b, leaves)]
        assert answers[0] > answers[1]
        assert all(facts.of(leaf).holds(value) for leaf, value in leaves.items())
        assert not never_exceeds(a, b, facts, gap=1e-3)
