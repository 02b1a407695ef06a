"""The one tree that every feature reads: tree-sitter's, turned into plain nodes counted in code points.

This module is the only user of tree-sitter and of byte offsets. A tree is made from any text and never fails:
what the grammar does not take stands in `ERROR` nodes, and a word or sign that is missing is a `missing` node of
width 0. What the grammar takes only to get over a mistake (grammar/README.md) becomes one of these two as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import tree_sitter

from serq_lsp import _grammar
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from serq_lsp.syntax.repair import Insertion
    from serq_lsp.text.edits import Edit
    from serq_lsp.text.source import Source

_BYTE_ORDER_MARK = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE = re.compile("[^\x00-\x7f]")
_ERROR = 0xFFFF  # tree-sitter's number of the kind `ERROR`
_NO_CLAUSE = "unknown_clause"
_NO_WORD = "unknown"
_FIRST_WORDS = {"engine": "engine", "stage": "stage", "hold": "hold"}  # may lack it; the word is then missing

MAX_DEPTH = 1000
"""Nodes nested deeper than this are left out of a tree; `Tree.too_deep` says where (classic.md 13)."""


class Node:
    """One node: immutable by convention, position in code points from 0, `end` exclusive.

    `kind` is the grammar's name of the node (`hold`, `name`, …), the word or sign itself for an unnamed token
    (`named` is false), or `ERROR`. `field` is the role under which the parent holds the node. `text` is the text of
    a node without children and empty for all others.
    """

    __slots__ = ("children", "end", "field", "kind", "missing", "named", "start", "text")

    def __init__(self, kind: str, start: int, end: int, field: str | None, named: bool) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.field = field
        self.named = named
        self.missing = False
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


@dataclass(frozen=True, eq=False)
class Tree:
    """The tree of one source.

    `too_deep` is the place of the first node left out for its depth, if any. `sound` says that there are no `faults`.
    `raw` is tree-sitter's tree of the very text, from which the next one is made after an edit. `put_in` is what the
    text was repaired with (repair.py).
    """

    source: Source
    root: Node
    too_deep: Span | None
    sound: bool
    raw: tree_sitter.Tree
    put_in: tuple[Insertion, ...] = ()

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
        """Yield what is wrong with the form of the text, in text order.

        That is `ERROR` and missing nodes, numbers with two dots (classic.md 1.3) and strings that end with their line;
        what stands inside an `ERROR` node is not looked at. A text without any is accepted by the grammar.
        """
        stack = [] if self.sound else [self.root]
        while stack:
            node = stack.pop()
            if node.kind == "ERROR" or node.missing or _is_no_token(node):
                yield node
            else:
                stack.extend(reversed(node.children))


def _is_no_token(node: Node) -> bool:
    if node.kind == "number":
        return node.text.count(".") > 1
    return node.kind == "string" and not (len(node.text) > 1 and node.text.endswith('"'))


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
    root, too_deep, sound, put_in = _readable(parser, raw, source.text)
    if source.text.startswith(_BYTE_ORDER_MARK):  # tree-sitter skips it, the language does not (classic.md 1.1)
        mark = Node("ERROR", 0, 1, None, True)
        mark.text = _BYTE_ORDER_MARK
        root.children.insert(0, mark)
        root.start = 0
        sound = False
    return Tree(source, root, too_deep, sound, raw, tuple(put_in))


def _readable(
    parser: tree_sitter.Parser, raw: tree_sitter.Tree, text: str
) -> tuple[Node, Span | None, bool, Sequence[Insertion]]:
    """Return what `_convert` does for a text, repaired if it has errors and that leaves less of it unread, and how."""
    if not raw.root_node.has_error:
        return *_convert(raw, text, ()), ()
    best, unread = raw, _unread(raw)
    from serq_lsp.syntax.repair import repairs

    put_in: Sequence[Insertion] = ()
    for way in repairs(text):
        tried = parser.parse(_bytes(_with(text, way)))
        if (left := _unread(tried)) < unread:
            best, put_in, unread = tried, way, left
    return *_convert(best, text, put_in), put_in


def _with(text: str, way: Sequence[Insertion]) -> str:
    """Return the text with all of the insertions made."""
    parts: list[str] = []
    done = 0
    for offset, new in way:
        parts += (text[done:offset], new)
        done = offset
    return "".join((*parts, text[done:]))


_NEXT_LINE = 20
"""A name on the line after the word that wants it counts like so many bytes unread: it is the next line's own word."""


def _unread(raw: tree_sitter.Tree) -> int:
    """Return how many bytes stand in `ERROR` nodes; more for names that were taken from the line below."""
    total = 0
    stack = [raw.root_node]
    while stack:
        node = stack.pop()
        if node.is_error:
            total += node.end_byte - node.start_byte
        elif node.has_error:
            children = node.children
            stack.extend(children)
            for word, name in pairwise(children):
                if name.type == "name" and not word.is_named and name.start_point.row > word.end_point.row:
                    total += _NEXT_LINE
    return total


def _bytes(text: str) -> bytes:
    """Return the text as tree-sitter reads it.

    A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD, and U+0000, which tree-sitter takes for the end of a
    comment or string, U+0001.
    """
    text = text.replace("\0", "\1")
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


def _placer(text: str, put_in: Sequence[Insertion]) -> Callable[[int], int]:
    """Return the function from byte offsets of the repaired text to code points of `text`."""
    if not put_in:
        return _to_code_points(text)
    at = _to_code_points(_with(text, put_in))
    added: list[int] = []
    for offset, new in put_in:
        start = offset + len(added)
        added.extend(range(start, start + len(new)))

    def place(offset: int) -> int:
        point = at(offset)
        return point - bisect_left(added, point)

    return place


def _convert(raw: tree_sitter.Tree, text: str, put_in: Sequence[Insertion]) -> tuple[Node, Span | None, bool]:
    """Turn tree-sitter's tree into plain nodes, without recursion.

    Return the root, the first place left out for its depth, and whether the tree has no faults.
    """
    at, kinds, fields = _placer(text, put_in), _kinds(), _fields()
    plain = text.isascii() and not put_in
    cursor = raw.walk()
    too_deep: Span | None = None
    sound = not (raw.root_node.has_error or put_in)
    top = Node("", 0, len(text), None, True)
    parents = [top]
    while True:
        it = cursor.node
        assert it is not None
        number = it.kind_id
        kind, named = kinds[number] if number != _ERROR else ("ERROR", True)
        start, end = it.byte_range
        if not plain:
            start, end = at(start), at(end)
        field = cursor.field_id
        node = Node(kind, start, end, fields[field] if field else None, named)
        parent = parents[-1]
        if kind == _NO_CLAUSE or node.field == _NO_WORD:
            node.kind, node.field, node.named = "ERROR", None, True
            sound = False
        if not parent.children and parent.kind in _FIRST_WORDS and not _begins(parent, node):
            sound = False
        parent.children.append(node)
        if it.child_count:
            if len(parents) <= MAX_DEPTH:
                cursor.goto_first_child()
                parents.append(node)
                continue
            too_deep = too_deep or node.span
        node.text = text[start:end]
        node.missing = start == end and len(parents) > 1 and kind != "ERROR"
        if node.missing or _is_no_token(node):
            sound = False
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return top.children[0], too_deep, sound
            parents.pop()


def _begins(parent: Node, node: Node) -> bool:
    """Say whether a node that must begin with a word does; if not, put a missing one before its first child."""
    word = _FIRST_WORDS[parent.kind]
    if node.kind in (word, "ERROR"):
        return True
    lacking = Node(word, parent.start, parent.start, None, False)
    lacking.missing = True
    parent.children.append(lacking)
    return False
