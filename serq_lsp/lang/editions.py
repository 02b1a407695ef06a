"""The editions of the language, and how a file shows which one it is written in.

A file carries no version. What tells its edition is its forms: a form that only some editions have speaks against the
others (the marks of the construct table). The edition that least speaks against is the answer; where two are left, none
is. The text is cut into tokens here, without a parser, so that half-typed text gives an answer too.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Literal, NamedTuple

from serq_lsp.lang.marks import Mark, anchors

Kind = Literal["program", "deployment", "workload", "library", "empty"]
"""What a file is: a whole program, one file of a pair of the current edition, only `use` and `def`, or nothing."""


class Edition(Enum):
    """An edition of serQ; the value is how directives and options spell it."""

    CLASSIC = "classic"
    ENGINE = "engine"
    CURRENT = "current"


class Detection(NamedTuple):
    """What a text shows: its edition (None where nothing tells), its kind, and whether a directive said the edition."""

    edition: Edition | None
    kind: Kind
    directed: bool = False


class _Facts(NamedTuple):
    """What was seen: marks, first words of items and statements, and items by their words (`_shape`)."""

    marks: set[Mark]
    heads: set[str]
    shapes: set[str]


_TOKEN = re.compile(
    r"(?P<line>//[^\n]*)|(?P<block>/\*(?:[^*]|\*(?!/))*\*/|/\*[^\n]*)|"
    r'(?P<token>"[^"\n]*"?|[^\W\d]\w*|\d[\w.]*|[^\s\w])'
)
"""A comment or string that is not closed ends with its line here, so that typing one does not hide the rest."""
_DIRECTIVE = re.compile(r"//\s*serq:\s*edition\s+([a-z]+)\b")
_OPEN, _CLOSE = "([{", ")]}"
_GROUP_TOKENS = 400
"""A bracketed group in a mark is looked through for so many tokens; a longer one does not match."""
_BOUNDARY = {"", ";", "{", "}"}
_CLASSIC_ONLY = {"session", "server", "run", "queue", "gauge", "claim", "share"}
"""Items of which one at top level says that the program is the classic edition's, or wants its `fn main`."""
_STRUCTURE, _ITEM, _HINT = 8.0, 4.0, 1.0


def detect(text: str) -> Detection:
    """Return the edition and kind of `text`; never raises, on no text.

    A directive (a line comment `// serq: edition engine`) decides the edition; the first one that names an edition
    counts. A program given by two files is a `deployment` and a `workload` (current.md 5).
    """
    directed = _directive(text)
    tokens = [it.group("token") for it in _TOKEN.finditer(text) if it.lastgroup == "token"]
    facts = _look(tokens)
    edition = directed or _edition(facts)
    return Detection(edition, _kind(facts, edition), directed is not None)


def _directive(text: str) -> Edition | None:
    if "serq:" not in text:
        return None
    names = {it.value: it for it in Edition}
    for it in _TOKEN.finditer(text):
        said = _DIRECTIVE.match(it.group("line") or "")
        if said and said.group(1) in names:
            return names[said.group(1)]
    return None


def _look(tokens: list[str]) -> _Facts:
    """Return what the tokens show, in one pass."""
    facts = _Facts(set(), set(), set())
    by_word = anchors()
    blocks: list[str] = []
    head = previous = ""
    for at, piece in enumerate(tokens):
        if previous in _BOUNDARY and piece not in "{}":
            head = piece
            facts.heads.add(piece)
            _shape(tokens, at, blocks, facts.shapes)
        if piece == "{":
            blocks.append(head)
        elif piece == "}" and blocks:
            blocks.pop()
        for back, mark in by_word.get(piece, ()):
            if mark not in facts.marks and _matches(tokens, at - back, mark.words):
                facts.marks.add(mark)
        previous = piece
    if blocks:
        facts.shapes.add("open")
    return facts


def _shape(tokens: list[str], at: int, blocks: list[str], shapes: set[str]) -> None:
    """Add what the statement or item at `at` is, by its first words and by the blocks it stands in."""
    word, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
    parent = blocks[-1] if blocks else ""
    named = _is_name(after)
    if word == "fn" and (named or not after):
        shapes.add("main")
    elif word in {"workload", "pool", "stage"} and (named or after == "{"):
        shapes.add(word)
    elif word == "session" and after == "{":
        shapes.add("client" if parent == "workload" else word)
    elif word in {"server", "run"} and after == "{":
        shapes.add(word)
    elif word == "send" and after == "(" and "workload" in blocks:
        shapes.add("client")
    elif word in {"queue", "gauge", "claim", "share"} and named and parent != "pool":
        shapes.add(word)
    elif word in {"device", "engine"} and named:
        shapes.add("engine")
    elif word == "let" and (not blocks or blocks == ["fn"]):
        shapes.add(word)


def _edition(facts: _Facts) -> Edition | None:
    """Return the edition that least speaks against; None where two are left."""
    against = dict.fromkeys(Edition, 0.0)

    def only(editions: frozenset[str] | set[str], weight: float) -> None:
        for it in Edition:
            if it.value not in editions:
                against[it] += weight

    for mark in facts.marks:
        only(mark.editions, mark.weight)
    shapes = facts.shapes
    items = shapes & ({"workload", "pool", "stage"} | _CLASSIC_ONLY)
    if "main" in shapes:
        only({"engine", "current"}, _STRUCTURE)
        if "workload" in shapes:
            only({"engine"}, _ITEM)
        elif "server" in shapes and "open" not in shapes:
            only({"current"}, _HINT)  # the engine edition's server stands beside its workload
        elif facts.heads <= {"fn"}:
            only({"engine"}, _HINT)  # an empty main is a whole program of that edition
    elif items and "engine" not in shapes:
        only({"classic", "current"}, _STRUCTURE)
        for _ in items & _CLASSIC_ONLY:
            only({"classic"}, _ITEM)
        unfinished = "client" not in shapes and items & {"pool", "stage"}
        only({"current"} if "workload" in items and not unfinished else {"classic"}, _HINT)
    least = min(against.values())
    best = [it for it in Edition if against[it] == least]
    return best[0] if len(best) == 1 else None


def _kind(facts: _Facts, edition: Edition | None) -> Kind:
    shapes = facts.shapes
    if not facts.heads:
        return "empty"
    if edition is Edition.CURRENT and shapes & {"main", "engine"}:
        return "deployment"
    if edition is Edition.CURRENT and "workload" in shapes:
        return "workload"
    return "program" if shapes - {"open"} else "library"


def _matches(tokens: list[str], at: int, words: tuple[str, ...]) -> bool:
    """Say whether the tokens from `at` on are those of a mark (how marks are spelt: `marks.Mark`)."""
    if at < 0:
        return False
    if words[0] == "^":
        if (tokens[at - 1] if at else "") not in _BOUNDARY:
            return False
        words = words[1:]
    for word in words:
        token = tokens[at] if at < len(tokens) else ""
        if word == "NAME":
            same = _is_name(token)
        elif word == "NUMBER":
            same = token[:1].isdigit()
        elif word == "FILE":
            same = token[:1] == '"' and not token.startswith('"std/')
        elif word in {"()", "[]"}:
            at = _skip(tokens, at, word[0])
            same = at > 0
        else:
            same = token == word
        if not same:
            return False
        at += 1
    return True


def _skip(tokens: list[str], at: int, opening: str) -> int:
    """Return the index of the bracket that closes the group at `at`; 0 where no such group stands or ends."""
    if at >= len(tokens) or tokens[at] != opening:
        return 0
    depth = 0
    for here in range(at, min(len(tokens), at + _GROUP_TOKENS)):
        depth += (tokens[here] in _OPEN) - (tokens[here] in _CLOSE)
        if depth == 0:
            return here
    return 0


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"
