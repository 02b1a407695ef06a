"""Outline, folds and growing selections of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.folding import folds
from serq_lsp.ide.selection import selections
from serq_lsp.ide.symbols import outline
from tests.harness.runners import Outcome
from tests.ide.cases import cursor, main, place, snapshot_of

if TYPE_CHECKING:
    from serq_lsp.ide.symbols import Entry
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the outline, indented; the folds by lines; the selections at `$0`, smallest first."""
    snapshot = snapshot_of(case)
    path = main(case)
    blocks = {
        "symbols": "".join(_lines(outline(snapshot, path), 0)),
        "folds": "".join(
            f"{it.first + 1}-{it.last + 1} {it.kind.value}".rstrip() + "\n" for it in folds(snapshot, path)
        ),
    }
    if case.cursor is not None:
        found = selections(snapshot, *cursor(case))
        blocks["selections"] = "".join(place(snapshot, path, it) + "\n" for it in found)
    return Outcome(blocks=blocks)


def _lines(entries: list[Entry], depth: int) -> list[str]:
    found: list[str] = []
    for it in entries:
        found.append(f"{'  ' * depth}{it.shape}: {it.name} {it.detail}".rstrip() + "\n")
        found += _lines(it.children, depth + 1)
    return found
