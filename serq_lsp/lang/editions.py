"""The editions of the language, and how a file shows which one it is written in.

A file carries no version. What tells its edition is its forms: a form that only some editions have speaks against the
others (`marks.py`). The edition that least speaks against is the answer; where two are left, none is. The text is cut
into tokens here, without a parser, so that half-typed text gives an answer too.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Literal, NamedTuple

from serq_lsp.lang.marks import MARKS, Mark

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
    """What was seen: `marks`, `heads` (first words of items and statements) and `shapes` (items, named as in `_shape`)."""

    marks: set[Mark]
    heads: set[str]
    shapes: set[str]


_TOKEN = re.compile(
    r"(?P<line>//[^\n]*)|(?P<block>/\*(?:[^*]|\*(?!/))*\*/|/\*[^\n]*)|"
    r'(?P<token>"[^"\n]*"?|[^\W\d]\w*|\d[\w.]*|[^\s\w])'
)
_DIRECTIVE = re.compile(r"//\s*serq:\s*edition\s+([a-z]+)\b")
_OPEN = {"(": ")", "[": "]", "{": "}"}
_GROUP_TOKENS = 400
"""A bracketed group in a mark is looked through for so many tokens; a longer one does not match."""
_BOUNDARY = {"", ";", "{", "}"}
_CLASSIC_ITEMS = {"queue", "gauge", "claim", "share"}
_PLACES = {"^", "NAME", "NUMBER", "FILE", "()", "[]"}
_STRUCTURE = 8.0
_ITEM = 4.0
_HINT = 1.0


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
    blocks: list[str] = []
    head = previous = ""
    for at, token in enumerate(tokens):
        if previous in _BOUNDARY and token not in "{}":
            head = token
            facts.heads.add(token)
            _shape(tokens, at, blocks, facts.shapes)
        if token == "{":
            blocks.append(head)
        elif token == "}" and blocks:
            blocks.pop()
        for back, mark in _ANCHORS.get(token, ()):
            if mark not in facts.marks and _matches(tokens, at - back, mark.words):
                facts.marks.add(mark)
        previous = token
    if blocks:
        facts.shapes.add("open")
    return facts


def _shape(tokens: list[str], at: int, blocks: list[str], shapes: set[str]) -> None:
    """Add what the statement or item at `at` says by where it stands."""
    word, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
    parent = blocks[-1] if blocks else ""
    match word:
        case "fn" if _is_name(after) or not after:
            shapes.add("main")
        case "workload" | "pool" | "stage" if after == "{" or _is_name(after):
            shapes.add(word)
        case "session" if after == "{":
            shapes.add("session" if parent != "workload" else "client")
        case "server" | "run" if after == "{":
            shapes.add(word)
        case "send" if after == "(" and "workload" in blocks:
            shapes.add("client")
        case "queue" | "gauge" | "claim" | "share" if _is_name(after) and parent != "pool":
            shapes.add(word)
        case "device" | "engine" if _is_name(after):
            shapes.add("engine")
        case "let" if not blocks or blocks == ["fn"]:
            shapes.add("let")


def _edition(facts: _Facts) -> Edition | None:
    against = dict.fromkeys(Edition, 0.0)

    def only(editions: str, weight: float) -> None:
        for it in Edition:
            if it.value not in editions:
                against[it] += weight

    for mark in facts.marks:
        only(mark.editions, mark.weight)
    shapes = facts.shapes
    items = shapes & {"workload", "pool", "stage", "session", "server", "run", *_CLASSIC_ITEMS}
    if "main" in shapes:
        only("engine current", _STRUCTURE)
        if "workload" in shapes:
            only("engine", _ITEM)
        elif "server" in shapes and "open" not in shapes:
            only("current", _HINT)  # the engine edition's server stands beside its workload
        elif facts.heads <= {"fn"}:
            only("engine", _HINT)  # an empty main is a whole program of that edition
    elif items and "engine" not in shapes:
        only("classic current", _STRUCTURE)
        for _ in items & {"session", "server", "run", *_CLASSIC_ITEMS}:
            only("classic", _ITEM)
        unfinished = "client" not in shapes and items & {"pool", "stage"}
        only("current" if "workload" in items and not unfinished else "classic", _HINT)
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
    return "program" if shapes else "library"


def _matches(tokens: list[str], at: int, words: tuple[str, ...]) -> bool:
    """Say whether the tokens from `at` on are those of a mark (how marks are spelt: `marks.py`)."""
    if at < 0:
        return False
    if words[0] == "^":
        if (tokens[at - 1] if at else "") not in _BOUNDARY:
            return False
        words = words[1:]
    for word in words:
        token = tokens[at] if at < len(tokens) else ""
        match word:
            case "NAME":
                ok = _is_name(token)
            case "NUMBER":
                ok = token[:1].isdigit()
            case "FILE":
                ok = token[:1] == '"' and not token.startswith('"std/')
            case "()" | "[]":
                at = _skip(tokens, at, word)
                ok = at > 0
            case _:
                ok = token == word
        if not ok:
            return False
        at += 1
    return True


def _skip(tokens: list[str], at: int, pair: str) -> int:
    """Return the index of the bracket that closes the group at `at`; 0 where no such group stands or ends."""
    if at >= len(tokens) or tokens[at] != pair[0]:
        return 0
    depth = 0
    for here in range(at, min(len(tokens), at + _GROUP_TOKENS)):
        depth += (tokens[here] in _OPEN) - (tokens[here] in _OPEN.values())
        if depth == 0:
            return here
    return 0


def _is_name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def _anchors() -> dict[str, list[tuple[int, Mark]]]:
    """Return the marks by their first own word, with how many tokens before it they begin."""
    found: dict[str, list[tuple[int, Mark]]] = {}
    for mark in MARKS:
        row = [it for it in mark.words if it != "^"]
        back = next(at for at, it in enumerate(row) if it not in _PLACES)
        found.setdefault(row[back], []).append((back, mark))
    return found


_ANCHORS = _anchors()
