"""The reader of Markdown fixtures reads what the format says, and refuses the rest with the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.cases import Block, Case, Cursor, FixtureError, Mark
from tests.harness.markdown import load, rewrite

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, text: str) -> list[Case]:
    """Write a fixture and read it."""
    path = folder / "fixture.md"
    path.write_bytes(text.encode("utf-8"))
    return load(path)


def test_a_section_with_a_program_is_a_case(tmp_path: Path) -> None:
    """The heading names the case, the block is its file, the rest is prose; a section without blocks is prose only."""
    (case,) = read(tmp_path, "# Title\nWords.\n## One\nWhy.\n```sq --seed 2\nlet a = 1;\n```\n")
    assert (case.name, case.prose, case.args, case.line) == ("One", "Why.", "--seed 2", 2)
    assert (dict(case.files), case.main, case.text) == ({"main.sq": "let a = 1;\n"}, "main.sq", "let a = 1;\n")


def test_a_line_names_another_file(tmp_path: Path) -> None:
    """`//- path` starts another file and belongs to none; a first one renames the main file."""
    text = '# A\n```sq\n//- a/b.sq\nuse "../lib/x.sq"\n//- lib/x.sq\ndef f(x) = x;\n```\n```sq\n//- c.sq\n```\n'
    (case,) = read(tmp_path, text)
    assert list(case.files.items()) == [
        ("a/b.sq", 'use "../lib/x.sq"\n'),
        ("lib/x.sq", "def f(x) = x;\n"),
        ("c.sq", ""),
    ]


def test_other_blocks_are_expectations(tmp_path: Path) -> None:
    """Any other block keeps its kind, the rest of its info string and its text; illustrations are left out."""
    (case,) = read(
        tmp_path, "# A\n```sq\n```\n```trace --limit 2\nITER\n\n```\n````hover\n```sq\n```\n````\n```text\nx\n```\n"
    )
    assert case.blocks == (Block("trace", "--limit 2", "ITER\n\n"), Block("hover", "", "```sq\n```\n"))
    assert case.block("trace") == case.blocks[0]
    assert case.block("ir") is None


def test_marks_label_the_code_above(tmp_path: Path) -> None:
    """Marks stay in the program; carets and columns name places in the nearest line of code above them."""
    program = 'hold slotz (1);\n//   ^^^^^ unknown-pool "mean `slots`"\n//@ 0:4 "say \\"x\\""\n\nend;\n//@ 1:1\n'
    (case,) = read(tmp_path, f"# A\n```sq\n{program}```\n")
    assert case.text == program
    assert case.marks == (
        Mark("main.sq", 0, 5, 10, "unknown-pool", "mean `slots`"),
        Mark("main.sq", 0, 0, 4, None, 'say "x"'),
        Mark("main.sq", 4, 1, 1, None, None),
    )


def test_marks_count_code_points(tmp_path: Path) -> None:
    """A character outside the basic plane takes one column, and a lone CR ends a line."""
    (case,) = read(tmp_path, "# A\n```sq\n/* 😀😀 */ x\r//       ^ r\n```\n")
    assert case.marks == (Mark("main.sq", 0, 9, 10, "r", None),)


def test_the_cursor_is_taken_out(tmp_path: Path) -> None:
    """`$0` is removed and its offset kept; marks count columns without it; a pair is a range."""
    (case,) = read(tmp_path, "# A\n```sq\n//- x.sq\nlet a = 1;\n//- y.sq\nlet $0b$0 = 2;\n//  ^ r\n```\n")
    assert case.files["y.sq"] == "let b = 2;\n//  ^ r\n"
    assert case.cursor == Cursor("y.sq", 4, 5)
    assert case.marks == (Mark("y.sq", 0, 4, 5, "r", None),)
    (case,) = read(tmp_path, "# A\n```sq\na$0\n```\n")
    assert case.cursor == Cursor("main.sq", 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# A\n```sq\n", ":2: this block is never closed"),
        ("# A\n```trace\n```\n", ":1: `A` has blocks but no `sq` program"),
        ("# A\n```sq\n```\n# A\n```sq\n```\n", ":1: another case is called `A` too"),
        ("# A\n```sq\n```\n```ir\n```\n```ir\n```\n", ":1: `A` has two `ir` blocks"),
        ("# A\n```sq\n```\n```sq\nx\n```\n", ":4: a second `sq` block begins with `//- path`"),
        ("# A\n```sq\n//- a\n//- a\n```\n", ":4: a second file called `a`"),
        ("# A\n```sq\n$0$0$0\n```\n", ":1: a case has one `$0`, or a pair in one file"),
        ("# A\n```sq\nx\n// ^^ Not A Rule\n```\n", ": not a mark"),
        ("# A\n```sq\n// ^ rule\n```\n", ": no code above the mark"),
        ("# A\n```sq\nx\n//  ^ rule\n```\n", ": the mark points past the end of its line"),
    ],
)
def test_a_malformed_fixture_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """A fixture that says nothing clear is an error with its place, never a silent pass."""
    with pytest.raises(FixtureError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_rewriting_changes_one_block(tmp_path: Path) -> None:
    """The named block of the named case gets the new text; every other byte of the file stays."""
    before = "# A\n```sq\nx\ry\r\n```\n```ir\nold\n```\n# B\n```sq\n```\n```trace\n1\n```\n```ir --x\n{}\n```\nend"
    read(tmp_path, before)
    rewrite(tmp_path / "fixture.md", "B", "ir", "one\ntwo\n")
    after = (tmp_path / "fixture.md").read_bytes().decode("utf-8")
    assert after == before.replace("{}\n", "one\ntwo\n")


def test_rewriting_lengthens_the_fence_where_it_must(tmp_path: Path) -> None:
    """A text with fences of its own comes back as it was."""
    read(tmp_path, "# A\n```sq\n```\n```hover\n```\n")
    text = "```sq\nx\n```\n"
    rewrite(tmp_path / "fixture.md", "A", "hover", text)
    (case,) = load(tmp_path / "fixture.md")
    assert case.blocks == (Block("hover", "", text),)


def test_rewriting_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A case or block that does not exist is named."""
    read(tmp_path, "# A\n```sq\n```\n")
    with pytest.raises(FixtureError, match="no `ir` block in a case called `A`"):
        rewrite(tmp_path / "fixture.md", "A", "ir", "")
