"""Lines and positions: every offset in every unit, against a converter written the slow way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.text.lines import LineIndex, Unit
from serq_lsp.text.spans import Position

TEXTS = st.text(alphabet=st.sampled_from("ab é€😀\n\r\u2028\x0c\t"), max_size=40)
UNITS = st.sampled_from(Unit)


def slow_lines(text: str) -> list[str]:
    """Split at LF, CR LF and CR, the line ends kept with their lines."""
    lines, line, rest = [], "", text
    while rest:
        end = next((end for end in ("\r\n", "\n", "\r") if rest.startswith(end)), "")
        step = end or rest[0]
        line, rest = line + step, rest[len(step) :]
        if end:
            lines.append(line)
            line = ""
    return [*lines, line]


def slow_width(text: str, unit: Unit) -> int:
    """Count the units of a text by encoding it."""
    codec, size = {Unit.UTF8: ("utf-8", 1), Unit.UTF16: ("utf-16-le", 2), Unit.UTF32: ("utf-32-le", 4)}[unit]
    return len(text.encode(codec)) // size


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    """Form feed, vertical tab and U+2028 do not end a line, as in LSP."""
    index = LineIndex("a\nb\r\nc\rd\x0ce\u2028f")
    assert [index.line_text(line) for line in range(index.count)] == ["a", "b", "c", "d\x0ce\u2028f"]


@given(TEXTS, UNITS)
def test_positions_equal_the_slow_converter(text: str, unit: Unit) -> None:
    """Every offset that is no line end has the position that encoding the line gives, and comes back from it."""
    index = LineIndex(text)
    at = 0
    for number, line in enumerate(slow_lines(text)):
        content = line.rstrip("\r\n")
        for column in range(len(content) + 1):
            position = index.locate_in(at + column, unit)
            assert position == Position(number, slow_width(content[:column], unit))
            assert index.offset_in(*position, unit) == at + column
        at += len(line)


@given(TEXTS, UNITS, st.integers(-2, 12), st.integers(-2, 60))
def test_any_position_is_moved_into_the_text(text: str, unit: Unit, line: int, column: int) -> None:
    """Positions outside the text are moved to the nearest end: edits past the end never fail."""
    index = LineIndex(text)
    offset = index.offset_in(line, column, unit)
    assert 0 <= offset <= len(text)
    if line >= index.count:
        assert offset == len(text)


def test_a_column_inside_a_character_counts_as_behind_it() -> None:
    """UTF-16 column 1 of an emoji is the place after it."""
    assert LineIndex("😀a").offset_in(0, 1, Unit.UTF16) == 1
