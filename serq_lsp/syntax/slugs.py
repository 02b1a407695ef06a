"""Which rule of the reference a syntax fault is: told by what was read, what stands there and what could.

The slugs are those of classic.md 12.3 where that has one, else of engine-rules-1.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.syntax.automaton import END, Automaton, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from serq_lsp.syntax.tokens import Token

KINDS = {"fifo", "ps", "delay", "step"}


NAME_OF_DEFINITION = -1


class Slug(NamedTuple):
    """A rule's slug, and which token it marks.

    That is an index into what was read, NAME_OF_DEFINITION, or None for the token that cannot stand.
    """

    rule: str
    mark: int | None = None


@dataclass(frozen=True)
class Place:
    """Where the grammar stopped.

    `start` is the start symbol of the list, `before` the tokens read of its element, `token` the one that cannot stand
    after them (None at the end of the text), `could` the terminals that could (words and signs by their text, `NAME`,
    `$END`, …) without operators, `begun` the start symbols of the forms that could begin, `rest` the tokens from the
    element's begin to the end of the text, `defined` the names of the file's definitions, `ends_body` whether the
    element stands behind statements in the body of a definition.
    """

    start: str
    before: Sequence[Token]
    token: Token | None
    could: frozenset[str]
    begun: tuple[str, ...]
    rest: Sequence[Token]
    defined: frozenset[str]
    ends_body: bool

    def read(self, *words: str) -> bool:
        """Say whether what was read begins with these words."""
        return tuple(token.text for token in self.before[: len(words)]) == words

    @property
    def word(self) -> str:
        """Return the token if it is a word, else nothing."""
        return self.token.text if self.token is not None and self.token.kind == "NAME" else ""

    @property
    def sign(self) -> str:
        """Return the token's text, or nothing at the end of the text."""
        return self.token.text if self.token is not None else ""


def slug(place: Place) -> Slug:
    """Return the rule that a fault breaks, and what it marks."""
    for tell in (_nothing_begins, _unknown_first_word, _definition, _BY_LIST.get(place.start), _general):
        if tell is not None and (told := tell(place)) is not None:
            return told
    return Slug("expected-token")


@lru_cache(maxsize=1)
def _retired() -> frozenset[str]:
    from serq_lsp.lang.editions import Edition
    from serq_lsp.lang.table import retired_names

    return frozenset().union(*map(retired_names, Edition))


_NO_FORM = {
    "in_main": "top-level-item",
    "in_pool": "unknown-pool-option",
    "in_step": "unknown-step-option",
    "in_iteration_block": "iteration-statement",
    "in_engine": "engine-item",
    "in_device": "dev-resource-form",
    "in_connector": "connector-item",
    "in_schedule_block": "sched-statement",
    "in_workload": "workload-item",
    "in_queue": "queue-item",
    "in_run_block": "unknown-run-option",
    "in_block": "unknown-statement",
}
_NO_WORD = {"in_pool": "expected-name", "in_step": "expected-name", "in_block": "expected-statement"}
"""By list: a word that begins none of its forms, and a sign or the end of the text where it says something else."""


def unknown_word(start: str, word: str) -> str:
    """Return the rule that a word breaks which begins nothing in a list, by the list's start symbol."""
    if start == "in_block" and word in _retired():
        return "retired-statement"
    if start == "in_engine" and word in first_words("in_step"):
        return "engine-old-word"
    return _NO_FORM.get(start, "expected-token")


def _nothing_begins(place: Place) -> Slug | None:
    """Where a new form of a list could begin and what stands there begins none."""
    begun = [start for start in place.begun if start in _NO_FORM]
    if not place.before:
        begun = [place.start]
    if not begun or "NUMBER" in place.could:
        return None
    if place.token is None and place.read("fn", "main") and begun[0] == "in_main":
        return Slug("main-unclosed")
    if begun[0] == "in_schedule_block" and place.word == "serve":
        return Slug("sched-serve")
    if begun[0] == "in_step" and place.word in ("exclusive", "decode"):
        return Slug("renamed-clause")
    if place.ends_body and place.token is not None and not place.word:
        return Slug("def-mixed-body", NAME_OF_DEFINITION)
    if not place.word and begun[0] in _NO_WORD:
        return Slug(_NO_WORD[begun[0]])
    return Slug(_NO_FORM.get(begun[0], "expected-token"))


def _unknown_first_word(place: Place) -> Slug | None:
    """Where the first word is a name, which then does not go on as a name can there."""
    first = place.before[0]
    if first.kind != "NAME" or place.start not in ("in_block", "in_main", "in_engine", "in_device"):
        return None
    if len(place.before) != 1 or first.text in first_words(place.start):
        if place.start == "in_block" and len(place.before) > 2 and place.before[1].text == "[" and place.could == {"."}:
            return Slug("entry-call-form", 0)
        return None
    if place.start == "in_block":
        if place.ends_body and place.token is not None and not place.word:
            return Slug("def-mixed-body", NAME_OF_DEFINITION)
        return Slug("retired-statement" if first.text in _retired() else "unknown-statement", 0)
    if place.start == "in_engine":
        return Slug("engine-old-word", 0) if first.text in first_words("in_step") else Slug("engine-item")
    return Slug("top-level-item", 0) if place.start == "in_main" else Slug("dev-resource-form")


@lru_cache(maxsize=32)
def first_words(start: str) -> frozenset[str]:
    """Return the words that begin the forms of a list, by its start symbol."""
    texts = tables().texts
    begins = (texts.get(name, "") for name in Automaton(start).accepts())
    return frozenset(word for word in begins if word.isalpha())


def _definition(place: Place) -> Slug | None:
    """What is wrong with a definition as a whole, and with a use of one."""
    if place.read("def"):
        if place.could == {"=", "{"}:
            return Slug("def-body-missing")
        told = _body(place.rest, len(place.before))
        if told is not None:
            return told
        if place.read("def") and place.before[-1].text == "=" and place.sign == ";":
            return Slug("def-empty", 1)
    called = _open_call(place.before)
    if called is None or place.before[called].text not in place.defined:
        return None
    if place.token is None:
        return Slug("def-use-not-closed", called)
    if place.sign in ("]", "}"):
        return Slug("def-unmatched-bracket")
    if place.sign in (",", ")") and place.before[-1].text in (",", "("):
        return Slug("def-argument-empty", called)
    return None


def _body(tokens: Sequence[Token], stopped: int) -> Slug | None:
    """Say whether the brackets of a definition's body, from its `=` or `{`, go wrong: too many closed, or too few."""
    depth = 0
    inside = False
    for index, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            inside = inside or (token.text == "{" and depth == 0)
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
            if depth < 0 or (inside and depth == 0 and token.text != "}"):
                return Slug("def-unmatched-bracket", index) if index <= stopped else None
            if inside and depth == 0:
                return None
        elif token.text == "=" and depth == 0:
            inside = inside or index > 0
        elif token.text == ";" and depth == 0:
            return None
    return Slug("def-not-closed", 1)


def _open_call(before: Sequence[Token]) -> int | None:
    """Return the index of the name whose arguments are still open, or None."""
    depth = 0
    for index in range(len(before) - 1, 0, -1):
        text = before[index].text
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            if depth == 0:
                return index - 1 if text == "(" and before[index - 1].kind == "NAME" else None
            depth -= 1
    return None


def _in_items(place: Place) -> Slug | None:
    if place.could <= KINDS and place.could:
        return Slug("unknown-stage-kind")
    if "every" in place.could and "some" in place.could:
        return Slug("claim-form")
    if place.could == {"maxmin", "bottleneck"}:
        return Slug("share-policy")
    if place.could == {"main"}:
        return Slug("main-name")
    if place.read("fn", "main", "(") and len(place.before) == 3 and place.could == {")"}:
        return Slug("main-missing", 0)
    if place.read("engine") and "on" in place.could:
        return Slug("top-level-item", 0)
    if place.read("server", "(") and place.could == {"NAME", "hidden"}:
        return Slug("signature-empty" if place.sign == ")" else "expected-name")
    return None


def _in_statements(place: Place) -> Slug | None:
    if place.read("hold") and "{" in place.could and place.word:
        if place.word in _retired():
            return Slug("retired-statement")
        if place.word in ("reserve", "reuse", "prefix", "at"):
            return Slug("hold-order")
        return Slug("renamed-clause") if place.word == "fits" else None
    if place.read("at", "admission") and len(place.before) == 2:
        return Slug("req-admission-place", 0)
    if place.read("cache") and place.sign == ")":
        return Slug("req-cache-empty", 0)
    if place.read("transfer") and place.word == "from":
        return Slug("transfer-needs-pools", 0)
    if place.read("transfer") and "to" in place.could:
        return Slug("expected-word")
    if place.read("kvt", "."):
        return Slug("kvt-function", 0)
    if place.could == {";", "from", "to"} and place.before[1].text == "(":
        return Slug("unknown-statement", 0) if place.sign == "{" else Slug("def-use-semicolon")
    if place.read("Cost") and len(place.before) > 3 and place.before[3].text == "{":
        return Slug("cost-record")
    return None


def _in_step(place: Place) -> Slug | None:
    if place.read("serve") and "admission" in place.could and "exclusive" in place.could:
        return Slug("serve-form")
    return Slug("serve-only-exclusive") if place.read("serve", "only") and place.word == "exclusive" else None


def _in_iteration(place: Place) -> Slug | None:
    return Slug("iteration-exclusive") if place.read("serve") and place.word == "exclusive" else None


def _in_pool(place: Place) -> Slug | None:
    return Slug("suspend-needs-every") if place.read("preempt", "leases") and place.word == "suspend" else None


def _in_engine(place: Place) -> Slug | None:
    if place.read("request") and place.could == {"("}:
        return Slug("req-parameters")
    if place.could == {"forward"}:
        return Slug("worker-forward")
    return Slug("worker-item") if place.read("worker") and place.word and place.could == {"}"} else None


def _in_schedule(place: Place) -> Slug | None:
    if place.could in ({"running"}, {"waiting"}):
        return Slug("sched-advance-running" if place.could == {"running"} else "sched-admit-waiting")
    words = [token.text for token in place.before]
    if "taking" in words and (";" in place.could | {place.sign} or place.could <= {"(", "[", "."}):
        empty = words[-1] == "taking"
        return Slug("taking-empty") if empty else Slug("taking-form", words.index("taking"))
    return Slug("sched-clause-order") if place.word and ";" in place.could else None


def _in_device(place: Place) -> Slug | None:
    return Slug("dev-resource-empty", 0) if place.before[-1].text == "=" and place.sign == ";" else None


def _in_workload(place: Place) -> Slug | None:
    if place.read("send", "(") and place.sign == ")" and len(place.before) == 2:
        return Slug("send-empty", 0)
    return None


_BY_LIST: dict[str, Callable[[Place], Slug | None]] = {
    "in_main": _in_items,
    "in_block": _in_statements,
    "in_step": _in_step,
    "in_iteration_block": _in_iteration,
    "in_pool": _in_pool,
    "in_engine": _in_engine,
    "in_schedule_block": _in_schedule,
    "in_device": _in_device,
    "in_workload": _in_workload,
    "in_queue": _in_items,
    "in_request_admission": lambda place: Slug("req-admission-form", 0) if place.sign == "}" else None,
}


def _general(place: Place) -> Slug | None:
    """What a single missing part is called wherever it lacks."""
    if place.before[-1].text == "in" and any(token.text in ("max", "min", "sum") for token in place.before[-3:]):
        return Slug("aggregate-count-form")
    if "expression_alone" in place.begun:
        return Slug("expected-expression")
    if place.could == {"NAME"}:
        return Slug("expected-name")
    if place.could == {"STRING"}:
        return Slug("expected-string")
    if place.could and all(it[0].isalpha() and it.islower() for it in place.could - {END}):
        return Slug("expected-word")
    return None
