"""Snippets with the program's own names: the one pool or stage where there is one, a choice where there are few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.editions import Edition
    from serq_lsp.lang.table import Construct
    from serq_lsp.sema.symbols import Symbol

CHOICES_MAX = 8
"""A snippet lets choose between so many names."""
_KINDS: dict[str, set[Kind]] = {
    "POOL": {Kind.POOL},
    "STAGE": {Kind.STAGE, Kind.ENGINE},
    "ENGINE": {Kind.STAGE, Kind.ENGINE},
    "DEVICE": {Kind.DEVICE},
    "OWNER": {Kind.DEVICE, Kind.ENGINE},
    "OBSERVATION": {Kind.OBSERVATION},
    "Q": {Kind.QUEUE},
}
"""What the capitals of forms stand for, where it is something that a program declares."""
_AFTER = {"from": "Q", "to": "POOL"}
"""What stands behind words whose forms do not say it."""
_FIRST = re.compile(r"\$\{(\d+):([^{}$]*)\}")


def filled(
    snapshot: Snapshot, path: str, construct: Construct, edition: Edition | None, *, indexed: bool
) -> str | None:
    """Return a construct's snippet with names of the program for those that it would write; None where it has none.

    `indexed` says whether a family is written with the index of a member here.
    """
    snippet = construct.snippet_in(edition)
    if snippet is None:
        return None
    form = construct.form_in(edition)
    symbols = snapshot.model(path).symbols
    declared = {it.name for it in symbols}

    iterating = "prefill" in construct.words or "decode" in construct.words

    def named(it: re.Match[str]) -> str:
        number, default = it[1], it[2]
        kind = _wanted(form, it.string[: it.start()], default)
        if kind == "Q" and default in declared:
            return it[0]  # the entry's own name for it
        if kind is None:
            foreign = default.isidentifier() and construct.kind in {"statement", "clause"} and default not in declared
            new = _capital(form, it.string[: it.start()]) is not None
            return f"${{{number}}}" if foreign and declared and default != "inf" and not new else it[0]
        found = [one for one in symbols if one.kind in _KINDS[kind] and one.owner is None and one.path is not None]
        fitting = [one for one in found if kind == "POOL" or not iterating or is_engine(one)]
        member = f"[{index_of(snapshot, path)}]" if indexed else ""
        spelt = list(dict.fromkeys(one.name + member * is_family(one) for one in fitting))
        if not spelt:
            return it[0]
        if len(spelt) == 1:
            return f"${{{number}:{spelt[0]}}}"
        return f"${{{number}|{','.join(spelt[:CHOICES_MAX])}|}}"

    families = [it.name for it in symbols if it.kind in _KINDS["STAGE"] and is_family(it)]
    known = re.sub(
        r"\b([^\W\d]\w*)(?=\[)", lambda it: it[1] if it[1] in declared or not families else families[0], snippet
    )
    return _FIRST.sub(named, known)


def is_family(symbol: Symbol) -> bool:
    """Say whether a name stands for several members."""
    return symbol.node is not None and symbol.node.child("size") is not None


def is_engine(symbol: Symbol) -> bool:
    """Say whether a stage runs iterations: an engine, or a stage of kind `step`."""
    if symbol.kind is not Kind.STAGE or symbol.node is None:
        return symbol.kind in {Kind.ENGINE, Kind.QUEUE, Kind.PARAMETER}
    return any(it.kind == "step" for it in symbol.node.children)


def index_of(snapshot: Snapshot, path: str) -> str:
    """Return what an index is likely to be: the first name that a `choose` of the file gives, else 0."""
    symbols = snapshot.model(path).symbols
    return next((it.name for it in symbols if it.node is not None and it.node.kind == "choose"), "0")


def _wanted(form: str, before: str, default: str) -> str | None:
    """Return the capital of a form that a placeholder fills: by its default, else by the word before it."""
    if default in _KINDS:
        return default
    capital = _capital(form, before)
    if capital is None:
        return "Q" if not before and form.startswith("Q") else None
    return capital if capital in _KINDS else None


def _capital(form: str, before: str) -> str | None:
    """Return the capital that stands in a form behind the last word of a text."""
    word = re.search(r"(\w+)\s*$", before)
    if word and word[1] in _AFTER:
        return _AFTER[word[1]]
    after = re.search(rf"\b{word[1]}\s+([A-Z]+)\b", form) if word else None
    return after[1] if after else None
