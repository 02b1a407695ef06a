"""A form of the construct table compared with the words written so far: what comes next of it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.lang.table import grammar_words, standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.lang.editions import Edition
    from serq_lsp.lang.table import Construct

_OPENS, _CLOSES = ("(", "["), (")", "]")


class Next(NamedTuple):
    """What comes next of a form: words of the language (`words`), or what a capital stands for (`name`); one of them."""

    construct: Construct
    words: tuple[str, ...] = ()
    name: str = ""


def continuations(construct: Construct, statement: Sequence[str], edition: Edition | None) -> Iterator[Next]:
    """Yield what may come next of a construct where a statement has the beginning of its form (at least one word)."""
    for form in _variants(construct.form_in(edition)):
        at = _matched(form, statement, construct.words)
        if at is None:
            continue
        if form[at] in construct.words:
            end = next((it for it in range(at, len(form)) if form[it] not in construct.words), len(form))
            yield Next(construct, words=form[at:end])
        elif form[at].isupper():
            yield Next(construct, name=form[at])


def leading(construct: Construct) -> tuple[str, ...]:
    """Return the words with which a form begins, up to the first that is no word of the language; one at least."""
    tokens = re.findall(r"\w+|[^\w\s]", construct.form)
    count = next((at for at, it in enumerate(tokens) if it not in construct.words), len(tokens))
    return tuple(tokens[:count]) or construct.words[:1]


def heads(contexts: Sequence[str], statement: Sequence[str], edition: Edition | None) -> list[Construct]:
    """Return the constructs that a statement in these contexts may be, those with most words in it."""
    found: dict[str, tuple[int, Construct]] = {}
    for context in contexts:
        for it in standing(context, edition):
            first = leading(it)
            named = bool(statement) and it.form[:1].isupper() and statement[0] not in grammar_words()
            start = (reference_end(statement, 0) or 0) if named else 0
            begun = bool(first) and tuple(statement[start : start + len(first)]) == first
            if begun and all(word in statement for word in it.select):
                found[it.id] = (sum(word in statement for word in it.words), it)
    most = max((count for count, _ in found.values()), default=0)
    return [it for count, it in found.values() if count == most]


def reference_end(statement: Sequence[str], at: int) -> int | None:
    """Return where the reference that begins at `at` ends (`slots[r]`, `D[d].kv`); None where none is complete there."""
    if at >= len(statement) or not _is_name(statement[at]):
        return None
    at += 1
    while at < len(statement) and statement[at] in ("[", "."):
        if statement[at] == "[":
            close = closing(statement, at)
            if close is None:
                return None
            at = close + 1
        elif at + 1 < len(statement) and _is_name(statement[at + 1]):
            at += 2
        else:
            return None
    return at


def reference_start(statement: Sequence[str], end: int) -> int:
    """Return where the reference that ends before `end` begins; `end` itself where none does."""
    at = end
    while at > 0:
        if statement[at - 1] == "]":
            depth = 0
            for before in range(at - 1, -1, -1):
                depth += (statement[before] == "]") - (statement[before] == "[")
                if depth == 0:
                    at = before
                    break
            else:
                return at
        elif not _is_name(statement[at - 1]):
            return at
        elif at > 1 and statement[at - 2] == ".":
            at -= 2
        else:
            return at - 1
    return at


def closing(statement: Sequence[str], at: int) -> int | None:
    """Return where the bracket that opens at `at` is closed, None where it is still open."""
    depth = 0
    for position in range(at, len(statement)):
        depth += (statement[position] in _OPENS) - (statement[position] in _CLOSES)
        if depth == 0:
            return position
    return None


@cache
def _variants(form: str) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of a form up to its block, without what may be left out, and with it; for each alternative."""
    found: dict[tuple[str, ...], None] = {}
    spelt = re.sub(r"\b[A-Z]+\[i\]\.([A-Z]+)", r"\1", form.partition("{")[0])  # one reference: `Q[i].ENTRY`
    for part in re.split(r";\s+", spelt):
        for text in (re.sub(r"\[[^\]]*\]", " ", part), re.sub(r"[\[\]]", " ", part)):
            found[tuple(re.findall(r"\w+|…|[^\w\s]", text))] = None
    return tuple(it for it in found if it)


def _matched(form: Sequence[str], statement: Sequence[str], words: Sequence[str]) -> int | None:
    """Return the place in a form at which a statement has come, None where it is no beginning of the form."""
    at = place = 0
    while place < len(form):
        if at == len(statement):
            return place or None
        sign = form[place]
        if sign.isupper() and sign not in words:
            end = None if at == place == 0 and statement[0] in grammar_words() else reference_end(statement, at)
            if end is None:
                return None
            at = end
        elif sign == "(":
            close = closing(statement, at) if statement[at] == "(" else None
            if close is None:
                return None
            at, place = close + 1, closing(form, place) or place
        elif sign == "," and form[place + 1 : place + 2] == ("…",):
            if statement[at] == ",":
                return place - 1 if at + 1 == len(statement) else None
            place += 1
        elif sign == statement[at]:
            at += 1
        else:
            return None
        place += 1
    return None


def _is_name(word: str) -> bool:
    return word.isidentifier()
