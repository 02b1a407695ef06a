"""The one mutable thing: which documents are open, and what was last read from disk. Everything else is a snapshot."""


# ruff: noqa: PTH116
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.ide import files
from serq_lsp.ide.snapshot import Memo, Snapshot
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serq_lsp.syntax.tree import Tree
    from serq_lsp.text.edits import Edit

    Read = Callable[[str], Source | files.Unreadable]

PENDING_MAX = 1000
"""After so many edits without anybody asking for the tree, it is made from scratch."""


@dataclass(eq=False)
class Document:
    """An open text and its tree, which is made when first asked for, from the last one made where that is possible."""

    source: Source
    _base: Tree | None = None
    _edits: tuple[Edit, ...] = ()
    _tree: Tree | None = field(default=None, repr=False)

    @property
    def tree(self) -> Tree:
        """Return the tree of the text."""
        if self._tree is None:
            self._tree = parse(self.source, self._base, self._edits)
            self._base, self._edits = None, ()
        return self._tree

    def changed(self, source: Source, edits: Sequence[Edit]) -> Document:
        """Return the document after edits, each in the text before it; `source` is the text after all of them."""
        if self._tree is not None:
            return Document(source, self._tree, tuple(edits))
        if self._base is not None and len(self._edits) + len(edits) <= PENDING_MAX:
            return Document(source, self._base, (*self._edits, *edits))
        return Document(source)


class Host:
    """Open documents over files on disk. `read` gives the text of a path, or why it cannot be had; it never raises."""

    def __init__(self, read: Read = files.read) -> None:
        self._read = read
        self._open: dict[str, Document] = {}
        self._disk: dict[str, tuple[object, Source | files.Unreadable]] = {}
        self._given: dict[str, Source | files.Unreadable] = {}
        self._memo = Memo()

    def open(self, path: str, text: str, version: int = 0) -> None:
        """Take the text of `path` from the client from now on."""
        self._open[path] = Document(Source(path, text, version))

    def change(self, path: str, edits: Sequence[Edit], version: int = 0) -> None:
        """Change an open document by edits, each in the text before it.

        Raises:
            KeyError: the document is not open.
        """
        before = self._open[path]
        source = before.source
        for edit in edits:
            source = source.edited(edit, version)
        self._open[path] = before.changed(Source(path, source.text, version), edits)

    def close(self, path: str) -> None:
        """Read `path` from disk again; closing what is not open does nothing."""
        self._open.pop(path, None)

    def put(self, path: str, answer: Source | files.Unreadable) -> None:
        """Answer so for `path` from now on, instead of reading it: the text of standard input."""
        self._given[path] = answer

    def changed_on_disk(self, path: str) -> None:
        """Forget what was read from `path`, whatever its time stamp says."""
        self._disk.pop(path, None)

    def snapshot(self) -> Snapshot:
        """Return a view of all texts as they are now; files are read when first asked for and then stay as they were."""
        return Snapshot(dict(self._open), self._from_disk, self._memo)

    def _from_disk(self, path: str) -> Source | files.Unreadable:
        """Return what is on disk, read again only where its time stamp has changed."""
        if path in self._given:
            return self._given[path]
        stamp = _stamp(path)
        known = self._disk.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        answer = self._read(path)
        self._disk[path] = (stamp, answer)
        return answer


def _stamp(path: str) -> object:
    """Return what changes when a file does: identity, size and time of change; None where there is none."""
    try:
        it = os.stat(path)
    except (OSError, ValueError):
        return None
    return it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns
