"""Programs that the reference accepts and runs get no error, and the seeds' get no warning either."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq_lsp.checks.all import check
from serq_lsp.diag.model import Severity
from serq_lsp.lang.editions import Edition, detect
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import Model, analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "conformance"
PROGRAMS = [
    pytest.param(path, Edition(edition), id=f"{edition}/{path.parent.name}/{path.stem}")
    for edition in ("classic", "engine")
    for path in sorted((CORPUS / edition).rglob("*.sq"))
    if "lib" not in path.parts and "reject" not in path.parts
]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.sq"))


def read(path: str) -> Source | ReadFault:
    """Return a file's text."""
    try:
        return Source(path, Path(path).read_text(encoding="utf-8"))
    except OSError:
        return ReadFault(LibraryProblem.MISSING)


def model_of(path: Path, edition: Edition | None = None) -> Model:
    """Return the model of a program on disk."""
    source = Source(str(path), path.read_text(encoding="utf-8"))
    return analyze(parse(source), edition or detect(source.text).edition or Edition.CLASSIC, read)


@pytest.mark.parametrize(("path", "edition"), PROGRAMS)
def test_an_accepted_program_has_no_error(path: Path, edition: Edition) -> None:
    """A rule may miss a case; it may not raise a false alarm."""
    found = [f"{it.rule.id}: {it.message}" for it in check(model_of(path, edition)) if it.severity is Severity.ERROR]
    assert not found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda it: it.stem)
def test_an_example_has_no_warning(path: Path) -> None:
    """What the documentation shows is in order; information may be given."""
    found = [f"{it.rule.id}: {it.message}" for it in check(model_of(path)) if it.severity <= Severity.WARNING]
    assert not found
