"""What an expression may read at a place: names of the program and values of the language, the likely ones first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serq_lsp.ide.moments import CONSTANT, of_sessions, readers
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import constructs, standing
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ide.context import Spot
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.table import Construct
    from serq_lsp.sema.symbols import Symbol

LIKELY, LOCAL, OWN, SUPPLIED, GENERAL, CALLED, FIXED = range(7)
"""The order of values: what a form is usually written with, local names, the program's, those of this moment, those of
any moment, functions, constants."""
_LOCAL = {Kind.PARAMETER, Kind.BINDING, Kind.INDEX, Kind.SCHEDULE_LET}
_CONSTANT = {Kind.CONSTANT, Kind.INPUT}
_ROWS = {Kind.ATTRIBUTE: "set", Kind.REGISTER: "state", Kind.TIME_RESOURCE: "time-resource"}
"""The constructs that say when a value of a kind may be read."""
_FRAMES = {"def", "entry", "engine_request", "time_resource", "hold", "aggregate", "schedule", "admit_waiting"}
"""The kinds of nodes in which a local name is seen."""
_MANY = 8
"""A value that is supplied at so many moments is not special to one of them."""
_CALLS = {"function", "aggregate", "statistic"}
_VALUES = _CALLS | {"variable", "attribute"}


def names(snapshot: Snapshot, path: str, at: Spot) -> Iterator[tuple[Symbol, int]]:
    """Yield the names of the program that an expression at a place may read, each with its rank."""
    edition = snapshot.edition(path)
    definitions = snapshot.model(path).tables.definitions
    hidden = {it.text for it in snapshot.model(path).declared.hidden}
    own_first = of_sessions(at.moment)
    for symbol in snapshot.model(path).symbols:
        if not symbol.name or symbol.path is None:
            continue
        if symbol.kind in _CONSTANT:
            if at.moment != CONSTANT or _above(symbol, path, at):
                yield symbol, FIXED
        elif symbol.kind in _LOCAL:
            if seen(snapshot, path, symbol, at) and (symbol.kind is not Kind.SCHEDULE_LET or _above(symbol, path, at)):
                yield symbol, LOCAL
        elif at.moment == CONSTANT:
            continue
        elif symbol.kind is Kind.DEF:
            made = definitions.get(symbol.name)
            if made is not None and made.value is not None:
                yield symbol, CALLED
        elif symbol.kind in _ROWS and _readable(_ROWS[symbol.kind], edition, at.moment):
            if symbol.kind is Kind.ATTRIBUTE and not _attribute(snapshot, path, symbol, at, hidden):
                continue
            index = at.indexes and symbol.node is not None and symbol.node.kind == "choose"
            called = symbol.kind is Kind.TIME_RESOURCE
            yield symbol, LIKELY if index else CALLED if called else OWN if own_first else GENERAL


def parameters(snapshot: Snapshot, path: str, at: Spot) -> Iterator[str]:
    """Yield the values that a workload sends to the `server` around a place, where an expression there may read them."""
    edition = snapshot.edition(path)
    if "server" not in at.within or edition is not Edition.CURRENT:
        return
    around = [it for it in snapshot.tree(path).path_at(at.start) if it.kind == "server"]
    lists = [child for it in around for child in it.children if child.kind == "server_parameters"]
    for node in (child for it in lists for child in it.children if child.kind == "server_parameter"):
        name = node.child("name")
        hidden = (
            node.has_word("hidden") and at.moment != "input"
        )  # an engine may be told what its scheduler may not read
        if name is not None and _readable("hidden" if hidden else "set", edition, at.moment):
            yield name.text


def supplied(at: Spot, edition: Edition | None) -> Iterator[tuple[Construct, int]]:
    """Yield the values and functions of the language that an expression at a place may read, each with its rank."""
    likely = _usual(at, edition)
    for it in standing("expression", edition):
        if it.kind not in _VALUES or not (it.names or it.kind == "aggregate"):
            continue
        if at.moment == CONSTANT:
            if it.id == "inf" or (it.kind == "function" and not it.moments):
                yield it, CALLED
            continue
        if it.id == "self" and not at.within & {"queue", "entry"}:
            continue
        if it.id == "cost-function" and of_sessions(at.moment):
            yield it, CALLED
            continue
        if edition is not None and at.moment is not None and not it.readable(edition, at.moment):
            continue
        few = edition is not None and 0 < len(it.moments.get(edition, ())) < _MANY
        rank = CALLED if it.kind in _CALLS else SUPPLIED if few and at.moment else GENERAL
        yield it, LIKELY if rank != CALLED and ".".join(it.names) in likely else rank


def seen(snapshot: Snapshot, path: str, symbol: Symbol, at: Spot) -> bool:
    """Say whether a local name is seen from a place: inside the declaration that has it.

    What an engine's request names is seen where the engine takes pools for it, too.
    """
    if symbol.kind not in _LOCAL:
        return True
    if symbol.path != path or symbol.span is None:
        return False
    around = snapshot.tree(path).path_at(symbol.span.start)
    frames = [it for it in around if it.kind in _FRAMES]
    if not frames:
        return False
    if any(it.kind == "engine_request" for it in frames):
        outer = "engine" if at.moment == "taking" else "engine_request"
        frames = [it for it in around if it.kind == outer] or frames
    return frames[-1].start <= at.start <= frames[-1].end


def _above(symbol: Symbol, path: str, at: Spot) -> bool:
    """Say whether a name is declared above a place, or in another file."""
    return symbol.path != path or symbol.node is None or symbol.node.end <= at.start


def _attribute(snapshot: Snapshot, path: str, symbol: Symbol, at: Spot, hidden: set[str]) -> bool:
    """Say whether an attribute is seen from a place, by what its session hides and by whose it is.

    The attributes of an engine's request are its own: they are read there and where it is admitted only.
    """
    edition = snapshot.edition(path)
    if symbol.name in hidden and not _readable("hidden", edition, at.moment):
        return False
    if edition is not Edition.ENGINE or symbol.path != path or symbol.span is None:
        return True
    places = [it.start for where, it in (symbol.places or [(path, symbol.span)]) if where == path]
    own = any(it.kind == "engine_request" for place in places for it in snapshot.tree(path).path_at(place))
    return own == ("request" in at.within or at.moment == "taking")


def _readable(row: str, edition: Edition | None, when: str | None) -> bool:
    if edition is None or when is None:
        return True
    if row in {"set", "hidden"} and edition is Edition.ENGINE and when in {"request", "taking"}:
        return True  # the request's own, as `_attribute` says
    return constructs()[row].readable(edition, when)


def _usual(at: Spot, edition: Edition | None) -> set[str]:
    """Return the names that stand in the snippets of the forms whose expressions are read at this moment."""
    if at.moment in {None, CONSTANT} or of_sessions(at.moment):
        return set()
    mine = [it for it in readers(at.moment or "", edition) if it.words[:1] and it.words[0] in at.statement]
    return {it for form in mine for it in re.findall(r"[\w.]*[^\W\d][\w.]*", form.snippet_in(edition) or "")}
