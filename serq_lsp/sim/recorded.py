"""Recorded sessions from a CSV log (semantics.md 4.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.sim.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.ir.program import Program
    from serq_lsp.sim.session import Record

_FIELDS = "session,turn,new,out,think[,forced]"


def read_records(lines: Iterable[str], program: Program) -> list[Record]:
    """The recorded sessions of a log, each a list of turns, each pairs of slot and value.

    Raises `RunError` with the line's number (from 1) for a line that is none, and for a log without any.
    """
    new, out, think, forced = program.slots[3], program.slots[4], program.slots[5], program.slots[7]
    found: list[list[tuple[tuple[int, float], ...]]] = []
    last: int | None = None
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line or line.startswith(("#", "session")):
            continue
        fields = line.split(",")
        if len(fields) not in (5, 6):
            raise RunError("bad-trace", f"line {number} of the trace has {len(fields)} fields; expected {_FIELDS}")
        values = [_number(fields[at], number) for at in (0, *range(2, len(fields)))]
        session = 0 if math.isnan(values[0]) else int(min(max(values[0], 0.0), 2.0**64))
        if session != last:
            found.append([])
            last = session
        forced_value = values[4] if len(values) > 4 else 0.0
        found[-1].append(((new, values[1]), (out, values[2]), (think, values[3]), (forced, forced_value)))
    if not found:
        raise RunError("bad-trace", f"the trace has no line of data; expected {_FIELDS}")
    return [tuple(turns) for turns in found]


def _number(text: str, line: int) -> float:
    bare = text.strip()
    try:
        value = float(bare)
    except ValueError:
        value = None
    if value is None or "_" in bare or not bare.isascii():
        raise RunError("bad-trace", f"line {line} of the trace: {text!r} is no number")
    return value
