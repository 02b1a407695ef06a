"""What can go wrong in a run: the program's fault (`RunError`) or a limit of ours (`LimitReached`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands in the IR: block number, and its index there from 0."""

    block: int
    statement: int


class RunError(Exception):
    """A fault of the program that ends the run without a report (semantics.md 13).

    `kind` is a short fixed name, `message` says cause and cure in one line. `time` (seconds) and `place` are filled in on
    the way out, where they are known.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.time: float | None = None
        self.place: Place | None = None


class LimitReached(RunError):  # noqa: N818 - it says what happened; the limit is no error of the program
    """A limit of the interpreter: the program may be sound, but this run stops here. `kind` names the limit."""
