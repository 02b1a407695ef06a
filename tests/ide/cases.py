"""A fixture's files in a host, and places as fixtures write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.files import Unreadable
from serq_lsp.ide.host import Host
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from tests.harness.cases import Case

FOLDER = "/case/"


def snapshot_of(case: Case) -> Snapshot:
    """Return the case's files as open documents; no other file can be read."""
    host = Host(lambda it: Unreadable(it, "missing", "does not exist", "check the path", Source(it, ""), Span(0, 0)))
    for name, text in case.files.items():
        host.open(FOLDER + name, text, 1)
    return host.snapshot()


def cursor(case: Case) -> tuple[str, int]:
    """Return where `$0` stands."""
    assert case.cursor is not None, "the case has no `$0`"
    return FOLDER + case.cursor.path, case.cursor.start


def main(case: Case) -> str:
    """Return the path of the first file."""
    return FOLDER + case.main


def place(snapshot: Snapshot, path: str, span: Span) -> str:
    """Return a place as `file:line:column "text"`, lines and columns from 1; a long text is cut."""
    source = snapshot.source(path)
    at = source.lines.locate(span.start)
    text = source.text[span.start : span.end].replace("\n", "⏎")
    shown = text if len(text) <= 40 else text[:39] + "…"
    return f'{path.removeprefix(FOLDER)}:{at.line + 1}:{at.column + 1} "{shown}"'
