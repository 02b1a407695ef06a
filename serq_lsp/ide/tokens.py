"""What each word of a file is, for colouring: by the tree, and by what names turn out to mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.names import uses_in
from serq_lsp.sema.symbols import Kind
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node

TYPES = (
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "class",
    "struct",
    "namespace",
    "function",
    "parameter",
    "variable",
    "property",
    "event",
)
"""The legend: types by number. All are LSP's own, so that every theme colours them."""
MODIFIERS = ("declaration", "readonly", "modification", "defaultLibrary")
"""The legend: modifiers by bit."""

_OF_KIND: dict[Kind, tuple[str, tuple[str, ...]]] = {
    Kind.POOL: ("class", ()),
    Kind.STAGE: ("class", ()),
    Kind.ENGINE: ("class", ()),
    Kind.QUEUE: ("namespace", ()),
    Kind.DEVICE: ("struct", ()),
    Kind.TIME_RESOURCE: ("function", ()),
    Kind.CAPACITY: ("property", ("readonly",)),
    Kind.ENTRY: ("function", ()),
    Kind.DEF: ("function", ()),
    Kind.PARAMETER: ("parameter", ()),
    Kind.CONSTANT: ("variable", ("readonly",)),
    Kind.INPUT: ("variable", ("readonly",)),
    Kind.SCHEDULE_LET: ("variable", ("readonly",)),
    Kind.ATTRIBUTE: ("property", ()),
    Kind.OBSERVATION: ("event", ()),
    Kind.GAUGE: ("event", ()),
    Kind.CLAIM: ("event", ()),
    Kind.REGISTER: ("variable", ()),
    Kind.MARK: ("event", ()),
    Kind.BINDING: ("variable", ("readonly",)),
    Kind.INDEX: ("parameter", ()),
    Kind.FIELD: ("property", ()),
    Kind.SUPPLIED: ("variable", ("readonly", "defaultLibrary")),
    Kind.FUNCTION: ("function", ("defaultLibrary",)),
    Kind.DISTRIBUTION: ("function", ("defaultLibrary",)),
}
_OF_NODE = {"comment": "comment", "string": "string", "number": "number"}


class Token(NamedTuple):
    """A stretch of one line, with a type and modifiers of the legends."""

    span: Span
    type: str
    modifiers: tuple[str, ...] = ()


def tokens(snapshot: Snapshot, path: str, within: Span | None = None) -> list[Token]:
    """Return the tokens of a file (or those that touch `within`), in text order, none over a line's end."""
    tree = snapshot.tree(path)
    meanings = {use.span: (use.target.kind if use.target else use.kind, use.writes) for use in uses_in(snapshot, path)}
    found: list[Token] = []
    for node in _leaves(tree.root, within):
        token = _token(node, meanings)
        if token is None:
            continue
        if node.kind in {"comment", "string"}:
            found += _lines(tree.source.text, token)
        else:
            found.append(token)
    return found


def _leaves(root: Node, within: Span | None) -> Iterator[Node]:
    """Yield the nodes without children in text order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if within is not None and (node.end < within.start or node.start > within.end):
            continue
        if node.children:
            stack.extend(reversed(node.children))
        elif node.end > node.start:
            yield node


def _token(node: Node, meanings: dict[Span, tuple[Kind, bool]]) -> Token | None:
    if not node.named:
        word = node.kind[0].isalpha()
        return Token(node.span, "keyword" if word else "operator") if word or node.kind not in "(){}[];,." else None
    if kind := _OF_NODE.get(node.kind):
        return Token(node.span, kind)
    if node.kind == "name":
        if (meaning := meanings.get(node.span)) is None:
            return Token(node.span, "variable")
        kind_, writes = meaning
        type_, modifiers = _OF_KIND.get(kind_, ("variable", ()))
        return Token(node.span, type_, (*modifiers, "declaration") if writes else modifiers)
    return Token(node.span, "keyword") if node.text.isalpha() else None


def _lines(text: str, token: Token) -> Iterator[Token]:
    """Yield a token line by line, without the line ends."""
    start = token.span.start
    for line in text[token.span.start : token.span.end].splitlines(keepends=True):
        # splitlines cuts at more than LSP's line ends; a piece that is too short does no harm
        shown = line.rstrip("\r\n")
        if shown:
            yield Token(Span(start, start + len(shown)), token.type, token.modifiers)
        start += len(line)
