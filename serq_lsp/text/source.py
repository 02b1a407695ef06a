"""One text with its name and version; immutable."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from serq_lsp.text.edits import Edit, apply_edit
from serq_lsp.text.lines import LineIndex


@dataclass(frozen=True)
class Source:
    """A text as it was at one moment.

    `path` names the file in messages (as given by the user or the client), `version` is the client's document
    version (0 for a file read from disk).
    """

    path: str
    text: str = field(repr=False)
    version: int = 0

    @cached_property
    def lines(self) -> LineIndex:
        """Return the line table of the text."""
        return LineIndex(self.text)

    def edited(self, edit: Edit, version: int) -> Source:
        """Return the source after one edit."""
        return Source(self.path, apply_edit(self.text, edit), version)
