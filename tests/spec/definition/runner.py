"""Definition at `$0`: one target a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.definition import definitions
from tests.harness.runners import Outcome
from tests.ide.cases import cursor, place, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the places to go to."""
    snapshot = snapshot_of(case)
    found = definitions(snapshot, *cursor(case))
    return Outcome(blocks={"definition": "".join(place(snapshot, *it.place) + "\n" for it in found)})
