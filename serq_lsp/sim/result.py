"""What a finished run has to report, as data (semantics.md 12.9)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.sim import cache, queueing
from serq_lsp.sim.resources import StepStage
from serq_lsp.sim.stats import GaugePoints, Samples, Summary, summary

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool, Stage
    from serq_lsp.sim.script import ClaimState
    from serq_lsp.sim.world import World


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of one run, in the report's order, and the samples behind them.

    Times in seconds, pools in their units. `observes` and `gauges` by name; `client` only from IR 13 on, `claims` only if the
    program has any. Rows are dictionaries in printing order; not-a-number and infinities are left as they are.
    """

    horizon: float
    end: float
    warmup: float
    seed: int
    events: int
    arrivals: int
    ended: int
    turns: int
    mean_live: float
    observes: dict[str, Summary]
    client: dict[str, Summary] | None
    client_samples: dict[str, Samples]
    gauges: dict[str, dict[str, float]]
    claims: list[dict[str, object]]
    stages: list[dict[str, object]]
    pools: list[dict[str, object]]
    samples: dict[str, Samples]
    gauge_points: dict[str, GaugePoints]
    iterations: int


def result_of(world: World) -> Result:
    """The figures at the end of a run."""
    program = world.program
    end = world.now
    client = {"ttft": world.client.ttft, "tpot": world.client.tpot, "response": world.client.response}
    gauges = {}
    for gauge, points in zip(program.gauges, world.gauges, strict=True):
        mean, ci, least, greatest = points.report(program.warmup, end)
        gauges[gauge.name] = {"mean": mean, "ci": ci, "min": least, "max": greatest}
    return Result(
        horizon=program.horizon,
        end=end,
        warmup=program.warmup,
        seed=program.seed,
        events=world.events,
        arrivals=world.arrived,
        ended=world.ended,
        turns=world.turns,
        mean_live=world.ledger.mean(world.live_level, end),
        observes={name: summary(it.values) for name, it in zip(program.observes, world.observes, strict=True)},
        client={name: summary(it.values) for name, it in client.items()} if world.rules.client else None,
        client_samples=client if world.rules.client else {},
        gauges=gauges,
        claims=[_claim(world, claim) for claim in world.script.claims],
        stages=[_stage(world, stage, end) for stage in world.stages],
        pools=_pools(world, end),
        samples=dict(zip(program.observes, world.observes, strict=True)),
        gauge_points={gauge.name: points for gauge, points in zip(program.gauges, world.gauges, strict=True)},
        iterations=sum(stage.iterations for stage in world.stages if isinstance(stage, StepStage)),
    )


def _claim(world: World, claim: ClaimState) -> dict[str, object]:
    row: dict[str, object] = {"name": claim.name, "kind": claim.kind}
    note = None
    checked, failures, first = claim.checked, claim.failures, claim.first
    if claim.left_scope is not None:
        result, note = "out_of_scope", f"session {claim.left_scope} fails `given`"
    elif claim.kind == "at_end":
        if world.live:
            result = "not_evaluated"
            note = f"{world.live} session{'' if world.live == 1 else 's'} live at the end"
        else:
            holds = claim.value(*[0.0] * 10) != 0
            result = "holds" if holds else "fails"
            checked, failures = 1, int(not holds)
            first = None if holds else world.now
    elif claim.kind == "every_iteration":
        result = "fails" if failures else "holds"
    else:
        result = "witnessed" if failures < checked else "not_witnessed"
    row.update(result=result, checked=checked, failures=failures, first=first, note=note)
    return row


def _stage(world: World, stage: Stage, end: float) -> dict[str, object]:
    span = end - world.program.warmup
    row: dict[str, object] = {
        "name": stage.name,
        "index": stage.index,
        "mean_number": world.ledger.mean(stage.levels[0], end),
        "utilization": world.ledger.mean(stage.levels[1], end),
        "completed": stage.completed,
        "throughput": stage.completed / span if span else math.nan,
        "mean_wait": stage.waits.value(),
        "mean_service": stage.services.value(),
    }
    engine = stage if isinstance(stage, StepStage) else None
    spent = [0.0] * 4 if engine is None else engine.batches.means(end)
    row.update(
        iterations=0 if engine is None else engine.iterations,
        prefill_only=spent[0],
        decode_only=spent[1],
        mixed=spent[2],
        mean_decodes=spent[3],
        mean_decode_batch=math.nan if engine is None else engine.batches.batch.value(),
        mean_decode_step=math.nan if engine is None else engine.batches.step.value(),
        mean_itl=math.nan if engine is None else engine.gaps.mean(),
        itl_p50=math.nan if engine is None else engine.gaps.quantile(0.5),
        itl_p99=math.nan if engine is None else engine.gaps.quantile(0.99),
        idle_with_work=engine is not None and engine.idle_with_work,
    )
    return row


def _pools(world: World, end: float) -> list[dict[str, object]]:
    over = _over_cap(world)
    rows = []
    for pool in world.pools:
        means = [world.ledger.mean(level, end) for level in pool.levels]
        row: dict[str, object] = {
            "name": pool.name,
            "index": pool.index,
            "mean_used": means[0],
            "mean_cached": means[1],
            "mean_queue": means[2],
            "mean_holders": means[3],
            "mean_wait": pool.waits.value(),
            "admissions": pool.admissions,
            "evicted_entries": pool.evicted_entries,
            "evicted_units": pool.evicted_units,
            "preemptions": pool.preemptions,
            "spills": pool.spills,
            "rejected": pool.rejected,
            "stuck": pool.stuck,
            "over_cap": over.get(pool.number),
        }
        if world.rules.client:
            row.update(_stalled(world, pool))
        rows.append(row)
    return rows


def _stalled(world: World, pool: Pool) -> dict[str, object]:
    """Sessions stalled on a pool at the end, and whether they are all that has an allocation there."""
    stalled = {id(stall.session) for stall in pool.growers}
    holding = [
        session
        for session in world.slots
        if session is not None
        and any(part.pool is pool and part.allocated > 0 for hold in session.holds for part in hold.parts)
    ]
    all_of_them = bool(stalled) and all(id(session) in stalled for session in holding)
    return {"growing_at_end": len(pool.growers), "growing_stalled": all_of_them}


def _over_cap(world: World) -> dict[int, dict[str, object]]:
    """Holds at the head of a queue that ask more of a pool than its cap (semantics.md 12.9)."""
    found: dict[int, dict[str, object]] = {}
    for queue_of in world.pools:
        if not queue_of.queue:
            continue
        wait = queueing.pick(world, queue_of)
        _, wanted = queueing.needs(wait)
        for pool, need in zip(wait.pools, wanted, strict=True):
            asked = cache.rounded_up(pool, need)
            if asked > pool.cap and pool.number not in found:
                label = queue_of.name if queue_of.index is None else f"{queue_of.name}[{queue_of.index}]"
                found[pool.number] = {"queue": label, "need": need}
    return found
