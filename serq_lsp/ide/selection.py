"""Growing selections: from the word under the cursor to the whole file, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot


def selections(snapshot: Snapshot, path: str, offset: int) -> list[Span]:
    """Return the spans around a place, each inside the next, the smallest first; the last is the whole file."""
    tree = snapshot.tree(path)
    spans = [Span(0, len(tree.source.text))]
    for node in tree.path_at(offset):
        if node.span != spans[-1] and spans[-1].covers(node.span) and node.span.contains(offset):
            spans.append(node.span)
    return spans[::-1]
