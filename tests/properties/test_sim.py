"""Properties of runs: the same again and again, never above capacity, and an end in every case."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp.ir.codec import from_data
from serq_lsp.ir.expr import Attr, Binary, Call, Ctx, Num, PoolArg, Ref, Sample
from serq_lsp.ir.program import Gauge, Poisson, Program
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.report import report_json
from serq_lsp.sim.run import Options, run
from serq_lsp.sim.trace import Iteration, evict_line, iter_line
from tests.sim.programs import engine_program, num

if TYPE_CHECKING:
    from serq_lsp.sim.cache import Eviction

CONFORMANCE = Path(__file__).parents[1] / "conformance"
SMALL = [
    json.loads(path.read_text(encoding="utf-8"))
    for edition in ("classic", "engine")
    for path in sorted((CONFORMANCE / edition / "run").glob("*.ir.json"))
    if "vllm" not in path.name and "trace" not in path.name
]
EPS = 1e-9


def lines(tested: Program, limits: Limits) -> list[str]:
    """Everything a run shows, its error or its report last."""
    found: list[str] = []

    def sink(it: Iteration | Eviction) -> None:
        found.append(iter_line(it, pools=True) if isinstance(it, Iteration) else evict_line(it))

    try:
        result = run(tested, Options(limits, evictions=True), sink)
    except RunError as error:
        found.append(f"{error.kind}: {error.message}")
    else:
        found.append(report_json(result, "0"))
    return found


ENGINES = st.builds(
    engine_program,
    cap=st.integers(4, 60).map(float),
    block=st.sampled_from([None, 1.0, 3.0, 4.0]),
    budget=st.integers(1, 20).map(float),
    chunk=st.sampled_from([0.0, 2.0, 5.0]),
    slots=st.integers(1, 5).map(float),
    preempt=st.booleans(),
    caches=st.booleans(),
    serve=st.sampled_from([(), None, (Binary("Sub", num(0), Ctx("Remaining")),), (Ctx("Kvb"), Ctx("Decoding"))]),
    prompt=st.sampled_from([num(3), num(9), Binary("Add", num(2), Attr(1))]),
    output=st.sampled_from([num(4), Binary("Add", num(1), Attr(1))]),
    arrival=st.sampled_from([Poisson(0.7), Poisson(2.0)]),
    seed=st.integers(0, 2**53),
    version=st.just(11),
    gauges=st.just((Gauge("used", Call("Used", (PoolArg(Ref(1)),))),)),
    horizon=st.just(30.0),
)


@given(ENGINES)
def test_equal_seeds_give_equal_runs(tested: Program) -> None:
    """The same program gives the same trace and report every time."""
    limits = Limits(events=5000)
    assert lines(tested, limits) == lines(tested, limits)


@given(ENGINES)
def test_a_pool_is_never_above_its_capacity(tested: Program) -> None:
    """Allocations stay within capacity at every instant, and with the cache within it where nothing was overbooked."""
    limits = Limits(events=5000)
    pool = tested.pools[1]
    block = pool.block or 1.0
    seen: list[Iteration] = []

    def sink(it: Iteration | Eviction) -> None:
        if isinstance(it, Iteration):
            seen.append(it)

    try:
        result = run(tested, Options(limits), sink)
    except RunError:
        result = None
    for it in seen:
        assert it.used * block <= pool.cap + EPS
        assert (it.used + it.cached) * block <= pool.cap + EPS
        assert sum(item.tokens for item in it.items) <= budget_of(tested) + EPS
    if result is not None:
        assert all(value <= pool.cap + EPS for value in result.gauge_points["used"].values)


def budget_of(tested: Program) -> float:
    """The engine's tokens an iteration."""
    budget = getattr(tested.stages[0].kind, "budget", None)
    assert isinstance(budget, Num)
    return budget.value


def changed(data: Any, draw: Any) -> Any:
    """The same data with some of its numbers changed."""
    if isinstance(data, dict):
        return {
            key: {"Num": draw(st.sampled_from([value, 0.0, 1.0, 2.5, -1.0, "inf"]))}["Num"]
            if key == "Num" and draw(st.integers(0, 3)) == 0
            else changed(value, draw)
            for key, value in data.items()
        }
    return [changed(value, draw) for value in data] if isinstance(data, list) else data


@settings(max_examples=150)
@given(st.data())
def test_any_numbers_end_in_a_report_or_an_error(data: st.DataObject) -> None:
    """Programs with other numbers in them end with a report, a fault or a limit, never a traceback."""
    program = copy.deepcopy(data.draw(st.sampled_from(SMALL)))
    for part in ("blocks", "pools", "stages"):
        program[part] = changed(program[part], data.draw)
    program["horizon"] = min(program["horizon"], 40.0)
    program["warmup"] = 0.0
    assert lines(from_data(program), Limits(events=3000, instant_steps=50_000))


def test_draws_do_not_depend_on_what_is_recorded() -> None:
    """A run without a trace has the report of the run with one."""
    tested = engine_program(prompt=num(6), arrival=Poisson(1.0), output=Sample("Exp", (num(3),)), caches=False)
    quiet = report_json(run(tested), "0")
    assert report_json(run(tested, Options(), lambda _: None), "0") == quiet
