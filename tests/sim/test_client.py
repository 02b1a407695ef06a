"""What a client sees of a turn, from IR 13 on; every case was run on the engine edition's reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.ir.expr import Num, Ref
from serq_lsp.ir.program import Batch, Fifo, Stage, Step
from serq_lsp.ir.stmt import End, Fork, Join, Run, Stmt, Turn
from serq_lsp.sim.run import run
from tests.sim.programs import num, program

if TYPE_CHECKING:
    from serq_lsp.sim.result import Result

STAGES = (
    Stage("e", Step(num(1), num(40), num(0))),
    Stage("f", Step(num(1), num(40), num(0))),
    Stage("s", Fifo(9)),
)


def statements(words: str) -> list[Stmt]:
    """`p3` a prefill of 3, `d2` a decode of 2, `s5` a job of 5 elsewhere; `fp1`, `fd0` the same on the second engine."""
    found: list[Stmt] = []
    for word in words.split():
        stage = 2 if word[0] == "s" else 1 if word[0] == "f" else 0
        kind = word.removeprefix("f")[0]
        mode = {"p": "Prefill", "d": "Decode", "s": "Plain"}[kind]
        found.append(Run(Ref(stage), mode, Num(float(word.removeprefix("f")[1:]))))
    return found


def outcome(server: list[Stmt], leg: list[Stmt] | None = None, *, ends: bool = False) -> Result:
    """One turn through these statements; with `ends` the server ends the session."""
    session: tuple[Stmt, ...] = (Turn(), *server, End())
    blocks = ((), (), session, tuple(leg or ()))
    sides = tuple(
        tuple("Server" if block == 3 or 0 < at < len(code) - (not ends) else "Workload" for at in range(len(code)))
        for block, code in enumerate(blocks)
    )
    return run(program(stages=STAGES, version=13, blocks=blocks, sides=sides, arrival=Batch(1), horizon=30.0))


def seen(result: Result) -> tuple[float | None, float | None, float | None]:
    """`ttft`, `tpot`, `response` of the one turn, None for no sample."""
    assert result.client is not None
    first, pace, answer = (it.mean if it.count else None for it in result.client.values())
    return first, pace, answer


CASES = {
    "p3": (1.0, None, 1.0),
    "p3 s5": (1.0, None, 6.0),
    "s5": (None, None, 5.0),
    "d2": (1.0, 1.0, 2.0),
    "p3 d3": (1.0, 1.0, 4.0),
    "p3 s5 d3": (1.0, 8 / 3, 9.0),
    "p3 s5 p3": (7.0, None, 7.0),  # another prefill gives the first token anew
    "p3 s5 p3 d2": (7.0, 1.0, 9.0),
    "p3 d1 s5 p3 d2": (1.0, 2.25, 10.0),  # a decode has made it sure
    "p3 d0 s5 p3": (1.0, 6.0, 7.0),  # so does one of no work, at that instant
    "p3 s0 fd0 s5 p3": (1.0, 6.0, 7.0),
    "p3 s5 d0 s2 p3": (9.0, None, 9.0),  # but not later
    "p3 s5 fp3 s2 fd2": (7.0, 2.0, 11.0),
    "p1 p1 d1": (2.0, 1.0, 3.0),
}


@pytest.mark.parametrize("words", CASES)
def test_a_turn_as_its_client_sees_it(words: str) -> None:
    """First token, pace and answer of one turn."""
    assert seen(outcome(statements(words))) == CASES[words]


def test_a_legs_tokens_are_its_sessions() -> None:
    """Tokens of a leg count for the turn; the first sure one stays."""
    assert seen(outcome([Fork(3), *statements("s1 p1 d2"), Join()], statements("p1 d3"))) == (1.0, 0.5, 4.0)
    assert seen(outcome([Fork(3), *statements("p1"), Join()], statements("s1 p1 d2"))) == (2.0, 1.0, 4.0)


def test_a_server_that_ends_the_session_leaves_no_answer() -> None:
    """Without an answer only a sure first token is left."""
    assert seen(outcome(statements("p3 s5"), ends=True)) == (None, None, None)
    assert seen(outcome(statements("p3 d1 s5"), ends=True)) == (1.0, None, None)


def test_a_first_token_is_recorded_when_it_is_sure() -> None:
    """The sample of a first token has the time at which it became sure, its session and its turn."""
    samples = outcome(statements("p3 s5 d3")).client_samples["ttft"]
    assert (samples.times, samples.values, samples.sessions, samples.turns) == ([7.0], [1.0], [0], [1])
