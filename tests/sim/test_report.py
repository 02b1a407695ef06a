"""Numbers in traces and reports, and the table for people."""

from __future__ import annotations

import json
import math

import pytest

from serq_lsp.ir.jsontext import double_text
from serq_lsp.sim.report import report_json
from serq_lsp.sim.run import run
from serq_lsp.sim.table import report_table
from serq_lsp.sim.trace import Iteration, iter_line, plain_number
from tests.sim.programs import engine_program

PLAIN = {
    1.0: "1",
    2.5: "2.5",
    -0.0: "-0",
    1e21: "1000000000000000000000",
    1e-7: "0.0000001",
    123456789.125: "123456789.125",
    1.5e-300: "0." + "0" * 299 + "15",
}
DOUBLES = {1.0: "1.0", 1e-5: "0.00001", 1e-6: "1e-6", 1.25e-7: "1.25e-7", 1e15: "1000000000000000.0", 1e16: "1e+16", -0.5: "-0.5", -0.0: "-0.0"}  # fmt: skip


@pytest.mark.parametrize("value", PLAIN)
def test_numbers_of_reports_have_no_exponent(value: float) -> None:
    """A report's number is the shortest decimal that reads back, never with an exponent or `.0`."""
    assert plain_number(value) == PLAIN[value]
    assert float(plain_number(value)) == value


@pytest.mark.parametrize("value", DOUBLES)
def test_numbers_of_the_ir_show_that_they_are_doubles(value: float) -> None:
    """An IR's double has a point or an exponent, as the reference prints it."""
    assert double_text(value) == DOUBLES[value]


def test_times_of_a_trace_have_four_decimals() -> None:
    """Times are rounded to four decimals, ties to even."""
    assert iter_line(Iteration(0.03125, 0, (), 0.0, 0.0)) == "ITER 0.0312"
    assert iter_line(Iteration(1.0, 0, (), 2.0, 0.5), pools=True) == "ITER 1.0000  | used 2 cached 0.5"


def test_a_report_is_one_line_of_json() -> None:
    """The report is valid JSON on one line; what is no number is null."""
    text = report_json(run(engine_program()), "0.1.3")
    assert "\n" not in text
    report = json.loads(text)
    assert report["serq_version"] == "0.1.3"
    assert report["pools"][1]["mean_wait"] is None
    assert not any(isinstance(it, float) and math.isnan(it) for it in report["stages"][0].values())


def test_the_table_is_for_people() -> None:
    """The table names its units, aligns its columns and leaves out what there is none of."""
    text = report_table(run(engine_program()))
    assert text.startswith("20 s simulated, seed 1: ")
    assert "wait, s" in text
    assert "claim" not in text
    assert all(len(line) < 120 for line in text.splitlines())
