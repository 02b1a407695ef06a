"""The hints of a run, by file and line; `args` of the program block may hold `items=N`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serq_lsp.ide.trace_hints import carried, hints
from serq_lsp.text.edits import Edit
from serq_lsp.text.spans import Span
from tests.harness.runners import Outcome
from tests.ide.cases import FOLDER, main, snapshot_of
from tests.ide.running import view_after_run

if TYPE_CHECKING:
    from serq_lsp.ide.trace_hints import TraceView
    from serq_lsp.text.source import Source
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the hints after a run, and those after a line was put in front of the main file."""
    snapshot = snapshot_of(case)
    limit = re.search(r"items=(\d+)", case.args)
    view = view_after_run(case)

    def shown(view: TraceView, source: Source) -> list[str]:
        found = hints([view], source, items_max=int(limit[1]) if limit else 4)
        name = source.path.removeprefix(FOLDER)
        return [f"{name}:{source.lines.locate(it.offset).line + 1} {it.label}\n" for it in found]

    lines = [line for name in case.files for line in shown(view, snapshot.source(FOLDER + name))]
    source = snapshot.source(main(case))
    edit = Edit(Span(0, 0), "// new\n")
    after = shown(carried(view, source.path, [edit]), source.edited(edit, 2))
    return Outcome(blocks={"hints": "".join(lines), "hints-after-edit": "".join(after), "note": view.note + "\n"})
