"""A run as its callers see it: steps as they happen, places, errors, limits."""

from __future__ import annotations

import math
import sys
from itertools import islice
from pathlib import Path

import pytest

from serq_lsp.ir.codec import from_json
from serq_lsp.ir.expr import Attr, Binary, Ctx, Num, Ref, Sample
from serq_lsp.ir.program import Batch, Closed, Poisson, Pool, Program, Renewal
from serq_lsp.ir.stmt import Branch, Choose, End, Fork, Hold, HoldPool, Join, Load, Loop, Observe, Set, Turn
from serq_lsp.sim.errors import LimitReached, Place, RunError
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.run import Options, Simulation, run
from serq_lsp.sim.trace import Iteration, iter_data, iter_line
from tests.sim.programs import engine_program, num, program
from tests.sim.programs import run as run_on

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def conformance(name: str) -> Program:
    """A program of the conformance set, by edition and name."""
    return from_json((CONFORMANCE / f"{name}.ir.json").read_text(encoding="utf-8"))


def lines_of(tested: Program) -> list[str]:
    """The whole trace of a program, pools included."""
    return [iter_line(it, pools=True) for it in Simulation(tested).steps() if isinstance(it, Iteration)]


def test_the_separate_phases_seed() -> None:
    """The separate-phases program gives the four lines of semantics.md 10.1, and three without its clause."""
    assert [line.replace(" cached 0", "") for line in lines_of(conformance("classic/run/separate_phases"))] == [
        "ITER 0.0000 0:0:p2 | used 2",
        "ITER 1.0000 1:0:p4 | used 7",
        "ITER 2.0000 0:0:d1 | used 3",
        "ITER 3.0000 0:0:d1 | used 4",
    ]
    assert [line.replace(" cached 0", "") for line in lines_of(conformance("classic/run/separate_phases_mixed"))] == [
        "ITER 0.0000 0:0:p2 | used 2",
        "ITER 1.0000 0:0:d1 1:0:p3 | used 6",
        "ITER 2.0000 0:0:d1 1:0:p1 | used 8",
    ]


def test_the_rbln_seed() -> None:
    """The rbln program gives the lines of semantics.md 10.2."""
    found = lines_of(conformance("classic/run/rbln"))
    four = "0:0:d1 1:0:d1 2:0:d1 3:0:d1 | used 68 cached 0"
    assert found[:12] == [
        "ITER 0.0000 0:0:p128 | used 8 cached 0",
        "ITER 0.0033 0:0:p128 | used 16 cached 0",
        "ITER 0.0066 1:0:p128 | used 25 cached 0",
        "ITER 0.0098 1:0:p128 | used 33 cached 0",
        "ITER 0.0131 2:0:p128 | used 42 cached 0",
        "ITER 0.0164 2:0:p128 | used 50 cached 0",
        "ITER 0.0197 3:0:p128 | used 59 cached 0",
        "ITER 0.0230 3:0:p128 | used 67 cached 0",
        *(f"ITER {time} {four}" for time in ("0.0262", "0.0283", "0.0303", "0.0324")),
    ]
    last = "4:0:d1 5:0:d1 | used 34 cached 68"
    assert found[-4:] == [f"ITER {time} {last}" for time in ("0.0962", "0.0983", "0.1003", "0.1023")]
    assert len(found) == 44


def test_steps_come_as_they_happen() -> None:
    """A caller that stops early has seen the first iterations, and the run goes no further."""
    simulation = Simulation(conformance("engine/run/vllm"))
    first = list(islice(simulation.steps(), 3))
    assert [iter_line(it) for it in first if isinstance(it, Iteration)] == [
        "ITER 0.0000 0:1:p1371",
        "ITER 0.0274 0:1:d1",
        "ITER 0.0276 0:1:d1",
    ]
    assert simulation.result is None


def test_items_know_the_statement_that_did_the_work() -> None:
    """Each item of an iteration carries its Run statement's block and index, and the iteration its stage."""
    steps = [it for it in Simulation(engine_program(arrival=Batch(1))).steps() if isinstance(it, Iteration)]
    assert [[item.place for item in it.items] for it in steps[:2]] == [[Place(3, 0)], [Place(3, 1)]]
    assert iter_data(steps[0]) == {
        "time": 0.0,
        "stage": 0,
        "items": [{"session": 0, "turn": 0.0, "kind": "prefill", "tokens": 5.0, "block": 3, "statement": 0}],
        "used": 2.0,
        "cached": 0.0,
    }


def test_without_a_sink_nothing_is_recorded() -> None:
    """The result is the same with and without a sink."""
    seen: list[object] = []
    assert run(engine_program(), None, seen.append).stages == run(engine_program()).stages
    assert seen


def fails(tested: Program, limits: Limits | None = None) -> RunError:
    """The error a program's run ends with."""
    with pytest.raises(RunError) as caught:
        run(tested, Options(limits or Limits()))
    return caught.value


@pytest.mark.parametrize(
    ("cost", "kind"), [(Num(math.inf), "endless-iteration"), (Binary("Div", num(0), num(0)), "endless-iteration")]
)
def test_an_iteration_that_never_ends_is_an_error(cost: Num, kind: str) -> None:
    """A cost of infinity or not-a-number stops the run, naming the iteration and the stage."""
    error = fails(engine_program(cost=cost, arrival=Batch(1)))
    assert error.kind == kind
    assert "`engine`" in error.message
    assert "ITER 0.0000 0:0:p5" in error.message
    assert (error.time, error.place) == (0.0, Place(3, 0))


def test_an_iteration_with_tokens_must_cost() -> None:
    """Tokens for nothing stop the run."""
    assert fails(engine_program(cost=num(0))).kind == "free-iteration"


def test_the_trace_before_an_error_stays() -> None:
    """What happened before the error has been yielded."""
    cost = Binary("Div", num(1), Binary("Lt", Ctx("Now"), num(2)))
    simulation = Simulation(engine_program(cost=cost))
    seen: list[object] = []
    with pytest.raises(RunError):
        seen.extend(simulation.steps())  # extend keeps what came before the error
    assert len(seen) in (0, 2)
    collected: list[object] = []
    with pytest.raises(RunError):
        run(engine_program(cost=cost), None, collected.append)
    assert len(collected) == 2


ERRORS = {
    "bad-amount": program(run_on(0, num(-1)), End()),
    "bad-guard": program(Branch(num(0.5), 0, 1), End()),
    "bad-count": program(Choose(3, num(1.5), (num(1),)), End()),
    "no-blocking": program(Loop(3), blocks=((), (), (Loop(3),), (Set(3, num(1)),))),
    "no-time-passes": program(Loop(3), blocks=((), (), (Loop(3),), (run_on(0, num(0)),))),
    "bad-gap": program(End(), arrival=Renewal(num(0))),
    "no-hold": program(Load(Ref(0), num(1)), End(), pools=(Pool("p", 4.0),)),
    "load-too-large": program(
        blocks=((), (), (Hold((HoldPool(Ref(0), num(1)),), 3), End()), (Load(Ref(0), num(2)),)), pools=(Pool("p", 4.0),)
    ),
    "held-twice": program(Hold((HoldPool(Ref(0), num(1)), HoldPool(Ref(0), num(1))), 0), pools=(Pool("p", 4.0),)),
    "bad-index": program(run_on(0, num(1)), Hold((HoldPool(Ref(0, 2, Attr(1)), num(1)),), 0), End(), pools=(Pool("p", 4.0, 0), Pool("p", 4.0, 1)), arrival=Batch(3)),
    "end-with-legs": program(blocks=((), (), (Fork(3), End()), (run_on(0, num(1)),))),
    "arrivals-missing": program(End(), arrival=Poisson(1.0), arrivals=1000),
    "still-live": program(run_on(0, num(100)), End(), arrival=Poisson(1.0), arrivals=3),
    "wait-cycle": program(
        blocks=((), (), (Hold((HoldPool(Ref(0), num(2)),), 3), End()), (Fork(4), Join()), (Hold((HoldPool(Ref(0), num(2)),), 0),)),
        pools=(Pool("p", 3.0),),
    ),
    "bad-trace": program(End(), trace="log.csv"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ERRORS)
def test_a_fault_ends_the_run(kind: str) -> None:
    """Every fault of semantics.md 13 has its kind, a message of one line, and never a traceback."""
    error = fails(ERRORS[kind])
    assert error.kind == kind
    assert "\n" not in error.message
    assert not isinstance(error, LimitReached)


ONE_INSTANT = program(End(), arrival=Closed(2), stages=())
HUGE = program(Hold((HoldPool(Ref(0), num(9)),), 0), End(), arrival=Closed(1), pools=(Pool("p", 3.0),))
LIMITS = {
    "events": (engine_program(arrival=Batch(40), horizon=1e6), Limits(events=10)),
    "sessions-per-instant": (HUGE, Limits()),
    "instant-steps": (program(Choose(3, num(1e15), (num(1),)), End()), Limits(instant_steps=10_000)),
    "erlang-draws": (program(Set(3, Sample("Erlang", (num(1e12), num(1)))), End()), Limits()),
    "seconds": (program(Loop(3), blocks=((), (), (Loop(3),), (run_on(0, num(1)),)), horizon=1e18), Limits(seconds=0.05)),
}  # fmt: skip


@pytest.mark.parametrize("kind", LIMITS)
def test_a_limit_ends_the_run(kind: str) -> None:
    """Every loop that a program controls has a limit, named in the error."""
    tested, limits = LIMITS[kind]
    error = fails(tested, limits)
    assert isinstance(error, LimitReached)
    assert error.kind == kind
    assert "\n" not in error.message


def test_an_engine_that_only_preempts_itself_is_stopped() -> None:
    """An engine whose iterations cost nothing without tokens, and whose only resident preempts itself, ends with a limit."""
    cost = Binary("Mul", Ctx("Ntok"), num(1))
    hold = Hold((HoldPool(Ref(0), num(1)), HoldPool(Ref(1), num(1))), 3)
    body = (run_on(0, num(9), "Prefill", Ref(1)),)
    error = fails(engine_program(cap=4.0, cost=cost, arrival=Batch(1), blocks=((), (), (hold, End()), body)))
    assert isinstance(error, RunError)
    assert error.kind in ("idle-iterations", "no-time-passes")


def test_deep_expressions_run() -> None:
    """Nesting of thousands of levels runs; nesting beyond the interpreter's stack is an error, not a crash."""
    deep = num(0)
    expr: Num | Binary = deep
    for _ in range(4096):
        expr = Binary("Add", expr, num(1))
    tested = program(Observe(0, expr), End(), observes=("x",))
    assert run(tested).samples["x"].values == [4096.0, 4096.0]
    for _ in range(100_000):
        expr = Binary("Add", expr, num(1))
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1000)
        assert fails(program(Observe(0, expr), End(), observes=("x",))).kind == "too-deep"
    finally:
        sys.setrecursionlimit(limit)


def test_a_recorded_trace_is_read_through_the_caller() -> None:
    """The log's lines come from the reader given; sessions replay them in order."""
    tested = program(
        Turn(), Observe(0, Attr(4)), End(), observes=("x",), trace="log.csv", trace_ordered=True, arrival=Batch(3)
    )
    asked = []

    def read(name: str) -> list[str]:
        asked.append(name)
        return ["# a log", "session,turn,new,out,think", "7,1,10,5,0.5", "7,2,11,6,0.5,1", " 8,1,1,2,3 ", ""]

    assert run(tested, Options(read_trace=read)).samples["x"].values == [5.0, 2.0, 5.0]
    assert asked == ["log.csv"]


@pytest.mark.parametrize("units", [0, 3])
def test_nothing_fits_into_blocks_without_end(units: float) -> None:
    """With an infinite block what a hold takes is no number: it waits for ever, even in a pool without a cap."""
    hold = Hold((HoldPool(Ref(0), num(units)),), 3)
    result = run(program(pools=(Pool("kv", math.inf, block=math.inf),), blocks=((), (), (hold, End()), ())))
    assert result.events == 0
    assert result.pools[0]["admissions"] == 0


def test_a_stage_without_iterations_admits_nobody() -> None:
    """A pool whose queue is admitted by a stage that is no engine lets nobody in."""
    hold = Hold((HoldPool(Ref(0), num(1)),), 3)
    tested = program(
        pools=(Pool("desks", 4.0, admit_via=0),),
        blocks=((), (), (run_on(0, num(1)), hold, End()), (run_on(1, num(1)),)),
    )
    assert run(tested).pools[0]["admissions"] == 0
