"""The VS Code extension: lint, types, unit tests and a package, from the locked dependencies."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.e2e.node import Node, find_node

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"

pytestmark = [pytest.mark.slow, pytest.mark.editor]


@pytest.fixture(scope="module")
def node() -> Node:
    """Return a Node, or skip with the reason."""
    found = find_node()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="module")
def folder(node: Node, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the extension with its locked dependencies installed."""
    copy = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    done = node.run_npm(copy, "ci", "--no-audit", "--no-fund")
    assert done.returncode == 0, done.stderr[-2000:]
    return copy


@pytest.mark.parametrize("script", ["lint", "types", "test"])
def test_the_extension_passes_its_own_checks(node: Node, folder: Path, script: str) -> None:
    """Lint, types and unit tests of the extension pass."""
    done = node.run_npm(folder, "run", script)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_the_package_holds_what_it_needs_and_nothing_else(node: Node, folder: Path) -> None:
    """`npm run package` makes a VSIX with the bundle, the grammar and the snippets, and without sources."""
    done = node.run_npm(folder, "run", "package")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    with zipfile.ZipFile(folder / "serq.vsix") as package:
        names = {name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")}
        assert names == {
            "dist/extension.js",
            "language-configuration.json",
            "package.json",
            "readme.md",
            "snippets/serq.json",
            "syntaxes/serq.tmLanguage.json",
        }
        for name in ("language-configuration.json", "snippets/serq.json", "syntaxes/serq.tmLanguage.json"):
            json.loads(package.read(f"extension/{name}"))


def test_the_lock_file_names_no_address() -> None:
    """The lock file holds versions and hashes only."""
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert "://" not in json.dumps(lock)
    assert all(entry.get("integrity") for name, entry in lock["packages"].items() if name)
