"""Names under the cursor: which use stands there, and where one name is used."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.sema.symbols import Symbol, Use


def use_at(snapshot: Snapshot, path: str, offset: int) -> Use | None:
    """Return the use of a name at a place: the one that begins or goes on there, else the one that ends there."""
    ends: Use | None = None
    for use in uses_in(snapshot, path):
        if use.span.start <= offset < use.span.end:
            return use
        if use.span.end == offset:
            ends = use
    return ends


def symbol_at(snapshot: Snapshot, path: str, offset: int) -> Symbol | None:
    """Return what a name at a place stands for, or what is declared there by a word that names it (`prefill (n)`)."""
    use = use_at(snapshot, path, offset)
    if use is not None:
        return use.target
    for symbol in snapshot.model(path).symbols:
        if any(where == path and span.start <= offset <= span.end for where, span in symbol.places):
            return symbol
    return None


def uses_in(snapshot: Snapshot, path: str) -> Iterator[Use]:
    """Yield the uses of names that stand in a file itself (not in its libraries)."""
    return (use for use in snapshot.model(path).uses if use.path == path)


def same(left: Symbol | None, right: Symbol | None) -> bool:
    """Say whether two symbols, found by the models of different files perhaps, are one declaration."""
    if left is None or right is None:
        return False
    if left is right:
        return True
    return (left.path, left.span, left.kind, left.name, left.owner) == (
        right.path,
        right.span,
        right.kind,
        right.name,
        right.owner,
    )


def uses_of(snapshot: Snapshot, symbol: Symbol, paths: Iterable[str]) -> list[Use]:
    """Return the uses of a declared name as seen from these files, each place once, in order of path and place."""
    found: dict[tuple[str, int], Use] = {}
    for path in paths:
        for use in snapshot.model(path).uses:
            if use.name == symbol.name and same(use.target, symbol):
                found.setdefault((use.path, use.span.start), use)
    return [found[place] for place in sorted(found)]


def library_path(path: str, named: str) -> str | None:
    """Return the path of the library that a `use` in the file `path` names; None for the standard library."""
    if not named or named.startswith("std/"):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
