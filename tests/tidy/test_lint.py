"""ruff and mypy find nothing: `pytest` is everything."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tidy.source import ROOT


def run(*words: str) -> tuple[int, str]:
    """Run a tool of this environment in the checkout; return its exit code and what it printed."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    """Every lint rule holds but for the exceptions in pyproject.toml, each with its reason."""
    code, output = run("ruff", "check", "--quiet", "--output-format=concise")
    assert code == 0, output


def test_files_are_formatted() -> None:
    """`make fix` has been run."""
    code, output = run("ruff", "format", "--check", "--quiet")
    assert code == 0, output


@pytest.mark.slow
def test_mypy_finds_nothing() -> None:
    """Types are strict and right."""
    code, output = run("mypy", "--no-error-summary")
    assert code == 0, output


def test_every_lint_exception_has_its_reason() -> None:
    """A rule that is switched off says why, on its line."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    start = text.index("[tool.ruff.lint]")
    rules = [line for line in text[start:].splitlines() if line.startswith('    "')]
    assert len(rules) > 10
    assert not [line for line in rules if "#" not in line]
