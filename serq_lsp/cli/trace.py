"""`serq trace`: run a program and print its iterations as they happen."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

from serq_lsp.cli.output import complain, show
from serq_lsp.cli.program import prepared
from serq_lsp.ide.runs import Execution, Stopped, limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.cli.options import Options
    from serq_lsp.ide.runs import Prepared


def trace(options: Options) -> int:
    """Print a line an iteration; return 1 where the program does not run to its end, else 0."""
    program = prepared(options)
    if program is None:
        return 1
    silent = True
    try:
        for line in _lines(program, options):
            silent = False
            if not show([line]):
                break
    except Stopped as stop:
        complain(stop.message)
        return 1
    if silent:
        complain(f"no iterations: {_why(program)}")
    return 0


def _why(program: Prepared) -> str:
    """Return why a run shows no iterations."""
    if not program.iterates:
        return "the program has no engine, that is, no stage that works in steps; `serq run` shows its report"
    return "no engine served anything before the horizon; `serq run` shows its report"


def _lines(program: Prepared, options: Options) -> Iterator[str]:
    run = Execution(program, limits(program, options.max_events, options.max_seconds))
    for it in islice(run, options.limit):
        yield json.dumps(it.data(), ensure_ascii=False) if options.json else it.line(pools=options.pools)
