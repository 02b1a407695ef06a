"""The libraries a program uses, each read once (classic.md 8, engine.md 5)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.sema.faults import LibraryFault, LibraryItem, LibraryProblem
from serq_lsp.syntax.tree import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from serq_lsp.sema.faults import Fault
    from serq_lsp.syntax.tree import Node, Tree
    from serq_lsp.text.source import Source

MAX_BYTES = 1 << 20
"""A library longer than this is not read (architecture.md, invariant 10)."""
MAX_LIBRARIES = 1000
"""So many files may a program use."""


class ReadFault(NamedTuple):
    """Why a file could not be read; `detail` is what the system said."""

    problem: LibraryProblem
    detail: str = ""


if TYPE_CHECKING:
    Reader = Callable[[str], Source | ReadFault]
    """Gets a path, gives the text. A source's `path` should be the file's real path: each file is read once."""
    Parse = Callable[[Source], Tree]


class Library(NamedTuple):
    """One library: its tree and the `use` that first named it (in the file `by`)."""

    tree: Tree
    use: Node
    by: str

    @property
    def path(self) -> str:
        """Return the path of the file."""
        return self.tree.source.path


@dataclass(eq=False)
class Libraries:
    """All files of one program. `read` gives texts, `parse` trees (the caller may keep trees it has)."""

    read: Reader
    program: Tree
    parse: Parse = parse
    faults: list[Fault] = field(default_factory=list)
    found: list[Library] = field(default_factory=list)
    targets: dict[tuple[str, int], str] = field(default_factory=dict)
    """Which file a `use` names, by the path of its own file and its offset."""
    std: set[str] = field(default_factory=set)
    """The modules of the standard library that are used (`args`)."""

    def __post_init__(self) -> None:
        """Count the program as read: a cycle back to it is harmless."""
        self._seen = {self.program.source.path}

    def follow(self, use: Node, path: str) -> Library | None:
        """Return the library that a `use` node of the file `path` brings in; None for one read before or unreadable."""
        text = use.child("path")
        if text is None or text.missing or len(text.text) < len('""'):
            return None
        named = text.text[1:-1]
        if named.startswith("std/"):
            self.std.add(named[len("std/") :])
            return None
        wanted = named if posixpath.isabs(named) else posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
        if len(self.found) >= MAX_LIBRARIES:
            self._fault(use, path, named, ReadFault(LibraryProblem.TOO_LARGE, f"more than {MAX_LIBRARIES} files"))
            return None
        answer = self.read(wanted)
        if isinstance(answer, ReadFault):
            self._fault(use, path, named, answer)
            return None
        if len(answer.text) > MAX_BYTES:
            self._fault(use, path, named, ReadFault(LibraryProblem.TOO_LARGE, f"more than {MAX_BYTES} bytes"))
            return None
        self.targets[path, use.start] = answer.path
        if answer.path in self._seen:
            return None
        self._seen.add(answer.path)
        library = Library(self.parse(answer), use, path)
        self.found.append(library)
        return library

    def _fault(self, use: Node, path: str, named: str, problem: ReadFault) -> None:
        self.faults.append(LibraryFault(path, use.span, named, problem.problem, problem.detail))

    def items(self, library: Library) -> Iterator[Node]:
        """Yield the `use` and `def` items of a library; anything else is a fault."""
        for item in library.tree.root.children:
            if item.kind in ("use", "def"):
                yield item
            elif item.named and item.kind not in ("comment", "ERROR"):
                self.faults.append(LibraryItem(library.path, item.span, item.kind))
