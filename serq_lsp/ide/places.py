"""Places in files, as every feature answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_lsp.text.spans import Span


class Location(NamedTuple):
    """A span of one file, in code points from 0."""

    path: str
    span: Span
