"""Native lines for findings: the citations of a construct, as a finding carries them."""

from __future__ import annotations

from serq_lsp.diag.model import Cite
from serq_lsp.lang.citations import for_construct

CITES_MAX = 3
"""A finding carries so many native lines at most."""


def cites(construct: str) -> tuple[Cite, ...]:
    """Return the native lines that a construct (`reserve`, `step cost buckets`) stands for, the most telling first."""
    return tuple(Cite(it.label, it.path, it.start, it.end, it.url) for it in for_construct(construct)[:CITES_MAX])
