"""Modules and functions stay small enough to be read at once, and have names that say what they are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.tidy.source import modules, parsed, shown

if TYPE_CHECKING:
    from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 70
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "misc", "common", "tools"}


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_file_is_short(path: Path) -> None:
    """A file stays under 400 lines: one that grows past it is two things."""
    assert len(path.read_text(encoding="utf-8").splitlines()) < FILE_LINES


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_function_is_short(path: Path) -> None:
    """A function stays under 70 lines, its signature and docstring counted."""
    long = {
        f"{it.name}, line {it.lineno}: {it.end_lineno - it.lineno + 1} lines"
        for it in ast.walk(parsed(path))
        if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef))
        and it.end_lineno is not None
        and it.end_lineno - it.lineno + 1 >= FUNCTION_LINES
    }
    assert not long


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_module_is_named_after_what_it_does(path: Path) -> None:
    """No `utils`: a name that says nothing collects everything."""
    assert path.stem not in NAMES_THAT_SAY_NOTHING
