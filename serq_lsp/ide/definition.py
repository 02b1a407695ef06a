"""Where a name is declared, and where a `use` leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.names import library_path, use_at
from serq_lsp.ide.places import Location
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot


class Target(NamedTuple):
    """Where to go: `origin` is what stands under the cursor, `place` the name there, `whole` its declaration."""

    origin: Span
    place: Location
    whole: Span


def definitions(snapshot: Snapshot, path: str, offset: int) -> list[Target]:
    """Return the declarations of the name at a place; for an attribute every place that sets it.

    On the path of a `use` the library's beginning is the answer. Empty where nothing is known.
    """
    if link := _library(snapshot, path, offset):
        return [link]
    use = use_at(snapshot, path, offset)
    symbol = use.target if use is not None else None
    if use is None or symbol is None or symbol.path is None or symbol.span is None:
        return []
    first = Location(symbol.path, symbol.span)
    places = [Location(*it) for it in symbol.places] or [first]
    whole = symbol.node.span if symbol.node is not None and symbol.node.span.covers(symbol.span) else symbol.span
    return [Target(use.span, it, whole if it == first else it.span) for it in places]


def _library(snapshot: Snapshot, path: str, offset: int) -> Target | None:
    for node in reversed(snapshot.tree(path).path_at(offset)):
        if node.kind == "use" and (named := node.child("path")) is not None and named.span.contains(offset):
            library = library_path(path, snapshot.tree(path).text(named).strip('"'))
            if library is None or not isinstance(snapshot.file(library), Source):
                return None
            return Target(named.span, Location(library, Span(0, 0)), Span(0, 0))
    return None
