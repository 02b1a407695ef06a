"""The findings as one JSON object, the contract with other programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from serq_lsp.diag.report import NAMES, in_order, page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.model import Cite, Finding, Fix, Note
    from serq_lsp.diag.report import Region, Report

VERSION = 1
"""Raised when a reader of the old shape would misread the new one."""


def render(report: Report) -> Iterator[str]:
    """Yield the object as lines of text.

    Every checked file has an entry, clean ones too. Lines and columns count from 1 in code points, ends are
    exclusive. A note without a place has no `path` and `range`; the help of a finding is its last note.
    """
    files = [
        {"path": it.path, "edition": it.edition, "findings": [finding(report, one) for one in in_order(it.findings)]}
        for it in report.files
    ]
    yield json.dumps({"version": VERSION, "files": files}, ensure_ascii=False, indent=1)


def finding(report: Report, it: Finding) -> dict[str, Any]:
    """Return one finding as the contract has it."""
    notes = [_note(report, note) for note in it.notes]
    if it.help:
        notes.append({"message": it.help})
    return {
        "rule": it.rule.id,
        "severity": NAMES[it.severity],
        "message": it.message,
        "range": region(report.region(it.path, it.span)),
        "notes": notes,
        "fixes": [_fix(report, fix) for fix in it.fixes],
        "cites": [_cite(cite) for cite in it.cites],
        "page": page(it),
    }


def region(it: Region) -> dict[str, dict[str, int]]:
    """Return a region as `{"start": {"line", "col"}, "end": {"line", "col"}}`."""
    return {"start": {"line": it.line, "col": it.col}, "end": {"line": it.end_line, "col": it.end_col}}


def _note(report: Report, note: Note) -> dict[str, Any]:
    if note.path is None or note.span is None:
        return {"message": note.message}
    return {"message": note.message, "path": note.path, "range": region(report.region(note.path, note.span))}


def _fix(report: Report, fix: Fix) -> dict[str, Any]:
    edits = [{"path": it.path, "range": region(report.region(it.path, it.span)), "text": it.text} for it in fix.edits]
    return {"title": fix.title, "edits": edits}


def _cite(cite: Cite) -> dict[str, Any]:
    return {"label": cite.label, "path": cite.path, "start": cite.start, "end": cite.end, "url": cite.url}
