"""Only regular, small UTF-8 files are read; for everything else there is a reason and a cure."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from serq_lsp.ide import files
from serq_lsp.ide.files import Unreadable, decode, read, walk
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def fault(path: Path | str) -> Unreadable:
    """Read what must not be readable."""
    answer = read(str(path))
    assert isinstance(answer, Unreadable)
    assert answer.reason
    assert answer.cure
    return answer


@pytest.mark.parametrize("data", [b"", b"a\r\nb\rc\n", "漢😀".encode(), b"\xef\xbb\xbfx"])
def test_text_is_read_as_it_is(tmp_path: Path, data: bytes) -> None:
    """Line ends and a byte order mark stay; an empty file is an empty text."""
    path = tmp_path / "a.sq"
    path.write_bytes(data)
    assert read(str(path)) == Source(str(path), data.decode("utf-8"))


@pytest.mark.parametrize(
    ("data", "problem", "place"),
    [
        (b"ab\n\xff\xfe", "not utf-8", 3),
        ("漢".encode() + b"\x80", "not utf-8", 1),
        (b"\xff\xfea\x00", "not utf-8", 0),
        (b"\x00\x01", "binary", 0),
        ("漢\n".encode() + b"\x00", "binary", 2),
        (b"\x7fELF\xff\x00", "binary", 5),
    ],
)
def test_what_is_no_text_is_refused_at_its_byte(data: bytes, problem: str, place: int) -> None:
    """The place is that of the first byte that is wrong, in code points of what can be shown."""
    answer = decode("x.sq", data)
    assert isinstance(answer, Unreadable)
    assert (answer.problem, answer.span.start) == (problem, place)


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    """1 MiB is read, one byte more is refused; a sparse file of a terabyte costs nothing."""
    path = tmp_path / "a.sq"
    path.write_bytes(b" " * files.BYTES_MAX)
    assert isinstance(read(str(path)), Source)
    with path.open("r+b") as file:
        file.truncate(1 << 33)
    assert fault(path).problem == "too large"


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders, pipes, sockets and devices: none is waited for."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.sq")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.sq")
        assert (fault("socket.sq").problem, fault("socket.sq").reason) == (
            "not regular",
            "is a socket, not a regular file",
        )
    assert (fault("pipe.sq").problem, fault("pipe.sq").reason) == ("not regular", "is a pipe, not a regular file")
    assert fault(tmp_path).problem == "directory"
    assert fault("/dev/zero").problem == "not regular"


def test_a_path_that_leads_nowhere(tmp_path: Path) -> None:
    """Missing, below a file, links in a circle, impossible names, names that are too long."""
    (tmp_path / "loop.sq").symlink_to("loop.sq")
    (tmp_path / "a.sq").write_text("")
    assert fault(tmp_path / "b.sq").problem == "missing"
    assert fault(tmp_path / "a.sq" / "b.sq").problem == "missing"
    assert "symbolic links" in fault(tmp_path / "loop.sq").reason
    assert fault("a\0b").problem == "missing"
    assert fault("a" * 5000).problem == "unreadable"
    assert fault("").problem == "missing"


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_permissions(tmp_path: Path) -> None:
    """A file that may not be read says so."""
    path = tmp_path / "a.sq"
    path.write_text("")
    path.chmod(0)
    assert "permission" in fault(path).reason


def test_a_walk_yields_programs_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files before folders, both sorted; hidden folders and links to folders are left out, so a circle ends."""
    monkeypatch.chdir(tmp_path)
    for path in ["b.sq", "a.sq", "x.sq/inner.sq", "c/d.sq", ".git/e.sq", "c/notes.txt"]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "c" / "up").symlink_to(tmp_path)
    (tmp_path / "c" / "link.sq").symlink_to("d.sq")
    (tmp_path / "c" / "folder.sq").symlink_to(tmp_path)
    (tmp_path / "c" / "gone.sq").symlink_to("nowhere")
    assert list(walk(".")) == ["a.sq", "b.sq", "c/d.sq", "c/gone.sq", "c/link.sq", "x.sq/inner.sq"]
    assert list(walk("c")) == ["c/d.sq", "c/gone.sq", "c/link.sq"]
    assert list(walk("nowhere")) == []
