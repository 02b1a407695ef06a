"""The construct table, typed: every word and form of the language, with the look-ups that features need.

The table itself is `constructs.toml`; it says what its fields mean. Everything is loaded at the first look-up.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from serq_lsp.lang.data import load
from serq_lsp.lang.editions import Edition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ALL = tuple(Edition)
_BY_VALUE = {it.value: it for it in Edition}
_NOTHING: Mapping[Edition, Any] = MappingProxyType({})
_WORDS_OF_DEFINITIONS = ("function", "statistic")
"""Kinds whose names a definition or a parameter may not have (classic.md 1.6, engine.md 2)."""


class Skeleton(NamedTuple):
    """A small whole program to begin with: an LSP snippet that makes a `program`, a `deployment` or a `workload`."""

    id: str
    editions: tuple[Edition, ...]
    file: str
    summary: str
    snippet: str


class Construct(NamedTuple):
    """One row of the table; the fields are described at the head of `constructs.toml`."""

    id: str
    kind: str
    editions: tuple[Edition, ...]
    form: str
    summary: str
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    freed: Edition | None = None
    node: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    forms: Mapping[Edition, str] = _NOTHING
    snippet: str | None = None
    snippets: Mapping[Edition, str] = _NOTHING
    moments: Mapping[Edition, tuple[str, ...]] = _NOTHING
    read: str | None = None
    replaced: Mapping[Edition, str] = _NOTHING
    gone: Mapping[Edition, str] = _NOTHING
    retired: tuple[Edition, ...] = ()
    supplied: tuple[Edition, ...] = ()
    cites: tuple[str, ...] = ()
    see: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """What hover adds to the summary; empty where the summary says all."""
        pages: dict[str, str] = load("pages")
        return pages.get(self.id, "")

    def form_in(self, edition: Edition | None) -> str:
        """Return how it is written in an edition (None: in general)."""
        return self.forms.get(edition, self.form) if edition else self.form

    def snippet_in(self, edition: Edition | None) -> str | None:
        """Return the LSP snippet for an edition, None where there is none."""
        return self.snippets.get(edition, self.snippet) if edition else self.snippet

    def is_in(self, edition: Edition | None) -> bool:
        """Say whether an edition has it; where the edition is not known, whether any has."""
        return edition in self.editions if edition else bool(self.editions)

    def readable(self, edition: Edition, moment: str) -> bool:
        """Say whether an expression read at this moment may read it; a construct without moments may stand anywhere."""
        return not self.moments or moment in self.moments.get(edition, ())


@cache
def constructs() -> Mapping[str, Construct]:
    """Return all constructs by id, in the order of the table."""
    return {row["id"]: _construct(row) for row in load("constructs")["constructs"]}


def vocabulary(name: str) -> Mapping[str, str]:
    """Return what the names of `kinds`, `contexts` or `moments` mean, in words; for `containers` each node's context."""
    said: dict[str, str] = load("constructs")[name]
    return said


@cache
def by_word() -> Mapping[str, tuple[Construct, ...]]:
    """Return the constructs that a word belongs to, as a keyword or as a name."""
    return _index((word, it) for it in constructs().values() for word in dict.fromkeys(it.words + it.names))


@cache
def by_node() -> Mapping[str, tuple[Construct, ...]]:
    """Return the constructs that a node kind of the grammar serves."""
    return _index((kind, it) for it in constructs().values() for kind in it.node)


def at(chain: Sequence[tuple[str, frozenset[str]]], word: str, edition: Edition | None = None) -> Construct | None:
    """Return the construct that `word` belongs to where it stands, None for an ordinary name.

    `chain` holds the nodes around the word, innermost first: each one's kind, and the words and names directly in it.
    Where the edition has no such construct, one of another edition answers.
    """
    contexts = vocabulary("containers")
    for level, (kind, inside) in enumerate(chain):
        mine = [it for it in by_node().get(kind, ()) if word in it.words + it.names + it.select]
        mine = [it for it in mine if not it.select or inside & set(it.select)]
        if mine:
            around = next((contexts[it] for it, _ in chain[level + 1 :] if it in contexts), "")
            return max(mine, key=lambda it: (it.is_in(edition), around in it.where, len(inside & set(it.select))))
    return None


def named(word: str, edition: Edition | None = None, context: str | None = None) -> tuple[Construct, ...]:
    """Return what a word may mean in an edition and, where given, in a context of the table (`where`)."""
    return tuple(it for it in by_word().get(word, ()) if it.is_in(edition) and (context is None or context in it.where))


def find(said: str) -> tuple[Construct, ...]:
    """Return what an id (`kv-cap`), a form's words (`each at most`, `running.count`) or a word means, likeliest first."""
    key = "-".join(said.replace(".", " ").replace("_", " ").split())
    same = [constructs()[key]] if key in constructs() else []
    spelt = [it for it in constructs().values() if said.replace(".", " ").split() in (list(it.words), list(it.names))]
    rest = sorted([*spelt, *by_word().get(said, ())], key=lambda it: not it.editions)
    return tuple({it.id: it for it in [*same, *rest]}.values())


@cache
def skeletons() -> tuple[Skeleton, ...]:
    """Return the whole programs to begin with."""
    return tuple(Skeleton(**_ready(row)) for row in load("constructs")["skeletons"])


def standing(context: str, edition: Edition | None = None, moment: str | None = None) -> tuple[Construct, ...]:
    """Return what may stand in a context: a name of `contexts` or a construct's id, whose clauses these are.

    With a moment, values that cannot be read then are left out; that needs an edition.
    """
    return tuple(
        it
        for it in constructs().values()
        if context in it.where
        and it.is_in(edition)
        and (moment is None or edition is None or it.readable(edition, moment))
    )


def of_kind(kind: str, edition: Edition | None = None) -> tuple[Construct, ...]:
    """Return the constructs of a kind that an edition has."""
    return tuple(it for it in constructs().values() if it.kind == kind and it.is_in(edition))


@cache
def grammar_words() -> frozenset[str]:
    """Return the words that the grammars know as keywords."""
    return frozenset(word for it in constructs().values() for word in it.words)


@cache
def reserved(edition: Edition) -> frozenset[str]:
    """Return the keywords that may not name a definition (classic.md 1.6, engine.md 2, current.md 2).

    A word stays reserved in later editions unless the table frees it. Functions and distributions are not in it.
    """
    return frozenset(
        word
        for it in constructs().values()
        if it.reserved and _since(it) <= _ALL.index(edition) < (_ALL.index(it.freed) if it.freed else len(_ALL))
        for word in it.reserved
    )


@cache
def function_names(edition: Edition) -> frozenset[str]:
    """Return the names of functions and of aggregates over observations."""
    return frozenset(name for kind in _WORDS_OF_DEFINITIONS for it in of_kind(kind, edition) for name in it.names)


@cache
def distribution_names(edition: Edition) -> frozenset[str]:
    """Return the names of the distributions."""
    return frozenset(name for it in of_kind("distribution", edition) for name in it.names)


@cache
def supplied_names(edition: Edition) -> frozenset[str]:
    """Return the names that the language supplies and that name nothing of a program's."""
    return frozenset(it.names[0] for it in of_kind("variable") if edition in (it.supplied or it.editions))


@cache
def attribute_names() -> tuple[str, ...]:
    """Return the built-in attributes."""
    return tuple(it.names[0] for it in of_kind("attribute"))


@cache
def retired_names(edition: Edition) -> frozenset[str]:
    """Return the old words that name no constant, attribute or definition."""
    return frozenset(
        word for it in constructs().values() if edition in it.retired for word in (it.words + it.names)[:1]
    )


def replacement(word: str, edition: Edition, context: str | None = None) -> Construct | None:
    """Return what an edition writes instead of a word that it does not have; None where it has it, or has nothing.

    `context` limits the old word's meanings to those that stand there.
    """
    meanings = [it for it in by_word().get(word, ()) if context is None or context in it.where]
    if any(it.is_in(edition) for it in meanings):
        return None
    ids = [it.replaced[edition] for it in meanings if edition in it.replaced]
    return constructs()[ids[0]] if ids else None


def _since(construct: Construct) -> int:
    """Return the place of the first edition that has a construct; a retired word was there before the first."""
    return min((_ALL.index(it) for it in construct.editions), default=0)


def _index(pairs: Iterable[tuple[str, Construct]]) -> dict[str, tuple[Construct, ...]]:
    found: dict[str, list[Construct]] = {}
    for key, construct in pairs:
        found.setdefault(key, []).append(construct)
    return {key: tuple(them) for key, them in found.items()}


def _construct(row: dict[str, Any]) -> Construct:
    return Construct(**_ready(row))


def _ready(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as it was loaded, its lists frozen and its editions by their enum."""
    ready: dict[str, Any] = {}
    for key, value in row.items():
        if key in {"editions", "retired", "supplied"}:
            ready[key] = tuple([_BY_VALUE[it] for it in value])
        elif key == "freed":
            ready[key] = _BY_VALUE[value]
        elif key == "moments":
            ready[key] = {_BY_VALUE[edition]: tuple(them) for edition, them in value.items()}
        elif isinstance(value, dict):
            ready[key] = {_BY_VALUE[edition]: it for edition, it in value.items()}
        else:
            ready[key] = tuple(value) if isinstance(value, list) else value
    return ready
