"""Lowering: who wins among settings, where statements come from, what is refused as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.ir.codec import to_json
from serq_lsp.ir.stmt import End, Run
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from tests.sema.programs import CLASSIC, CONFORMANCE, CURRENT, ENGINE, analysed, of_file

if TYPE_CHECKING:
    from serq_lsp.sema.model import Model

CHAIN = """use "lib/a.sq";
stage desk : fifo;
pool kv { cap 4; }
session {
  twice(desk);
  run desk (3);
}
run { horizon 9; warmup 2; seed 7; }
"""
LIBRARY = "def once(s) { run s (1); }\ndef twice(s) { once(s); run s (2); }"


@pytest.fixture(scope="module")
def chain() -> Model:
    """A program whose runs come through definitions of a library."""
    return analysed(CHAIN, lib__a=LIBRARY)


def test_a_statement_knows_the_places_it_comes_from(chain: Model) -> None:
    """The statement itself first, then the uses that brought it, the program's own last."""
    origins = lower(chain, RunSettings()).origins
    texts = {"main.sq": CHAIN, "lib/a.sq": LIBRARY}
    found = [
        [(place.path, texts[place.path][place.span.start : place.span.end]) for place in origins.of_statement(2, index)]
        for index in range(3)
    ]
    assert found == [
        [("lib/a.sq", "run s (1);"), ("lib/a.sq", "once"), ("main.sq", "twice")],
        [("lib/a.sq", "run s (2);"), ("main.sq", "twice")],
        [("main.sq", "run desk (3);")],
    ]


def test_stages_pools_and_observations_know_their_names(chain: Model) -> None:
    """A number leads to the name in its declaration."""
    origins = lower(chain, RunSettings()).origins
    spans = {"stage": origins.stages[0].span, "pool": origins.pools[0].span}
    assert {what: CHAIN[span.start : span.end] for what, span in spans.items()} == {"stage": "desk", "pool": "kv"}


def test_a_run_of_a_request_leads_to_the_request() -> None:
    """Of the seed program the runs are those of the engine's `request`, then the call in the server."""
    model = of_file(CONFORMANCE / "engine/run/vllm.sq", ENGINE)
    lowered = lower(model, RunSettings())
    assert lowered.program is not None
    text = model.tree.source.text
    for block, statements in enumerate(lowered.program.blocks):
        for index, statement in enumerate(statements):
            places = lowered.origins.of_statement(block, index)
            if isinstance(statement, Run) and statement.mode != "Plain":
                first, call = (text[place.span.start : place.span.end] for place in places)
                assert first.startswith(statement.mode.lower())
                assert call == "vllm"
            assert places or statement == End()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (RunSettings(), (9.0, 2.0, 7, None)),
        (RunSettings(horizon=30, seed=1), (30.0, 2.0, 1, None)),
        (RunSettings(warmup=0.5, arrivals=4), (9.0, 0.5, 7, 4)),
    ],
)
def test_an_option_wins_over_the_programs_own_run_block(chain: Model, settings: RunSettings, expected: object) -> None:
    """What neither names has its default: warm-up 0, seed 1, all arrivals."""
    program = lower(chain, settings).program
    assert program is not None
    assert (program.horizon, program.warmup, program.seed, program.arrivals) == expected


def test_the_engine_edition_runs_twenty_seconds_by_default() -> None:
    """It has no run block, so a program runs without any setting."""
    program = lower(analysed("fn main() { }", ENGINE), RunSettings()).program
    assert program is not None
    assert (program.version, program.horizon, program.warmup, program.seed) == (13, 20.0, 0.0, 1)


def test_a_classic_program_needs_a_horizon() -> None:
    """From its run block or from an option."""
    model = analysed("session { end; }", CLASSIC)
    assert lower(model, RunSettings()).program is None
    assert lower(model, RunSettings(horizon=3)).program is not None


def test_the_path_of_a_trace_may_be_replaced() -> None:
    """The option wins; whether the log is ordered stays with the program."""
    model = analysed('workload { trace "a.csv" ordered; } run { horizon 3; }')
    program = lower(model, RunSettings(trace="b.csv")).program
    assert program is not None
    assert (program.trace, program.trace_ordered) == ("b.csv", True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("session { run } run { horizon 3; }", "a syntax error"),
        ("session { run nowhere (1); } run { horizon 3; }", "a faulty program (UnknownName)"),
        ("stage s : fifo; session { while (1) { run s (1); } } run { horizon 3; }", None),
        ("stage s : fifo; session { decode 4; } run { horizon 3; }", "no single stage for `decode`"),
    ],
)
def test_what_cannot_be_lowered_is_a_value_with_a_place(text: str, what: str | None) -> None:
    """No program, and what stood in the way; never a wrong program."""
    lowered = lower(analysed(text), RunSettings())
    assert [it.what for it in lowered.unsupported] == ([what] if what is not None else [])
    assert (lowered.program is None) == (what is not None)


def test_the_current_edition_is_not_lowered_yet() -> None:
    """It says so, at the program."""
    lowered = lower(analysed("fn main() { }", CURRENT), RunSettings())
    assert [it.what for it in lowered.unsupported] == ["the current edition"]


def test_a_written_out_aggregate_of_all_terms_is_lowered() -> None:
    """4,096 terms nest 4,096 deep; nothing recurses on them."""
    text = "session { set a = sum i in 4096 (i); observe b = a; } run { horizon 3; }"
    program = lower(analysed(text), RunSettings()).program
    assert program is not None
    assert to_json(program).count('"Add"') == 4095


def test_a_chain_of_operators_is_lowered_by_a_loop() -> None:
    """A long chain is as deep as its tree, which is cut at 1,000 levels; what is cut off is a fault."""
    short = "session { set a = " + " + ".join(["1"] * 400) + "; } run { horizon 3; }"
    assert lower(analysed(short), RunSettings()).program is not None
    long = "session { set a = " + " + ".join(["1"] * 5000) + "; } run { horizon 3; }"
    assert lower(analysed(long), RunSettings()).program is None
