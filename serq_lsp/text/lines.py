"""Lines of one text, and the units in which clients count columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum

from serq_lsp.text.spans import Position

_LINE_END = re.compile(r"\r\n|\n|\r")
_LAST_BMP = 0xFFFF


class Unit(Enum):
    """What a client counts columns in; the values are LSP's `PositionEncodingKind`."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def width(self, text: str) -> int:
        """Return how many units `text` takes."""
        if self is Unit.UTF32 or text.isascii():
            return len(text)
        if self is Unit.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(ord(char) > _LAST_BMP for char in text)


class LineIndex:
    """Where lines begin and end in one text.

    Lines end at LF, CR LF or a lone CR, as in LSP; nothing else ends a line.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        ends = list(_LINE_END.finditer(text))
        self._starts = (0, *(end.end() for end in ends))
        self._ends = (*(end.start() for end in ends), len(text))

    @property
    def count(self) -> int:
        """Return the number of lines; an empty text has one."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """Return the offset at which line `line` (from 0) begins."""
        return self._starts[line]

    def line_end(self, line: int) -> int:
        """Return the offset at which line `line` (from 0) ends, its line end left out."""
        return self._ends[line]

    def line_text(self, line: int) -> str:
        """Return line `line` (from 0) without its line end."""
        return self._text[self._starts[line] : self._ends[line]]

    def locate(self, offset: int) -> Position:
        """Return the line and column of `offset`; one inside a line end counts as the end of its line."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, min(offset, self._ends[line]) - self._starts[line])

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position in code points; one past the end is moved to the end."""
        return self.offset_in(line, column, Unit.UTF32)

    def offset_in(self, line: int, units: int, unit: Unit) -> int:
        """Return the offset of a client's position.

        A line past the last one is the end of the text, a column past the end of its line is that end, and a
        column inside a character counts as behind it. Negative numbers count as 0.
        """
        if line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[max(line, 0)], self._ends[max(line, 0)]
        units = max(units, 0)
        content = self._text[start:end]
        if unit is Unit.UTF32 or content.isascii():
            return start + min(units, end - start)
        taken = 0
        for index, char in enumerate(content):
            if taken >= units:
                return start + index
            taken += unit.width(char)
        return end

    def locate_in(self, offset: int, unit: Unit) -> Position:
        """Return the line and column of `offset`, the column in the client's unit."""
        line, column = self.locate(offset)
        if unit is Unit.UTF32:
            return Position(line, column)
        start = self._starts[line]
        return Position(line, unit.width(self._text[start : start + column]))
