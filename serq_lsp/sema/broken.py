"""Where the text of a program could not be parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node, Tree

_WORD = re.compile(r"\w+")


class SyntaxFault(NamedTuple):
    """An `ERROR` or missing node of a file; `in_unused_def` is true in a definition that nothing uses."""

    path: str
    node: Node
    in_unused_def: bool


def syntax_faults(model: Model) -> Iterator[SyntaxFault]:
    """Yield the faults of the program's text, then those of its libraries, each file in text order."""
    for tree in (model.tree, *(library.tree for library in model.libraries)):
        todo: list[tuple[Node, bool]] = [(tree.root, False)]
        while todo:
            node, unused = todo.pop()
            if node.kind == "ERROR" or node.missing:
                yield SyntaxFault(tree.source.path, node, unused)
                continue
            if node.kind == "def" and not model.is_library:
                name = node.child("name")
                unused = name is not None and bool(name.text) and name.text not in model.used
            todo.extend((child, unused) for child in reversed(node.children))


def broken_words(trees: Iterable[Tree]) -> frozenset[str]:
    """Return the words that stand where the text could not be parsed: they may be declared there."""
    words: set[str] = set()
    for tree in trees:
        text = tree.source.text
        for node in tree.faults():
            words.update(_WORD.findall(text[node.start : node.end]))
    return frozenset(words)
