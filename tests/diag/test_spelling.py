"""Misspelt names get the suggestion a person would make, and far ones get none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.diag.spelling import distance, nearest

KNOWN = ["slots", "kv", "budget_left", "cachedin", "gpu", "prompt"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("slotz", "slots"),
        ("sltos", "slots"),
        ("slot", "slots"),
        ("KV", "kv"),
        ("kvv", "kv"),
        ("budgetleft", "budget_left"),
        ("cached_in", "cachedin"),
        ("promtp", "prompt"),
        ("engine", None),
        ("x", None),
        ("ab", None),
        ("", None),
        ("a" * 100_000, None),
    ],
)
def test_the_nearest_name(name: str, meant: str | None) -> None:
    """One mistake in three letters is forgiven, and a swap counts once."""
    assert nearest(name, KNOWN) == meant


def test_the_name_itself_is_no_suggestion() -> None:
    """A name of the wrong kind may be spelt like a known one; telling the reader to write it again helps nobody."""
    assert nearest("kv", ["kv"]) is None


@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(1, 8))
def test_the_limit_only_cuts(left: str, right: str, limit: int) -> None:
    """With a limit the distance is the smaller of both; it is symmetric."""
    assert distance(left, right, limit) == min(distance(left, right, 100), limit) == distance(right, left, limit)
