"""Every run program of the classic and the engine edition gives the reference's numbers, bit for bit."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from serq_lsp.ir.codec import from_data, from_json, to_data, to_json
from serq_lsp.sim.report import report_json
from serq_lsp.sim.run import Options, run
from serq_lsp.sim.trace import Iteration, evict_line, iter_line

if TYPE_CHECKING:
    from serq_lsp.sim.result import Result

HERE = Path(__file__).parent
PROGRAMS = sorted(path for edition in ("classic", "engine") for path in (HERE / edition / "run").glob("*.ir.json"))
SAMPLES = 200  # the reference's samples and traces are kept up to here


@dataclass(frozen=True)
class Run:
    """One finished run and what the reference gave."""

    path: Path
    result: Result
    report: dict[str, Any]
    iterations: list[str]
    evictions: list[str]
    expected: dict[str, Any]


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda path: f"{path.parts[-3]}-{path.name.split('.')[0]}")
def a_run(request: pytest.FixtureRequest) -> Run:
    """A program of the conformance set, run with everything recorded."""
    path: Path = request.param
    expected = json.loads(path.with_name(path.name.replace(".ir.", ".expected.")).read_text(encoding="utf-8"))
    iterations: list[str] = []
    evictions: list[str] = []

    def sink(step: Any) -> None:
        if isinstance(step, Iteration):
            iterations.append(iter_line(step, pools=True))
        else:
            evictions.append(evict_line(step))

    def read_trace(name: str) -> list[str]:
        return (path.parent / name).read_text(encoding="utf-8").splitlines()

    program = from_json(path.read_text(encoding="utf-8"))
    result = run(program, Options(evictions=True, read_trace=read_trace), sink)
    report = json.loads(report_json(result, expected["report"]["serq_version"]))
    return Run(path, result, report, iterations, evictions, expected)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parts[-3]}-{path.name.split('.')[0]}")
def test_the_ir_is_read_and_written(path: Path) -> None:
    """Reading an IR and writing it gives the same data, in the same order, as text and as data."""
    data = json.loads(path.read_text(encoding="utf-8"))
    program = from_data(data)
    assert json.dumps(to_data(program)) == json.dumps(data)
    assert json.loads(to_json(program)) == data
    assert from_json(to_json(program)) == program


def test_the_report_is_the_references(a_run: Run) -> None:
    """Every number of the report is equal, client statistics and stalled growth of the engine edition included."""
    assert a_run.report == a_run.expected["report"]
    assert _keys(a_run.report) == _keys(a_run.expected["report"])


def test_the_samples_are_the_references(a_run: Run) -> None:
    """Every observation has the same values, at the same times, of the same sessions and turns."""
    for name, expected in a_run.expected["samples"].items():
        ours = a_run.result.samples[name]
        assert ours.times[:SAMPLES] == expected["times"]
        assert _shown(ours.values, like=expected["values"]) == expected["values"]
        assert ours.sessions[:SAMPLES] == expected["sessions"]
        assert ours.turns[:SAMPLES] == expected["turns"]


def test_the_gauges_are_the_references(a_run: Run) -> None:
    """Every gauge has the same points."""
    for name, expected in a_run.expected.get("gauges", {}).items():
        ours = a_run.result.gauge_points[name]
        assert ours.times[:SAMPLES] == expected["times"]
        assert _shown(ours.values, like=expected["values"]) == expected["values"]


def test_the_trace_is_the_references(a_run: Run) -> None:
    """Every iteration has the same line, pools included, in the same order."""
    expected = a_run.expected.get("trace", [])
    beside = a_run.path.with_name(a_run.path.name.replace(".ir.json", ".trace.txt"))
    if beside.exists():
        expected = beside.read_text(encoding="utf-8").splitlines()
    assert a_run.iterations[: len(expected)] == expected
    if len(expected) < 120:
        assert len(a_run.iterations) == len(expected)


def test_the_evictions_are_the_references(a_run: Run) -> None:
    """Every eviction cuts the same units off the same entry."""
    expected = a_run.expected.get("evictions", [])
    assert a_run.evictions[: len(expected)] == expected


def _shown(values: list[float], *, like: list[Any]) -> list[Any]:
    """Values as the reference's data has them: not-a-number as null or a name, infinities by name."""
    nan = None if None in like else "NaN"
    named = {math.inf: "inf", -math.inf: "-inf"}
    return [nan if math.isnan(x) else named.get(x, x) for x in values[:SAMPLES]]


def _keys(data: Any) -> Any:
    """The order of keys, all the way down."""
    if isinstance(data, dict):
        return [(key, _keys(value)) for key, value in data.items()]
    return [_keys(value) for value in data] if isinstance(data, list) else None
