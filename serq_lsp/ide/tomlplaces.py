"""Where the keys and values of a TOML text stand: the data that a TOML parser gives know no places.

The text has been parsed before, so it is TOML: nothing is checked again here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

Steps = tuple[str | int, ...]
"""The way from the root to a value: keys of tables, and numbers in arrays from 0."""

_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[^\S\n]+|\n|[][{}=,.]|[^][{}=,.#\s"\']+',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)


class Place(NamedTuple):
    """The places of a key and of its value, brackets included; an element of an array has its value's for both."""

    key: Span
    value: Span


def places(text: str) -> dict[Steps, Place]:
    """Return where the values of a TOML text stand, tables written as `[name]` at their names."""
    reader = _Reader(text)
    reader.document()
    return reader.found


class _Reader:
    """Walks through the tokens of a text once."""

    def __init__(self, text: str) -> None:
        self.found: dict[Steps, Place] = {}
        self._tokens = list(_tokens(text))
        self._at = 0
        self._counts: dict[Steps, int] = {}

    def document(self) -> None:
        """Read headers and pairs until the text ends."""
        table: Steps = ()
        while self._at < len(self._tokens):
            if self._is("\n"):
                self._at += 1
            elif self._is("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Steps:
        """Read `[a.b]` or `[[a.b]]`; return the way to the table that it opens."""
        several = self._next_is("[")
        self._at += 2 if several else 1
        names, span = self._key()
        self._at += 2 if several else 1
        steps: Steps = ()
        for name in names[:-1]:
            steps = (*steps, name)
            steps = (*steps, self._counts[steps] - 1) if steps in self._counts else steps
        steps = (*steps, *names[-1:])
        if several:
            self._counts[steps] = self._counts.get(steps, 0) + 1
            steps = (*steps, self._counts[steps] - 1)
        self.found.setdefault(steps, Place(span, span))
        return steps

    def _pair(self, table: Steps) -> None:
        names, key = self._key()
        self._at += 1  # the sign
        steps = (*table, *names)
        self.found[steps] = Place(key, self._value(steps))

    def _key(self) -> tuple[list[str], Span]:
        """Read `a.b`; return its parts and the place of all of it."""
        names: list[str] = []
        start = end = self._span().start
        while self._at < len(self._tokens) and not (self._is("=") or self._is("]") or self._is("\n")):
            word, span = self._tokens[self._at]
            if word != ".":
                names.append(_plain(word))
            end = span.end
            self._at += 1
        return names, Span(start, end)

    def _value(self, steps: Steps) -> Span:
        start = self._span().start
        if self._is("["):
            self._items("]", steps)
        elif self._is("{"):
            self._items("}", steps)
        else:
            while self._at < len(self._tokens) and self._tokens[self._at][0] not in {",", "]", "}", "\n"}:
                self._at += 1
        last = min(self._at, len(self._tokens)) - 1
        return Span(start, max(start, self._tokens[last][1].end))

    def _items(self, last: str, steps: Steps) -> None:
        """Read the elements of an array, or the pairs of a table in braces, to the closing bracket."""
        self._at += 1
        number = 0
        while self._at < len(self._tokens) and not self._is(last):
            if self._is("\n") or self._is(","):
                self._at += 1
            elif last == "}":
                self._pair(steps)
            else:
                at, inner = self._at, (*steps, number)
                span = self._value(inner)
                self.found[inner] = Place(span, span)
                number += 1
                self._at = max(self._at, at + 1)
        self._at += 1

    def _is(self, word: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] == word

    def _next_is(self, word: str) -> bool:
        """Say whether `word` follows this token without a blank between."""
        if self._at + 1 >= len(self._tokens):
            return False
        (_, here), (then, there) = self._tokens[self._at : self._at + 2]
        return then == word and here.end == there.start

    def _span(self) -> Span:
        at = min(self._at, len(self._tokens) - 1)
        return self._tokens[at][1] if at >= 0 else Span(0, 0)


def _tokens(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the tokens but blanks and comments, with their places."""
    for it in _TOKEN.finditer(text):
        if not it[0].startswith("#") and (it[0] == "\n" or not it[0].isspace()):
            yield it[0], Span(*it.span())


def _plain(word: str) -> str:
    """Return the key that a bare or quoted word stands for."""
    if word[0] == "'":
        return word[1:-1]
    if word[0] == '"':
        return _ESCAPE.sub(lambda it: _escaped(it[1]), word[1:-1])
    return word


def _escaped(code: str) -> str:
    return chr(int(code[1:], 16)) if code[0] in "uU" else {"t": "\t", "n": "\n"}.get(code, code)
