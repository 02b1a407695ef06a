"""What a check of several files found, ready to be rendered: files in order, findings sorted, places as lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.diag.model import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from serq_lsp.diag.model import Finding
    from serq_lsp.text.source import Source
    from serq_lsp.text.spans import Span

NAMES = {severity: severity.name.lower() for severity in Severity}
"""How severities are written: error, warning, information, hint."""
PAGES = "docs/rules"
"""Where the rules' pages lie in the project's documentation."""
_CONTROL = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # compiled when first used


class Region(NamedTuple):
    """A stretch of one text as people count it: lines and columns from 1, in code points, the end exclusive."""

    line: int
    col: int
    end_line: int
    end_col: int


class FileReport(NamedTuple):
    """One checked file: its path as shown, its edition (None: not known) and what was found in it."""

    path: str
    edition: str | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class Report:
    """All checked files in the order they are shown, and the texts that findings point into, by path."""

    files: tuple[FileReport, ...]
    sources: Mapping[str, Source] = field(repr=False)

    def findings(self) -> Iterator[Finding]:
        """Yield all findings, sorted by path, start and rule."""
        yield from in_order(finding for it in self.files for finding in it.findings)

    def region(self, path: str, span: Span) -> Region:
        """Return where `span` of `path` stands; the beginning of the file where its text is not known."""
        source = self.sources.get(path)
        if source is None:
            return Region(1, 1, 1, 1)
        start, end = source.lines.locate(span.start), source.lines.locate(span.end)
        return Region(start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def counts(self) -> dict[Severity, int]:
        """Return how many findings there are of each severity, worst first; zeros included."""
        found = [it.severity for it in self.findings()]
        return {severity: found.count(severity) for severity in Severity}


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by path, start, rule."""
    return sorted(findings, key=lambda it: (it.path, it.span.start, it.rule.id, it.span.end, it.message))


def page(finding: Finding) -> str:
    """Return where the documentation page of the finding's rule lies."""
    return f"{PAGES}/{finding.rule.id}.md"


def plain(text: str) -> str:
    """Return a text as one line without control characters, so that no input can steer a terminal or a log."""
    return re.sub(_CONTROL, lambda it: _picture(it[0]), text)


def _picture(char: str) -> str:
    """Return a visible sign of width one for a control character: Unicode's control pictures where there is one."""
    if char == "\x7f":
        return "␡"
    return chr(0x2400 + ord(char)) if char < " " else "�"
