"""The two grammars take the same texts: tree-sitter's tree has no fault where the strict grammar has none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from serq_lsp.dev import lark_tables
from serq_lsp.syntax.automaton import Automaton, tables
from serq_lsp.syntax.strict import check, faults
from serq_lsp.syntax.tokens import Token
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from random import Random

ROOT = Path(__file__).parents[2]
PLACES = [
    "docs",
    "lib",
    "tests/spec",
    *(
        f"tests/conformance/{edition}/{kind}"
        for edition in ("classic", "engine", "current")
        for kind in ("accept", "reject", "run")
    ),
]


def texts(place: str) -> list[Path]:
    """Return the programs below a folder of the project."""
    return sorted((ROOT / place).rglob("*.sq"))


def read(path: Path) -> str:
    """Return a file's text with its line ends as they are; bytes that are no UTF-8 become U+FFFD."""
    return path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("place", PLACES)
def test_both_grammars_take_and_refuse_the_same_files(place: str) -> None:
    """For each file there are faults in the tree, in the strict check and in the list of faults, or in none of them."""
    differing = []
    for path in texts(place):
        text = read(path)
        tree = parse(Source(path.name, text))
        told = {bool(list(tree.faults())), check(text) is not None, bool(faults(tree))}
        if len(told) > 1:
            differing.append(path.name)
    assert not differing


@pytest.mark.parametrize("place", [place for place in PLACES if not place.endswith(("reject", "spec"))])
def test_an_accepted_program_has_no_syntax_fault(place: str) -> None:
    """Programs that the reference takes have no syntax fault."""
    refused = [path.name for path in texts(place) if faults(parse(Source("", read(path))))]
    assert not refused


NAMES = ["a", "kv", "run", "hold", "max", "café", "速度", "_", "a²"]
NUMBERS = ["0", "1", "2.5", ".5", "1_000", "1e3", "7."]
STRINGS = ['"a"', '"lib/é.sq"']
BLANKS = [" ", " ", "\n", "\u00a0", "\r\n", " /* note */ ", " // note\n"]
CLOSING = [";", ")", "]", "}", "=", "{", "(", ":", "by", "NAME", "NUMBER"]
EXTRA = ["", ";", "{", "}", "(", ")", ",", " x ", " run ", " 1 ", "@", "/*", '"', "😀"]


def sentence(random: Random, start: str, length: int) -> str:
    """Return a text made by walking through the strict grammar's states; it is ended soon after `length` tokens."""
    machine, parts = Automaton(start), []
    texts_of = tables().texts
    for count in range(4 * length):
        could = {texts_of.get(name, name): name for name in machine.accepts()}
        if count > length and "$END" in could:
            break
        could.pop("$END", None)
        closing = [text for text in CLOSING if text in could]
        text = closing[0] if count > length and closing else random.choice(sorted(could))
        spelt = random.choice({"NAME": NAMES, "NUMBER": NUMBERS, "STRING": STRINGS}.get(text, [text]))
        machine.feed(Token(text if text in ("NAME", "NUMBER", "STRING") else "SIGN", text, 0, 0))
        parts += [spelt, random.choice(BLANKS)]
    return "".join(parts)


@settings(max_examples=150)
@given(st.randoms(use_true_random=False), st.sampled_from(["source_file", "in_block", "in_main"]), st.integers(1, 60))
def test_a_walk_through_the_grammar_is_taken_or_refused_alike(random: Random, start: str, length: int) -> None:
    """Texts made by walking through the strict grammar are judged alike by both."""
    text = sentence(random, start, length)
    program = f"session {{ {text} }}" if start == "in_block" else text
    assert bool(list(parse(Source("", program)).faults())) == (check(program) is not None)


@settings(max_examples=150)
@given(st.randoms(use_true_random=False), st.integers(1, 40), st.sampled_from(EXTRA), st.integers(0, 6))
def test_a_spoilt_walk_is_taken_or_refused_alike(random: Random, length: int, extra: str, gone: int) -> None:
    """A few characters more or less in such a text are judged alike by both."""
    text = sentence(random, "source_file", length)
    at = random.randint(0, len(text))
    spoilt = text[:at] + extra + text[at + gone :]
    assert bool(list(parse(Source("", spoilt)).faults())) == (check(spoilt) is not None)


EXPLICIT = {
    "NAME": st.sampled_from(NAMES).map(" {} ".format),
    "NUMBER": st.sampled_from(NUMBERS).map(" {} ".format),
    "STRING": st.sampled_from(STRINGS),
    "SPACE": st.just(" "),
    "COMMENT": st.just("/* note */"),
}
PROGRAMS = from_lark(lark_tables.grammar(["source_file"]), start="source_file", explicit=EXPLICIT)


@pytest.mark.slow
@settings(max_examples=20)
@given(PROGRAMS)
def test_a_program_made_by_hypothesis_is_taken_or_refused_alike(text: str) -> None:
    """Programs that hypothesis makes from the lark grammar (joined words spoil some) are judged alike by both."""
    assert bool(list(parse(Source("", text)).faults())) == (check(text) is not None)
