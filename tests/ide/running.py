"""A fixture's program, run as the editor runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.trace_run import execute
from serq_lsp.ide.trace_view import job_for, view_of
from tests.ide.cases import FOLDER, main, snapshot_of

if TYPE_CHECKING:
    from serq_lsp.ide.trace_hints import TraceView
    from tests.harness.cases import Case


def view_after_run(case: Case) -> TraceView:
    """Run the main file in this process and return what an editor shows.

    Raises:
        AssertionError: the program cannot be run.
    """
    snapshot = snapshot_of(case)
    path = main(case)
    is_open = [FOLDER + it for it in case.files]
    job = job_for(snapshot, path, is_open, events=200_000, seconds=10, memory=1 << 30)
    *_, last = execute(job)
    assert "refused" not in last, last
    return view_of(frozenset(snapshot.files(path)), last)
