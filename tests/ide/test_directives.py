"""Comments for the tools: what they say, where they count, and what is said about those that are not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.ide.directives import Directives, directives
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span


def read(text: str) -> Directives:
    """Return the directives of a text."""
    return directives(parse(Source("a.sq", text)))


def test_run_settings() -> None:
    """`name=value` with the place of each; settings and constants alike."""
    text = "// serq: run horizon=20 seed = 1 Lambda=2*3\r\n"
    found = read(text)
    assert [(it.name, it.value, text[it.span.start : it.span.end]) for it in found.run] == [
        ("horizon", "20", "horizon=20"),
        ("seed", "1", "seed = 1"),
        ("Lambda", "2*3", "Lambda=2*3"),
    ]
    assert found.findings == ()


def test_ignore_on_its_own_line_is_for_the_next_line_of_code() -> None:
    """Comments and blank lines between do not count."""
    text = "let a = 1;\n// serq: ignore r-1, r-2 because of x\n\n/* c */\nlet b = 2; let c = 3;\nlet d = 4;\n"
    one, two = read(text).ignores
    line = text.index("let b")
    assert (one.rule, two.rule) == ("r-1", "r-2")
    assert one.where == two.where == Span(line, text.index("\nlet d"))
    assert text[two.span.start : two.span.end] == "r-2"


def test_ignore_behind_code_is_for_its_line() -> None:
    """A trailing comment speaks of the code before it."""
    text = "let a = 1;\nlet b = 2; // serq: ignore r because x\nlet c = 3;\n"
    (one,) = read(text).ignores
    assert one.where == Span(11, text.index("\nlet c"))


def test_ignore_before_all_code_is_for_the_file() -> None:
    """In the header of a file it drops the rule everywhere."""
    (one,) = read("// a program\n// serq: ignore r because x\nlet a = 1;\n").ignores
    assert one.where is None


@pytest.mark.parametrize(
    ("text", "rule", "at"),
    [
        ("// serq: ignore r", "ignore-without-reason", "ignore r"),
        ("// serq: ignore r because ", "ignore-without-reason", "ignore r because"),
        ("// serq: ignore", "bad-directive", "ignore"),
        ("// serq: ignore because x", "bad-directive", "ignore because x"),
        ("// serq: run", "bad-directive", ""),
        ("// serq: run fast", "bad-directive", "fast"),
        ("// serq: run seed=1 fast", "bad-directive", "fast"),
        ("// serq: edition moderm", "bad-directive", "edition moderm"),
        ("// serq: ingore r because x", "bad-directive", "ingore r because x"),
        ("// serq:", "bad-directive", ""),
    ],
)
def test_what_is_not_understood(text: str, rule: str, at: str) -> None:
    """A finding at the words, with what to write, and no effect."""
    found = read(text)
    (one,) = found.findings
    assert (one.rule.id, text[one.span.start : one.span.end]) == (rule, at)
    assert one.help
    assert found.ignores == ()


@pytest.mark.parametrize(
    "text",
    ["// serq: expect trace", "// serq: buckets decode manual 1 2", "// serq: edition engine", "/* serq: nonsense */",
     "// about serq: nothing", 'use "x // serq: nonsense";'],
)  # fmt: skip
def test_what_is_for_others_is_left_alone(text: str) -> None:
    """Directives of other modules, block comments, other comments and strings are not judged here."""
    assert read(text).findings == ()


@given(
    st.lists(
        st.sampled_from(["// serq: ", "run ", "ignore ", "a=1", " because ", "x", ",", "\n", "\r", "let a;", "/*"])
    ).map("".join)
)
def test_no_text_is_a_crash(text: str) -> None:
    """Places stay inside the text, whatever stands there."""
    found = read(text)
    spans = [*(it.span for it in found.run), *(it.span for it in found.ignores), *(it.span for it in found.findings)]
    assert all(0 <= it.start <= it.end <= len(text) for it in spans)
