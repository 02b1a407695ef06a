"""The pages for people: they are there, and their links lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.tidy.source import ROOT, files, shown

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [it for it in [*ROOT.glob("*.md"), *files(ROOT / "docs"), *files(ROOT / "editors")] if it.suffix == ".md"]
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_a_page_has_a_title(path: Path) -> None:
    """A page begins with its title."""
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    """A relative link names a file or folder that exists."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [it["target"] for it in LINK.finditer(text) if "://" not in it["target"]]
    assert not [target for target in targets if not (path.parent / target).exists()]


def test_the_changelog_has_a_place_for_the_next_change() -> None:
    """CHANGELOG.md begins with what is not released yet, and says something there or below."""
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
