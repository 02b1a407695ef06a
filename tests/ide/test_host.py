"""The host and its snapshots: what is open wins over the disk, what is read stays, what did not change is not done again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.diag.model import Severity
from serq_lsp.ide.host import Host
from serq_lsp.lang.editions import Edition
from serq_lsp.text.edits import Edit
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span
from tests.cli.programs import CLEAN, ENGINE, MISTAKE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

LIBRARY = "def f(x) = 2 * x;\n"
USER = 'use "lib/l.sq";\nstage s : fifo;\nworkload { arrive batch(1); }\nsession { run s (f(1)); end; }\nrun { horizon 5; }\n'


def shape(host: Host, path: str) -> object:
    """Return the whole tree of a path as nested tuples."""

    def of(node: object) -> object:
        return (node.kind, node.start, node.end, node.missing, [of(it) for it in node.children])  # type: ignore[attr-defined]

    return of(host.snapshot().tree(path).root)


def test_an_open_document_hides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is closed, also as a library of another program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "l.sq").write_text(LIBRARY)
    (tmp_path / "x.sq").write_text(USER)
    host = Host()
    assert host.snapshot().findings("x.sq") == {"x.sq": []}
    host.open("lib/l.sq", LIBRARY.replace("f(", "g("), 1)
    assert [it.severity for it in host.snapshot().findings("x.sq")["x.sq"]] == [Severity.ERROR]
    host.close("lib/l.sq")
    assert host.snapshot().findings("x.sq") == {"x.sq": []}
    host.close("never opened")


def test_a_snapshot_stays_as_it_was(tmp_path: Path) -> None:
    """Edits and writes after it are seen by later snapshots only."""
    path = str(tmp_path / "x.sq")
    (tmp_path / "x.sq").write_text(CLEAN)
    host = Host()
    before = host.snapshot()
    assert before.findings(path)[path] == []
    (tmp_path / "x.sq").write_text(MISTAKE)
    os.utime(path, ns=(1, 1))
    assert before.source(path).text == CLEAN
    assert host.snapshot().findings(path)[path] != []
    host.open(path, CLEAN, 1)
    opened = host.snapshot()
    host.change(path, [Edit(Span(0, 4), "pol")], 2)
    assert opened.source(path) == Source(path, CLEAN, 1)
    assert host.snapshot().source(path).version == 2


def test_what_did_not_change_is_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Model and tree are the same objects in the next snapshot, until a text they were made from changes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "l.sq").write_text(LIBRARY)
    host = Host()
    host.open("x.sq", USER, 1)
    first = host.snapshot()
    assert host.snapshot().model("x.sq") is first.model("x.sq")
    assert host.snapshot().tree("lib/l.sq") is first.tree("lib/l.sq")
    (tmp_path / "lib" / "l.sq").write_text(LIBRARY + "\n")
    assert host.snapshot().model("x.sq") is not first.model("x.sq")
    assert first.files("x.sq") == ("x.sq", "lib/l.sq")


def test_a_file_that_appears_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing library counts as something the program depends on."""
    monkeypatch.chdir(tmp_path)
    host = Host()
    host.open("x.sq", USER, 1)
    assert host.snapshot().findings("x.sq")["x.sq"] != []
    assert host.snapshot().files("x.sq") == ("x.sq", "lib/l.sq")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "l.sq").write_text(LIBRARY)
    assert host.snapshot().findings("x.sq")["x.sq"] == []


def test_a_file_by_two_names_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a link or another way its definitions are not declared twice (classic.md 8)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "l.sq").write_text(LIBRARY)
    (tmp_path / "link").symlink_to("lib")
    host = Host()
    host.open("x.sq", 'use "link/l.sq"; use "lib/../lib/l.sq";\n' + USER, 1)
    assert host.snapshot().findings("x.sq") == {"x.sq": []}


def test_the_edition_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option wins over a directive, that over serq.toml, that over the forms; a library alone has none."""
    monkeypatch.chdir(tmp_path)
    host = Host()
    host.open("x.sq", ENGINE)
    host.open("y.sq", "// serq: edition classic\n" + ENGINE)
    host.open("lib.sq", "def f(x) { x }\n")
    (tmp_path / "serq.toml").write_text('[[program]]\npath = "./x.sq"\nedition = "current"\n')
    snapshot = host.snapshot()
    assert snapshot.edition("x.sq") is Edition.CURRENT
    assert snapshot.edition("x.sq", Edition.CLASSIC) is Edition.CLASSIC
    assert snapshot.edition("y.sq") is Edition.CLASSIC
    assert snapshot.edition("y.sq", Edition.ENGINE) is Edition.ENGINE
    assert snapshot.edition("lib.sq") is None
    (tmp_path / "serq.toml").unlink()
    assert host.snapshot().edition("x.sq") is Edition.ENGINE


def test_a_document_that_was_never_saved() -> None:
    """It has no folder, so no settings; everything else works."""
    host = Host()
    host.open("untitled:Untitled-1", CLEAN, 1)
    snapshot = host.snapshot()
    assert snapshot.findings("untitled:Untitled-1") == {"untitled:Untitled-1": []}
    assert snapshot.config("untitled:Untitled-1").path is None


EDITS = st.lists(
    st.tuples(
        st.integers(0, 400), st.integers(0, 30), st.sampled_from(["", ";", "}", "{", "漢", "hold", "\n", "// ", " "])
    ),
    max_size=6,
)


@given(EDITS, st.lists(st.booleans(), min_size=6, max_size=6))
def test_edits_one_by_one_are_as_the_text_from_scratch(script: list[tuple[int, int, str]], asked: list[bool]) -> None:
    """Whenever the tree was asked for in between, the last one is that of the last text."""
    host = Host()
    host.open("x.sq", CLEAN, 0)
    text = CLEAN
    for version, ((start, length, new), ask) in enumerate(zip(script, asked, strict=False), 1):
        at = min(start, len(text))
        edit = Edit(Span(at, min(at + length, len(text))), new)
        text = text[: edit.span.start] + new + text[edit.span.end :]
        host.change("x.sq", [edit], version)
        if ask:
            host.snapshot().tree("x.sq")
    fresh = Host()
    fresh.open("x.sq", text)
    assert shape(host, "x.sq") == shape(fresh, "x.sq")
    assert host.snapshot().source("x.sq").text == text
