"""What to put into a text with errors so that an unfinished line does not spoil the lines after it.

Nothing between `(` and `)` or `[` and `]` ever holds a brace or a semicolon (classic.md 2), and a string is a path on
one line: what is still open where its line must have ended is closed there. Braces are matched by indentation, and only
as many are put in as the text lacks. The tree is made of the repaired text if that leaves less of it unread; what was
put in has width 0 in the tree and counts as missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<blank> \s+ | //[^\n]* | /\*.*?\*/ )
  | (?P<string> "[^"\n]*" )
  | (?P<open_string> "[^"\n]* )
  | (?P<number> (?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)? )
  | (?P<word> [^\W] \w* )
  | (?P<sign> . )
    """,
    re.DOTALL | re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]"}
_AGGREGATES = ("max", "min", "sum")


class Insertion(NamedTuple):
    """Put `text` in at the code point `offset` of the broken text."""

    offset: int
    text: str


class Token(NamedTuple):
    """A token with its place; `indent` is its column if it is the first of its line, else -1."""

    kind: str
    text: str
    start: int
    end: int
    indent: int

    @property
    def is_operand(self) -> bool:
        """Say whether an expression may end with it."""
        return self.kind in ("number", "word", "string") or self.text in (")", "]")


def repairs(text: str) -> list[list[Insertion]]:
    """Return what may be put in, each way in text order: brackets and strings alone, then semicolons, then braces too.

    There is no way for a text in which brackets, braces and strings are closed.
    """
    tokens = _tokens(text)
    ways = [[*_strings(tokens), *_brackets(tokens)]]
    for more in (_semicolons(tokens), _braces(tokens)):
        if more:
            ways.append(ways[-1] + more)
    return [sorted(way, key=lambda it: it.offset) for way in ways if way]


def _tokens(text: str) -> list[Token]:
    """Return the tokens, blanks and comments left out."""
    tokens: list[Token] = []
    line_start, fresh = 0, True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        if kind == "blank":
            if "\n" in match[0]:
                line_start, fresh = match.start() + match[0].rindex("\n") + 1, True
            continue
        tokens.append(Token(kind, match[0], match.start(), match.end(), match.start() - line_start if fresh else -1))
        fresh = False
    return tokens


def _strings(tokens: list[Token]) -> list[Insertion]:
    """Close each string that its line does not close, before the semicolon that ends the line."""
    out = []
    for token in tokens:
        if token.kind == "open_string":
            body = token.text.rstrip()
            out.append(Insertion(token.start + len(body) - body.endswith(";"), '"'))
    return out


def _brackets(tokens: list[Token]) -> list[Insertion]:
    """Close brackets before a brace, a semicolon and a line that cannot go on with what they hold."""
    out: list[Insertion] = []
    opened: list[str] = []
    indent = 0
    for index, token in enumerate(tokens):
        if token.indent >= 0 and (index == 0 or tokens[index - 1].text in ("{", "}", ";")):
            indent = token.indent
        if opened and (token.text in ("{", "}", ";") or _is_new(tokens, index, indent)):
            out.append(Insertion(tokens[index - 1].end, "".join(map(_CLOSING.__getitem__, reversed(opened)))))
            opened.clear()
        if token.text in _CLOSING:
            opened.append(token.text)
        elif token.text in _CLOSING.values():
            lacking = ""
            while opened and _CLOSING[opened[-1]] != token.text:
                lacking += _CLOSING[opened.pop()]
            if opened:
                opened.pop()
            if lacking:
                out.append(Insertion(tokens[index - 1].end, lacking))
    if opened:
        out.append(Insertion(tokens[-1].end, "".join(map(_CLOSING.__getitem__, reversed(opened)))))
    return out


def _is_new(tokens: list[Token], index: int, indent: int) -> bool:
    """Say whether the word at a line's begin cannot go on with what the open bracket holds.

    It cannot when it is not indented more than the statement (`indent`), nor right after an operand (`=` behind it tells a list whose comma is missing), and not when a second word
    follows it (`set x`), but for an aggregate (`sum k in …`).
    """
    before, token = tokens[index - 1], tokens[index]
    if token.indent < 0 or token.kind != "word":
        return False
    if token.indent <= indent:
        return True
    after = tokens[index + 1] if index + 1 < len(tokens) else token
    if before.is_operand and before.text not in _AGGREGATES:
        return after.text != "="
    return after.kind == "word" and token.text not in _AGGREGATES


def _semicolons(tokens: list[Token]) -> list[Insertion]:
    """Close a statement before a line that is not indented more than the statement's first line."""
    out: list[Insertion] = []
    indent, first = 0, True
    for index, token in enumerate(tokens):
        if first and token.indent >= 0:
            indent = token.indent
        elif 0 <= token.indent <= indent and token.kind == "word":
            out.append(Insertion(tokens[index - 1].end, ";"))
            indent = token.indent
        first = token.text in ("{", "}", ";")
    return out


@dataclass
class _Blocks:
    """The blocks open, each with the indentation of the line that opened it, and how many `}` the text still lacks."""

    lacking: int
    indents: list[int] = field(default_factory=list)
    on_line: int = 0
    out: list[Insertion] = field(default_factory=list)

    def close_down_to(self, indent: int, offset: int) -> None:
        """Close the blocks whose first line is indented by more than `indent`."""
        while self.indents and self.indents[-1] > indent and self.lacking > 0:
            self.out.append(Insertion(offset, "}"))
            self.indents.pop()
            self.lacking -= 1

    def open(self, indent: int) -> None:
        """Enter a block."""
        self.indents.append(indent)
        self.on_line += 1

    def close(self, indent: int) -> None:
        """Leave a block at a `}`, unless that closes nothing and the text has too many."""
        alone = not self.indents or (self.indents[-1] < indent if indent >= 0 else not self.on_line)
        if self.lacking < 0 and alone:
            self.lacking += 1
        elif self.indents:
            self.indents.pop()
            self.on_line = max(self.on_line - 1, 0)


def _braces(tokens: list[Token]) -> list[Insertion]:
    """Close blocks before a line that is not indented into them, open one before a line that is indented too much."""
    blocks = _Blocks(sum((token.text == "{") - (token.text == "}") for token in tokens))
    indent = 0
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else token
        if token.indent >= 0:
            blocks.on_line = 0
            blocks.close_down_to(token.indent if token.text == "}" else token.indent - 1, before.end)
            if blocks.lacking < 0 and token.indent > indent and token.kind == "word" and before.is_operand:
                blocks.out.append(Insertion(before.end, "{"))
                blocks.open(indent)
                blocks.lacking += 1
            indent = token.indent
        if token.text == "{":
            blocks.open(indent)
        elif token.text == "}":
            blocks.close(token.indent)
    if tokens and blocks.lacking > 0:
        blocks.out.append(Insertion(tokens[-1].end, "}" * min(blocks.lacking, len(blocks.indents))))
    return blocks.out
