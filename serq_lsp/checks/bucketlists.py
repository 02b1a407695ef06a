"""Decode buckets as vllm-rbln computes them, and the contract comment that states them (native-facts.md a).

A contract is one of `// serq: buckets decode exponential min 1 step 2 limit 4 pp 1`, `… linear min 1 step 2 limit 4` and
`… manual 1 2 4 8 pp 2`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

BUCKETS_MAX = 65_536
"""So many sizes are computed at most."""
STRATEGIES = ("exponential", "linear", "manual")
_MARK = re.compile(r"//\s*serq:\s*buckets\b")
_WORDS = re.compile(r"//\s*serq:\s*buckets\s+(?P<rest>.*?)\s*$")
_NUMBER = re.compile(r"-?[0-9]{1,9}")


class Contract(NamedTuple):
    """What a comment says of a deployment's buckets: rows of a decode step.

    `minimum`, `step` and `limit` (a number of buckets) are options of the computed strategies, `manual` the sizes of
    the manual one. `pp` is the depth of the pipeline.
    """

    strategy: str
    minimum: int = 1
    step: int = 2
    limit: int = 1
    manual: tuple[int, ...] = ()
    pp: int = 1


class Refused(NamedTuple):
    """Why a contract cannot be read, or why start-up would refuse it; one line."""

    reason: str


def is_contract(comment: str) -> bool:
    """Say whether a comment is meant as a contract on buckets."""
    return _MARK.match(comment) is not None


def read(comment: str) -> Contract | Refused:
    """Return what a contract comment says, or what in it cannot be read."""
    found = _WORDS.match(comment)
    words = found["rest"].split() if found else []
    if words[:1] != ["decode"]:
        return Refused("buckets of `decode` are stated: `buckets decode exponential min 1 step 2 limit 4`")
    if len(words) < 2 or words[1] not in STRATEGIES:
        return Refused("the strategy is `exponential`, `linear` or `manual`")
    options = {"min": 1, "step": 2, "limit": 1, "pp": 1}
    manual: list[int] = []
    rest = words[2:]
    while rest:
        word = rest.pop(0)
        if word in options:
            if not rest or not _NUMBER.fullmatch(rest[0]):
                return Refused(f"`{word}` takes a whole number")
            options[word] = int(rest.pop(0))
        elif words[1] == "manual" and _NUMBER.fullmatch(word):
            manual.append(int(word))
        else:
            return Refused(f"`{word}` is no option of these buckets")
    return Contract(words[1], options["min"], options["step"], options["limit"], tuple(manual), options["pp"])


def sizes(contract: Contract, capacity: int) -> list[int] | Refused:
    """Return the compiled decode sizes, ascending, for an engine that runs `capacity` requests at most.

    The ceiling M is `capacity // pp`; both computed strategies count down from it.
    """
    if contract.pp <= 0:
        return Refused(f"a pipeline has at least one stage, not {contract.pp}")
    ceiling = capacity // contract.pp
    if ceiling < 1:
        return Refused(f"a pipeline of {contract.pp} needs at least {contract.pp} requests; there are {capacity}")
    if contract.strategy == "manual":
        return _manual(contract.manual, ceiling)
    problems = (
        (ceiling < contract.minimum, f"the largest batch, {ceiling}, is below `min {contract.minimum}`"),
        (contract.limit <= 0, f"`limit` counts buckets and is above 0, not {contract.limit}"),
        (contract.step <= 0, f"`step` is above 0, not {contract.step}"),
        (contract.minimum <= 0, f"`min` is above 0, not {contract.minimum}"),
        (contract.strategy == "exponential" and contract.step <= 1, "an exponential `step` is above 1"),
    )
    for wrong, reason in problems:
        if wrong:
            return Refused(reason)
    found: list[int] = []
    size = ceiling
    while size >= contract.minimum and len(found) < min(contract.limit, BUCKETS_MAX):
        found.append(size)
        size = size // contract.step if contract.strategy == "exponential" else size - contract.step
    return sorted(found)


def _manual(given: Sequence[int], ceiling: int) -> list[int] | Refused:
    if not given:
        return Refused("`manual` needs its sizes")
    if min(given) <= 0:
        return Refused(f"a size is above 0, not {min(given)}")
    if len(set(given)) < len(given):
        return Refused("a size is given twice")
    if max(given) != ceiling:
        return Refused(f"the largest size, {max(given)}, is not the largest batch, {ceiling}")
    return sorted(given)


def covering(buckets: Sequence[int], count: int) -> int | None:
    """Return the smallest bucket of at least `count` rows, or None where none covers it."""
    return min((size for size in buckets if size >= count), default=None)
