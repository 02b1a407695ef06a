"""The strict parser's machine: LALR tables made by lark (serq_lsp/dev/lark_tables.py) and what runs them.

A word is a keyword where the table of the state it is met in lists it, and a name everywhere else (classic.md 1.6).
"""

from __future__ import annotations

import json
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.syntax.tokens import Token

END = "$END"


class Tables:
    """The tables of serq.lark, as they lie in tables.json."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        rows: list[dict[str, int]] = data["rows"]
        self.starts: dict[str, int] = data["starts"]
        self.ends: dict[str, int] = data["ends"]
        self.rows = [rows[number] for number in data["states"]]
        self.rules: list[tuple[str, int]] = data["rules"]
        self.texts: dict[str, str] = data["words"] | data["signs"]
        self.terminals = {text: terminal for terminal, text in self.texts.items()}
        self.all_terminals = frozenset((*self.texts, "NAME", "NUMBER", "STRING", END))
        self.letter: str = data["letter"]
        self.more: str = data["more"]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return the tables, read once."""
    return Tables(json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8")))


class Automaton:
    """A run of the tables from one start symbol (`items`, `statements`, … of serq.lark)."""

    def __init__(self, start: str) -> None:
        self._tables = tables()
        self._end = self._tables.ends[start]
        self._stack = [self._tables.starts[start]]

    def feed(self, token: Token) -> bool:
        """Take a token; say False, and stay as before, if it cannot stand here."""
        for terminal in (self._tables.terminals.get(token.text), token.kind):
            after = self._after(terminal) if terminal is not None else None
            if after is not None:
                kept, new = after
                del self._stack[kept:]
                self._stack += new
                return True
        return False

    def copy(self) -> Automaton:
        """Return another run that stands at the same place."""
        other = copy(self)
        other.restore(self)
        return other

    def restore(self, other: Automaton) -> None:
        """Go back to where another run stands."""
        self._stack = list(other._stack)

    def may_end(self) -> bool:
        """Say whether the text may end here."""
        return self._after(END) is not None

    def accepts(self) -> frozenset[str]:
        """Return the terminals that may stand here, `$END` among them if the text may end."""
        row = self._tables.rows[self._stack[-1]]
        return frozenset(name for name in row.keys() & self._tables.all_terminals if self._after(name) is not None)

    def _after(self, terminal: str) -> tuple[int, list[int]] | None:
        """Return what a terminal does to the stack, or None where the tables have no way.

        That is how much of the stack stays, and what comes on top.
        """
        rows, rules, stack = self._tables.rows, self._tables.rules, self._stack
        kept = len(stack)
        new: list[int] = []
        while True:
            state = new[-1] if new else stack[kept - 1]
            if terminal == END and state == self._end:
                return kept, new
            action = rows[state].get(terminal)
            if action is None:
                return None
            if action >= 0:
                new.append(action)
                return kept, new
            symbol, length = rules[-1 - action]
            from_new = min(length, len(new))
            del new[len(new) - from_new :]
            kept -= length - from_new
            new.append(rows[new[-1] if new else stack[kept - 1]][symbol])
