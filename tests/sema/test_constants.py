"""Constants: order of the text, the last value for readers, overrides, what is not constant."""

from __future__ import annotations

import pytest

from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from serq_lsp.sema.faults import FamilySize, NotConstant, TooManyTerms
from tests.sema.programs import ENGINE, analysed, faults, quoted

TAIL = "session { } run { horizon 9; }"


def cap(text: str, **sets: float | str) -> float:
    """Return the capacity of the first pool of a program."""
    lowered = lower(analysed(text), RunSettings(sets=sets))
    assert lowered.program is not None, lowered.unsupported
    return lowered.program.pools[0].cap


def test_initialisers_read_the_value_above_and_readers_the_last_one() -> None:
    """Several `let`s of a name are legal (engine.md 5, classic.md 3.1)."""
    assert cap("let a = 2; let b = a * 3; let a = b + 1; pool p { cap a; }" + TAIL) == 7.0


def test_a_reader_above_the_let_sees_it() -> None:
    """Only sizes and initialisers look upward."""
    assert cap("pool p { cap a; } let a = 5;" + TAIL) == 5.0


def test_definitions_and_aggregates_fold() -> None:
    """`sum`, `max` and definitions of constants are constants."""
    assert cap("def half(x) = x / 2; let n = sum k in 4 (half(k)); pool p { cap max(n, 1); }" + TAIL) == 3.0


@pytest.mark.parametrize(("value", "expected"), [(4.0, 8.0), ("2 + base", 10.0)])
def test_a_set_replaces_a_let_and_what_is_computed_from_it(value: float | str, expected: float) -> None:
    """A number, or the text of a constant expression over earlier constants (classic.md 13)."""
    assert cap("let base = 3; let a = 1; let b = a * 2; pool p { cap b; }" + TAIL, a=value) == expected


def test_an_input_is_set_by_its_external_name() -> None:
    """The name outside may differ from the name inside (engine.md 5)."""
    text = 'use "std/args"; fn main() { let rate = args.number("arrivals_per_second", 0.5); workload { arrive poisson(rate); } }'
    lowered = lower(analysed(text, ENGINE), RunSettings(sets={"arrivals_per_second": "1 / 4"}))
    assert lowered.program is not None
    assert lowered.program.arrival.rate == 0.25  # type: ignore[union-attr]
    assert lower(analysed(text, ENGINE), RunSettings(sets={"rate": 1.0})).program is None


def test_a_definition_may_be_replaced() -> None:
    """`defs` gives an expression definition a new body over the same parameters."""
    text = "def size(x) { x + 1 } let a = size(2); pool p { cap a; }" + TAIL
    lowered = lower(analysed(text), RunSettings(defs={"size": "x * 10"}))
    assert lowered.program is not None
    assert lowered.program.pools[0].cap == 20.0


@pytest.mark.parametrize("text", ["2 +", "2; let b = 3", "", "now"])
def test_a_value_that_is_no_constant_expression_is_refused(text: str) -> None:
    """Refusals are values, never exceptions."""
    lowered = lower(analysed("let a = 1; pool p { cap a; }" + TAIL), RunSettings(sets={"a": text}))
    assert lowered.program is None
    assert lowered.unsupported


@pytest.mark.parametrize(
    ("item", "culprit"),
    [
        ("let a = now;", "now"),
        ("let a = 1 + ~exp(2);", "exp"),
        ("pool p { cap serial + 1; }", "serial"),
        ("stage s : fifo(present);", "present"),
        ("pool p { block 2; } pool q { cap blocksize(p) + used(p); }", "used"),
    ],
)
def test_what_moves_is_no_constant(item: str, culprit: str) -> None:
    """The fact stands at the name, draw or call that cannot be known before the program runs."""
    model = analysed(item + TAIL)
    assert [quoted(model, it.span) for it in faults(model, NotConstant)] == [culprit]


@pytest.mark.parametrize("size", ["0", "1.5", "10001", "-1"])
def test_a_family_has_a_whole_number_of_members(size: str) -> None:
    """From 1 to 10,000 (classic.md 3.1)."""
    assert len(faults(analysed(f"pool p[{size}] {{ }}" + TAIL), FamilySize)) == 1


def test_aggregates_write_out_4096_terms_at_most() -> None:
    """The terms of all aggregates of a program count together, nested ones each time they are written out."""
    legal = "session { set a = sum i in 64 (sum j in 63 (1)); } run { horizon 9; }"
    assert analysed(legal).faults == ()
    above = "session { set a = sum i in 64 (sum j in 63 (1)); set b = max k in 2 (k); } run { horizon 9; }"
    assert len(faults(analysed(above), TooManyTerms)) == 1
