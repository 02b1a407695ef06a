"""Changes of a text: replace a span by other text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serq_lsp.text.spans import Span


class Edit(NamedTuple):
    """Replace the code points of `span` by `text`."""

    span: Span
    text: str


def apply_edit(text: str, edit: Edit) -> str:
    """Return `text` with one edit made; the span must lie inside the text."""
    return text[: edit.span.start] + edit.text + text[edit.span.end :]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with all edits made at once; their spans are of the old text and must not overlap.

    Insertions at one place keep their order.

    Raises:
        ValueError: two spans overlap.

    """
    out: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda it: it.span):
        if edit.span.start < done:
            message = f"edits overlap at {edit.span.start}"
            raise ValueError(message)
        out += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    return "".join((*out, text[done:]))


def carry(offset: int, edits: Sequence[Edit]) -> int:
    """Return where `offset` comes to lie after `edits` made one after the other (each in the text before it).

    An offset inside a replaced span moves to the end of the new text.
    """
    for span, text in edits:
        if offset >= span.end:
            offset += len(text) - (span.end - span.start)
        elif offset > span.start:
            offset = span.start + len(text)
    return offset
