"""The report of a run as a table for people: figures with units, empty parts left out (semantics.md 12)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sim.result import Result
    from serq_lsp.sim.stats import Summary

_NONE = "-"


def report_table(result: Result) -> str:
    """The report as lines of text, ending with a newline. Times in seconds, pools in their units."""
    warm = f" after {_figure(result.warmup)} s of warm-up" if result.warmup else ""
    lines = [
        f"{_figure(result.end)} s simulated{warm}, seed {result.seed}: {result.events:,} events, {result.iterations:,} iterations",
        f"sessions: {result.arrivals:,} arrived, {result.ended:,} ended, {_figure(result.mean_live)} live on average"
        + (f"; {result.turns:,} turns" if result.turns else ""),
    ]
    lines += _summaries("client, s", result.client or {})
    lines += _summaries("observed", result.observes)
    lines += _gauges(result)
    lines += _stages(result)
    lines += _pools(result)
    lines += _claims(result)
    return "\n".join(lines) + "\n"


def _summaries(title: str, table: dict[str, Summary]) -> list[str]:
    rows = [
        [name, f"{it.count:,}", _figure(it.mean), _figure(it.ci), _figure(it.cv2), _figure(it.p99)]
        for name, it in table.items()
        if it.count
    ]
    return _table([title, "count", "mean", "± 95 %", "cv²", "p99"], rows)


def _gauges(result: Result) -> list[str]:
    rows = [
        [name, _figure(it["mean"]), _figure(it["ci"]), _figure(it["min"]), _figure(it["max"])]
        for name, it in result.gauges.items()
    ]
    return _table(["gauge", "mean", "± 95 %", "min", "max"], rows)


def _stages(result: Result) -> list[str]:
    rows = [
        [
            _label(it),
            _figure(it["mean_number"]),
            _percent(it["utilization"]),
            _figure(it["completed"]),
            _figure(it["throughput"]),
            _figure(it["mean_wait"]),
            _figure(it["mean_service"]),
        ]
        for it in result.stages
    ]
    lines = _table(["stage", "jobs", "busy", "done", "done/s", "wait, s", "service, s"], rows)
    engines = [it for it in result.stages if it["iterations"]]
    rows = [
        [
            _label(it),
            _figure(it["iterations"]),
            _percent(it["prefill_only"]),
            _percent(it["decode_only"]),
            _percent(it["mixed"]),
            _figure(it["mean_decode_batch"]),
            _figure(it["mean_itl"]),
            _figure(it["itl_p99"]),
        ]
        for it in engines
    ]
    lines += _table(["engine", "iterations", "prefill", "decode", "mixed", "decodes", "token gap, s", "p99"], rows)
    lines += [f"{_label(it)} stands still with work to do" for it in result.stages if it["idle_with_work"]]
    return lines


def _pools(result: Result) -> list[str]:
    rows = [
        [
            _label(it),
            _figure(it["mean_used"]),
            _figure(it["mean_cached"]),
            _figure(it["mean_queue"]),
            _figure(it["mean_wait"]),
            _figure(it["admissions"]),
            _figure(it["preemptions"]),
            _figure(it["evicted_units"]),
            _figure(it["rejected"]),
        ]
        for it in result.pools
    ]
    head = ["pool", "used", "cached", "waiting", "wait, s", "admitted", "preempted", "evicted", "rejected"]
    lines = _table(head, rows)
    for it in result.pools:
        over = it["over_cap"]
        if isinstance(over, dict):
            lines.append(
                f"{_label(it)} is too small for the first hold waiting at {over['queue']}: it asks for {_figure(over['need'])}"
            )
    return lines


def _claims(result: Result) -> list[str]:
    rows = [
        [
            str(it["name"]),
            str(it["result"]).replace("_", " "),
            _figure(it["checked"]),
            _figure(it["failures"]),
            _figure(it["first"]),
            str(it["note"] or ""),
        ]
        for it in result.claims
    ]
    return _table(["claim", "result", "checked", "failed", "first at, s", ""], rows)


def _label(row: dict[str, object]) -> str:
    return str(row["name"]) if row["index"] is None else f"{row['name']}[{row['index']}]"


def _figure(value: object) -> str:
    """Four figures are enough to read; whole numbers in full; a dash for what there is none of."""
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float) or not math.isfinite(value):
        return _NONE
    if value == int(value) and abs(value) < 1e12:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _percent(value: object) -> str:
    return f"{100 * value:.3g} %" if isinstance(value, float) and math.isfinite(value) else _NONE


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A blank line, the head and the rows: first column to the left, figures to the right."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [""]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines
