"""The README begins with what a newcomer needs: one line of prerequisites and two commands."""

from __future__ import annotations

import re

from tests.tidy.source import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PREREQUISITES = "apt-get install git make gcc python3-dev python3-venv"


def test_it_begins_with_the_prerequisites() -> None:
    """The first line after the title names the packages, as the set-up script checks them."""
    first = [line for line in TEXT.splitlines() if line.strip()][1]
    assert f"`{PREREQUISITES}`" in first


def test_two_commands_follow() -> None:
    """The first block holds `make demo` and `make test`, before any section."""
    head = TEXT.split("\n## ", 1)[0]
    block = re.search(r"```\w*\n(.*?)```", head, re.DOTALL)
    assert block
    assert [line.split("#")[0].strip() for line in block[1].splitlines()] == ["make demo", "make test"]


def test_its_make_targets_exist() -> None:
    """Every `make …` that it names is a target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?m)(?:^|`)make ([a-z-]+)", TEXT)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
