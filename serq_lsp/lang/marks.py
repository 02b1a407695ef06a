"""Forms that only some editions have: what `editions.detect` goes by. The table names them at their constructs."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from serq_lsp.lang.data import load


class Mark(NamedTuple):
    """A row of tokens, the editions whose grammar has it (their values), and how much it counts against the others.

    In a row `^` is the start of a statement or item, `NAME` any name, `NUMBER` a number, `FILE` a string that names no
    standard module, `()` and `[]` a whole bracketed group; every other word is itself.
    """

    words: tuple[str, ...]
    editions: frozenset[str]
    weight: float


PLACES = frozenset({"^", "NAME", "NUMBER", "FILE", "()", "[]"})
"""The words of a mark that do not stand for themselves."""


@cache
def anchors() -> dict[str, list[tuple[int, Mark]]]:
    """Return the marks by their first own word, each with how many tokens before that word it begins."""
    found: dict[str, list[tuple[int, Mark]]] = {}
    for words, editions, weight in load("marks"):
        row = [it for it in words if it != "^"]
        back = next(at for at, it in enumerate(row) if it not in PLACES)
        found.setdefault(row[back], []).append((back, Mark(tuple(words), frozenset(editions), weight)))
    return found
