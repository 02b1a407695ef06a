"""Findings as SARIF 2.1.0, for code scanning services. Columns count code points, and the log says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from serq_lsp.diag.model import Severity
from serq_lsp.diag.report import NAMES, page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.diag.model import Finding, Fix, Rule
    from serq_lsp.diag.report import Region, Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def render(report: Report, version: str) -> Iterator[str]:
    """Yield the log as lines of text; `version` is that of this tool."""
    findings = list(report.findings())
    rules = {it.rule.id: it.rule for it in findings}
    ids = sorted(rules)
    driver = {
        "name": "serq",
        "version": version,
        "rules": [_rule(rules[it], next(f for f in findings if f.rule.id == it)) for it in ids],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _artifact(it.path)} for it in report.files],
        "results": [_result(report, it, ids) for it in findings],
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)


def _rule(rule: Rule, example: Finding) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "help": {"text": f"serq explain {rule.id}; {page(example)}"},
    }


def _result(report: Report, it: Finding, ids: Sequence[str]) -> dict[str, Any]:
    text = "\n".join([it.message, *([it.help] if it.help else [])])
    result: dict[str, Any] = {
        "ruleId": it.rule.id,
        "ruleIndex": ids.index(it.rule.id),
        "level": LEVELS[it.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(it.path, report.region(it.path, it.span))}],
        "properties": {"severity": NAMES[it.severity]},
    }
    if it.notes:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": note.message}}
            | (
                {"physicalLocation": _place(note.path, report.region(note.path, note.span))}
                if note.path is not None and note.span is not None
                else {}
            )
            for number, note in enumerate(it.notes)
        ]
    if it.fixes:
        result["fixes"] = [_fix(report, fix) for fix in it.fixes]
    if it.cites:
        result["properties"]["cites"] = [
            {"label": c.label, "path": c.path, "start": c.start, "end": c.end, "url": c.url} for c in it.cites
        ]
    return result


def _fix(report: Report, fix: Fix) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for it in fix.edits:
        changes.setdefault(it.path, []).append(
            {"deletedRegion": _region(report.region(it.path, it.span)), "insertedContent": {"text": it.text}}
        )
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": replacements}
            for path, replacements in changes.items()
        ],
    }


def _place(path: str, region: Region) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path), "region": _region(region)}


def _region(it: Region) -> dict[str, int]:
    return {"startLine": it.line, "startColumn": it.col, "endLine": it.end_line, "endColumn": it.end_col}


def _artifact(path: str) -> dict[str, str]:
    uri = quote(path.replace("\\", "/"), safe="/")
    return {"uri": f"file://{uri}" if uri.startswith("/") else uri}
