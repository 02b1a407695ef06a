"""Completion at `$0`: a `completion` block is all labels, one a line with their kind; `has` and `lacks` name some labels.

`first` is how the list begins, `snippets` what some labels insert; the case's files are those that a `use` may name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.completion import complete
from tests.harness.runners import Outcome
from tests.ide.cases import FOLDER, cursor, snapshot_of

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Return the labels, and what is wrong with those that a case names."""
    path, offset = cursor(case)
    found = complete(snapshot_of(case), path, offset, [FOLDER + it for it in case.files])
    labels = {it.label for it in found.items}
    has, lacks, first, asked = (case.block(it) for it in ("has", "lacks", "first", "snippets"))
    snippets = {it.label: it.snippet for it in found.items}
    wanted = [line.partition(": ")[0] for line in asked.text.splitlines()] if asked else []
    return Outcome(
        blocks={
            "completion": "".join(f"{it.label} ({it.shape}) {it.detail}\n" for it in found.items),
            "has": "".join(f"{it}\n" for it in (has.text.splitlines() if has else []) if it in labels),
            "lacks": "".join(f"{it}\n" for it in (lacks.text.splitlines() if lacks else []) if it not in labels),
            "first": "".join(f"{it.label}\n" for it in found.items[: len(first.text.splitlines()) if first else 0]),
            "snippets": "".join(f"{it}: {snippets.get(it)}\n" for it in wanted),
            "replaces": case.files[case.main][found.span.start : found.span.end] + "\n",
        }
    )
