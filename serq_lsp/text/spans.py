"""Places in one text: offsets, spans and positions, all in code points, counted from 0."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of one text: `start` inclusive, `end` exclusive, in code points from 0."""

    start: int
    end: int

    def contains(self, offset: int) -> bool:
        """Say whether `offset` lies inside, its end included (where a cursor may stand)."""
        return self.start <= offset <= self.end

    def covers(self, other: Span) -> bool:
        """Say whether all of `other` lies inside this span."""
        return self.start <= other.start and other.end <= self.end

    def shift(self, by: int) -> Span:
        """Return this span moved by `by` code points."""
        return Span(self.start + by, self.end + by)


class Position(NamedTuple):
    """A line and a column, both from 0; the column counts code points."""

    line: int
    column: int
