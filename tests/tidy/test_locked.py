"""The locked requirements: complete, hashed, without addresses, and in step with pyproject.toml (`make lock`)."""

from __future__ import annotations

import re

import pytest
import tomli
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy.source import ROOT

PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WANTED = {
    "dev.txt": [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]],
    "editors.txt": PROJECT["dependency-groups"]["editors"],
}


def entries(name: str) -> list[str]:
    """Return the entries of a locked file: a requirement and its hashes each."""
    return re.split(r"\n(?=\S)", (ROOT / "requirements" / name).read_text(encoding="utf-8").strip())


@pytest.mark.parametrize("name", sorted(WANTED))
def test_an_entry_is_a_version_and_its_hashes(name: str) -> None:
    """An entry pins one version and has a hash; no address says where it comes from."""
    for entry in entries(name):
        assert "--hash=sha256:" in entry, entry
        assert "==" in entry.split("\n")[0], entry
        assert "://" not in entry, entry


@pytest.mark.parametrize("name", sorted(WANTED))
def test_what_the_project_wants_is_locked(name: str) -> None:
    """Every dependency of pyproject.toml is locked, at versions that it allows."""
    pins = [Requirement(entry.split("\\")[0].strip()) for entry in entries(name)]
    for wanted in map(Requirement, WANTED[name]):
        found = [pin for pin in pins if canonicalize_name(pin.name) == canonicalize_name(wanted.name)]
        assert found, wanted.name
        for pin in found:
            (version,) = (it.version for it in pin.specifier)
            assert wanted.specifier.contains(version), f"{wanted} against {version}"
