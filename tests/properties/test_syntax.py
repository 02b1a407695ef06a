"""Whatever the text and however it came about: a tree, the same from scratch, and faults inside the text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp.syntax.expected import expected_at
from serq_lsp.syntax.strict import check, faults
from serq_lsp.syntax.tree import Node, Tree, parse
from serq_lsp.syntax.walk import walk
from serq_lsp.text.edits import Edit, apply_edit
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

EXAMPLES = sorted((Path(__file__).parents[2] / "docs/examples").glob("*.sq"))
PROGRAMS = [path.read_text(encoding="utf-8") for path in EXAMPLES]
PROGRAMS += [PROGRAMS[0].replace("\n", "\r\n"), "let é = 1; /* 速😀 */ session { set 𝒙 = é + 1; }\n"]
PIECES = [
    "",
    "x",
    "é",
    "😀",
    "\r\n",
    "\r",
    "{",
    "}",
    ";",
    "(",
    ")",
    "1",
    ".",
    "//",
    "/*",
    "*/",
    '"',
    " ",
    "\n",
    "\ud800",
]
PIECES += ["hold kv (1) { }", "\ufeff", "\x00", "速", "set a = 1;", "engine", "\u2028"]
ANY_TEXT = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(), max_size=80),
    st.binary(max_size=80).map(lambda data: data.decode("utf-8", "replace")),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)
STEPS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 1, 2, 5, 40]), st.sampled_from(PIECES)), min_size=1, max_size=4
)


def shown(tree: Tree) -> list[tuple[object, ...]]:
    """Return all that a tree says."""
    return [
        (it.kind, it.start, it.end, it.field, it.named, it.missing, it.text, len(it.children)) for it in walk(tree.root)
    ]


def edits_of(text: str, steps: list[tuple[float, int, str]]) -> list[Edit]:
    """Return edits, each of the text that the one before leaves."""
    edits = []
    for part, gone, new in steps:
        start = round(part * len(text))
        edits.append(Edit(Span(start, min(len(text), start + gone)), new))
        text = apply_edit(text, edits[-1])
    return edits


def after(text: str, steps: list[tuple[float, int, str]]) -> str:
    """Return the text after edits."""
    for edit in edits_of(text, steps):
        text = apply_edit(text, edit)
    return text


@settings(max_examples=300)
@given(st.sampled_from(PROGRAMS), st.lists(STEPS, min_size=1, max_size=6))
def test_a_tree_made_by_edits_is_the_tree_made_from_scratch(
    text: str, scripts: list[list[tuple[float, int, str]]]
) -> None:
    """After each of several rounds of edits the incremental tree equals the one made anew."""
    tree = parse(Source("", text))
    for steps in scripts:
        edits = edits_of(text, steps)
        for edit in edits:
            text = apply_edit(text, edit)
        tree = parse(Source("", text), tree, edits)
        assert shown(tree) == shown(parse(Source("", text)))


@settings(max_examples=300)
@given(ANY_TEXT, st.floats(0, 1))
def test_any_text_has_a_tree_and_faults_inside_it(text: str, part: float) -> None:
    """Parsing, checking and asking what may follow never raise; spans lie inside the text, children inside parents."""
    source = Source("", text)
    tree = parse(source)
    assert all(0 <= it.span.start <= it.span.end <= len(text) for it in faults(tree))
    assert_nested(tree.root)
    assert bool(faults(tree)) == bool(list(tree.faults()))
    check(text)
    expected_at(source, round(part * len(text)))
    tree.path_at(round(part * len(text)))


@settings(max_examples=300)
@given(st.one_of(ANY_TEXT, st.builds(after, st.sampled_from(PROGRAMS), STEPS)))
def test_a_tree_is_sound_exactly_if_a_look_at_every_node_finds_no_fault(text: str) -> None:
    """`Tree.sound`, which spares a walk, says what the walk would; and the strict grammar agrees unless it is too deep."""
    tree = parse(Source("", text))
    assert tree.sound == (not any(replace(tree, sound=False).faults()))
    assert tree.sound == (check(text) is None) or tree.too_deep is not None


def assert_nested(root: Node) -> None:
    """Assert that children lie in their parents, in order, without overlap."""
    for node in walk(root):
        at = node.start
        for child in node.children:
            assert at <= child.start <= child.end <= node.end
            at = child.end


@settings(max_examples=200)
@given(st.sampled_from(PROGRAMS), STEPS)
def test_faults_of_a_spoilt_program_are_where_it_was_spoilt_or_behind(
    text: str, steps: list[tuple[float, int, str]]
) -> None:
    """A fault is reported, if any, and the strict grammar agrees that there is one."""
    for edit in edits_of(text, steps):
        text = apply_edit(text, edit)
    found = faults(parse(Source("", text)))
    assert bool(found) == (check(text) is not None)
    assert len({it.span for it in found}) == len(found)
    assert [it.span for it in found] == sorted(it.span for it in found)
