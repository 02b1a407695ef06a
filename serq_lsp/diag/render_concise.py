"""One line a finding, for editors' error lists and grep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.report import NAMES, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.report import Report


def render(report: Report) -> Iterator[str]:
    """Yield `path:line:col: severity[rule] message` for each finding; line and column from 1, in code points."""
    for it in report.findings():
        line, col, _, _ = report.region(it.path, it.span)
        yield f"{plain(it.path)}:{line}:{col}: {NAMES[it.severity]}[{it.rule.id}] {plain(it.message)}"
