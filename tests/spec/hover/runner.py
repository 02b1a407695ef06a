"""Hover at `$0`: a `hover` block is the whole Markdown, a `hover-part` block lines that must be in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.hover import hover
from tests.harness.runners import Outcome
from tests.ide.cases import cursor, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the hover's text, `nothing` where there is none."""
    found = hover(snapshot_of(case), *cursor(case))
    text = found.markdown if found else "nothing"
    wanted = case.block("hover-part")
    lines = wanted.text.splitlines() if wanted else []
    part = "\n".join(line if line in text else f"not in the hover: {line}" for line in lines)
    return Outcome(
        blocks={"hover": text + "\n", "hover-part": part + "\n", "hover-plain": (found.plain if found else "") + "\n"}
    )
