"""How long a run may go on. Every loop that a program controls counts against one of these, each with a named message."""

from __future__ import annotations

import importlib.util
import sys
import time
from dataclasses import dataclass

from serq_lsp.sim.errors import LimitReached

_HAS_RESOURCE = importlib.util.find_spec("resource") is not None  # not on every system

READINESS_MAX = 1000  # of one session at one instant (semantics.md 3.2)
STATEMENTS_MAX = 1_000_000  # of one session without blocking (semantics.md 5)
IDLE_ITERATIONS_MAX = 10_000  # of one engine at one instant
_CHECK_EVERY = 512  # steps between two looks at the clock and the memory


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run; None is no limit.

    `events`: events handled. `seconds`: wall time. `memory`: bytes by which the process may grow during the run (not
    measured on systems without a resource meter). `instant_steps`: work units (statements, arrivals, evictions, candidates
    looked at) at one simulated instant.
    """

    events: int | None = None
    seconds: float | None = None
    memory: int | None = 4 << 30
    instant_steps: int = 5_000_000


class Meter:
    """Counts one run's work against its limits."""

    __slots__ = ("_due", "_ends", "_memory", "_start_memory", "instant", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.instant = 0
        self._due = _CHECK_EVERY
        self._ends = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._memory = limits.memory if _HAS_RESOURCE else None
        self._start_memory = _peak() if self._memory is not None else 0

    def new_instant(self) -> None:
        """Simulated time has advanced."""
        self.instant = 0

    def step(self, count: int = 1) -> None:
        """One unit of work (or `count`) is about to be done."""
        self.instant += count
        self._due -= count
        if self._due < 0:
            self.check()

    def check(self) -> None:
        """Compare with every limit now."""
        self._due = _CHECK_EVERY
        if self.instant > self.limits.instant_steps:
            raise LimitReached(
                "instant-steps",
                f"more than {self.limits.instant_steps:,} steps at one instant: time stands still; "
                "let each round of the program take some time",
            )
        if self._ends is not None and time.monotonic() > self._ends:
            raise LimitReached(
                "seconds",
                f"the run takes longer than {self.limits.seconds:g} s; shorten the horizon or raise the limit",
            )
        if self._memory is not None and _peak() - self._start_memory > self._memory:
            raise LimitReached(
                "memory", f"the run needs more than {self._memory >> 20:,} MiB; shorten the horizon or lower the load"
            )

    def event(self, handled: int) -> None:
        """One more event, the `handled`-th, is about to be handled."""
        most = self.limits.events
        if most is not None and handled > most:
            raise LimitReached("events", f"more than {most:,} events; shorten the horizon or raise the limit")
        self._due -= 1
        if self._due < 0:
            self.check()


def _peak() -> int:
    """The most memory the process has had, in bytes."""
    import resource

    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak << 10
