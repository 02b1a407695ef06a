"""Layer `trace`: a `trace` block holds what `serq trace` prints, and behind it the reason where a run stops early."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from serq_lsp.cli.options import given
from serq_lsp.ide.runs import Execution, Refused, Stopped, limits, prepare
from tests.harness.runners import Outcome
from tests.spec.project import host, options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Run the main file as the info strings of the program and of the block say."""
    block = case.block("trace")
    return Outcome({"trace": "\n".join(_lines(case, block.args if block else ""))})


def _lines(case: Case, args: str) -> Iterator[str]:
    wanted = options(case, "trace", args)
    prepared = prepare(host(case).snapshot(), case.main, given(wanted))
    if isinstance(prepared, Refused):
        yield from prepared.problems
        yield from (it.message for it in prepared.findings)
        return
    try:
        for it in islice(Execution(prepared, limits(prepared, wanted.max_events)), wanted.limit):
            yield it.line(pools=wanted.pools)
    except Stopped as stop:
        yield stop.message
