"""All uses of one name: across files, and within one for highlighting."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.names import symbol_at, uses_of
from serq_lsp.ide.places import Location

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.text.spans import Span


class Highlight(NamedTuple):
    """A use in the file; `writes` where it declares or sets the name."""

    span: Span
    writes: bool


def references(
    snapshot: Snapshot, path: str, offset: int, files: Iterable[str], *, declaration: bool
) -> list[Location]:
    """Return the uses of the name at a place, as seen from `path` and from `files` (those that may use it too).

    `declaration` says whether the places that declare or set the name are wanted too.
    """
    symbol = symbol_at(snapshot, path, offset)
    if symbol is None:
        return []
    found = uses_of(snapshot, symbol, dict.fromkeys([path, *files]))
    places = {Location(it.path, it.span) for it in found if declaration or not it.writes}
    if declaration:
        places |= {Location(*it) for it in symbol.places}
    return sorted(places)


def highlights(snapshot: Snapshot, path: str, offset: int) -> list[Highlight]:
    """Return the uses, in the file itself, of the name at a place."""
    symbol = symbol_at(snapshot, path, offset)
    if symbol is None:
        return []
    found = {it.span: it.writes for it in uses_of(snapshot, symbol, [path]) if it.path == path}
    declared = {span: True for where, span in symbol.places if where == path}
    return [Highlight(span, writes) for span, writes in sorted((declared | found).items())]
