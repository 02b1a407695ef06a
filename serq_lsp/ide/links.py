"""Links in the text: native citations in comments, and the files that a `use` or a `trace` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.names import library_path
from serq_lsp.lang.comments import scan
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.comments import CommentCite
    from serq_lsp.syntax.tree import Node, Tree


class Link(NamedTuple):
    """A link at `span`: to an address or to a file, one of them; `tooltip` says where it leads."""

    span: Span
    url: str | None
    path: str | None
    tooltip: str


def links(snapshot: Snapshot, path: str) -> list[Link]:
    """Return the links of a file in text order."""
    tree = snapshot.tree(path)
    return sorted([*_citations(tree), *_files(snapshot, path, tree)], key=lambda it: it.span)


def _citations(tree: Tree) -> Iterator[Link]:
    comments = [(node.start, node.end) for node in _all(tree.root) if node.kind == "comment"]
    for it in scan(tree.source.text, sorted(comments)):
        if it.url is not None:
            yield Link(Span(it.start, it.end), it.url, None, _where(it))


def _where(cite: CommentCite) -> str:
    """Return what a link leads to: the version, the file and lines, and what they show where that is known."""
    label = cite.citation.label if cite.citation else cite.system.label if cite.system else ""
    lines = "" if not cite.first else f":{cite.first}" if cite.first == cite.last else f":{cite.first}-{cite.last}"
    summary = f" — {cite.citation.summary}" if cite.citation else ""
    return f"{label}, {cite.path}{lines}{summary}"


def _files(snapshot: Snapshot, path: str, tree: Tree) -> Iterator[Link]:
    """Yield links on the paths of `use` and `trace` that name a file; a library that cannot be read is none."""
    for node in _all(tree.root):
        if node.kind in {"use", "trace"} and (named := node.child("path")) is not None and not named.missing:
            target = library_path(path, named.text.strip('"'))
            inner = Span(named.start + 1, max(named.start + 1, named.end - 1))
            if target is None or (node.kind == "use" and not isinstance(snapshot.file(target), Source)):
                continue
            yield Link(inner, None, target, target)


def _all(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)
