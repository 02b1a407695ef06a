"""Edits: one after the other, all at once, and what becomes of an offset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.text.edits import Edit, apply_edit, apply_edits, carry
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span


def test_edits_at_once_are_of_the_old_text() -> None:
    """Spans of a group of edits all mean the text before the group; insertions at one place keep their order."""
    edits = [Edit(Span(4, 5), "y"), Edit(Span(0, 1), "long"), Edit(Span(3, 3), "1"), Edit(Span(3, 3), "2")]
    assert apply_edits("abcdef", edits) == "longbc12dyf"


def test_overlapping_edits_are_refused() -> None:
    """Two edits may not change the same characters."""
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [Edit(Span(0, 3), ""), Edit(Span(2, 4), "")])


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """Draw a text and edits made one after the other."""
    text = draw(st.text("abc", min_size=1, max_size=12))
    now, edits = text, []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(now)))
        edit = Edit(Span(start, draw(st.integers(start, len(now)))), draw(st.text("xyz", max_size=3)))
        edits.append(edit)
        now = apply_edit(now, edit)
    return text, edits


@given(edited())
def test_an_offset_is_carried_to_the_same_character(case: tuple[str, list[Edit]]) -> None:
    """A character that no edit touches is found again at the carried offset."""
    text, edits = case
    marked = [(char, offset) for offset, char in enumerate(text)]
    now: list[tuple[str, int]] = marked
    for span, new in edits:
        now = [*now[: span.start], *((char, -1) for char in new), *now[span.end :]]
    for offset, (_, home) in enumerate(now):
        if home >= 0:
            assert carry(home, edits) == offset


@given(edited())
def test_a_source_after_an_edit_is_a_new_source(case: tuple[str, list[Edit]]) -> None:
    """Sources are never changed in place; versions come with the edit."""
    text, edits = case
    source = Source("a.sq", text)
    for version, edit in enumerate(edits, 1):
        after = source.edited(edit, version)
        assert (after.path, after.version) == (source.path, version)
        source = after
    assert source.text == apply_all(text, edits)


def apply_all(text: str, edits: list[Edit]) -> str:
    """Make edits one after the other."""
    for edit in edits:
        text = apply_edit(text, edit)
    return text
