"""Settings change what is found: findings are about the program as it would run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.lower.context import Unsupported
from serq_lsp.lower.program import Lowered
from serq_lsp.text.spans import Span
from tests.cli.programs import CLEAN, ENGINE, RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]

COMMANDS = ("check", "run", "trace", "ir")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("text", "place"), [(RANDOM, "5:27"), (ENGINE, "22:20")])
def test_an_option_makes_a_program_wrong(serq: Serq, folder: Path, command: str, text: str, place: str) -> None:
    """The finding stands in the text, and a note names the option; nothing runs."""
    (folder / "p.sq").write_text(text)
    answer = serq(command, "p.sq", "--set", "rate=-1")
    said = answer.out + answer.err
    assert answer.code == 1
    assert f"p.sq:{place}: error[arrival-rate]" in said
    assert "note: with `--set rate=-1`" in said


def test_a_file_makes_a_program_wrong(serq: Serq, folder: Path) -> None:
    """The note stands at the setting: in the comment, or at the value in serq.toml."""
    (folder / "p.sq").write_text("// serq: run rate=-1\n" + RANDOM)
    answer = serq("check", "p.sq")
    assert answer.code == 1
    assert "note: with `rate = -1` from here (p.sq:1:14)" in answer.out
    (folder / "p.sq").write_text(RANDOM)
    (folder / "serq.toml").write_text('[[program]]\npath = "p.sq"\nsets = { rate = 0 }\n')
    answer = serq("check", "p.sq")
    assert answer.code == 1
    assert "note: with `rate = 0` from here (serq.toml:3:17)" in answer.out


def test_an_option_makes_a_program_right(serq: Serq, folder: Path) -> None:
    """What it replaces does not count."""
    (folder / "p.sq").write_text(RANDOM.replace("let rate = 2", "let rate = -2"))
    assert serq("check", "p.sq").code == 1
    for command in COMMANDS:
        assert serq(command, "p.sq", "--set", "rate=1").code == 0


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("[run]\nhorizn = 60\n", "2:1", 1),
        ("[run\n", "1:5", 1),
        ('[[program]]\npath = "p.sq"\nsets = { nope = 3 }\n', "3:17", 1),
        ('[lint]\nseverity = { missing-bucket = "eror" }\n', "2:31", 0),
    ],
)
def test_faults_of_the_settings_file(serq: Serq, folder: Path, text: str, place: str, code: int) -> None:
    """At their exact place, also from `run`, `trace` and `ir`, which stop; what `[lint]` says stops no run."""
    (folder / "p.sq").write_text(RANDOM)
    (folder / "serq.toml").write_text(text)
    assert f"serq.toml:{place}: warning[bad-settings]" in serq("check", "p.sq").out
    for command in ("run", "trace", "ir"):
        answer = serq(command, "p.sq")
        assert answer.code == code
        assert (f"serq.toml:{place}: " in answer.err) == bool(code)


def test_a_run_directive_that_is_not_understood_stops_a_run(serq: Serq, folder: Path) -> None:
    """Its settings are not meant to be left out; a slip in another directive stops nothing."""
    (folder / "p.sq").write_text("// serq: run horizon 20\n" + RANDOM)
    answer = serq("run", "p.sq")
    assert (answer.code, answer.out) == (1, "")
    assert "p.sq:1:14: warning[bad-directive]" in answer.err
    (folder / "p.sq").write_text("// serq: ignroe x\n" + RANDOM)
    assert serq("run", "p.sq").code == 0


def test_what_cannot_be_lowered_is_an_error_of_the_program(
    serq: Serq, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`check` and `run` agree: a program without a kernel form has an error, with its place and what was missing."""
    (folder / "p.sq").write_text(CLEAN)
    refused = Lowered(None, unsupported=(Unsupported("p.sq", Span(0, 4), "no such thing"),))
    monkeypatch.setattr("serq_lsp.lower.program.lower", lambda *_: refused)
    for command in COMMANDS:
        answer = serq(command, "p.sq")
        assert answer.code == 1
        assert "p.sq:1:1: error[cannot-lower] this has no kernel form: no such thing" in answer.out + answer.err


def test_an_ignore_that_matches_nothing(serq: Serq, folder: Path) -> None:
    """It is a warning at the rule's name."""
    (folder / "p.sq").write_text("// serq: ignore unknown-pool because of history\n" + RANDOM)
    answer = serq("check", "p.sq", "--format", "concise")
    assert answer.code == 0
    assert answer.out.startswith("p.sq:1:17: warning[unused-ignore] `unknown-pool` finds nothing in this file")
