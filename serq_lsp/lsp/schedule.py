"""When work is done: one task per document and kind of work, the latest wins, and typing is let through first."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

LOG = logging.getLogger(__name__)
QUIET_MAX = 0.05
"""Seconds for which waiting messages may put off a check."""
CHEAP = 0.05
"""Seconds; after a check that takes longer the next one waits as long again, so that typing never lags (C33)."""
PAUSE_MAX = 0.3
"""Seconds; the longest such pause."""


class Latest:
    """Tasks by key. A new one for a key cancels the one that runs."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def start(self, key: Hashable, job: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start a job and cancel the older one of the same key. A fault in a job is logged, no more."""
        self.cancel(key)
        task = asyncio.get_running_loop().create_task(job)
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))
        return task

    def cancel(self, key: Hashable) -> bool:
        """Cancel the job of a key; say whether one was running."""
        task = self._tasks.pop(key, None)
        return task is not None and task.cancel()

    def running(self, key: Hashable) -> bool:
        """Say whether a job of this key is running."""
        return key in self._tasks

    async def stop(self) -> None:
        """Cancel all jobs and wait until they have ended."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and (fault := task.exception()) is not None:
            LOG.error("a job for %s failed", key, exc_info=fault)


class Pace:
    """How long to wait before a check: until no message waits, and longer where checks have proved dear."""

    def __init__(self, is_idle: Callable[[], bool]) -> None:
        self._is_idle = is_idle
        self.delay = 0.0
        """Seconds that a client asked every check to wait."""
        self._checked: dict[str, tuple[float, float]] = {}

    def measured(self, path: str, seconds: float, now: float | None = None) -> None:
        """Remember how long the check of a file took that has just ended (at `now` of the monotonic clock)."""
        self._checked[path] = seconds, time.monotonic() if now is None else now

    def pause(self, path: str, now: float | None = None) -> float:
        """Return the seconds for which the check of a file is put off at least: none for an edit after a rest."""
        took, ended = self._checked.get(path, (0.0, 0.0))
        since = (time.monotonic() if now is None else now) - ended
        return max(self.delay, min(PAUSE_MAX, took) - since if took > CHEAP else 0.0)

    async def quiet(self, path: str) -> None:
        """Return when it is time to check a file."""
        if pause := self.pause(path):
            await asyncio.sleep(pause)
        until = time.monotonic() + QUIET_MAX
        await asyncio.sleep(0)
        while not self._is_idle() and time.monotonic() < until:  # noqa: ASYNC110 (each message in between is handled)
            await asyncio.sleep(0)
