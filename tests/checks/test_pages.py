"""Every rule has a page, every page a rule, and the pages' examples are tests."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from serq_lsp import checks
from serq_lsp.checks.all import MODULES, RULES, rule
from serq_lsp.diag.model import Severity
from serq_lsp.lang.citations import citations
from tests.checks.programs import findings_of, found
from tests.harness.markdown import load
from tests.harness.marks import mismatches

if TYPE_CHECKING:
    from serq_lsp.diag.model import Rule
    from tests.harness.cases import Case

PAGES = Path(checks.__file__).parent / "pages"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}: {case.name}")
    for path in sorted(PAGES.glob("*.md"))
    for case in load(path)
]
AVOID, PREFER = "Avoid", "Prefer"


def test_every_rule_has_its_page_and_every_page_its_rule() -> None:
    """An id is the name of a page."""
    assert sorted(path.stem for path in PAGES.glob("*.md")) == sorted(it.id for it in RULES)


def test_ids_are_unique() -> None:
    """No two rules have one id, and no rule has its own id as another name."""
    assert len({it.id for it in RULES}) == len(RULES)
    assert not [it.id for it in RULES if it.id in it.aliases]


def test_every_module_with_rules_is_listed() -> None:
    """`all.py` equals the folder."""
    names = [it.name for it in pkgutil.iter_modules(checks.__path__) if it.name != "all"]
    found_here = [importlib.import_module(f"serq_lsp.checks.{name}") for name in names]
    assert {it for it in found_here if hasattr(it, "RULES")} == set(MODULES)


@pytest.mark.parametrize("it", RULES, ids=lambda it: it.id)
def test_a_rule_is_worded_as_the_house_words_rules(it: Rule) -> None:
    """Ids are hyphenated words; a summary is one line in lower case without a full stop."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", it.id)
    assert it.summary
    assert "\n" not in it.summary
    assert not it.summary.endswith(".")
    assert it.summary[0] == it.summary[0].lower()


def test_another_name_finds_the_rule() -> None:
    """The reference's engine slugs lead to the rule that has the classic one."""
    assert rule("arity") is rule("function-arity")
    assert rule("nothing-of-the-kind") is None


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda it: it.stem)
def test_a_page_has_its_parts(path: Path) -> None:
    """A page is headed by the id, says why, and has an example to avoid and one to prefer; citations it names exist."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {path.stem}\n\n")
    assert [it for it in re.findall(r"^## (.+)$", text, re.MULTILINE) if it in (AVOID, PREFER)] == [AVOID, PREFER]
    named = re.findall(r"^- `([a-z-]+:[a-z.-]+)`$", text, re.MULTILINE)
    assert [it for it in named if it not in citations()] == []


@pytest.mark.parametrize(("name", "case"), CASES)
def test_an_example_holds(name: str, case: Case) -> None:
    """What is to be avoided gives exactly this rule; what is preferred does not, and is sound."""
    findings = findings_of(case.files, case.args)
    if case.name == AVOID:
        assert {it.rule.id for it in findings} == {name}
    elif case.name == PREFER:
        assert name not in {it.rule.id for it in findings}
        assert not [it for it in findings if it.severity is Severity.ERROR]
    else:
        assert not mismatches(case.marks, [found(case.files, it) for it in findings], name)
