"""A run in a child process: from a job (plain data) to messages (plain data), everything on the way done there.

A job is `{"path", "documents": {path: text}, "events", "seconds", "memory"}`: the program, the texts of open documents
that it reads, the limits (memory in bytes). A message is what the run has shown so far: `{"iterations", "ended",
"counts": [[path, start, end, name, member, iterations], …], "work": [[path, start, end, items, [[iteration, time, [item, …]], …]], …],
"done", "fault"}`; the fault that ended it is `{"kind", "message", "limit", "chain": [[path, start, end], …]}`. A program
that cannot be run gives one message `{"refused": sentence}`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from serq_lsp.ide import runs
from serq_lsp.ide.config import Given
from serq_lsp.ide.host import Host
from serq_lsp.sim.errors import LimitReached, RunError
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.trace import iter_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.sim.errors import Place
    from serq_lsp.sim.trace import Iteration
    from serq_lsp.text.spans import Span

    At = tuple[str, Span]

MOMENTS_MAX = 24
"""So many iterations are kept for each statement, the first ones; of the others only their items are counted."""
ITEMS_MAX = 96
"""So many items are kept for each statement."""
FIRST, LATER = 0.25, 0.5
"""Seconds until the first message of a run that goes on, and between later ones."""
_LOOK = 256
"""Iterations between two looks at the clock."""


@dataclass(slots=True)
class _Done:
    """What one statement has done: how many items in all, and the first of them by iteration."""

    items: int = 0
    kept: int = 0
    moments: list[tuple[int, str, list[str]]] = field(default_factory=list)


class Tally:
    """What a run has shown so far."""

    def __init__(self, prepared: runs.Prepared) -> None:
        self._origins = prepared.origins
        self._path = prepared.path
        self._program = prepared.program
        self._iterations = 0
        self._stages: dict[int, int] = {}
        self._work: dict[Place, _Done] = {}

    def add(self, it: Iteration) -> bool:
        """Count one iteration; say whether it is time to look at the clock."""
        number = self._iterations
        self._iterations += 1
        self._stages[it.stage] = self._stages.get(it.stage, 0) + 1
        shown: list[str] = []
        for index, item in enumerate(it.items):
            done = self._work.get(item.place)
            if done is None:
                done = self._work[item.place] = _Done()
            done.items += 1
            if done.kept >= ITEMS_MAX or (len(done.moments) == MOMENTS_MAX and done.moments[-1][0] != number):
                continue
            shown = shown or iter_line(it).split(" ")
            done.kept += 1
            if not done.moments or done.moments[-1][0] != number:
                done.moments.append((number, shown[1], []))
            done.moments[-1][2].append(shown[2 + index])
        return self._iterations % _LOOK == 0

    def message(self) -> dict[str, Any]:
        """Return the message of a run that goes on."""
        counts = [
            [place.path, *place.span, self._program.stages[stage].name, self._program.stages[stage].index, count]
            for stage, count in sorted(self._stages.items())
            if (place := self._origins.stages.get(stage)) is not None
        ]
        work = [
            [path, *span, it.items, it.moments]
            for place, it in self._work.items()
            for path, span in self._shown_at(place)
        ]
        return {
            "iterations": self._iterations,
            "ended": None,
            "counts": counts,
            "work": work,
            "done": False,
            "fault": None,
        }

    def _shown_at(self, place: Place) -> list[At]:
        """Return where a statement's work is shown: at itself, and in the program at the use that brought it."""
        chain = self.chain(place)
        here = [it for it in chain if it[0] == self._path]
        return chain[:1] + (here[-1:] if chain and chain[0][0] != self._path else [])

    def chain(self, place: Place | None) -> list[At]:
        """Return the places of a statement: itself first, then the uses that brought it; empty where it has none."""
        if place is None:
            return []
        return [(it.path, it.span) for it in self._origins.of_statement(place.block, place.statement)]


def execute(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield messages while a job runs, the last with `done`. A fault of the program or a limit is in the last one."""
    host = Host()
    for path, text in job["documents"].items():
        host.open(path, text)
    snapshot = host.snapshot()
    prepared = runs.prepare(snapshot, job["path"], Given())
    if isinstance(prepared, runs.Refused):
        yield {"refused": _why(snapshot, job["path"], prepared)}
        return
    execution = runs.Execution(prepared, Limits(events=job["events"], seconds=job["seconds"], memory=job["memory"]))
    tally = Tally(prepared)
    due = time.monotonic() + FIRST
    last: dict[str, Any] = {"done": True}
    try:
        for step in execution:
            if tally.add(step.iteration) and time.monotonic() > due:
                due = time.monotonic() + LATER
                yield tally.message()
        last["ended"] = execution.results().result.ended
    except runs.Stopped as stopped:
        last["fault"] = _fault(tally, stopped)
    yield {**tally.message(), **last}


def _fault(tally: Tally, stopped: runs.Stopped) -> dict[str, Any]:
    """Return what ended a run; the interpreter's own error, which has the bare message, is the context of `stopped`."""
    error = stopped.__context__
    if not isinstance(error, RunError):
        return {"kind": "error", "message": stopped.message, "limit": stopped.limit is not None, "chain": []}
    at = f" (at {error.time:g} s)" if error.time is not None else ""
    return {
        "kind": error.kind,
        "message": f"{error.message}{at}",
        "limit": isinstance(error, LimitReached),
        "chain": [[path, *span] for path, span in tally.chain(error.place)],
    }


def _why(snapshot: Snapshot, path: str, refused: runs.Refused) -> str:
    """Return why a program is not run, in one sentence with the first place."""
    if not refused.findings:
        return "; ".join(refused.problems) or "the program cannot be run"
    first = min(refused.findings, key=lambda it: (it.path != path, it.span))
    line = snapshot.source(first.path).lines.locate(first.span.start).line + 1
    where = f"line {line}" if first.path == path else f"{first.path}, line {line}"
    more = f" (and {len(refused.findings) - 1} more)" if len(refused.findings) > 1 else ""
    return f"the program is not run, for it has errors: {where}: {first.message}{more}"
