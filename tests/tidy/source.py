"""The project's own files, for the tests that hold the house rules."""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "serq_lsp"
NOT_OURS = {".git", ".venv", "build", "dist", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache"}
NOT_OURS |= {".pytest_cache", ".hypothesis", "serq_lsp.egg-info"}


def files(top: Path = ROOT) -> Iterator[Path]:
    """Yield every file of the project below `top`, in order, without what tools left there."""
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(set(folders) - NOT_OURS)
        yield from (Path(folder) / name for name in sorted(names))


def modules(*tops: Path) -> list[Path]:
    """Return the Python files below these folders (default: package, tests and scripts)."""
    places = tops or (PACKAGE, ROOT / "tests", ROOT / "scripts", ROOT / "setup.py")
    return [it for top in places for it in ([top] if top.is_file() else files(top)) if it.suffix == ".py"]


@cache
def parsed(path: Path) -> ast.Module:
    """Return the module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def shown(path: Path) -> str:
    """Return the path as a test's name shows it: relative to the checkout."""
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    """Return the room of a module of the package; empty for the package's own top."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""
