"""What can be written at a place: forms of the language that may stand there, and names in scope."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.context import Wanted, spot
from serq_lsp.ide.forms import leading
from serq_lsp.ide.moments import CONSTANT
from serq_lsp.ide.pages import page
from serq_lsp.ide.shapes import shape
from serq_lsp.ide.snippets import filled, index_of, is_engine, is_family
from serq_lsp.ide.values import CALLED, OWN, names, parameters, seen, supplied
from serq_lsp.ide.written import written
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import constructs, of_kind, standing
from serq_lsp.sema.symbols import Kind
from serq_lsp.syntax.expected import expected_at
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ide.context import Spot
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.table import Construct
    from serq_lsp.sema.symbols import Symbol

_WANTED_KINDS: dict[Wanted, set[Kind]] = {
    Wanted.POOL: {Kind.POOL, Kind.PARAMETER},
    Wanted.STAGE: {Kind.STAGE, Kind.ENGINE, Kind.QUEUE, Kind.PARAMETER},
    Wanted.QUEUE: {Kind.QUEUE},
    Wanted.SOURCE: {Kind.QUEUE, Kind.PARAMETER},
    Wanted.RESOURCE: {Kind.POOL, Kind.STAGE, Kind.ENGINE, Kind.QUEUE, Kind.PARAMETER},
    Wanted.DEVICE: {Kind.DEVICE},
    Wanted.OWNER: {Kind.DEVICE, Kind.ENGINE, Kind.QUEUE},
    Wanted.OBSERVATION: {Kind.OBSERVATION},
    Wanted.ASSIGNED: {Kind.ATTRIBUTE, Kind.REGISTER},
    Wanted.STATEMENT: {Kind.DEF, Kind.ENGINE, Kind.QUEUE},
}
_FAMILIES = {Wanted.POOL, Wanted.STAGE, Wanted.QUEUE, Wanted.SOURCE, Wanted.STATEMENT}
"""Where a name of a family is written with an index."""
WORD = "word"
_SHAPES = {
    "function": "function",
    "statistic": "function",
    "aggregate": "function",
    "distribution": "function",
    "variable": "variable",
    "attribute": "property",
    "record": "property",
}
"""The shapes of forms by the table's kinds; all others are words."""
_BODIES = {"session", "server", "entry", "request"}
_MEMBERS: dict[Wanted, set[Kind]] = {
    Wanted.POOL: {Kind.POOL, Kind.CAPACITY},
    Wanted.STAGE: {Kind.DEVICE},
    Wanted.STATEMENT: {Kind.ENTRY},
    Wanted.EXPRESSION: {Kind.MARK},
}
"""What is written behind the dot of a name, by what the whole names."""


class Item(NamedTuple):
    """Something to write. `shape` is a word of `ide.shapes` or `word`; `insert` is plain text, `snippet` LSP's.

    `order` sorts: names of the program before the language's own values. `key` is what `documentation` takes, if any.
    """

    label: str
    shape: str
    detail: str
    insert: str
    snippet: str | None
    order: int
    key: str | None


class Completion(NamedTuple):
    """Items that replace `span`, the word under the cursor up to it."""

    span: Span
    items: list[Item]


def complete(snapshot: Snapshot, path: str, offset: int, files: Iterable[str] = ()) -> Completion:
    """Return what can be written at a place; empty where nothing is known to fit.

    `files` are the paths of the libraries that there are, for the path of a `use`.
    """
    inner = written(snapshot, path, offset, files)
    if inner is not None:
        return Completion(
            inner.span, [Item(it, WORD, about, insert, None, 0, None) for it, about, insert in inner.texts]
        )
    at = spot(snapshot, path, offset)
    if at.wanted is Wanted.NOTHING:
        return Completion(Span(at.start, offset), [])
    allowed = _allowed(snapshot, path, at.start)
    found: dict[tuple[str, str | None], Item] = {}
    for item in (*_names(snapshot, path, at), *_Forms(snapshot, path, at).items()):
        if not allowed or _begins(item.label, allowed):
            found.setdefault((item.label, item.snippet), item)
    return Completion(Span(at.start, offset), sorted(found.values(), key=lambda it: it.order))


def _allowed(snapshot: Snapshot, path: str, offset: int) -> frozenset[str]:
    """Return what the grammar takes at a place, from the item around it or before it; empty where that is not known."""
    tree = snapshot.tree(path)
    before = [it for it in tree.root.children if it.named and it.kind != "comment" and it.start < offset]
    start, end = (before[-1].start, before[-1].end) if before else (0, 0)
    text = tree.source.text[start : max(end, offset)]
    return expected_at(Source(path, text), offset - start)


def _begins(label: str, allowed: frozenset[str]) -> bool:
    """Say whether the grammar takes the first word of an item here."""
    first = re.split(r"[ .]", label, maxsplit=1)[0]
    return first in allowed or "NAME" in allowed


def documentation(key: str) -> str | None:
    """Return the page of an item's construct in Markdown; `key` is `id` or `id@edition`."""
    name, _, edition = key.partition("@")
    construct = constructs().get(name)
    known = {it.value: it for it in Edition}
    return page(construct, known.get(edition)) if construct else None


class _Forms:
    """The language's own forms that fit at a place."""

    def __init__(self, snapshot: Snapshot, path: str, at: Spot) -> None:
        self._snapshot = snapshot
        self._path = path
        self._at = at
        self._edition = snapshot.edition(path)

    def items(self) -> Iterator[Item]:
        """Yield them."""
        at, edition = self._at, self._edition
        match at.wanted:
            case Wanted.STATEMENT:
                whole = [it for context in at.contexts for it in standing(context, edition)]
                whole = [it for it in whole if not self._apart(it)]
                yield from (self._item(it) for it in (*at.constructs, *_usable(whole)))
            case Wanted.EXPRESSION:
                yield from (self._item(it, order) for it, order in supplied(at, edition))
                if at.statement[:1] == ("let",) and "std/args" in self._snapshot.source(self._path).text:
                    yield self._input()
            case Wanted.DRAW:
                yield from (self._item(it) for it in of_kind("distribution", edition))
            case Wanted.MEMBER:
                yield from self._members()
            case _:
                yield from (self._item(it) for it in _usable(at.constructs))
        yield from self._rest()

    def _apart(self, it: Construct) -> bool:
        """Say whether a form does not stand here, although it stands in the context."""
        within = self._at.within
        match it.id:
            case "session":
                return "fn" in within and "workload" not in within
            case "request-statement":
                return "workload" not in within
            case "hidden":
                return "server" in within and self._edition is not Edition.CURRENT
            case _:
                return False

    def _rest(self) -> Iterator[Item]:
        """Yield the words that come next of forms that have begun."""
        engine = self._runs_iterations()
        for it in self._at.following:
            if it.words and (engine or it.construct.id not in {"run-prefill", "run-decode"}):
                text = " ".join(it.words)
                yield Item(text, WORD, it.construct.summary, text, None, 1, _key(it.construct, self._edition))

    def _runs_iterations(self) -> bool:
        """Say whether what the statement names runs iterations, so that work there is `prefill` or `decode`."""
        names = set(self._at.statement[1:2])
        found = [it for it in self._snapshot.model(self._path).symbols if it.name in names]
        return not found or any(is_engine(it) for it in found)

    def _members(self) -> Iterator[Item]:
        """Yield the values behind a dot: `running.count` after `running.`; what may be read there."""
        at, edition = self._at, self._edition
        for it in constructs().values():
            names = it.names or it.words
            if not it.is_in(edition) or len(names) < 2 or names[0] != at.owner or it.kind == "retired":
                continue
            if edition is None or at.moment in {None, CONSTANT} or it.readable(edition, at.moment or ""):
                yield Item(names[1], "property", it.summary, names[1], None, 0, _key(it, edition))

    def _input(self) -> Item:
        """Return the call that makes a constant an input."""
        it = constructs()["args-number"]
        snippet = (it.snippet or "").partition("= ")[2].rstrip(";")
        return Item("args.number", "function", it.summary, "args.number", snippet, CALLED, _key(it, self._edition))

    def _item(self, it: Construct, order: int | None = None) -> Item:
        label = _label(it)
        insert = " ".join(leading(it)) if it.words else label
        indexed = bool(_BODIES & set(self._at.contexts)) or order is not None
        snippet = filled(self._snapshot, self._path, it, self._edition, indexed=indexed)
        rank = order if order is not None else 1 if it.words else 2
        return Item(label, _SHAPES.get(it.kind, WORD), it.summary, insert, snippet, rank, _key(it, self._edition))


def _usable(found: Iterable[Construct]) -> Iterator[Construct]:
    """Yield the constructs that are chosen by a word of their own, and that one may want to write."""
    unwanted = {"retired", "idiom", "operator"}
    return (it for it in found if it.kind not in unwanted and _label(it))


def _label(it: Construct) -> str:
    """Return what a construct is chosen by: its first words, and the one that tells it from others; or its name."""
    if not it.words:
        return it.names[0] if len(it.names) == 1 else ".".join(it.names[:2])
    first = " ".join(leading(it))
    more = [word for word in it.select if word in it.words and word not in first.split(" ")]
    return " … ".join([first, *more])


def _key(it: Construct, edition: Edition | None) -> str:
    return f"{it.id}@{edition.value}" if edition else it.id


def _names(snapshot: Snapshot, path: str, at: Spot) -> Iterator[Item]:
    """Yield the program's own names that fit."""
    if at.wanted is Wanted.MEMBER:
        yield from _own_members(snapshot, path, at)
        return
    if at.wanted is Wanted.EXPRESSION:
        for symbol, order in names(snapshot, path, at):
            yield _own(symbol)._replace(order=order)
        yield from _marks(snapshot, path, at)
        for name in parameters(snapshot, path, at):
            yield Item(name, "variable", Kind.PARAMETER.value, name, None, OWN, None)
        return
    wanted = _kinds(at)
    if at.wanted is Wanted.STATEMENT and not _BODIES & set(at.contexts):
        return
    indexed = at.wanted in _FAMILIES and (bool(_BODIES & set(at.contexts)) or "(" in at.statement)
    for symbol in snapshot.model(path).symbols:
        if symbol.kind not in wanted or not symbol.name or symbol.path is None or not seen(snapshot, path, symbol, at):
            continue
        if symbol.kind is Kind.POOL and symbol.owner is not None and not _own_pool(snapshot, path, symbol, at):
            continue
        item = _own(symbol)
        if indexed and is_family(symbol):
            item = item._replace(snippet=f"{item.insert}[${{1:{index_of(snapshot, path)}}}]")
        yield item
    if at.wanted in {Wanted.POOL, Wanted.RESOURCE}:
        yield from _with_pools(snapshot, path, at)


def _with_pools(snapshot: Snapshot, path: str, at: Spot) -> Iterator[Item]:
    """Yield the queues whose pools are named with them here, as `Q.p`."""
    symbols = snapshot.model(path).symbols
    owners = {it.owner for it in symbols if it.kind is Kind.POOL and it.owner and not _own_pool(snapshot, path, it, at)}
    for symbol in symbols:
        if symbol.kind is Kind.QUEUE and symbol.name in owners:
            yield _own(symbol)._replace(order=1)


def _kinds(at: Spot) -> set[Kind]:
    """Return the kinds of names that fit: what `set` assigns in an engine's own body is a register."""
    if at.wanted is Wanted.ASSIGNED and at.contexts in {("schedule",), ("iteration",)}:
        return {Kind.REGISTER}
    if at.wanted is Wanted.ASSIGNED:
        return {Kind.ATTRIBUTE}
    return _WANTED_KINDS.get(at.wanted, set())


def _own_pool(snapshot: Snapshot, path: str, symbol: Symbol, at: Spot) -> bool:
    """Say whether a queue's pool is named without its queue here: inside the queue."""
    around = [it for it in snapshot.tree(path).path_at(at.start) if it.kind == "queue"]
    return any((name := it.child("name")) is not None and name.text == symbol.owner for it in around)


def _own_members(snapshot: Snapshot, path: str, at: Spot) -> Iterator[Item]:
    """Yield what belongs to a queue, an engine or a device, of the kind that is wanted."""
    wanted = _MEMBERS.get(at.member) if at.member else None
    for symbol in snapshot.model(path).symbols:
        if symbol.owner == at.owner and symbol.name.rpartition(".")[2] and (not wanted or symbol.kind in wanted):
            yield _own(symbol)
        queue = symbol.node if symbol.kind is Kind.QUEUE and symbol.name == at.owner else None
        if queue is not None and at.member is Wanted.STAGE and any(it.kind == "nic" for it in queue.children):
            yield Item("nic", "class", constructs()["nic"].summary, "nic", None, 0, "nic")


def _marks(snapshot: Snapshot, path: str, at: Spot) -> Iterator[Item]:
    """Yield the times that entries and requests mark, as their callers read them."""
    if not _BODIES & set(at.contexts) or "request" in at.within or at.indexes:
        return
    for symbol in snapshot.model(path).symbols:
        if symbol.kind is Kind.MARK and symbol.owner:
            name = f"{symbol.owner}.{symbol.name.rpartition('.')[2]}"
            yield Item(name, shape(symbol.kind), symbol.kind.value, name, None, OWN, None)


def _own(symbol: Symbol) -> Item:
    name = symbol.name.rpartition(".")[2] if symbol.owner else symbol.name
    insert, snippet = name, None
    listed = next(iter(symbol.node.of_kind("parameters")), None) if symbol.node is not None else None
    detail = symbol.kind.value
    if symbol.kind in {Kind.DEF, Kind.TIME_RESOURCE} and symbol.path is not None:
        given = [it.text for it in listed.each("parameter")] if listed else []
        snippet = f"{name}({', '.join(f'${{{at}:{it}}}' for at, it in enumerate(given, 1))})"
        detail = f"{detail} {name}({', '.join(given)})"
    return Item(name, shape(symbol.kind), detail, insert, snippet, 0, None)
