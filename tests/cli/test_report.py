"""The report for people: names as programs write them, plurals, and a page about its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from serq_lsp.cli.table import legend, report_lines
from tests.cli.programs import CLEAN, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]


def report(**given: Any) -> dict[str, Any]:
    """Return the report of a run in which nothing happened, but for what is given."""
    totals = {"warmup": 0, "horizon": 1, "end": 1, "seed": 1, "arrivals": 0, "ended": 0, "turns": 0, "events": 0}
    return {**totals, "mean_live": 0, "observes": {}, "gauges": {}, "stages": [], "pools": [], **given}


def test_members_are_spelt_as_in_programs() -> None:
    """A pool of a family of queues is `D[0].kv`, also where a note speaks of it."""
    over = {"queue": "D.kv[1]", "need": 5}
    lines = list(report_lines(report(pools=[{"name": "D.kv", "index": 0, "over_cap": over, "rejected": 1}])))
    assert any(line.startswith("D[0].kv ") for line in lines)
    assert "note: the head of queue `D[1].kv` asks `D[0].kv` for 5, more than its cap" in lines
    assert "note: `D[0].kv` rejected 1 hold that never fit its cap" in lines


def test_plurals() -> None:
    """One of a thing is not several."""
    one = "\n".join(report_lines(report(arrivals=1, ended=1, turns=1, events=1)))
    assert "1 arrival, 1 session ended, 1 turn, " in one
    assert one.count("1 event\n") == 1


def test_columns_are_explained(serq: Serq) -> None:
    """Each column of a report stands on the page to which its last line points."""
    out = serq("run", "clean.sq").out
    assert "`serq explain report`" in out.splitlines()[-1]
    said = "\n".join(legend())
    for table in ("observation", "stage", "engine", "pool"):
        heads = out.partition(f"\n\n{table} ")[2].partition("\n")[0].split()
        assert f"\n## {table}: " in said
        assert all(f"\n{head} " in said for head in heads if head not in {"s", "%", "p50"})


@pytest.mark.parametrize("command", ["check", "run", "trace", "ir"])
def test_standard_input(serq: Serq, command: str) -> None:
    """`-` is a program on standard input for every command; `--stdin-filename` names it."""
    assert serq(command, "-", stdin=CLEAN.encode()).code == 0
    answer = serq(command, "-", "--stdin-filename", "sub/x.sq", stdin=b"nonsense")
    assert answer.code == 1
    assert "sub/x.sq:1:1: " in answer.out + answer.err


def test_a_trace_without_iterations_says_why(serq: Serq, folder: Path) -> None:
    """On stderr, with exit 0: no stage iterates, or none came to it."""
    (folder / "p.sq").write_text(RANDOM)
    answer = serq("trace", "p.sq")
    assert (answer.code, answer.out) == (0, "")
    assert "the program has no engine" in answer.err
    (folder / "p.sq").write_text(CLEAN.replace("batch(2)", "none"))
    assert "no engine served anything" in serq("trace", "p.sq").err


def test_a_recorded_log_that_cannot_be_read(serq: Serq, folder: Path) -> None:
    """A warning of `check` at the clause, and the end of a run, with the same place; so are faults of its lines."""
    (folder / "p.sq").write_text(RANDOM.replace("workload { ", 'workload { trace "log.csv"; '))
    answer = serq("check", "p.sq")
    assert (answer.code, answer.out.splitlines()[0][:44]) == (0, "p.sq:5:18: warning[trace-cannot-read] the tr")
    for command in ("run", "trace"):
        answer = serq(command, "p.sq")
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("serq: p.sq:5:18: the trace `log.csv` does not exist")
    assert serq("ir", "p.sq").code == 0
    (folder / "log.csv").write_text("1,1,x,3,4\n")
    assert serq("check", "p.sq").code == 0
    assert serq("run", "p.sq").err.startswith("serq: p.sq:5:18: line 1 of the trace")


@pytest.mark.parametrize("command", ["check", "run", "trace", "ir", "explain"])
def test_help_names_the_exit_codes(serq: Serq, command: str) -> None:
    """What 0 and 1 mean for each command."""
    assert "Exit code 0: " in serq(command, "--help").out
