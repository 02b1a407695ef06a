"""Checking never raises, on any text, and says nothing of places outside the texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp import checks
from serq_lsp.checks.all import MODULES, check
from serq_lsp.lang.editions import Edition
from tests.checks.programs import model_of
from tests.harness.markdown import load

if TYPE_CHECKING:
    from types import ModuleType

    from serq_lsp.sema.model import Model

PAGES = sorted((Path(checks.__file__).parent / "pages").glob("*.md"))
TEXTS = [case.text for path in PAGES for case in load(path) if len(case.text) < 4000]
JUNK = ["{", "}", "(", ")", ";", ",", "[", "growing", "reserve", "at admission", "~", "0", "kv", "q.", "hold", "\n"]


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """Return a program of some page with stretches removed, doubled or replaced."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        new = draw(st.one_of(st.just(""), st.sampled_from(JUNK), st.just(text[start:end] * 2)))
        text = text[:start] + new + text[end:]
    return text


@given(mutilated(), st.sampled_from(list(Edition)))
@settings(max_examples=150, deadline=None)
def test_a_mutilated_program_never_raises(text: str, edition: Edition) -> None:
    """Broken text gives a smaller answer, and every place lies in the text."""
    model = model_of({"main.sq": text}, f"--edition {edition.value}")
    for finding in check(model):
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        for note in finding.notes:
            assert note.span is None or 0 <= note.span.start <= note.span.end <= len(text)
        for fix in finding.fixes:
            assert all(0 <= it.span.start <= it.span.end <= len(text) for it in fix.edits)


@given(mutilated())
@settings(max_examples=40, deadline=None)
def test_findings_do_not_depend_on_order(text: str) -> None:
    """The same program gives the same findings, sorted by place and rule."""
    first, second = (check(model_of({"main.sq": text})) for _ in range(2))
    assert first == second
    places = [(it.path != "main.sq", it.path, it.span.start, it.rule.id) for it in first]
    assert places == sorted(places)


@pytest.fixture(scope="module")
def models() -> list[Model]:
    """Some programs, each read as both editions."""
    return [
        model_of({"main.sq": text}, f"--edition {edition.value}")
        for text in TEXTS[::7]
        for edition in (Edition.CLASSIC, Edition.ENGINE)
    ]


@pytest.mark.parametrize("module", MODULES, ids=lambda it: it.__name__.rsplit(".", 1)[-1])
def test_a_module_alone_never_raises(module: ModuleType, models: list[Model]) -> None:
    """Each module answers for every example, whatever its edition, without the others."""
    for model in models:
        assert {it.rule for it in module.check(model)} <= set(module.RULES)
