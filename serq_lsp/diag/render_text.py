"""Findings for people: the message, the source line with the place underlined, notes, remedies, native lines."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from serq_lsp.diag.model import Severity
from serq_lsp.diag.report import NAMES, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.model import Cite, Finding
    from serq_lsp.diag.report import Report
    from serq_lsp.text.source import Source
    from serq_lsp.text.spans import Span

TAB = 4
"""How many cells a tab takes up to."""
CELLS_MAX = 160
"""A longer source line is cut to this many cells around the place."""
BEFORE = 40
"""How many code points of a cut line stand before the place."""

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_BLUE = "\x1b[1;34m"
_COLOURS = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.INFORMATION: "\x1b[1;36m",
    Severity.HINT: "\x1b[1;32m",
}


def render(report: Report, *, colour: bool = False) -> Iterator[str]:
    """Yield the findings as lines, a blank one between two findings; nothing where there are none."""
    for number, it in enumerate(report.findings()):
        if number:
            yield ""
        yield from _finding(report, it, _Paint(colour=colour))


def summary(report: Report) -> str:
    """Return one line that says how much was checked and found."""
    files = len(report.files)
    found = [f"{n} {NAMES[it]}{_plural(it, n)}" for it, n in report.counts().items() if n]
    return f"{files} {'file' if files == 1 else 'files'} checked: {', '.join(found) or 'nothing found'}"


def _plural(severity: Severity, count: int) -> str:
    return "" if count == 1 or severity is Severity.INFORMATION else "s"


class _Paint:
    """Puts colours around words, or does not."""

    def __init__(self, *, colour: bool) -> None:
        self._on = colour

    def __call__(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self._on and text else text


def _finding(report: Report, it: Finding, paint: _Paint) -> Iterator[str]:
    line, col, _, _ = report.region(it.path, it.span)
    tint = _COLOURS[it.severity]
    place = f"{plain(it.path)}:{line}:{col}:"
    yield f"{paint(_BOLD, place)} {paint(tint, f'{NAMES[it.severity]}[{it.rule.id}]')} {paint(_BOLD, plain(it.message))}"
    source = report.sources.get(it.path)
    gutter = len(str(line))
    if source is not None:
        yield from _excerpt(source, it.span, paint, tint, "^")
    edge = " " * gutter + " " + paint(_BLUE, "=")
    for note in it.notes:
        if note.path is None or note.span is None:
            yield f"{edge} note: {plain(note.message)}"
            continue
        at = report.region(note.path, note.span)
        yield f"{edge} note: {plain(note.message)} ({plain(note.path)}:{at.line}:{at.col})"
        there = report.sources.get(note.path)
        if there is not None:
            yield from _excerpt(there, note.span, paint, _BLUE, "-")
    if it.help:
        yield f"{edge} help: {plain(it.help)}"
    for number, fix in enumerate(it.fixes):
        how = "" if len(it.fixes) > 1 else " (serq check --fix)"
        yield f"{edge} {'or' if number else 'fix'}: {plain(fix.title)}{how}"
    if it.cites:
        first, more = it.cites[0], len(it.cites) - 1
        rest = f" and {more} more (serq explain {it.rule.id})" if more else ""
        yield f"{edge} native: {plain(first.label)}, {plain(first.path)}{_lines(first)}{rest}"
        if first.url:
            yield f"{' ' * gutter}   {plain(first.url)}"


def _lines(cite: Cite) -> str:
    """Return the lines of a native place as it is written in comments; nothing for a whole file."""
    if not cite.start:
        return ""
    return f":{cite.start}" if cite.start == cite.end else f":{cite.start}-{cite.end}"


def _excerpt(source: Source, span: Span, paint: _Paint, tint: str, sign: str) -> Iterator[str]:
    """Yield the first line of the span, and below it the place underlined; nothing for an empty line."""
    start, end = source.lines.locate(span.start), source.lines.locate(span.end)
    text = source.lines.line_text(start.line)
    last = end.column if end.line == start.line else len(text)
    if not text.strip():
        return
    number = str(start.line + 1)
    before, inside, after = _window(text, start.column, max(last, start.column))
    head = _cells(before, 0)
    mark = _cells(inside, len_cells(head))
    tail = _cells(after, len_cells(head) + len_cells(mark))
    bar = paint(_BLUE, "|")
    yield f"{paint(_BLUE, number)} {bar} {head}{mark}{tail}".rstrip()
    under = sign * max(len_cells(mark), 1)
    more = f" … to line {end.line + 1}" if end.line > start.line else ""
    yield f"{' ' * len(number)} {bar} {' ' * len_cells(head)}{paint(tint, under + more)}"


def _window(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return what stands before, inside and after the place, a very long line cut to its neighbourhood."""
    if len(text) <= CELLS_MAX:
        return text[:start], text[start:end], text[end:]
    first = max(0, start - BEFORE) if start > BEFORE else 0
    last = min(len(text), first + CELLS_MAX)
    end = min(end, last)
    return (
        ("…" if first else "") + text[first:start],
        text[start:end],
        text[end:last] + ("…" if last < len(text) else ""),
    )


def _cells(text: str, column: int) -> str:
    """Return a text with tabs written as blanks (up to the next multiple of TAB) and control characters visible."""
    if "\t" not in text:
        return plain(text)
    out: list[str] = []
    for part in text.split("\t"):
        shown = plain(part)
        column += len_cells(shown)
        blanks = TAB - column % TAB
        out += [shown, " " * blanks]
        column += blanks
    return "".join(out[:-1])


def len_cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
