"""Findings as GitHub's workflow commands, which become annotations of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.model import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.model import Finding
    from serq_lsp.diag.report import Report

COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def render(report: Report) -> Iterator[str]:
    """Yield one command a finding. Columns are given only where the finding lies in one line, as GitHub wants."""
    for it in report.findings():
        line, col, end_line, end_col = report.region(it.path, it.span)
        place = {"file": it.path, "line": str(line), "endLine": str(end_line)}
        if line == end_line:
            place |= {"col": str(col), "endColumn": str(end_col)}
        place["title"] = it.rule.id
        words = ",".join(f"{name}={_property(value)}" for name, value in place.items())
        yield f"::{COMMANDS[it.severity]} {words}::{_data(_text(it))}"


def _text(it: Finding) -> str:
    return "\n".join([it.message, *(f"note: {note.message}" for note in it.notes), *([it.help] if it.help else [])])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
