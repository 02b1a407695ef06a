"""Marks and expected blocks are compared with what was found, and differences say what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.cases import Mark
from tests.harness.markdown import load
from tests.harness.marks import Found, draw, mismatches
from tests.harness.runners import Outcome, accepting, judge

if TYPE_CHECKING:
    from pathlib import Path

MARK = Mark("a.sq", 3, 5, 10, "unknown-pool", "mean `slots`")
FOUND = Found("a.sq", 3, 5, 10, "unknown-pool", "did you mean `slots`?")


def test_a_marked_finding_fits() -> None:
    """Place, rule and a part of the message must agree."""
    assert mismatches([MARK], [FOUND]) == []


@pytest.mark.parametrize(
    "found",
    [
        Found("b.sq", 3, 5, 10, "unknown-pool", "mean `slots`"),
        Found("a.sq", 2, 5, 10, "unknown-pool", "mean `slots`"),
        Found("a.sq", 3, 4, 10, "unknown-pool", "mean `slots`"),
        Found("a.sq", 3, 5, 9, "unknown-pool", "mean `slots`"),
        Found("a.sq", 3, 5, 10, "unknown-name", "mean `slots`"),
        Found("a.sq", 3, 5, 10, "unknown-pool", "mean `slot`"),
    ],
)
def test_any_difference_shows_twice(found: Found) -> None:
    """A finding elsewhere or with other words is one mark too many and one finding too many."""
    assert len(mismatches([MARK], [found])) == 2


def test_every_finding_must_be_marked() -> None:
    """An unmarked finding is reported with the mark that it lacks; equal findings need a mark each."""
    assert mismatches([MARK], [FOUND, FOUND]) == ['a.sq:4: not marked: //   ^^^^^ unknown-pool "did you mean `slots`?"']


def test_a_bare_mark_means_the_own_rule() -> None:
    """On a rule's page a mark without an id means that rule; elsewhere it means any."""
    bare = Mark("a.sq", 3, 5, 10, None, None)
    assert mismatches([bare], [FOUND]) == []
    assert mismatches([bare], [FOUND], own_rule="unknown-pool") == []
    assert len(mismatches([bare], [FOUND], own_rule="other")) == 2


def test_a_finding_over_several_lines_is_marked_by_its_start() -> None:
    """Where the end is on another line, only the beginning is compared."""
    assert mismatches([MARK], [Found("a.sq", 3, 5, None, "unknown-pool", "mean `slots`")]) == []


def test_a_mark_is_drawn_as_it_is_written() -> None:
    """Columns that the slashes would cover, and empty ranges, are written as numbers; quotes are escaped."""
    assert draw(2, 4, "r", None) == "//^^ r"
    assert draw(1, 4, "r", 'a "b"') == '//@ 1:4 r "a \\"b\\""'
    assert draw(7, 7, None, None) == "//@ 7:7"


def test_blocks_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal texts pass, other texts show their difference, and a kind that nobody knows is an error."""
    monkeypatch.delenv("SERQ_ACCEPT", raising=False)
    path = tmp_path / "a.md"
    path.write_text("# A\n```sq\n```\n```trace\none\n```\n```ir\n```\n", encoding="utf-8")
    (case,) = load(path)
    assert judge(case, Outcome({"trace": "one", "ir": ""})) == []
    wrong = judge(case, Outcome({"trace": "two\n"}, problems=["p"]))
    assert wrong[0] == "p"
    assert "-one\n+two" in wrong[1]
    assert wrong[2] == "no runner of this layer knows `ir` blocks"


def test_accepting_rewrites_the_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under SERQ_ACCEPT=1 a block that differs is rewritten and passes; other problems stay problems."""
    monkeypatch.setenv("SERQ_ACCEPT", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    path = tmp_path / "a.md"
    path.write_text("# A\n```sq\n```\n```trace\none\n```\n", encoding="utf-8")
    (case,) = load(path)
    assert judge(case, Outcome({"trace": "two\n"}, problems=["p"])) == ["p"]
    assert path.read_text(encoding="utf-8") == "# A\n```sq\n```\n```trace\ntwo\n```\n"


def test_accepting_wants_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several workers would overwrite each other's fixtures."""
    monkeypatch.setenv("SERQ_ACCEPT", "1")
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    with pytest.raises(RuntimeError, match="-n 0"):
        accepting()
