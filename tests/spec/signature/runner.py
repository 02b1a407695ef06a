"""Signature help at `$0`: the form, and its parameter at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.signature import signature
from tests.harness.runners import Outcome
from tests.ide.cases import cursor, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return two lines, form and parameter; `nothing` where there is no signature."""
    found = signature(snapshot_of(case), *cursor(case))
    shown = f"{found.label}\n{found.parameters[found.active]}\n" if found and found.parameters else "nothing\n"
    return Outcome(blocks={"signature": shown})
