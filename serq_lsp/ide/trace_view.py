"""From a program to a job for the child process (`trace_run`), and from its messages to views and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ide.trace_hints import Count, Moment, TraceView, Work
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Collection

    from serq_lsp.ide.snapshot import Snapshot

STOPPED = Rule("run-stopped", Severity.ERROR, "a run of the program ended before its end")


def job_for(
    snapshot: Snapshot, path: str, is_open: Collection[str], *, events: int, seconds: float, memory: int
) -> dict[str, Any]:
    """Return the job that runs the program `path` at its own settings (C40) as the snapshot has it.

    `is_open` are the paths of open documents; of the others the child reads what is on disk. `events`, `seconds` and
    `memory` (bytes) are the limits of the run.
    """
    texts = {it: snapshot.source(it).text for it in snapshot.files(path) if it in is_open}
    return {"path": path, "documents": texts, "events": events, "seconds": seconds, "memory": memory}


def view_of(files: frozenset[str], message: dict[str, Any]) -> TraceView:
    """Return what an editor shows of a message; `files` are those that the program reads."""
    work: dict[tuple[str, Span], Work] = {}
    for path, start, end, items, moments in message["work"]:
        span = Span(start, end)
        taken = tuple(Moment(number, time, tuple(shown)) for number, time, shown in moments)
        before = work.get((path, span))
        if before is None:
            work[path, span] = Work(path, span, taken, items)
        else:
            work[path, span] = Work(path, span, tuple(sorted((*before.moments, *taken))), items + before.items)
    fault = message["fault"]
    return TraceView(
        files=files,
        work=tuple(work.values()),
        counts=tuple(
            Count(path, Span(start, end), count, name, member)
            for path, start, end, name, member, count in message["counts"]
        ),
        iterations=message["iterations"],
        ended=message["ended"],
        note=_note(fault) if fault else "",
        partial=not message["done"],
    )


_LIMITS = {
    "seconds": "stopped at the time limit",
    "events": "stopped at the limit of events",
    "memory": "stopped at the memory limit",
    "broken": "broke off",
}
"""What is said of a run that came to a limit, by the limit's name."""


def _note(fault: dict[str, Any]) -> str:
    """Return in a few words why a run ended before its end."""
    return _LIMITS.get(fault["kind"], "stopped at a limit") if fault["limit"] else "stopped by an error"


def run_findings(path: str, message: dict[str, Any]) -> dict[str, list[Finding]]:
    """Return what a run of `path` found wrong, by file: a fault of the program as an error, a limit as information."""
    fault = message["fault"]
    if not fault:
        return {}
    chain = [(where, Span(start, end)) for where, start, end in fault["chain"]] or [(path, Span(0, 0))]
    finding = Finding(
        STOPPED,
        *chain[0],
        f"the run stops here: {fault['message']}",
        notes=tuple(Note("used here", *it) for it in chain[1:]),
        override=Severity.INFORMATION if fault["limit"] else None,
    )
    return {finding.path: [finding]}
