"""The run lens of the main file, before any run and after one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.lens import run_lens
from tests.harness.runners import Outcome
from tests.ide.cases import main, place, snapshot_of
from tests.ide.running import view_after_run

if TYPE_CHECKING:
    from serq_lsp.ide.trace_hints import TraceView
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return place and title of the lens, `none` where there is none."""
    snapshot = snapshot_of(case)
    path = main(case)

    def shown(view: TraceView | None) -> str:
        found = run_lens(snapshot, path, view)
        return f"{place(snapshot, path, found.span)} {found.title}\n" if found else "none\n"

    blocks = {"lens": shown(None)}
    if case.block("lens-after-run"):
        blocks["lens-after-run"] = shown(view_after_run(case))
    return Outcome(blocks=blocks)
