"""Every section of tests/spec/<layer>/*.md is a test, judged by that folder's runner.py."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from tests.harness.markdown import load
from tests.harness.runners import judge

if TYPE_CHECKING:
    from tests.harness.cases import Case
    from tests.harness.runners import Runner

HERE = Path(__file__).parent
FIXTURES = sorted(HERE.glob("*/*.md"))
CASES = [pytest.param(case, id=f"{it.parent.name}/{it.stem}: {case.name}") for it in FIXTURES for case in load(it)]


def runner(layer: str) -> Runner:
    """Return `run` of tests/spec/<layer>/runner.py."""
    return cast("Runner", importlib.import_module(f"tests.spec.{layer}.runner").run)


@pytest.mark.parametrize("case", CASES)
def test_a_fixture_holds(case: Case) -> None:
    """What the section marks and expects is what the layer answers."""
    wrong = judge(case, runner(case.source.parent.name)(case))
    assert not wrong, "\n".join(["", f"{case.source}:{case.line + 1}: {case.name}", *wrong])


def test_every_folder_of_fixtures_has_a_runner() -> None:
    """A folder with Markdown fixtures says in its runner.py how they are judged, and every folder has fixtures."""
    assert {it.parent for it in FIXTURES} == {it.parent for it in HERE.glob("*/runner.py")}
