"""What happens next: by time, then by order of scheduling; nothing else breaks a tie (semantics.md 3.1)."""

from __future__ import annotations

from heapq import heappush
from typing import Any

WARM_UP = 0
ARRIVAL = 1
FINISH = 2  # of a job with an event of its own
PS_FINISH = 3  # of the first job of a ps stage
ITERATION_END = 4
LEASE_END = 5
FLOW_FINISH = 6


class Agenda:
    """The events to come: (time, order of scheduling, kind, what it is about, epoch)."""

    __slots__ = ("_count", "heap")

    def __init__(self) -> None:
        self.heap: list[tuple[float, int, int, Any, int]] = []
        self._count = 0

    def add(self, at: float, kind: int, about: Any = None, epoch: int = 0) -> None:
        """Schedule an event at a time in seconds."""
        heappush(self.heap, (at, self._count, kind, about, epoch))
        self._count += 1

    def quiet(self, now: float) -> bool:
        """Whether nothing is left to happen at this instant."""
        return not self.heap or self.heap[0][0] > now
