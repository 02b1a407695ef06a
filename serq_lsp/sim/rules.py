"""What differs between IR versions when a program runs (semantics.md 14), as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.sim.rng import classic_seed, engine_seed

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSIC = 11


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one IR version.

    `stream_seed(seed, serial, turn, kind)`: the seed of a session's stream. `present_is_delay`: `ps(present)` runs as a
    delay. `holders_once`: a release takes one entry off the holder list, and holders are counted and preempted once each.
    `stalled_growth_advances`: a growth that stalled inside an engine's job moves the position when it resumes.
    `client`: turns are timed as a client sees them, and pools report sessions stalled at the end.
    """

    stream_seed: Callable[[int, int, int, int], int]
    present_is_delay: bool
    holders_once: bool
    stalled_growth_advances: bool
    client: bool


_CLASSIC_RULES = Rules(
    classic_seed, present_is_delay=False, holders_once=False, stalled_growth_advances=True, client=False
)
_LATER_RULES = Rules(engine_seed, present_is_delay=True, holders_once=True, stalled_growth_advances=False, client=True)


def rules_of(version: int) -> Rules:
    """The rules of an IR version."""
    return _CLASSIC_RULES if version <= CLASSIC else _LATER_RULES
