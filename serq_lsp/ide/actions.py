"""Quick fixes: the fixes that findings carry, where the findings touch what is selected, and comments that ignore one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.diag.model import FileEdit, Fix, Severity
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.snapshot import Snapshot


class Action(NamedTuple):
    """A fix and the finding that it removes; `preferred` where it is the only one."""

    finding: Finding
    fix: Fix
    preferred: bool


def quick_fixes(snapshot: Snapshot, path: str, findings: Iterable[Finding], selected: Span) -> list[Action]:
    """Return what removes the findings (of one file) that overlap or touch a selection, in the order of the findings.

    The fixes that findings carry come first; what is no error can be ignored, too.
    """
    touched = [it for it in findings if it.span.start <= selected.end and selected.start <= it.span.end]
    fixes = [Action(it, fix, preferred=len(it.fixes) == 1) for it in touched for fix in it.fixes]
    return [*fixes, *_ignores(snapshot, path, touched)]


def _ignores(snapshot: Snapshot, path: str, touched: Iterable[Finding]) -> Iterator[Action]:
    """Yield the comments that ignore findings on their lines, one a rule; none behind a comment."""
    source = snapshot.source(path)
    seen: set[tuple[str, int]] = set()
    for finding in touched:
        end = source.lines.line_end(source.lines.locate(finding.span.start).line)
        line = source.text[source.lines.line_start(source.lines.locate(finding.span.start).line) : end]
        rule = finding.rule.id
        if finding.severity is Severity.ERROR or (rule, end) in seen or "//" in line or "/*" in line:
            continue
        if any(it.start <= end < it.end for it in snapshot.tree(path).path_at(end) if it.kind == "comment"):
            continue
        seen.add((rule, end))
        edit = FileEdit(path, Span(end, end), f"  // serq: ignore {rule} because …")
        yield Action(finding, Fix(f"Ignore `{rule}` on this line because …", (edit,)), preferred=False)
