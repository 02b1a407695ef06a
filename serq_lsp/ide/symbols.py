"""The outline of a file: its declarations, nested as they stand in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node, Tree

OUTLINE = {
    "use": "use",
    "let": "constant",
    "def": "definition",
    "main": "main",
    "pool": "pool",
    "stage": "stage",
    "device": "device",
    "time_resource": "time resource",
    "capacity": "capacity",
    "engine": "engine",
    "queue": "queue",
    "entry": "entry",
    "engine_request": "request",
    "schedule": "schedule",
    "worker": "worker",
    "connector": "connector",
    "gauge": "gauge",
    "claim": "claim",
    "workload": "workload",
    "session": "session",
    "server": "server",
    "init": "init",
    "turn_block": "turn",
    "run_block": "run",
    "observe": "observation",
    "hold": "hold",
}
"""The nodes that an outline shows, and the word for what each is."""
UNNAMED = {
    "main",
    "engine_request",
    "schedule",
    "worker",
    "workload",
    "session",
    "server",
    "init",
    "turn_block",
    "run_block",
}
"""Nodes without a name of their own; the outline calls them by their first word."""
DEPTH_MAX = 100
"""An outline is nested no deeper, for clients recurse."""


@dataclass(frozen=True)
class Entry:
    """One line of an outline. `kind` is a word of `OUTLINE`, `name_span` what to select when it is gone to."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: list[Entry] = field(default_factory=list)


def outline(snapshot: Snapshot, path: str) -> list[Entry]:
    """Return the outline of a file, in text order."""
    tree = snapshot.tree(path)
    top: list[Entry] = []
    stack: list[tuple[Node, list[Entry], int]] = [(tree.root, top, 0)]
    while stack:
        node, into, depth = stack.pop()
        entry = _entry(tree, node) if node.kind in OUTLINE and node.named else None
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


def _entry(tree: Tree, node: Node) -> Entry | None:
    kind = OUTLINE[node.kind]
    if node.kind == "use":
        named = node.child("path")
        name = tree.text(named).strip('"') if named else ""
    elif node.kind == "hold":
        units = [unit for it in node.each("unit") if (unit := it.child("pool"))]
        name = ", ".join(tree.text(it) for it in units)
        named = units[0] if units else None
    elif node.kind in UNNAMED:
        named = next((it for it in node.children if not it.named and not it.missing), None)
        name = "fn main" if node.kind == "main" else OUTLINE[node.kind]
    else:
        named = node.child("name")
        name = tree.text(named) if named else ""
        if node.kind == "engine" and not name:
            named, name = next(iter(node.children), None), "engine"
    if named is None or not name.strip() or named.missing:
        return None
    return Entry(name, kind, _detail(tree, node), node.span, named.span)


def _detail(tree: Tree, node: Node) -> str:
    """Return what an outline shows beside the name: parameters, the size of a family, the kind of a stage."""
    if node.kind in {"def", "entry", "engine_request", "time_resource"}:
        found = next(iter(node.of_kind("parameters")), None)
        return f"({_shown(tree.text(found))})" if found else ("()" if node.has_word("(") else "")
    if size := node.child("size"):
        return _shown(tree.text(size))
    if node.kind == "stage" and (kind := node.child("kind")):
        return next((it.kind for it in kind.children if not it.named), "") or _shown(tree.text(kind))
    if node.kind in {"let", "gauge"} and (value := node.child("value")):
        return f"= {_shown(tree.text(value))}"
    return ""


def _shown(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
