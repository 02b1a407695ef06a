"""Marks: comments in a program that say which findings are expected, and the comparison with what was found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.harness.cases import FixtureError, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LABEL = r"(?: +(?P<rule>[a-z][a-z0-9-]*))?(?: +\"(?P<message>(?:[^\"\\]|\\.)*)\")? *"
CARETS = re.compile(rf"\s*// *(?P<carets>\^+){LABEL}")
COLUMNS = re.compile(rf"\s*//@ +(?P<start>\d+):(?P<end>\d+){LABEL}")
LOOKS_LIKE_A_MARK = re.compile(r"\s*//(?: *\^|@)")


@dataclass(frozen=True, slots=True)
class Found:
    """A finding as a test compares it; line and columns as in `Mark`.

    A finding that spans several lines is given with `end` None: a mark then need only begin where it begins.
    """

    path: str
    line: int
    start: int
    end: int | None
    rule: str
    message: str


def read_marks(path: str, text: str, source: str) -> Iterator[Mark]:
    """Yield the marks of one file, in order.

    Args:
        path: the file's path in the case.
        text: its text, without `$0`.
        source: the fixture, for messages.

    Raises:
        FixtureError: a comment looks like a mark and is none, or has no code above it, or points past its end.
    """
    code: int | None = None
    lines = re.split(r"\r\n|\n|\r", text)
    for number, line in enumerate(lines):
        found = CARETS.fullmatch(line) or COLUMNS.fullmatch(line)
        if found is None:
            if LOOKS_LIKE_A_MARK.match(line):
                raise FixtureError(f'{source}: not a mark (`// ^^^ rule-id "part of message"`): {line.strip()}')
            code = number
            continue
        if code is None:
            raise FixtureError(f"{source}: no code above the mark: {line.strip()}")
        if found.re is CARETS:
            start, end = found.span("carets")
        else:
            start, end = int(found["start"]), int(found["end"])
        if not start <= end <= len(lines[code]) + 1:
            raise FixtureError(f"{source}: the mark points past the end of its line: {line.strip()}")
        message = found["message"]
        yield Mark(path, code, start, end, found["rule"], message and re.sub(r"\\(.)", r"\1", message))


def mismatches(marks: Sequence[Mark], found: Sequence[Found], own_rule: str | None = None) -> list[str]:
    """Compare marks with findings, one to one: every finding is marked and every mark is met.

    Args:
        marks: what is expected.
        found: what was found.
        own_rule: the rule that a mark without an id means; None: any rule will do.

    Returns:
        One line a difference, each with the mark to write or to remove; empty where all fits.
    """
    left = list(found)
    wrong: list[str] = []
    for mark in marks:
        match = next((it for it in left if _meets(mark, it, own_rule)), None)
        if match is None:
            wrong.append(
                f"{mark.path}:{mark.line + 1}: not found: {draw(mark.start, mark.end, mark.rule, mark.message)}"
            )
        else:
            left.remove(match)
    wrong += [f"{it.path}:{it.line + 1}: not marked: {draw(it.start, it.end, it.rule, it.message)}" for it in left]
    return wrong


def draw(start: int, end: int | None, rule: str | None, message: str | None) -> str:
    """Write the mark for a place, as it would stand in a fixture."""
    width = 1 if end is None else end - start
    place = f"//{' ' * (start - 2)}{'^' * width}" if start >= 2 and width else f"//@ {start}:{start + width}"
    quoted = message and '"' + message.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return " ".join(part for part in (place, rule, quoted) if part)


def _meets(mark: Mark, found: Found, own_rule: str | None) -> bool:
    rule = mark.rule or own_rule
    return (
        (mark.path, mark.line, mark.start) == (found.path, found.line, found.start)
        and found.end in {None, mark.end}
        and rule in {None, found.rule}
        and (mark.message or "") in found.message
    )
