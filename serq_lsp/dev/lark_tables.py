"""The strict parser's tables: serq_lsp/syntax/tables.json, made from serq.lark by lark.

lark is needed to write and to check them; the product reads the tables only. The character classes of names are taken
from the generated tree-sitter parser, so that both take the same letters whatever Unicode version Python has.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "serq_lsp/syntax/serq.lark"
TABLES = ROOT / "serq_lsp/syntax/tables.json"
PARSER = ROOT / "grammar/src/parser.c"
_RANGES = r"static const TSCharacterRange sym_name_character_set_{}\[\] = \{{(.*?)\}};"


def write() -> list[Path]:
    """Write the tables; return the one file."""
    TABLES.write_text(text(), encoding="utf-8")
    return [TABLES]


def check() -> list[str]:
    """Return what is wrong, one sentence each: tables that are not those of serq.lark."""
    if TABLES.is_file() and TABLES.read_text(encoding="utf-8") == text():
        return []
    return ["serq_lsp/syntax/tables.json is stale: run `python -m serq_lsp.dev.gen strict`"]


def grammar(start: Iterable[str] = (), *, debug: bool = False) -> Lark:
    """Return lark's parser of serq.lark, with all its start symbols or those given; `debug` logs conflicts."""
    source = SOURCE.read_text(encoding="utf-8")
    starts = list(start) or re.findall(r"^(\w+):", source.partition("_list{")[0], re.MULTILINE)
    letter, more = character_classes()
    source = source.replace("(?:LETTER|_)", f"[{letter}]").replace("(?:LETTER|DIGIT|_)", f"[{more}]")
    return Lark(source, parser="lalr", lexer="contextual", start=starts, maybe_placeholders=False, debug=debug)


def character_classes() -> tuple[str, str]:
    """Return the insides of two character classes: what begins a name, and what goes on with it."""
    parser = PARSER.read_text(encoding="utf-8")
    first, more = (re.search(_RANGES.format(number), parser, re.DOTALL) for number in (1, 2))
    assert first is not None
    assert more is not None
    return _class(first[1]), _class(more[1])


def _class(ranges: str) -> str:
    """Return C's `{'A', 'Z'}, {0xaa, 0xaa}, …` as the inside of a regular expression's class."""
    pairs = re.findall(r"\{('.'|\w+), ('.'|\w+)\}", ranges)
    return "".join(
        _escape(first) if first == last else f"{_escape(first)}-{_escape(last)}"
        for first, last in ((_point(first), _point(last)) for first, last in pairs)
    )


def _point(constant: str) -> int:
    return ord(constant[1]) if constant.startswith("'") else int(constant, 0)


def _escape(point: int) -> str:
    if point < 0x80:
        return chr(point)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def text() -> str:
    """Return the tables as JSON.

    `starts` and `ends` map start symbols to states; `rules` are pairs of symbol and length; `words` and `signs` map
    terminals to their text; a row maps symbols to actions: a state from 0 to go to, or -1 - the rule to reduce by.
    `states` holds the number of each state's row. `letter` and `more` are character classes.
    """
    parser = grammar()
    table = parser.parser.parser._parse_table  # noqa: SLF001 (lark has no public way to its tables)
    order = _in_order(table.start_states.values(), table.states)
    place = {state: index for index, state in enumerate(order)}
    rules: dict[tuple[str, int], int] = {}
    rows: dict[str, int] = {}
    states = []
    for state in order:
        row: dict[str, int] = {}
        for symbol, (kind, action) in sorted(table.states[state].items()):
            if kind is Shift:
                row[symbol] = place[action]
            else:
                rule = (action.origin.name, len(action.expansion))
                row[symbol] = -1 - rules.setdefault(rule, len(rules))
        states.append(rows.setdefault(json.dumps(row, separators=(",", ":")), len(rows)))
    texts = dict(_texts(parser))
    letter, more = character_classes()
    parts = {
        "letter": letter,
        "more": more,
        "starts": {name: place[state] for name, state in table.start_states.items()},
        "ends": {name: place[state] for name, state in sorted(table.end_states.items())},
        "words": {name: word for name, word in texts.items() if word[0].isalpha()},
        "signs": {name: sign for name, sign in texts.items() if not sign[0].isalpha()},
        "rules": [list(rule) for rule in rules],
        "states": states,
    }
    lines = [f"{json.dumps(key)}:{json.dumps(part, separators=(',', ':'))}" for key, part in parts.items()]
    return "{\n" + ",\n".join(lines) + ',\n"rows":[\n' + ",\n".join(rows) + "\n]\n}\n"


def _in_order(starts: Iterable[int], states: Mapping[int, Mapping[str, tuple[Any, Any]]]) -> list[int]:
    """Return all states in the order in which they are reached, which does not depend on lark's numbers."""
    order = list(starts)
    known = set(order)
    for state in order:
        for _, (kind, action) in sorted(states[state].items()):
            if kind is Shift and action not in known:
                known.add(action)
                order.append(action)
    return order


def _texts(parser: Lark) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each word and sign."""
    for terminal in sorted(parser.terminals, key=lambda it: str(it.name)):
        if isinstance(terminal.pattern, PatternStr):
            yield terminal.name, terminal.pattern.value
