"""The report of a run as tables for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SPREAD = (
    ("mean", "mean", "the mean"),
    (
        "±95 %",
        "ci",
        "half the width of the 95 % confidence interval of the mean, from 20 batch means; – below 40 samples",
    ),
)
_OBSERVE = (
    ("count", "count", "samples after the warm-up"),
    *_SPREAD,
    ("p99", "p99", "the 99th percentile"),
    ("cv²", "cv2", "variance over mean squared: 0 for a constant, 1 for exponential times"),
)
_GAUGE = (*_SPREAD, ("min", "min", "the smallest value"), ("max", "max", "the largest value"))
_STAGE = (
    ("completed", "completed", "runs ended after the warm-up"),
    ("per s", "throughput", "completed runs per second"),
    ("number", "mean_number", "runs at the stage on average, waiting ones included"),
    ("busy", "utilization", "share of the time in which it works, 0 to 1"),
    ("wait", "mean_wait", "seconds from arrival to the start of service, on average"),
    ("service", "mean_service", "seconds of service, on average"),
)
_ENGINE = (
    ("iterations", "iterations", "iterations begun, warm-up included"),
    ("prefill", "prefill_only", "share of the time in iterations that serve prefill only"),
    ("decode", "decode_only", "share of the time in iterations that serve decodes only"),
    ("mixed", "mixed", "share of the time in iterations that serve both"),
    ("batch", "mean_decode_batch", "decodes in an iteration that has any, on average"),
    ("step", "mean_decode_step", "seconds that such an iteration takes, on average"),
    ("itl", "mean_itl", "inter-token latency: seconds between two tokens of a turn, on average"),
    ("itl p50", "itl_p50", "its median"),
    ("itl p99", "itl_p99", "its 99th percentile"),
)
_POOL = (
    ("used", "mean_used", "units held on average"),
    ("cached", "mean_cached", "units of cached prefixes on average"),
    ("queue", "mean_queue", "holds waiting on average"),
    ("wait", "mean_wait", "seconds that a hold waits, on average"),
    ("admitted", "admissions", "holds admitted"),
    ("evicted", "evicted_units", "units of cached prefixes evicted"),
    ("preempted", "preemptions", "holds preempted"),
    ("rejected", "rejected", "holds refused at once, for they never fit the cap"),
    ("stuck", "stuck", "sessions preempted again before they got further than the time before"),
)
_KINDS = (
    ("observation", "an `observe`: values as the program records them", _OBSERVE),
    ("client", "what clients see of requests, in seconds", _OBSERVE),
    ("gauge", "a `gauge`: means over the time after the warm-up", _GAUGE),
    ("stage", "a stage; for one that works in iterations see also the engine's line", _STAGE),
    ("engine", "a stage that works in iterations", _ENGINE),
    ("pool", "a pool; units are those of its cap, such as tokens; counts include the warm-up", _POOL),
)
"""The tables: title, what a line is about, and the columns: head, key in the report (semantics.md 12.9), meaning."""
_NOTES = (
    "A note `stood still at the end, although work was waiting for it` says that when the engine last looked, it served",
    "nobody, though requests were resident or waiting: a test or limit of its `schedule` was in the way, or a full pool.",
    "Where nothing else happens any more, they wait for ever.",
)


def legend() -> Iterator[str]:
    """Yield what the lines and columns of the report mean, with units."""
    yield "# The report of `serq run`"
    yield ""
    yield "Times are seconds. A – stands for what is not known. `serq run --json` gives all digits, under the names in brackets."
    for title, about, columns in _KINDS:
        yield ""
        yield f"## {title}: {about}"
        yield ""
        width = max(len(head) for head, _, _ in columns)
        yield from (f"{head.ljust(width)}  {meaning} ({key})" for head, key, meaning in columns)
    yield ""
    yield from _NOTES


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the report (semantics.md 12.9) as lines; times in seconds, what is not known as `–`."""
    yield (
        f"seed {report['seed']}, {_number(report['warmup'])} s warm-up, ended at {_number(report['end'])} s "
        f"(horizon {_number(report['horizon'])} s)"
    )
    yield (
        f"{_count(report['arrivals'], 'arrival')}, {_count(report['ended'], 'session')} ended, "
        f"{_count(report['turns'], 'turn')}, {_number(report['mean_live'])} sessions live on average, "
        f"{_count(report['events'], 'event')}"
    )
    stages = [(_name(it), it) for it in report["stages"]]
    rows: dict[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
        "observation": list(report["observes"].items()),
        "client": list((report.get("client") or {}).items()),
        "gauge": list(report["gauges"].items()),
        "stage": stages,
        "engine": [it for it in stages if it[1]["iterations"]],
        "pool": [(_name(it), it) for it in report["pools"]],
    }
    for title, _, columns in _KINDS:
        yield from _table(title, columns, rows[title])
    yield from _claims(report.get("claims") or ())
    yield ""
    yield from _notes(report)
    yield "`serq explain report` says what the columns mean"


def _claims(claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if claims:
        yield ""
    for it in claims:
        words = [f"claim {it['name']}: {it['result'].replace('_', ' ')}"]
        if it.get("failures"):
            fail = "fails" if it["failures"] == 1 else "fail"
            words.append(f"{it['failures']} of {it['checked']} {fail}, the first at {_number(it['first'])} s")
        if it.get("note"):
            words.append(it["note"])
        yield ", ".join(words)


def _notes(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each sign that the model did not do what its author may think."""
    for it in report["stages"]:
        if it.get("idle_with_work"):
            yield f"note: `{_name(it)}` stood still at the end, although work was waiting for it"
    for it in report["pools"]:
        if it.get("rejected"):
            yield f"note: `{_name(it)}` rejected {_count(it['rejected'], 'hold')} that never fit its cap"
        if it.get("stuck"):
            yield f"note: `{_name(it)}` has {_count(it['stuck'], 'session')} preempted again without progress"
        if over := it.get("over_cap"):
            name, bracket, index = over["queue"].partition("[")
            need = _number(over["need"])
            yield f"note: the head of queue `{_member(name, bracket + index)}` asks `{_name(it)}` for {need}, more than its cap"


def _name(row: Mapping[str, Any]) -> str:
    """Return a stage or pool as programs write it: a queue's own are members of the queue, `D[0].kv`."""
    if row.get("index") is None:
        return str(row["name"])
    return _member(row["name"], f"[{row['index']}]")


def _member(name: str, index: str) -> str:
    first, dot, rest = name.partition(".")
    return f"{first}{index}{dot}{rest}"


def _count(number: int, what: str) -> str:
    """Return a number of things, in the plural where it is not 1."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _table(
    title: str, columns: Sequence[tuple[str, str, str]], rows: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[str]:
    if not rows:
        return
    cells = [[title, *(head for head, _, _ in columns)]]
    cells += [[name, *(_number(row.get(key)) for _, key, _ in columns)] for name, row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns) + 1)]
    yield ""
    for row in cells:
        first = row[0].ljust(widths[0])
        yield "  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]).rstrip()


def _number(value: Any) -> str:
    """Return a number with six digits; what is missing or not finite as a dash."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, int):
        return str(value)
    return f"{value:.6g}"
