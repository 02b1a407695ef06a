"""Did you mean: the known name that is nearest to a misspelt one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_MAX = 64
"""Longer names get no suggestion: nobody mistypes one, and comparing costs the product of the lengths."""
CANDIDATES_MAX = 2000
"""How many known names are looked at."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that `name` was probably meant to be, or None.

    The distance counts letters inserted, left out, replaced and two neighbours swapped; a change of case alone counts
    nothing. A name may be wrong in one letter of three. Among equals the first candidate wins.
    """
    if len(name) > NAME_MAX:
        return None
    best: str | None = None
    least = max(len(name), 3) // 3 + 1
    for number, candidate in enumerate(candidates):
        if number == CANDIDATES_MAX:
            break
        if candidate == name or abs(len(candidate) - len(name)) >= least:
            continue
        found = distance(name.casefold(), candidate.casefold(), least)
        if found < least and found < max(len(name), len(candidate)):
            best, least = candidate, found
    return best


def distance(left: str, right: str, limit: int) -> int:
    """Return how many single mistakes turn `left` into `right`; `limit` where it is that many or more."""
    if abs(len(left) - len(right)) >= limit:
        return limit
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)
