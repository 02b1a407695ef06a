"""The kernel's program of every run program of the conformance data equals the reference's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from serq_lsp.ir.codec import to_json
from serq_lsp.lang.editions import Edition
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from tests.sema.programs import CONFORMANCE, of_file

if TYPE_CHECKING:
    from pathlib import Path

RUN = [
    (edition, path)
    for edition in (Edition.CLASSIC, Edition.ENGINE)
    for path in sorted((CONFORMANCE / edition.value / "run").glob("*.sq"))
]


def settings_of(path: Path) -> dict[str, Any]:
    """Return the settings a program was run with."""
    file = path.with_suffix(".settings.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


@pytest.mark.parametrize(("edition", "path"), RUN, ids=lambda it: it.name if hasattr(it, "suffix") else None)
def test_the_ir_equals_the_references(edition: Edition, path: Path) -> None:
    """Classic programs become version 11, programs of the engine edition version 13, field for field."""
    lowered = lower(of_file(path, edition), RunSettings(**settings_of(path)))
    assert lowered.program is not None, lowered.unsupported
    expected = json.loads(path.with_suffix(".ir.json").read_text(encoding="utf-8"))
    assert json.loads(to_json(lowered.program)) == expected
