"""`serq run`: run a program and show its report."""


# ruff: noqa: PTH103, PTH107, PTH118, PTH123
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from serq_lsp.cli.output import complain, show
from serq_lsp.cli.program import prepared
from serq_lsp.ide.runs import Execution, Stopped, limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serq_lsp.cli.options import Options
    from serq_lsp.ide.runs import Results

TRACE_VARIABLE = "SERQ_TRACE_ITER"
"""Where it is set, to anything, the iterations are printed on stderr, as the reference does."""


def run_program(options: Options) -> int:
    """Print the report; return 1 where the program does not run to its end or the dump cannot be written, else 0."""
    program = prepared(options)
    if program is None:
        return 1
    if options.dump is not None and not _folder(options.dump):
        return 1
    run = Execution(program, limits(program, options.max_events, options.max_seconds))
    traced = TRACE_VARIABLE in os.environ
    try:
        for it in run:
            if traced:
                print(it.line(pools=True), file=sys.stderr)
    except Stopped as stop:
        complain(stop.message)
        return 1
    results = run.results()
    if options.dump is not None and not _dump(options.dump, results):
        return 1
    if options.json:
        show([results.json()])
    else:
        from serq_lsp.cli.table import report_lines

        show(report_lines(results.report))
    return 0


def _folder(folder: str) -> bool:
    """Make the folder of the dump before the run, so that a long one is not lost; say whether it can be written."""
    probe = os.path.join(folder, ".serq-dump")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(probe, "w", encoding="utf-8"):
            pass
        os.remove(probe)
    except OSError as error:
        return _unwritable(folder, error)
    return True


def _dump(folder: str, results: Results) -> bool:
    """Write `report.json`, and a CSV for each observation and gauge."""
    try:
        _write(folder, "report.json", [results.json()])
        for name, samples in results.samples().items():
            _write(folder, f"observe_{name}.csv", _csv(("time", "value", "session", "turn"), samples))
        for name, points in results.gauges().items():
            _write(folder, f"gauge_{name}.csv", _csv(("time", "value"), points))
    except OSError as error:
        return _unwritable(folder, error)
    return True


def _unwritable(folder: str, error: OSError) -> bool:
    reason = (error.strerror or "unknown error").lower()
    complain(f"--dump: `{error.filename or folder}` cannot be written ({reason}); name a folder that can")
    return False


def _write(folder: str, name: str, lines: Iterable[str]) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _csv(head: Sequence[str], rows: Iterable[Sequence[float]]) -> Iterable[str]:
    yield ",".join(head)
    for row in rows:
        yield ",".join(repr(it) for it in row)
