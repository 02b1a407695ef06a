"""Ways through a tree, without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.syntax.tree import Node, Tree


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it in text order, each before its children."""
    stack = [node]
    while stack:
        it = stack.pop()
        yield it
        stack.extend(reversed(it.children))


def paths(tree: Tree, wanted: Iterable[Node]) -> Iterator[tuple[Node, ...]]:
    """Yield for each wanted node, given in text order, the nodes from the root down to it."""
    targets = {id(node) for node in wanted}
    path: list[Node] = []
    stack: list[tuple[Node, int]] = [(tree.root, 0)]
    while stack and targets:
        node, depth = stack.pop()
        del path[depth:]
        path.append(node)
        if id(node) in targets:
            targets.discard(id(node))
            yield tuple(path)
        stack.extend((child, depth + 1) for child in reversed(node.children))


def enclosing(tree: Tree, offset: int, *kinds: str) -> Node | None:
    """Return the smallest node of one of the kinds around a place (code points from 0), or None."""
    return next((node for node in reversed(tree.path_at(offset)) if node.kind in kinds), None)
