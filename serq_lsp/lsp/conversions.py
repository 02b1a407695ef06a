"""Between our places (code points from 0) and the client's (lines and columns in its unit); findings to diagnostics.

lsprotocol's constructors are called with keyword arguments only: fields have been inserted before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from serq_lsp.diag.report import plain
from serq_lsp.ide.explain import page_path
from serq_lsp.lsp.uris import to_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from serq_lsp.diag.model import FileEdit, Finding
    from serq_lsp.lsp.client import Client
    from serq_lsp.text.lines import Unit
    from serq_lsp.text.source import Source
    from serq_lsp.text.spans import Span

SOURCE = "serq"
"""What diagnostics name as their source."""


@dataclass(frozen=True, slots=True)
class Border:
    """All that is needed to speak of files to the client.

    `source` gives the text of a path (of a file that cannot be read: nothing), `uri` its URI as the client spells it,
    `version` the version of the open document (None: it is not open).
    """

    client: Client
    source: Callable[[str], Source]
    uri: Callable[[str], str]
    version: Callable[[str], int | None]

    def position(self, source: Source, offset: int) -> types.Position:
        """Return an offset as the client counts it."""
        line, column = source.lines.locate_in(offset, self.client.unit)
        return types.Position(line=line, character=column)

    def range(self, source: Source, span: Span) -> types.Range:
        """Return a span as the client counts it."""
        return types.Range(start=self.position(source, span.start), end=self.position(source, span.end))

    def location(self, path: str, span: Span) -> types.Location:
        """Return a place in any file."""
        return types.Location(uri=self.uri(path), range=self.range(self.source(path), span))

    def text_edits(self, path: str, edits: Iterable[FileEdit]) -> list[types.TextEdit]:
        """Return the edits of one file."""
        source = self.source(path)
        return [types.TextEdit(range=self.range(source, it.span), new_text=it.text) for it in edits]

    def workspace_edit(self, edits: Sequence[FileEdit]) -> types.WorkspaceEdit:
        """Return edits of any files, with the versions of open documents where the client takes them."""
        paths = list(dict.fromkeys(it.path for it in edits))
        by_path = {path: self.text_edits(path, [it for it in edits if it.path == path]) for path in paths}
        if not self.client.document_changes:
            return types.WorkspaceEdit(changes={self.uri(path): found for path, found in by_path.items()})
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    text_document=types.OptionalVersionedTextDocumentIdentifier(
                        uri=self.uri(path), version=self.version(path)
                    ),
                    edits=found,
                )
                for path, found in by_path.items()
            ]
        )

    def diagnostic(self, source: Source, finding: Finding) -> types.Diagnostic:
        """Return a finding in the file `source` as a diagnostic."""
        page = page_path(finding.rule.id)
        href = to_uri(page) if page else next((cite.url for cite in finding.cites if cite.url), None)
        return types.Diagnostic(
            range=self.range(source, finding.span),
            severity=types.DiagnosticSeverity(int(finding.severity)),
            code=finding.rule.id,
            code_description=types.CodeDescription(href=href) if href and self.client.code_description else None,
            source=SOURCE,
            message=self._message(finding),
            related_information=self._related(finding) if self.client.related_information else None,
        )

    def _message(self, finding: Finding) -> str:
        """Return the message, then what the client has no other place for: facts without a place, and the help."""
        lines = [plain(finding.message)]
        placed = self.client.related_information
        lines += [plain(note.message) for note in finding.notes if note.path is None or not placed]
        if finding.help:
            lines.append(f"help: {plain(finding.help)}")
        return "\n".join(lines)

    def _related(self, finding: Finding) -> list[types.DiagnosticRelatedInformation] | None:
        related = [
            types.DiagnosticRelatedInformation(
                location=self.location(note.path, note.span), message=plain(note.message)
            )
            for note in finding.notes
            if note.path is not None and note.span is not None
        ]
        return related or None


def offset(source: Source, position: types.Position, unit: Unit) -> int:
    """Return the offset of a client's position; one outside the text is moved to the nearest place inside."""
    return source.lines.offset_in(position.line, position.character, unit)
