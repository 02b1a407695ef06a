"""The programs in docs/examples do what the documents say of them, on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
RUNS = ROOT / "tests" / "conformance" / "engine" / "run"
SETTINGS = sorted(it.name.removesuffix(".settings.json") for it in RUNS.glob("vllm*.settings.json"))


def options(settings: dict[str, Any]) -> list[str]:
    """Return settings as words of the command line."""
    words = [f"--{key}={value}" for key, value in settings.items() if key != "sets"]
    return words + [f"--set={name}={value}" for name, value in settings.get("sets", {}).items()]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sq")), ids=lambda it: it.name)
def test_examples_are_free_of_errors(serq: Serq, path: Path) -> None:
    """Findings are information at most, and the edition is found."""
    answer = serq("check", str(path), "--format", "json", "--fail-on", "warning")
    assert answer.code == 0
    assert answer.files[str(path)]["edition"] in {"classic", "engine"}


def test_phases_are_kept_apart(serq: Serq, folder: Path) -> None:
    """The four iterations of the seed document; three mixed ones without the clause."""
    path = EXAMPLES / "separate_phases.sq"
    assert serq("trace", str(path)).out.splitlines() == [
        "ITER 0.0000 0:0:p2",
        "ITER 1.0000 1:0:p4",
        "ITER 2.0000 0:0:d1",
        "ITER 3.0000 0:0:d1",
    ]
    (folder / "mixed.sq").write_text(path.read_text(encoding="utf-8").replace("  serve exclusive prefill;\n", ""))
    assert serq("trace", "mixed.sq").out.splitlines() == [
        "ITER 0.0000 0:0:p2",
        "ITER 1.0000 0:0:d1 1:0:p3",
        "ITER 2.0000 0:0:d1 1:0:p1",
    ]


def test_rbln_runs_a_prefill_alone_or_decodes(serq: Serq) -> None:
    """44 iterations, each one prefill chunk or decodes only; six requests end."""
    path = str(EXAMPLES / "rbln.sq")
    lines = serq("trace", path).out.splitlines()
    assert len(lines) == 44
    assert all(re.fullmatch(r"ITER \S+ (\d+:0:p\d+|\d+:0:d1( \d+:0:d1)*)", line) for line in lines)
    assert json.loads(serq("run", "--json", path).out)["ended"] == 6


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_vllm_equals_the_reference(serq: Serq, name: str) -> None:
    """IR and report at the recorded settings, number for number."""
    path = str(EXAMPLES / "vllm.sq")
    words = options(json.loads((RUNS / f"{name}.settings.json").read_text(encoding="utf-8")))
    assert json.loads(serq("ir", path, *words).out) == json.loads(
        (RUNS / f"{name}.ir.json").read_text(encoding="utf-8")
    )
    recorded = json.loads((RUNS / f"{name}.expected.json").read_text(encoding="utf-8"))["report"]
    report = json.loads(serq("run", "--json", path, *words).out)
    assert report | {"serq_version": ""} == recorded | {"serq_version": ""}
