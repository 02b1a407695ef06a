"""Everything an event sets off at its instant (semantics.md 3.2), and the recording of time averages (12.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.arith import divide
from serq_lsp.sim import flows, growth, iteration, stages
from serq_lsp.sim.resources import PsStage, SharedStage
from serq_lsp.sim.statements import run_ready

if TYPE_CHECKING:
    from serq_lsp.sim.world import World


def settle(world: World) -> None:
    """Run the ready, admit, start iterations, re-time, record."""
    while True:
        if world.ready:
            run_ready(world)
        growth.serve_pools(world)
        if not world.ready:
            break
    quiet = world.agenda.quiet(world.now)
    for stage in world.watched:
        if isinstance(stage, PsStage):
            if stage.dirty:
                stages.retime_ps(world, stage)
        elif quiet and iteration.can_try(stage):
            iteration.attempt(world, stage)
    if world.flows.dirty:
        flows.retime(world)
    _record(world)


def _record(world: World) -> None:
    ledger = world.ledger
    ledger.pass_time(world.now)
    change = ledger.change
    if world.live_level.value != world.live:
        change(world.live_level, float(world.live))
    for stage in world.stages:
        number, busy = stage.levels
        present = stage.present
        if isinstance(stage, SharedStage):
            share = _rate_share(stage)
            if busy.value != share:
                change(busy, share)
        elif number.value != present:
            change(busy, 1.0 if present else 0.0)
        if number.value != present:
            change(number, float(present))
    for pool in world.pools:
        used, cached, queue, holders = pool.levels
        if used.value != pool.used:
            change(used, pool.used)
        if cached.value != pool.cached:
            change(cached, pool.cached)
        if queue.value != len(pool.queue):
            change(queue, float(len(pool.queue)))
        if holders.value != pool.holder_count:
            change(holders, float(pool.holder_count))


def _rate_share(stage: SharedStage) -> float:
    """How much of a link's capacity is in use."""
    total = -0.0
    for job in stage.flows:
        total += job.rate
    return divide(total, stage.capacity(float(len(stage.flows))))
