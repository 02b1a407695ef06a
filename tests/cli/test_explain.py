"""`serq explain`: what there is to ask for, how it is asked, and how much is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.ide.explain import all_rules, page
from serq_lsp.lang.table import constructs, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Answer

    Serq = Callable[..., Answer]


def test_without_a_name_it_lists(serq: Serq) -> None:
    """Every kind of construct that there is, and how to ask."""
    answer = serq("explain")
    assert answer.code == 0
    kinds = {it.kind for it in constructs().values()}
    assert all(f"\n{kind} " in answer.out for kind in kinds)
    assert "serq explain RULE" in answer.out


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("preempt lifo", "# preempt-lifo"),
        ("args.number", "# args-number"),
        ("batch.tokens", "# batch-tokens"),
        ("relation", "# pull"),
        ("report", "# The report of `serq run`"),
    ],
)
def test_words(serq: Serq, words: str, title: str) -> None:
    """Several words, dotted ones, and the name of what the grammar calls a form."""
    assert serq("explain", *words.split()).out.splitlines()[0] == title
    assert serq("explain", words).out.splitlines()[0] == title


def test_every_kind_and_construct_and_rule_has_a_page() -> None:
    """By its name, and a kind by its words as well."""
    for kind in {it.kind for it in constructs().values()}:
        assert page(kind)
        assert page(vocabulary("kinds")[kind])
    assert all(page(it) for it in constructs())
    assert all(page(it.id) for it in all_rules())


def test_it_is_short_unless_all_is_wanted(serq: Serq) -> None:
    """Three native places at most, an example, and a list where a word means more than two things."""
    page = serq("explain", "hold").out
    assert page.count("https://") == 3
    assert "For example:\n\n    hold kv (" in page
    assert "${" not in page
    assert serq("explain", "--all", "hold").out.count("https://") > 3
    several = serq("explain", "preempt").out
    assert len(several.splitlines()) < 10
    assert "preempt-lifo  " in several
    assert "# preempt-lifo" in serq("explain", "--all", "preempt").out
