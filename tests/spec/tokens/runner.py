"""Semantic tokens of the main file: one a line, in text order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.tokens import tokens
from tests.harness.runners import Outcome
from tests.ide.cases import main, place, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return each token with its place, type and modifiers."""
    snapshot = snapshot_of(case)
    path = main(case)
    found = [f"{place(snapshot, path, it.span)} {' '.join((it.type, *it.modifiers))}" for it in tokens(snapshot, path)]
    return Outcome(blocks={"tokens": "".join(it.partition(":")[2] + "\n" for it in found)})
