"""How much of a program survives a mistake, measured on the example programs."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, median, quantiles
from typing import TYPE_CHECKING

import pytest

from serq_lsp.syntax.repair import repairs
from serq_lsp.syntax.strict import faults
from serq_lsp.syntax.tree import Node, parse
from serq_lsp.syntax.walk import walk
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = sorted((Path(__file__).parents[2] / "docs/examples").glob("*.sq"))
TEXTS = [path.read_text(encoding="utf-8") for path in EXAMPLES]


def tokens(text: str) -> list[Node]:
    """Return the words and signs of a program."""
    return [node for node in walk(parse(Source("", text)).root) if node.text and node.kind != "comment"]


def deleted() -> Iterator[str]:
    """Yield the programs with one token deleted, each in turn."""
    for text in TEXTS:
        for token in tokens(text):
            yield text[: token.start] + " " * (token.end - token.start) + text[token.end :]


def cut() -> Iterator[str]:
    """Yield the programs with one line cut off behind one of its tokens, as while it is being typed."""
    for text in TEXTS:
        for token in tokens(text):
            line_end = text.find("\n", token.end)
            yield text[: token.end] + text[line_end:]


def unread(text: str) -> int | None:
    """Return how many characters stand in ERROR nodes; None for a text without faults."""
    found = list(parse(Source("", text)).faults())
    return sum(node.end - node.start for node in found) if found else None


@pytest.mark.slow
def test_a_deleted_token_leaves_all_but_a_few_characters_readable() -> None:
    """Over all deletions: nothing unread in the median, 20 characters at the 90th percentile, 200 at most."""
    sizes = [size for text in deleted() if (size := unread(text)) is not None]
    assert median(sizes) == 0
    assert quantiles(sizes, n=10)[-1] <= 20
    assert max(sizes) <= 200
    assert mean(sizes) <= 8


@pytest.mark.slow
def test_a_line_being_typed_leaves_the_others_readable() -> None:
    """Over all unfinished lines: nothing unread in the median, 25 characters at the 90th percentile."""
    sizes = [size for text in cut() if (size := unread(text)) is not None]
    assert median(sizes) == 0
    assert quantiles(sizes, n=10)[-1] <= 25
    assert mean(sizes) <= 20


@pytest.mark.slow
def test_a_deleted_token_is_mostly_one_fault() -> None:
    """At least nine of ten deletions that are noticed give one fault."""
    counts = [count for text in deleted() if (count := len(faults(parse(Source("", text)))))]
    assert counts.count(1) / len(counts) >= 0.9


def put_in(text: str) -> list[list[str]]:
    """Return the ways in which a text may be repaired, each as the text with what is put in between bars."""
    shown = []
    for way in repairs(text):
        parts = list(text)
        for offset, new in reversed(way):
            parts.insert(offset, f"|{new}|")
        shown.append("".join(parts))
    return [[it] for it in shown]


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("let a = 1;", []),
        ("session { run desk (1; }", ["session { run desk (1|)|; }"]),
        ("session { set a = f([1; }", ["session { set a = f([1|])|; }"]),
        ("session { set a = f([1); }", ["session { set a = f([1|]|); }"]),
        ('use "a;\n', ['use "a|"|;\n']),
        ("session {\n  end\n  end;\n}", ["session {\n  end|;|\n  end;\n}"]),
        ("session {\n  loop {\n    end;\n}\n", ["session {\n  loop {\n    end;|}|\n}\n"]),
        ("session\n  end;\n}\n", ["session|{|\n  end;\n}\n"]),
        ("session {\n  hold kv (1)\n    reserve (2) { }\n}", []),
        ("session {\n  hold kv (1) at admission (a = 1,\n    b = 2) { }\n}", []),
        ("let a = max(1, // (\n  2);", []),
    ],
)
def test_what_is_put_into_a_broken_text(text: str, repaired: list[str]) -> None:
    """Brackets, quotes and semicolons are closed by lines, braces by indentation; sound texts are left alone."""
    assert put_in(text) == [[it] for it in repaired]
