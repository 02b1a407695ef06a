"""What can be folded away: blocks in braces, runs of comment lines, runs of `use` lines."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node, Tree


class FoldKind(Enum):
    """What a fold hides; the values are LSP's `FoldingRangeKind`, empty for plain code."""

    CODE = ""
    COMMENT = "comment"
    IMPORTS = "imports"


class Fold(NamedTuple):
    """Lines (from 0) from the one that stays to the last one that is hidden."""

    first: int
    last: int
    kind: FoldKind


def folds(snapshot: Snapshot, path: str) -> list[Fold]:
    """Return the folds of a file, by first line; at most one begins on a line."""
    tree = snapshot.tree(path)
    found: dict[int, Fold] = {}
    for fold in sorted([*_blocks(tree), *_runs(tree)], key=lambda it: (it.first, -it.last)):
        if fold.last > fold.first:
            found.setdefault(fold.first, fold)
    return list(found.values())


def _blocks(tree: Tree) -> Iterator[Fold]:
    line_of = tree.source.lines.locate
    stack: list[Node] = [tree.root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        opened: list[Node] = []
        for child in node.children:
            if child.missing:
                continue
            if child.kind == "{":
                opened.append(child)
            elif child.kind == "}" and opened:
                first, last = line_of(opened.pop().start).line, line_of(child.start).line
                yield Fold(first, last - 1, FoldKind.CODE)
        if node.kind == "comment":
            yield Fold(line_of(node.start).line, line_of(node.end).line, FoldKind.COMMENT)


def _runs(tree: Tree) -> Iterator[Fold]:
    """Yield runs of lines that hold nothing but a comment, or nothing but a `use`."""
    lines = tree.source.lines
    kinds: dict[int, str] = {}
    stack: list[Node] = [tree.root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.kind in {"comment", "use"}:
            line = lines.locate(node.start).line
            if lines.line_text(line).strip() == tree.source.text[node.start : node.end].strip():
                kinds[line] = node.kind
    first = None
    for line in sorted(kinds):
        if kinds.get(line - 1) != kinds[line]:
            first = line
        if kinds.get(line + 1) != kinds[line] and first is not None:
            yield Fold(first, line, FoldKind.COMMENT if kinds[line] == "comment" else FoldKind.IMPORTS)
