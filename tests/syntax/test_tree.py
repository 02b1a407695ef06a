"""The tree: places in code points, what is missing, and what the grammar takes only to get over a mistake."""

from __future__ import annotations

import pytest

from serq_lsp.syntax.tree import MAX_DEPTH, Node, Tree, parse
from serq_lsp.syntax.walk import enclosing, paths, walk
from serq_lsp.text.edits import Edit
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span


def tree(text: str) -> Tree:
    """Return the tree of a text."""
    return parse(Source("a.sq", text))


def marks(text: str) -> list[str]:
    """Return the faults of a tree: what is missing in angle brackets, else the text at fault."""
    it = tree(text)
    return [f"<{node.kind}>" if node.missing else it.text(node) for node in it.faults()]


def only(text: str, kind: str) -> Node:
    """Return the one node of a kind."""
    (found,) = (node for node in walk(tree(text).root) if node.kind == kind and node.named)
    return found


@pytest.mark.parametrize("name", ["kv", "é", "速度", "𝒙y", "é速𝒙"])
def test_places_count_code_points(name: str) -> None:
    """A name stands where it stands in the text, whatever characters come before and in it."""
    text = f"/* é速😀 */ let {name} = 1;"
    assert only(text, "name").span == Span(text.index(f"{name} ="), text.index(" = 1"))


def test_a_byte_order_mark_is_an_error() -> None:
    """A byte-order mark is no white space in serQ (classic.md 1.1)."""
    assert marks("\ufefflet a = 1;") == ["\ufeff"]


def test_a_lone_surrogate_is_an_error_of_one_character() -> None:
    """A text that UTF-8 cannot hold has a tree, with the character in an ERROR node."""
    text = "let a = 1 \ud800;"
    assert marks(text) == ["\ud800"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("let a = 1", "<;>"),
        ("let = 1;", "<name>"),
        ("session { if (a { end; } }", "<)>"),
        ("session { set a = f(1; }", "<)>"),
        ("fn main() { e on gpu { granule 1; } }", "<engine>"),
        ("gpu : step { cost 1; }", "<stage>"),
        ("session { kv (1), slots (2) { end; } }", "<hold>"),
        ("fn main() { engine e gpu { granule 1; } }", "<on>"),
        ("fn main() { engine e on gpu { (a) { end; } } }", "<request>"),
    ],
)
def test_a_missing_word_or_sign_is_a_missing_node(text: str, missing: str) -> None:
    """What lacks stands in the tree with width 0, and is the only fault."""
    assert marks(text) == [missing]


def test_a_missing_node_has_no_width_and_is_no_word_of_its_parent() -> None:
    """`has_word` is false for a word that is missing, and its node is empty."""
    stage = only("gpu : step { cost 1; }", "stage")
    assert not stage.has_word("stage")
    assert (stage.children[0].kind, stage.children[0].span, stage.children[0].text) == ("stage", Span(0, 0), "")


def test_a_misspelt_word_leaves_its_block() -> None:
    """A word that begins nothing is an ERROR node; the block behind it is read."""
    it = tree("workload { inti { set a = 1; } }\nsession { lop { end; } }")
    assert [it.text(node) for node in it.faults()] == ["inti", "lop"]
    assert {"set", "end"} <= {node.kind for node in walk(it.root)}


def test_an_unfinished_line_does_not_spoil_the_lines_after_it() -> None:
    """Brackets that a line leaves open are closed where it ends."""
    it = tree("session {\n  set a = max(1, f(\n  set b = 2;\n}\nrun { horizon 3; }\n")
    sound = [node for node in walk(it.root) if node.named and node.kind in ("set", "run_block", "setting")]
    assert [it.text(node) for node in sound[1:]] == ["set b = 2;", "run { horizon 3; }", "horizon 3;"]
    assert all(node.missing for node in it.faults())


def test_a_block_that_is_not_closed_ends_where_the_indentation_does() -> None:
    """A missing brace is put in before the line that is indented less."""
    it = tree("session {\n  loop {\n    run desk (1);\n\n  end;\n}\nstage desk : fifo;\n")
    assert [node.kind for node in it.root.children] == ["session", "stage"]
    assert [(node.kind, node.missing) for node in it.faults()] == [("}", True)]


def test_a_string_ends_with_its_line() -> None:
    """A string without its second quote is at fault alone; the items after it are read."""
    it = tree('use "lib/a.sq;\nlet a = 1;\nuse "lib/b.sq";\n')
    assert [it.text(node) for node in it.faults()] == ['"lib/a.sq']
    assert [node.kind for node in it.root.children] == ["use", "let", "use"]


def test_a_number_with_two_dots_is_at_fault() -> None:
    """`1.5.2` is one number token, and no number (classic.md 1.3)."""
    assert marks("let a = 1.5.2;") == ["1.5.2"]


def test_nesting_stops_at_the_limit() -> None:
    """100,000 brackets give a tree of limited depth that says where it was cut off."""
    it = tree("let a = " + "(" * 100_000 + "1" + ")" * 100_000 + ";")
    assert it.too_deep is not None
    depth = max(len(path) for path in paths(it, [node for node in walk(it.root) if not node.children]))
    assert depth == MAX_DEPTH + 1


@pytest.mark.parametrize("text", ["{" * 20_000, "session { loop {" * 5_000, ") " * 20_000, "\x00" * 100, "", "😀"])
def test_any_text_has_a_tree(text: str) -> None:
    """Broken text of any kind has a tree that covers no more than the text."""
    assert all(0 <= node.start <= node.end <= len(text) for node in walk(tree(text).root))


def test_an_edit_gives_the_tree_of_the_new_text() -> None:
    """The tree made after an edit is the one made from scratch, places included."""
    source = Source("a.sq", "let é = 1;\nlet b = 2;\n")
    edit = Edit(Span(8, 9), "10 + 速")
    after = source.edited(edit, 1)
    shown = [(node.kind, node.span) for node in walk(parse(after, parse(source), [edit]).root)]
    assert shown == [(node.kind, node.span) for node in walk(parse(after).root)]


@pytest.mark.parametrize(
    ("offset", "kind"),
    [(0, "let"), (5, "name"), (8, "number"), (9, "number"), (10, ";"), (4, "name"), (3, "let")],
)
def test_the_path_to_a_place_ends_at_the_node_there(offset: int, kind: str) -> None:
    """Where two nodes touch, the one that begins is taken, unless only the one before is a word, name or number."""
    assert tree("let ab = 1;\n".replace("= 1", "=1")).path_at(offset)[-1].kind == kind


def test_enclosing_finds_the_smallest_node_of_a_kind() -> None:
    """`enclosing` looks outwards from a place."""
    it = tree("session { loop { end; } }")
    found = enclosing(it, 18, "block", "session")
    assert found is not None
    assert it.text(found) == "{ end; }"
    assert enclosing(it, 18, "pool") is None


def test_walking_goes_in_text_order_each_node_before_its_children() -> None:
    """`walk` yields every node once, by its start."""
    nodes = list(walk(tree("let a = 1 + 2;").root))
    assert [node.start for node in nodes] == sorted(node.start for node in nodes)
    assert nodes[0].kind == "source_file"
    assert len({id(node) for node in nodes}) == len(nodes)
