"""Fixtures of findings: every finding of a program is marked; a `fix` block is the text after a fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.text.edits import Edit, apply_edits
from tests.checks.programs import findings_of, found
from tests.harness.marks import mismatches
from tests.harness.runners import Outcome

if TYPE_CHECKING:
    from serq_lsp.diag.model import Finding
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Compare the marks with the findings; answer `fix` blocks (the first fix, or the one of the number after `fix`)."""
    findings = findings_of(case.files, case.args)
    blocks = {}
    wanted = case.block("fix")
    if wanted is not None:
        blocks["fix"] = fixed(case, findings, wanted.args)
    return Outcome(blocks, mismatches(case.marks, [found(case.files, it) for it in findings]))


def fixed(case: Case, findings: list[Finding], number: str) -> str:
    """Return the main file after one fix, counted from 1 over all findings; marks are left out."""
    fixes = [fix for finding in findings for fix in finding.fixes]
    if not 0 < int(number or 1) <= len(fixes):
        return "there is no such fix; there are: " + ", ".join(fix.title for fix in fixes)
    edits = [Edit(edit.span, edit.text) for edit in fixes[int(number or 1) - 1].edits if edit.path == case.main]
    lines = apply_edits(case.text, edits).splitlines(keepends=True)
    return "".join(line for line in lines if not line.lstrip().startswith(("//  ", "//@", "//^")))
