"""Properties of the kernel IR: what is written reads back, and values never fail."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.ir import arith, stmt
from serq_lsp.ir import eval as evaluation
from serq_lsp.ir import expr as ir
from serq_lsp.ir.codec import from_json, to_json
from serq_lsp.sim import compile as source
from tests.sim.programs import engine_program

FLOATS = st.floats(width=64)
NUMBERS = st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.inf, -math.inf]))
REFS = st.builds(ir.Ref, st.integers(0, 1))


def calls(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Calls of arithmetic functions."""
    two = st.sampled_from(["Min", "Max", "Pow"])
    one = st.sampled_from(["Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln"])
    return st.one_of(st.builds(ir.Call, two, st.tuples(inner, inner)), st.builds(ir.Call, one, st.tuples(inner)))


def arithmetic(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One more level of arithmetic."""
    return st.one_of(
        st.builds(ir.Unary, st.sampled_from(ir.UNARY_OPS), inner),
        st.builds(ir.Binary, st.sampled_from(ir.BINARY_OPS), inner, inner),
        st.builds(ir.Cond, inner, inner, inner),
        st.builds(ir.Cost, st.just(ir.PoolTarget(0, 1)), inner),
        calls(inner),
    )


LEAVES = st.one_of(st.builds(ir.Num, NUMBERS), st.builds(ir.Attr, st.integers(0, 8)))
ARITHMETIC = st.recursive(LEAVES, arithmetic, max_leaves=12)
READS = st.one_of(
    LEAVES,
    st.builds(ir.Ctx, st.sampled_from(ir.CONTEXT)),
    st.builds(ir.Sample, st.sampled_from(["Exp", "Det"]), st.tuples(LEAVES)),
    st.builds(ir.Call, st.sampled_from(ir.POOL_FUNCTIONS), st.tuples(st.builds(ir.PoolArg, REFS))),
    st.builds(ir.Call, st.just("Queue"), st.tuples(st.just(ir.StageArg(ir.Ref(0))))),
)
EXPRESSIONS = st.recursive(READS, arithmetic, max_leaves=12)


def bits(x: float) -> bytes:
    """The bytes of a double; all not-a-numbers of one sign count as one."""
    return struct.pack("<d", math.copysign(math.nan, x)) if math.isnan(x) else struct.pack("<d", x)


@given(FLOATS, FLOATS)
def test_arithmetic_never_raises(a: float, b: float) -> None:
    """Every operator and function takes every double and gives a double."""
    for op in ir.BINARY_OPS:
        assert isinstance(evaluation.binary(op, a, b), float)
    for op in ir.UNARY_OPS:
        assert isinstance(evaluation.unary(op, a), float)
    for name in ("Min", "Max", "Pow"):
        assert isinstance(evaluation.function(name, a, b), float)
    for name in ("Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln"):
        assert isinstance(evaluation.function(name, a), float)


@given(st.lists(FLOATS, max_size=6), st.lists(FLOATS, max_size=6))
def test_keys_are_in_total_order(a: list[float], b: list[float]) -> None:
    """Keys order as doubles do where those compare, tell zeros apart, and put not-a-numbers at the ends."""
    for x, y in zip(a, b, strict=False):
        kx, ky = arith.order_key(x), arith.order_key(y)
        assert not (x < y) or kx < ky
        assert (kx == ky) == (bits(x) == bits(y)) or (math.isnan(x) and math.isnan(y))
    assert arith.order_key(-0.0) < arith.order_key(0.0)
    assert arith.order_key(-math.nan) < arith.order_key(-math.inf)
    assert arith.order_key(math.nan) > arith.order_key(math.inf)


class Reader:
    """A session as compiled expressions see it."""

    def __init__(self, attrs: list[float]) -> None:
        self.attrs = attrs


@given(ARITHMETIC, st.lists(FLOATS, min_size=9, max_size=9))
def test_compiled_expressions_have_the_value_of_evaluated_ones(expr: Any, attrs: list[float]) -> None:
    """The compiler and the evaluator agree on every expression, to the bit, and neither fails."""
    compiled = source.Compiler({}).value(source.SESSION, expr)
    found = compiled(Reader(attrs))
    wanted = evaluation.evaluate(expr, lambda node, _: attrs[node.slot] if isinstance(node, ir.Attr) else 0.0)
    assert bits(found) == bits(wanted) or (math.isnan(found) and math.isnan(wanted))


@given(ARITHMETIC)
def test_constants_are_those_that_read_nothing(expr: Any) -> None:
    """An expression is constant if it reads no attribute, but in an arm that a constant test passes over."""
    reads = any(isinstance(node, ir.Attr) for node in ir.walk(expr))
    chooses = any(isinstance(node, ir.Cond) for node in ir.walk(expr))
    constant = evaluation.constant(expr)
    assert (constant is None) == reads or (reads and chooses)
    if constant is not None:
        for attribute in (0.0, 3.0, math.nan):
            value = evaluation.evaluate(expr, lambda *_, attribute=attribute: attribute)
            assert bits(value) == bits(constant) or (math.isnan(value) and math.isnan(constant))
    assert not evaluation.moves(expr)


@given(EXPRESSIONS, EXPRESSIONS, st.integers(0, 2**53), NUMBERS)
def test_programs_read_back(one: Any, other: Any, seed: int, cap: float) -> None:
    """What is written as JSON reads back as the same program, and is written the same again."""
    tested = engine_program(cost=one, serve=(other,), seed=seed)
    pool = replace(tested.pools[1], cap=cap, evict=(one, other), queue=(other,))
    statements = (stmt.Set(3, one), stmt.Choose(4, other, (one,)), *tested.blocks[2])
    changed = replace(tested, pools=(tested.pools[0], pool), blocks=(*tested.blocks[:2], statements, tested.blocks[3]))
    text = to_json(changed)
    again = from_json(text)
    assert to_json(again) == text
    assert again == changed
