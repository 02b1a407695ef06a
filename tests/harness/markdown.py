"""From the text of a Markdown fixture to its cases, and back: rewriting an expected block in place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.harness.cases import MAIN, Block, Case, Cursor, FixtureError
from tests.harness.marks import read_marks

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "sq"
ILLUSTRATIONS = frozenset({"text", "console", "python", "toml"})
"""Kinds of blocks that illustrate the prose; they are not expectations."""
CURSOR = "$0"
HEADING = re.compile(r"#{1,6} +(?P<name>.*\S) *")
FENCE = re.compile(r"(?P<fence>`{3,}) *(?P<info>[^`]*)")
FILE = re.compile(r"//- +(?P<path>\S+) *")


@dataclass(slots=True)
class _Fence:
    """A fenced block and the lines of its fences, from 0."""

    kind: str
    args: str
    lines: list[str]
    open: int
    close: int


@dataclass(slots=True)
class _Section:
    """A heading and all up to the next one."""

    name: str
    line: int
    prose: list[str] = field(default_factory=list)
    fences: list[_Fence] = field(default_factory=list)


def load(path: Path) -> list[Case]:
    """Read a fixture.

    A section without a program is prose for the reader and makes no case, unless it holds another block.

    Returns:
        Its cases, in order.

    Raises:
        FixtureError: the file does not follow the format.
    """
    cases = [_case(path, section) for section in _sections(path) if section.fences]
    names = [case.name for case in cases]
    for case in cases:
        if names.count(case.name) > 1:
            raise FixtureError(f"{path}:{case.line + 1}: another case is called `{case.name}` too")
    return cases


def rewrite(path: Path, name: str, kind: str, text: str) -> None:
    """Put `text` into the block of this kind of the case of this name; nothing else in the file changes.

    Raises:
        FixtureError: there is no such case or block, or the file does not follow the format.
    """
    found = [it for section in _sections(path) if section.name == name for it in section.fences if it.kind == kind]
    if not found:
        raise FixtureError(f"{path}: no `{kind}` block in a case called `{name}`")
    fence = found[0]
    lines = _lines(path)
    ticks = max([2, *(len(run) for run in re.findall(r"`{3,}", text))]) + 1
    if ticks > len(lines[fence.close].rstrip()):
        lines[fence.open] = re.sub(r"^`+", "`" * ticks, lines[fence.open])
        lines[fence.close] = "`" * ticks
    lines[fence.open + 1 : fence.close] = text.removesuffix("\n").split("\n") if text else []
    path.write_bytes("\n".join(lines).encode("utf-8"))


def _lines(path: Path) -> list[str]:
    """Split a fixture at line feeds only: a program in it may hold any other line end on purpose."""
    return path.read_bytes().decode("utf-8").split("\n")


def _sections(path: Path) -> list[_Section]:
    sections = [_Section(path.stem, 0)]
    fence: _Fence | None = None
    ticks = ""
    for number, line in enumerate(_lines(path)):
        if fence is not None:
            if line.rstrip() == ticks:
                fence.close = number
                if fence.kind not in ILLUSTRATIONS:
                    sections[-1].fences.append(fence)
                fence = None
            else:
                fence.lines.append(line + "\n")
        elif found := FENCE.fullmatch(line):
            kind, _, args = found["info"].strip().partition(" ")
            ticks, fence = found["fence"], _Fence(kind, args.strip(), [], number, number)
        elif found := HEADING.fullmatch(line):
            sections.append(_Section(found["name"], number))
        else:
            sections[-1].prose.append(line)
    if fence is not None:
        raise FixtureError(f"{path}:{fence.open + 1}: this block is never closed")
    return sections


def _case(path: Path, section: _Section) -> Case:
    files: dict[str, str] = {}
    for fence in section.fences:
        if fence.kind == PROGRAM:
            _add_files(files, fence, path)
    programs = [it for it in section.fences if it.kind == PROGRAM]
    if not programs:
        raise FixtureError(f"{path}:{section.line + 1}: `{section.name}` has blocks but no `sq` program")
    blocks = tuple(Block(it.kind, it.args, "".join(it.lines)) for it in section.fences if it.kind != PROGRAM)
    for block in blocks:
        if sum(it.kind == block.kind for it in blocks) > 1:
            raise FixtureError(f"{path}:{section.line + 1}: `{section.name}` has two `{block.kind}` blocks")
    cursor = _take_cursor(files, f"{path}:{section.line + 1}")
    marks = tuple(mark for name, text in files.items() for mark in read_marks(name, text, str(path)))
    prose = "\n".join(section.prose).strip()
    return Case(path, section.line, section.name, prose, programs[0].args, files, marks, cursor, blocks)


def _add_files(files: dict[str, str], fence: _Fence, path: Path) -> None:
    """Add the files of one `sq` block: `//- path` starts another file; what comes before is the main one."""
    name: str | None = None
    for offset, line in enumerate(fence.lines or [""]):
        if found := FILE.fullmatch(line.rstrip("\r\n")):
            name = found["path"]
            if name in files:
                raise FixtureError(f"{path}:{fence.open + offset + 2}: a second file called `{name}`")
            files[name] = ""
            continue
        if name is None:
            if files:
                raise FixtureError(f"{path}:{fence.open + 1}: a second `sq` block begins with `//- path`")
            name = MAIN
        files[name] = files.get(name, "") + line


def _take_cursor(files: dict[str, str], place: str) -> Cursor | None:
    """Remove each `$0` and say where they stood."""
    found: list[tuple[str, int]] = []
    for name, text in files.items():
        pieces = text.split(CURSOR)
        offset = 0
        for piece in pieces[:-1]:
            offset += len(piece)
            found.append((name, offset))
        files[name] = "".join(pieces)
    if not found:
        return None
    (first, start), (last, end) = found[0], found[-1]
    if len(found) > 2 or first != last:
        raise FixtureError(f"{place}: a case has one `$0`, or a pair in one file")
    return Cursor(first, start, end)
