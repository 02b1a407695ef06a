"""Names and structure of the reference's accepted programs have no fault; those of its refused ones are found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from serq_lsp.lang.editions import Edition
from tests.sema.programs import CONFORMANCE, of_file

if TYPE_CHECKING:
    from pathlib import Path

ACCEPTED = [
    (edition, path)
    for edition in Edition
    for folder in ("accept", "run")
    for path in sorted((CONFORMANCE / edition.value / folder).glob("**/*.sq"))
    if "lib" not in path.parts
]
FOUND_HERE = {
    "unknown-name", "unknown-pool", "unknown-stage", "unknown-function", "unknown-distribution", "dotted-unknown",
    "call-unknown-queue", "call-unknown-entry", "call-arity", "function-arity", "distribution-arity", "def-arity",
    "def-twice", "def-is-expression", "def-is-statements", "def-not-a-statement", "def-not-an-expression", "arity",
    "duplicate-declaration", "duplicate-pool", "duplicate-stage", "queue-twice", "dev-twice", "use-cannot-read",
    "use-unreadable", "array-size", "family-size", "call-cycle", "req-cycle", "req-arity", "req-none",
}  # fmt: skip
REFUSED = [
    (edition, name, answer)
    for edition in (Edition.CLASSIC, Edition.ENGINE)
    for name, answer in json.loads((CONFORMANCE / edition.value / "reject.json").read_text(encoding="utf-8")).items()
    if answer["rule"] in FOUND_HERE and answer["line"] and (CONFORMANCE / edition.value / "reject" / name).exists()
]


@pytest.mark.parametrize(("edition", "path"), ACCEPTED, ids=lambda it: it.name if hasattr(it, "suffix") else None)
def test_an_accepted_program_has_no_fault(edition: Edition, path: Path) -> None:
    """A false alarm is the worst fault of a checker; what stands in an unused definition is a warning at most."""
    model = of_file(path, edition)
    assert [it for it in model.faults if not getattr(it, "in_unused_def", False)] == []


@pytest.mark.parametrize(("edition", "name", "answer"), REFUSED, ids=lambda it: it if isinstance(it, str) else "")
def test_a_fault_of_names_is_found_at_the_references_place(
    edition: Edition, name: str, answer: dict[str, object]
) -> None:
    """Unknown and repeated names, wrong arities, unreadable libraries: a fact stands exactly where the reference points."""
    model = of_file(CONFORMANCE / edition.value / "reject" / name, edition)
    trees = [model.tree, *(library.tree for library in model.libraries)]
    tree = next(it for it in trees if it.source.path.endswith(str(answer.get("file") or name)))
    places = [tree.source.lines.locate(it.span.start) for it in model.faults if it.path == tree.source.path]
    assert (answer["line"], answer["col"]) in [(line + 1, column + 1) for line, column in places]
