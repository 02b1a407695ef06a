"""Document links of the main file: one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.links import links
from tests.harness.runners import Outcome
from tests.ide.cases import FOLDER, main, place, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return each link with its place and where it leads: the end of an address, or a file."""
    snapshot = snapshot_of(case)
    path = main(case)
    found = [
        f"{place(snapshot, path, it.span)} -> "
        + (it.url.partition("/blob/")[2] if it.url else str(it.path).removeprefix(FOLDER))
        for it in links(snapshot, path)
    ]
    return Outcome(blocks={"links": "".join(f"{it}\n" for it in found)})
