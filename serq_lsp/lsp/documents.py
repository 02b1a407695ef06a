"""The documents that the client has open: their texts, exactly as the client sees them, and their URIs as it spells them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.lsp.uris import to_path, to_uri
from serq_lsp.text.edits import Edit
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lsprotocol import types

    from serq_lsp.text.lines import Unit

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Document:
    """One open document: the URI as the client last spelled it, and its source (whose path is our key)."""

    uri: str
    source: Source


class Documents:
    """All open documents by path. Texts change only through `open`, `change`, `saved` and `close`."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._spelled: dict[str, str] = {}

    def __iter__(self) -> Iterator[Document]:
        """Yield the open documents in the order of their opening."""
        return iter(tuple(self._open.values()))

    def get(self, path: str) -> Document | None:
        """Return the document open under a path."""
        return self._open.get(path)

    def path(self, uri: str) -> str:
        """Return the path of a URI, and remember the spelling for answers about that path."""
        path = to_path(uri)
        if path not in self._open:
            self._spelled[path] = uri
        return path

    def uri(self, path: str) -> str:
        """Return the URI of a path: as the client opened it, else as it last named it, else our own spelling."""
        if document := self._open.get(path):
            return document.uri
        return self._spelled.get(path) or to_uri(path)

    def open(self, uri: str, text: str, version: int) -> Document:
        """Open a document, or take the new text of one that is open already (under whatever spelling)."""
        path = to_path(uri)
        self._open[path] = Document(uri, Source(path, text, version))
        self._spelled[path] = uri
        return self._open[path]

    def close(self, uri: str) -> str | None:
        """Close a document; return its path, or None where it was not open."""
        path = to_path(uri)
        return path if self._open.pop(path, None) else None

    def change(
        self, uri: str, version: int, changes: Iterable[types.TextDocumentContentChangeEvent], unit: Unit
    ) -> tuple[Document, tuple[Edit, ...]] | None:
        """Make the changes of one notification, in order, positions counted in `unit`.

        Returns:
            The new document and the edits in code points, each in the text before it; None for a document that is
            not open.

        """
        path = to_path(uri)
        if (before := self._open.get(path)) is None:
            LOG.warning("a change of %s ignored: it is not open", uri)
            return None
        source = before.source
        edits: list[Edit] = []
        for change in changes:
            edit = _edit(source, change, unit)
            edits.append(edit)
            source = source.edited(edit, version)
        document = Document(before.uri, Source(path, source.text, version))
        self._open[path] = document
        return document, tuple(edits)

    def saved(self, uri: str, text: str) -> tuple[Document, tuple[Edit, ...]] | None:
        """Compare the text as saved with ours, and take the saved one where they differ (C13).

        Editors have sent edits that did not say what they did; a server that trusts them is wrong until closed.

        Returns:
            As `change`, where there was a difference; else None.

        """
        before = self._open.get(to_path(uri))
        if before is None or before.source.text == text:
            return None
        LOG.warning("the text of %s had drifted from the editor's; taken anew", uri)
        source = before.source
        edit = trimmed(Edit(Span(0, len(source.text)), text), source.text)
        document = Document(before.uri, source.edited(edit, source.version))
        self._open[source.path] = document
        return document, (edit,)


def _edit(source: Source, change: types.TextDocumentContentChangeEvent, unit: Unit) -> Edit:
    """Return a change as an edit of the source before it; a range may end before it begins or lie past the end."""
    place = getattr(change, "range", None)
    if place is None:
        return trimmed(Edit(Span(0, len(source.text)), change.text), source.text)
    start = source.lines.offset_in(place.start.line, place.start.character, unit)
    end = source.lines.offset_in(place.end.line, place.end.character, unit)
    return Edit(Span(min(start, end), max(start, end)), change.text)


def trimmed(edit: Edit, text: str) -> Edit:
    """Return the same edit of `text` without the common beginning and end, so that little is parsed again."""
    old = text[edit.span.start : edit.span.end]
    limit = min(len(old), len(edit.text))
    head = next((i for i in range(limit) if old[i] != edit.text[i]), limit)
    rest = limit - head
    tail = next((i for i in range(rest) if old[-1 - i] != edit.text[-1 - i]), rest)
    return Edit(Span(edit.span.start + head, edit.span.end - tail), edit.text[head : len(edit.text) - tail])
