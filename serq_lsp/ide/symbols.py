"""The outline of a file: its declarations and blocks, nested as they stand in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from serq_lsp.ide.shapes import BLOCK, MODULE, shape
from serq_lsp.lang.table import by_node

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.sema.symbols import Kind
    from serq_lsp.syntax.tree import Node, Tree
    from serq_lsp.text.spans import Span

KINDS = {"item", "device-item", "engine-item", "queue-part", "entry", "workload-clause"}
"""The table's kinds of forms that an outline shows where they have a name or a block."""
STATEMENTS = {"hold", "observe"}
"""The statements that it shows too: what is held, and what is measured."""
DEPTH_MAX = 100
"""An outline is nested no deeper, for clients recurse."""


@dataclass(frozen=True)
class Entry:
    """One line of an outline. `shape` is a word of `ide.shapes`, `name_span` what to select when it is gone to."""

    name: str
    shape: str
    detail: str
    span: Span
    name_span: Span
    children: list[Entry] = field(default_factory=list)


def outline(snapshot: Snapshot, path: str) -> list[Entry]:
    """Return the outline of a file, in text order."""
    tree = snapshot.tree(path)
    kinds = {it.span: it.kind for it in snapshot.model(path).symbols if it.path == path and it.span is not None}
    top: list[Entry] = []
    stack: list[tuple[Node, list[Entry], int]] = [(tree.root, top, 0)]
    while stack:
        node, into, depth = stack.pop()
        entry = _entry(tree, node, kinds) if node.named and node.kind in _shown_nodes() else None
        if entry is not None and depth < DEPTH_MAX:
            into.append(entry)
            into, depth = entry.children, depth + 1
        stack.extend((child, into, depth) for child in reversed(node.children))
    return top


def flat(entries: list[Entry]) -> list[tuple[Entry, str]]:
    """Return all entries of an outline in text order, each with the name of the one it stands in (empty: none)."""
    found: list[tuple[Entry, str]] = []
    stack = [(entry, "") for entry in reversed(entries)]
    while stack:
        entry, container = stack.pop()
        found.append((entry, container))
        stack.extend((child, entry.name) for child in reversed(entry.children))
    return found


@cache
def _shown_nodes() -> frozenset[str]:
    """Return the kinds of nodes that an outline shows."""
    return frozenset(node for node, forms in by_node().items() if any(it.kind in KINDS for it in forms)) | STATEMENTS


def _entry(tree: Tree, node: Node, kinds: dict[Span, Kind]) -> Entry | None:
    if node.kind == "hold":
        named = [unit for it in node.each("unit") if (unit := it.child("pool"))]
        name = ", ".join(tree.text(it) for it in named)
        return Entry(name, BLOCK, "hold", node.span, named[0].span) if name.strip() else None
    if (used := node.child("path")) is not None and not used.missing:
        inner = used.text.strip('"')
        return Entry(inner, MODULE, "", node.span, used.span) if inner.strip() else None
    own = node.child("name")
    if own is not None:
        if own.missing or not own.text.strip():
            return None
        kind = kinds.get(own.span)
        return Entry(own.text, shape(kind) if kind else BLOCK, _detail(tree, node), node.span, own.span)
    first = next(iter(node.children), None)
    if first is None or first.named or first.missing or not _has_block(node):
        return None
    words = [it.text for it in node.children if not it.named and it.text.isalpha()]
    return Entry(" ".join(words[:2]), BLOCK, _detail(tree, node), node.span, first.span)


def _has_block(node: Node) -> bool:
    return node.has_word("{") or any(child.has_word("{") for child in node.children)


def _detail(tree: Tree, node: Node) -> str:
    """Return what an outline shows beside the name: parameters, the size of a family, a value."""
    parameters = next(iter(node.of_kind("parameters")), None)
    if parameters is not None or (node.has_word("(") and node.child("name") is not None):
        return f"({_shown(tree.text(parameters))})" if parameters else "()"
    if (size := node.child("size")) is not None:
        return _shown(tree.text(size))
    if (value := node.child("value")) is not None and node.has_word("="):
        return f"= {_shown(tree.text(value))}"
    return ""


def _shown(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
