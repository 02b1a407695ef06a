"""Meaning and lowering never raise, whatever is cut out of a program or put into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp.ir.codec import to_json
from serq_lsp.lang.editions import Edition
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from serq_lsp.sema.model import analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from tests.sema.programs import CONFORMANCE, from_disk

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = re.compile(r'"[^"]*"|\w+|\s+|[^\w\s]')
TEXTS = [
    (path, TOKEN.findall(path.read_text(encoding="utf-8")))
    for edition in ("classic", "engine")
    for folder in ("accept", "run")
    for path in sorted((CONFORMANCE / edition / folder).glob("*.sq"))
]
WORDS = sorted({token for _, tokens in TEXTS for token in tokens if token.strip()})


@st.composite
def mutilated(draw: st.DrawFn) -> tuple[Path, str]:
    """Return a program with some tokens deleted, replaced or added."""
    path, tokens = draw(st.sampled_from(TEXTS))
    tokens = list(tokens)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(("delete", "replace", "add"))):
            case "delete":
                del tokens[at : at + draw(st.integers(1, 4))]
            case "replace":
                tokens[at] = draw(st.sampled_from(WORDS))
            case _:
                tokens.insert(at, draw(st.sampled_from(WORDS)))
        if not tokens:
            break
    return path, "".join(tokens)


@given(mutilated(), st.sampled_from(Edition))
@settings(max_examples=150)
def test_no_text_makes_it_raise(program: tuple[Path, str], edition: Edition) -> None:
    """Broken text gives a smaller model; what can be lowered can be printed."""
    path, text = program
    model = analyze(parse(Source(str(path), text)), edition, from_disk)
    for fault in model.faults:
        assert fault.span.start <= fault.span.end
    lowered = lower(model, RunSettings(horizon=3))
    if lowered.program is not None:
        to_json(lowered.program)


@pytest.mark.parametrize("edition", Edition)
@pytest.mark.parametrize(
    "text",
    [
        "", "\ufeff", "((((", "}" * 50, "fn main() {", "use", 'use "', "def f(", "def f(x) = f(f(x)); session { set a = f(1); }",
        "queue Q : prefill { prefill (n) { Q.prefill (n); } } session { Q.prefill (1); }", "let a = a; let b = b + a;",
        "fn main() { engine e on e { } pool e on e { } server { e (1); } }", "pool p[p[1]] { }", "gauge g = g(g);",
        "session { hold kv (a) at admission (a = a) { set a = a; } }", "def f(p) { hold p (p) { f(p); } } session { f(f); }",
    ],
)  # fmt: skip
def test_odd_texts_give_an_answer(text: str, edition: Edition) -> None:
    """Circles, empty files, names that mean themselves."""
    lower(analyze(parse(Source("x.sq", text)), edition, from_disk), RunSettings(horizon=1))


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_deep_nesting_gives_an_answer(depth: int) -> None:
    """Brackets, blocks and definitions may nest as deep as they like."""
    for text in (
        "session { set a = " + "(" * depth + "1" + ")" * depth + "; }",
        "session " + "{ loop " * min(depth, 2000) + "{ }" + "}" * min(depth, 2000),
        "".join(f"def f{i}(x) = f{i - 1}(x) + x;\n" for i in range(1, min(depth, 1500))) + "session { set a = f9(1); }",
    ):
        lower(analyze(parse(Source("x.sq", text)), Edition.CLASSIC, from_disk), RunSettings(horizon=1))


def test_definitions_that_double_are_stopped() -> None:
    """A chain of definitions that use one another twice unfolds without end; it is a fault, quickly."""
    text = "def d0(k) = k + k;\n" + "".join(f"def d{i}(k) = d{i - 1}(k) + d{i - 1}(k);\n" for i in range(1, 40))
    model = analyze(
        parse(Source("x.sq", text + "session { set a = d39(1); } run { horizon 3; }")), Edition.CLASSIC, from_disk
    )
    assert [type(it).__name__ for it in model.faults] == ["TooLarge"]
