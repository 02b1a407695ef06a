"""Reading files: regular ones only, 1 MiB at most, UTF-8. What cannot be read is a value that says why, never an error."""


# ruff: noqa: PTH116, PTH118, PTH123
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTES_MAX = 1 << 20
"""Larger files are not read (architecture.md, invariant 10)."""
FILES_MAX = 10_000
"""How many files a walk yields at most."""
FOLDERS_MAX = 100_000
"""How many folders a walk looks into at most."""
SUFFIX = ".sq"

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Unreadable(NamedTuple):
    """Why a file is not read.

    `problem` is one of `missing`, `directory`, `not regular`, `unreadable`, `too large`, `not utf-8`, `binary`;
    `reason` says it in words, `cure` what helps. `shown` is what can be shown of the text (empty where nothing was
    read; bytes that are no UTF-8 as U+FFFD) and `span` the place in it.
    """

    path: str
    problem: str
    reason: str
    cure: str
    shown: Source
    span: Span


def read(path: str, most: int = BYTES_MAX) -> Source | Unreadable:
    """Return the text of the file at `path` (relative to the working directory), or why it cannot be had.

    `most` is how many bytes it may have. Devices, pipes and folders are not opened; a byte order mark stays in the text.
    """
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind):
            return _not_regular(path, kind)
        data = _bytes(path, most)
    except (OSError, ValueError) as error:
        return _refused(path, error)
    if isinstance(data, Unreadable):
        return data
    return decode(path, data, most)


def decode(path: str, data: bytes, most: int = BYTES_MAX) -> Source | Unreadable:
    """Return the bytes of a file as a source, or why they are no text."""
    if len(data) > most:
        return _fault(path, "too large", f"has more than {most:,} bytes", "split it into libraries")
    if data.startswith(_WIDE):
        return _fault(path, "not utf-8", "is UTF-16, not UTF-8", "save it as UTF-8 without a byte order mark")
    if b"\0" in data:
        return _spoilt(path, data, data.index(b"\0"), "binary", "has a NUL byte")
    try:
        return Source(path, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        byte = f"is not UTF-8: it has a byte 0x{data[error.start]:02x}"
        return _spoilt(path, data, error.start, "not utf-8", byte)


def walk(top: str) -> Iterator[str]:
    """Yield the `*.sq` files below a folder, sorted, each path beginning with `top` as given (`.` left out).

    Hidden folders and links to folders are not entered, so a walk ends; FILES_MAX and FOLDERS_MAX bound it. A folder
    that cannot be listed is passed over. Links to files count as files; whether they can be read is seen by `read`.
    """
    folders = [top]
    seen = found = 0
    while folders and seen < FOLDERS_MAX:
        folder = folders.pop()
        seen += 1
        try:
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda it: it.name)
        except OSError:
            continue
        inner: list[str] = []
        for entry in entries:
            path = entry.name if folder == "." else os.path.join(folder, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    inner.append(path)
            elif entry.name.endswith(SUFFIX) and not entry.is_dir():
                yield path
                found += 1
                if found == FILES_MAX:
                    return
        folders += reversed(inner)


def _bytes(path: str, most: int) -> bytes | Unreadable:
    handle = os.open(path, _OPEN_FLAGS)
    with open(handle, "rb") as file:
        kind = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(kind):
            return _not_regular(path, kind)
        return file.read(most + 1)


def _fault(path: str, problem: str, reason: str, cure: str) -> Unreadable:
    return Unreadable(path, problem, reason, cure, Source(path, ""), Span(0, 0))


def _not_regular(path: str, kind: int) -> Unreadable:
    if stat.S_ISDIR(kind):
        return _fault(path, "directory", "is a directory", "name a file in it")
    what = next(
        (
            name
            for test, name in [
                (stat.S_ISFIFO, "a pipe"),
                (stat.S_ISCHR, "a device"),
                (stat.S_ISBLK, "a device"),
                (stat.S_ISSOCK, "a socket"),
            ]
            if test(kind)
        ),
        "a special file",
    )
    return _fault(path, "not regular", f"is {what}, not a regular file", "copy the text into a regular file")


def _refused(path: str, error: OSError | ValueError) -> Unreadable:
    if isinstance(error, FileNotFoundError):
        return _fault(path, "missing", "does not exist", "check the path")
    if isinstance(error, NotADirectoryError):
        return _fault(path, "missing", "lies below something that is no directory", "check the path")
    if isinstance(error, PermissionError):
        return _fault(path, "unreadable", "may not be read (permission denied)", "change its permissions")
    if isinstance(error, OSError):
        words = (error.strerror or "unknown error").lower()
        return _fault(path, "unreadable", f"cannot be read ({words})", "check the path")
    return _fault(path, "missing", "is no possible path", "check the path")  # such as one with a NUL


def _spoilt(path: str, data: bytes, at: int, problem: str, reason: str) -> Unreadable:
    """Return the fault of a byte: what stands before it decides where it is shown."""
    before = len(data[:at].decode("utf-8", "replace"))
    shown = Source(path, data.decode("utf-8", "replace"))
    line = shown.lines.locate(before).line + 1
    place = Span(before, before + 1)
    return Unreadable(path, problem, f"{reason} in line {line}", "give a serQ program as UTF-8 text", shown, place)
