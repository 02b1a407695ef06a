"""Layer `check`: what `serq check` finds, settings and comments for the tools counted; a `fixed` block is what `--fix` leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.text.edits import Edit, apply_edits
from tests.harness.marks import Found, mismatches
from tests.harness.runners import Outcome
from tests.spec.project import host, settings

if TYPE_CHECKING:
    from serq_lsp.diag.model import Finding
    from serq_lsp.text.source import Source
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Check the main file and compare what is found in it and in its libraries with the marks of all files."""
    snapshot = host(case).snapshot()
    found = snapshot.findings(case.main, settings(case))
    all_found = [_found(snapshot.source(path), it) for path, some in found.items() for it in some]
    edits = [Edit(it.span, it.text) for one in found[case.main] for fix in one.fixes[:1] for it in fix.edits]
    blocks = {"fixed": apply_edits(case.text, edits)} if case.block("fixed") else {}
    return Outcome(blocks, mismatches(case.marks, all_found))


def _found(source: Source, it: Finding) -> Found:
    start, end = source.lines.locate(it.span.start), source.lines.locate(it.span.end)
    last = end.column if end.line == start.line else None
    words = " ".join([it.message, *([it.help] if it.help else [])])
    return Found(it.path, start.line, start.column, last, it.rule.id, words)
