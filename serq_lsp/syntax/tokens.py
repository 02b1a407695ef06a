"""The tokens of a text by the letter of the language (classic.md 1), and what in it is none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from serq_lsp.syntax.automaton import tables
from serq_lsp.text.spans import Span

NAME, NUMBER, STRING, SIGN, BAD = "NAME", "NUMBER", "STRING", "SIGN", "BAD"

_PATTERN = r"""
    (?P<blank> [\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+ | //[^\n]* | /\*(?:[^*]|\*(?!/))*\*/ )
  | (?P<NAME> [LETTER][MORE]* )
  | (?P<NUMBER> (?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)? )
  | (?P<STRING> "[^"]*" )
  | (?P<SIGN> \|\| | && | [<>=!]= | [][{}(),;:.=~?+*/^<>!-] )
  | (?P<BAD> . )
"""


class Token(NamedTuple):
    """A token: its kind (NAME for every word, NUMBER, STRING, SIGN, BAD), text and place."""

    kind: str
    text: str
    start: int
    end: int


class LexicalFault(NamedTuple):
    """A place where the text holds no token; `rule` is the reference's slug (classic.md 12.3, rows 1–4)."""

    rule: str
    span: Span


@lru_cache(maxsize=2)
def _pattern(*, ascii_only: bool) -> re.Pattern[str]:
    letter, more = ("A-Za-z_", "A-Za-z0-9_") if ascii_only else (tables().letter, tables().more)
    return re.compile(_PATTERN.replace("LETTER", letter).replace("MORE", more), re.DOTALL | re.VERBOSE)


def lex(text: str) -> tuple[list[Token], list[LexicalFault]]:
    """Return the tokens of a text in order, without blanks and comments, and the lexical faults.

    What is faulty is a BAD token: a single character, a number with two dots, or all that follows an unclosed comment
    or string. Characters in a row that are none of the language's make one fault.
    """
    tokens: list[Token] = []
    faults: list[LexicalFault] = []
    for match in _pattern(ascii_only=text.isascii()).finditer(text):
        kind = match.lastgroup or BAD
        if kind == "blank":
            continue
        start, end, value = match.start(), match.end(), match[0]
        if kind == NUMBER and value.count(".") > 1:
            kind = BAD
            faults.append(LexicalFault("lex-number", Span(start, end)))
        elif value == "/" and text.startswith("/*", start):
            tokens.append(Token(BAD, text[start:], start, len(text)))
            faults.append(LexicalFault("lex-comment-open", Span(start, start + 2)))
            break
        elif value == '"':
            tokens.append(Token(BAD, text[start:], start, len(text)))
            line_end = text.find("\n", start)
            faults.append(LexicalFault("lex-string-open", Span(start, len(text) if line_end < 0 else line_end)))
            break
        elif kind == BAD and faults and faults[-1] == ("lex-character", Span(faults[-1].span.start, start)):
            faults[-1] = LexicalFault("lex-character", Span(faults[-1].span.start, end))
        elif kind == BAD:
            faults.append(LexicalFault("lex-character", Span(start, end)))
        tokens.append(Token(kind, value, start, end))
    return tokens, faults
