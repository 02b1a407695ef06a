"""What may stand at a place: for completion."""

from __future__ import annotations

import pytest

from serq_lsp.syntax.expected import expected_at
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

POOL = {"admit", "block", "cap", "evict", "preempt", "queue", "reserve", "spill", "}"}
OPERAND = {"!", "(", "-", "NAME", "NUMBER", "STRING", "max", "min", "sum", "~"}


def at(marked: str) -> set[str]:
    """Return what is expected at the bar of a text."""
    text = marked.replace("|", "", 1)
    source = Source("a.sq", text)
    told = expected_at(source, marked.index("|"))
    assert told == expected_at(source, marked.index("|"), parse(source))
    return set(told)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("pool kv { |", POOL),
        ("pool kv { ca| }", POOL),
        ("pool kv { cap 3; | block 4; }", POOL),
        ("stage a : |;", {"delay", "fifo", "ps", "step"}),
        ("stage a : fi|fo;", {"delay", "fifo", "ps", "step"}),
        ("session { hold kv (1) |{ } }", {",", "at", "prefix", "reserve", "reuse", "{"}),
        ("session { run gpu (1) |", {";", "growing"}),
        ("session { set a = |", OPERAND),
        ("session { set a = f(| ", OPERAND | {")"}),
        ("workload { arr| }", {"arrive", "hidden", "init", "send", "session", "trace", "turn", "}"}),
        ("fn main() { engine e on gpu { schedule { admit | } } }", {"waiting"}),
        ("session { nonsense here; set a = |", OPERAND),
        ("fn main() { pool x { nonsense 3; |", POOL),
        ("session { nonsense here } pool x { |", POOL),
        ("session { nonsense here | }", set()),
        ("let a = 1; // |", set()),
        ('use "lib/|', set()),
        ("let a = 1 /* | */;", set()),
    ],
)
def test_what_may_stand_at_a_place(marked: str, expected: set[str]) -> None:
    """The words and signs that the strict grammar takes at the bar, whatever comes behind it."""
    assert at(marked) == expected


def test_an_empty_file_may_begin_with_any_item() -> None:
    """At the top of a file any item may begin, and no statement."""
    told = at("|")
    assert {"pool", "fn", "use", "NAME"} <= told
    assert not {"set", "cap", "}", ";"} & told
