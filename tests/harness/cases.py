"""What a Markdown fixture says, as data: cases with files, marks, a cursor and expected blocks.

Lines and columns count from 0; columns and offsets count code points; ends are exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAIN = "main.sq"
"""The name of a case's first file where no `//-` line names it."""


class FixtureError(ValueError):
    """A fixture that does not follow the format; the message begins with the place, `file.md:12:`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A comment under a line of code that says what is to be found there.

    `//  ^^^ rule-id "part of message"` labels the columns above it, `//@ 0:4 rule-id "part"` names columns.
    """

    path: str
    line: int
    start: int
    end: int
    rule: str | None
    """The rule's id; None where the mark leaves it out (on a rule's own page it means that rule)."""
    message: str | None
    """A part that the message must contain, or None."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where `$0` stood, as offsets into the file's text without it; a pair of `$0` is a range."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block that is no program: what is expected, by kind."""

    kind: str
    """The first word of the info string: `trace`, `hover`, `ir`, …; empty where the fence names none."""
    args: str
    """The rest of the info string."""
    text: str
    """The lines between the fences, each with its line end."""


@dataclass(frozen=True, slots=True)
class Case:
    """One section of a fixture: a heading, programs, and what is expected of them."""

    source: Path
    """The Markdown file."""
    line: int
    """The heading's line in it, from 0."""
    name: str
    """The heading's text; unique in the file."""
    prose: str
    """The text outside the blocks, stripped."""
    args: str
    """The rest of the info string of the first `sq` block."""
    files: Mapping[str, str]
    """The programs by path, the main one first, marks included, `$0` removed."""
    marks: tuple[Mark, ...]
    cursor: Cursor | None
    blocks: tuple[Block, ...]

    @property
    def main(self) -> str:
        """The path of the first file."""
        return next(iter(self.files))

    @property
    def text(self) -> str:
        """The text of the first file."""
        return self.files[self.main]

    def block(self, kind: str) -> Block | None:
        """Return the block of this kind, or None."""
        return next((it for it in self.blocks if it.kind == kind), None)
