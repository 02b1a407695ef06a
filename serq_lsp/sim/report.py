"""The report of a run as text: the reference's JSON, and a table for people (semantics.md 12.9)."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from serq_lsp.sim.trace import plain_number

if TYPE_CHECKING:
    from serq_lsp.sim.result import Result
    from serq_lsp.sim.stats import Summary


def report_data(result: Result, version: str) -> dict[str, Any]:
    """The report as plain data in printing order. `version` is printed as `serq_version`."""
    data: dict[str, Any] = {
        "serq_version": version,
        "horizon": result.horizon,
        "end": result.end,
        "warmup": result.warmup,
        "seed": result.seed,
        "events": result.events,
        "arrivals": result.arrivals,
        "ended": result.ended,
        "turns": result.turns,
        "mean_live": result.mean_live,
        "observes": _summaries(result.observes),
    }
    if result.client is not None:
        data["client"] = _summaries(result.client)
    data["gauges"] = result.gauges
    if result.claims:
        data["claims"] = result.claims
    data["stages"] = result.stages
    data["pools"] = result.pools
    return data


def report_json(result: Result, version: str) -> str:
    """The report as one line of JSON: shortest decimals without exponent, null for not-a-number and infinities."""
    return _json(report_data(result, version))


def _summaries(table: dict[str, Summary]) -> dict[str, Any]:
    return {
        name: {"count": it.count, "mean": it.mean, "ci": it.ci, "cv2": it.cv2, "p99": it.p99}
        for name, it in table.items()
    }


def _json(data: Any) -> str:
    if isinstance(data, dict):
        return (
            "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{_json(value)}" for key, value in data.items()) + "}"
        )
    if isinstance(data, list):
        return "[" + ",".join(map(_json, data)) + "]"
    if isinstance(data, float):
        return plain_number(data) if math.isfinite(data) else "null"
    return json.dumps(data, ensure_ascii=False)
