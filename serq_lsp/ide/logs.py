"""Recorded logs of sessions, which a `trace` clause or a setting names: where they lie, and whether they can be read."""


# ruff: noqa: PTH118, PTH120
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide import files

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.sema.model import Model
    from serq_lsp.text.source import Source
    from serq_lsp.text.spans import Span

BYTES_MAX = 64 << 20
"""A longer log is not read."""


KINDS = ("bad-trace", "trace-outside")
"""The names of a run's errors that are about its log."""


class Refusal(NamedTuple):
    """Why a log is not read: a short fixed name as a run's errors have it, and the reason with its cure in one line."""

    kind: str
    reason: str


def clause(model: Model) -> Span | None:
    """Return where the path of the log stands in the program; the last clause counts."""
    workload = model.declared.workload
    found = workload.of_kind("trace") if workload is not None else []
    return (found[-1].child("path") or found[-1]).span if found else None


def refusal(snapshot: Snapshot, program: str, name: str, *, anywhere: bool) -> Refusal | None:
    """Return why the log cannot be read, None where it can; of its text nothing is looked at."""
    answer = _read(snapshot, program, name, anywhere=anywhere, most=0)
    return answer if isinstance(answer, Refusal) else None


def read(snapshot: Snapshot, program: str, name: str, *, anywhere: bool) -> Source | Refusal:
    """Return the log `name` of a program, or why it cannot be had.

    It lies relative to the program's folder and inside its project; with `anywhere`, which is for options, it lies as
    the option says.
    """
    return _read(snapshot, program, name, anywhere=anywhere, most=BYTES_MAX)


def _read(snapshot: Snapshot, program: str, name: str, *, anywhere: bool, most: int) -> Source | Refusal:
    """Return the log of at most so many bytes; where that is none, an empty text stands for any."""
    path = name if anywhere else os.path.join(os.path.dirname(program), name)
    root = os.path.realpath(snapshot.root(program))
    if not anywhere and os.path.commonpath([root, os.path.realpath(path)]) != root:
        reason = f"the trace `{path}` lies outside `{root}`; name it with --trace, or move it there"
        return Refusal("trace-outside", reason)
    answer = files.read(path, most)
    if isinstance(answer, files.Unreadable):
        if not most and answer.problem == "too large":
            return answer.shown
        return Refusal("bad-trace", f"the trace `{answer.path}` {answer.reason}; {answer.cure}")
    return answer
