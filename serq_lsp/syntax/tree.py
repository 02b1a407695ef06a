"""The one tree that every feature reads: tree-sitter's, turned into plain nodes counted in code points.

This module is the only user of tree-sitter and of byte offsets. A tree is made from any text and never fails:
what the grammar does not take stands in `ERROR` nodes, and a word that is missing is a `missing` node of width 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter

from serq_lsp import _grammar
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from serq_lsp.text.edits import Edit
    from serq_lsp.text.source import Source

_BYTE_ORDER_MARK = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE = re.compile("[^\x00-\x7f]")
_ERROR = 0xFFFF  # tree-sitter's number of the kind `ERROR`

MAX_DEPTH = 1000
"""Nodes nested deeper than this are left out of a tree; `Tree.too_deep` says where (classic.md 13)."""


class Node:
    """One node: immutable by convention, position in code points from 0, `end` exclusive.

    `kind` is the grammar's name of the node (`hold`, `name`, …), the word or sign itself for an unnamed token
    (`named` is false), or `ERROR`. `field` is the role under which the parent holds the node. `text` is the text of
    a node without children and empty for all others.
    """

    __slots__ = ("children", "end", "field", "kind", "missing", "named", "start", "text")

    def __init__(self, kind: str, start: int, end: int, *, field: str | None, named: bool, missing: bool) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.field = field
        self.named = named
        self.missing = missing
        self.children: list[Node] = []
        self.text = ""

    @property
    def span(self) -> Span:
        """Return the place of the node."""
        return Span(self.start, self.end)

    def child(self, field: str) -> Node | None:
        """Return the first child with this role, or None."""
        for child in self.children:
            if child.field == field:
                return child
        return None

    def each(self, field: str) -> list[Node]:
        """Return all children with this role, in order."""
        return [child for child in self.children if child.field == field and child.named]

    def of_kind(self, *kinds: str) -> list[Node]:
        """Return the children of these kinds, in order."""
        return [child for child in self.children if child.kind in kinds]

    def has_word(self, word: str) -> bool:
        """Say whether the word or sign stands directly in this node (and is not a missing one)."""
        return any(not child.named and child.kind == word and not child.missing for child in self.children)

    def __repr__(self) -> str:
        """Show kind and place only: a node may be large."""
        return f"<{self.kind} {self.start}:{self.end}>"


@dataclass(frozen=True)
class Tree:
    """The tree of one source. `too_deep` is the place of the first node left out for its depth, if any."""

    source: Source
    root: Node
    too_deep: Span | None
    raw: tree_sitter.Tree

    def text(self, node: Node) -> str:
        """Return the text of any node."""
        return node.text or self.source.text[node.start : node.end]

    def path_at(self, offset: int) -> list[Node]:
        """Return the nodes around a place, from the root to the smallest.

        Where two nodes touch at `offset` the one that begins there is taken, unless only the one that ends there is a
        word, a name or a number.
        """
        path = [self.root]
        while True:
            inside = [child for child in path[-1].children if child.start <= offset <= child.end]
            if not inside:
                return path
            begins = [child for child in inside if child.start <= offset < child.end]
            pick = begins[0] if begins else inside[-1]
            before = inside[0]
            path.append(before if before.end == offset and _is_word(before) and not _is_word(pick) else pick)

    def faults(self) -> Iterator[Node]:
        """Yield the `ERROR` and missing nodes in text order; what stands inside an `ERROR` node is not looked at."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.kind == "ERROR" or node.missing:
                yield node
            else:
                stack.extend(reversed(node.children))


def _is_word(node: Node) -> bool:
    return node.named or node.kind.isalpha()


@lru_cache(maxsize=1)
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(_grammar.language())


@lru_cache(maxsize=1)
def _kinds() -> list[tuple[str, bool]]:
    """Return the name of each kind of node, and whether it is named, by tree-sitter's number of the kind."""
    language = _language()
    return [
        (language.node_kind_for_id(number) or "", language.node_kind_is_named(number))
        for number in range(language.node_kind_count)
    ]


@lru_cache(maxsize=1)
def _fields() -> list[str | None]:
    """Return the name of each field by tree-sitter's number of it."""
    language = _language()
    return [language.field_name_for_id(number) for number in range(language.field_count + 1)]


def parse(source: Source, previous: Tree | None = None, edits: Sequence[Edit] = ()) -> Tree:
    """Return the tree of a source; never raises.

    `previous` with the `edits` that lead from its text to this one (each in the text before it) makes it incremental;
    the result is the same as from scratch.
    """
    parser = tree_sitter.Parser(_language())
    data = _bytes(source.text)
    raw = parser.parse(data, _edited(previous, edits)) if previous is not None else parser.parse(data)
    if previous is not None and raw.root_node.has_error:
        raw = parser.parse(data)  # what recovery makes of an error depends on what was there before
    root, too_deep = _convert(raw, source.text)
    if source.text.startswith(_BYTE_ORDER_MARK):  # tree-sitter skips it, the language does not (classic.md 1.1)
        mark = Node("ERROR", 0, 1, field=None, named=True, missing=False)
        mark.text = _BYTE_ORDER_MARK
        root.children.insert(0, mark)
        root.start = 0
    return Tree(source, root, too_deep, raw)


def _bytes(text: str) -> bytes:
    """Return the text as tree-sitter reads it; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def _edited(previous: Tree, edits: Sequence[Edit]) -> tree_sitter.Tree:
    """Return tree-sitter's old tree with the edits told to it."""
    raw, text = previous.raw.copy(), previous.source.text
    for span, new in edits:
        before, gone, added = _bytes(text[: span.start]), _bytes(text[span.start : span.end]), _bytes(new)
        start = len(before)
        raw.edit(
            start_byte=start,
            old_end_byte=start + len(gone),
            new_end_byte=start + len(added),
            start_point=_point(before),
            old_end_point=_point(before + gone),
            new_end_point=_point(before + added),
        )
        text = text[: span.start] + new + text[span.end :]
    return raw


def _point(before: bytes) -> tuple[int, int]:
    return before.count(b"\n"), len(before) - (before.rfind(b"\n") + 1)


def _to_code_points(text: str) -> Callable[[int], int]:
    """Return the function from byte offsets of the text to code points."""
    if text.isascii():
        return int
    ends: list[int] = []
    extras: list[int] = [0]
    for wide in _WIDE.finditer(text):
        width = len(_bytes(wide[0]))
        ends.append(wide.end() + extras[-1] + width - 1)
        extras.append(extras[-1] + width - 1)
    return lambda offset: offset - extras[bisect_right(ends, offset)]


def _convert(raw: tree_sitter.Tree, text: str) -> tuple[Node, Span | None]:
    """Turn tree-sitter's tree into plain nodes, without recursion; return the first place left out for its depth."""
    at, kinds, fields = _to_code_points(text), _kinds(), _fields()
    cursor = raw.walk()
    broken = raw.root_node.has_error
    too_deep: Span | None = None
    root: Node | None = None
    parents: list[Node] = []
    while True:
        it = cursor.node
        assert it is not None
        kind, named = kinds[it.kind_id] if it.kind_id != _ERROR else ("ERROR", True)
        start, end = it.byte_range
        node = Node(
            kind,
            at(start),
            at(end),
            field=fields[cursor.field_id or 0],
            named=named,
            missing=broken and it.is_missing,
        )
        if parents:
            parents[-1].children.append(node)
        root = root or node
        if it.child_count:
            if len(parents) < MAX_DEPTH:
                cursor.goto_first_child()
                parents.append(node)
                continue
            too_deep = too_deep or node.span
        node.text = text[node.start : node.end]
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return root, too_deep
            parents.pop()
