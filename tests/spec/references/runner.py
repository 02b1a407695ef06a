"""References and highlights at `$0`: one place a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.references import highlights, references
from tests.harness.runners import Outcome
from tests.ide.cases import FOLDER, cursor, place, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the places that use the name, with and without its declarations, and the highlights."""
    snapshot = snapshot_of(case)
    path, offset = cursor(case)
    files = [FOLDER + it for it in case.files]
    every = references(snapshot, path, offset, files, declaration=True)
    reads = references(snapshot, path, offset, files, declaration=False)
    shown = highlights(snapshot, path, offset)
    return Outcome(
        blocks={
            "references": "".join(place(snapshot, *it) + "\n" for it in every),
            "reads": "".join(place(snapshot, *it) + "\n" for it in reads),
            "highlights": "".join(
                f"{place(snapshot, path, it.span)} {'write' if it.writes else 'read'}\n" for it in shown
            ),
        }
    )
