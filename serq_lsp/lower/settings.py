"""What the caller of a program may set: the same record for every edition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_HORIZON = 20.0
"""Seconds that a program of the engine edition runs when nothing says how long."""


@dataclass(frozen=True)
class RunSettings:
    """Settings of one run; None leaves a setting to the program's own run block, and then to the default.

    `horizon` and `warmup` are seconds, `arrivals` counts sessions. `sets` gives new values to constants (classic) or
    inputs by their external name: numbers, or the text of a constant expression. `defs` gives new bodies to expression
    definitions. `trace` replaces the path of the program's trace.
    """

    seed: int | None = None
    horizon: float | None = None
    warmup: float | None = None
    arrivals: int | None = None
    sets: Mapping[str, float | str] = field(default_factory=dict)
    defs: Mapping[str, str] = field(default_factory=dict)
    trace: str | None = None

    def replaces(self, word: str) -> bool:
        """Say whether these replace what the program's own run block says by `word` (`horizon`, `warmup`, …)."""
        return getattr(self, word, None) is not None
