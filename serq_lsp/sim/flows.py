"""Shared stages: jobs that hold several links at once, and how the links are shared out (semantics.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.arith import divide, maximum
from serq_lsp.sim.agenda import FLOW_FINISH

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Flow, SharedStage
    from serq_lsp.sim.world import World


def join(world: World, job: Flow) -> None:
    """A flow begins at all its stages."""
    advance(world)
    world.flows.jobs.append(job)
    for stage in job.stages:
        stage.flows.append(job)
        stage.present += 1
    _touch(world, job)


def leave(world: World, job: Flow) -> None:
    """A flow goes, done or not."""
    advance(world)
    world.flows.jobs.remove(job)
    for stage in job.stages:
        stage.flows.remove(job)
        stage.present -= 1
    _touch(world, job)


def _touch(world: World, job: Flow) -> None:
    world.flows.dirty = True
    world.flows.touched.update(stage.number for stage in job.stages)


def advance(world: World) -> None:
    """Bring what every flow has left up to now."""
    flows = world.flows
    span = world.now - flows.last
    for job in flows.jobs:
        job.work = maximum(job.work - job.rate * span, 0.0)
    flows.last = world.now


def retime(world: World) -> None:
    """Share out the links around those touched since the last time, and schedule the first finish of all."""
    flows = world.flows
    advance(world)
    stages = _connected(world)
    left: dict[int, float] = {}
    for number, stage in sorted(stages.items()):
        left[number] = stage.capacity(float(len(stage.flows)))
    if world.program.share == "Bottleneck":
        for job in _jobs_at(world, stages):
            job.rate = min(divide(left[stage.number], len(stage.flows)) for stage in job.stages)
    else:
        _max_min(world, stages, left)
    flows.touched.clear()
    flows.dirty = False
    flows.epoch += 1
    first = min(
        ((world.now + job.work / job.rate, job.number, job) for job in flows.jobs if job.rate > 0),
        key=lambda it: it[:2],
        default=None,
    )
    if first is not None:
        world.agenda.add(first[0], FLOW_FINISH, first[2], flows.epoch)


def _connected(world: World) -> dict[int, SharedStage]:
    """The touched stages, and those that flows connect with them."""
    by_number = {stage.number: stage for job in world.flows.jobs for stage in job.stages}
    found: dict[int, SharedStage] = {}
    todo = [by_number[number] for number in sorted(world.flows.touched) if number in by_number]
    while todo:
        stage = todo.pop()
        if stage.number not in found:
            found[stage.number] = stage
            todo.extend(other for job in stage.flows for other in job.stages)
    return found


def _jobs_at(world: World, stages: dict[int, SharedStage]) -> list[Flow]:
    return [job for job in world.flows.jobs if job.stages[0].number in stages]


def _max_min(world: World, stages: dict[int, SharedStage], left: dict[int, float]) -> None:
    free = {number: len(stage.flows) for number, stage in stages.items()}
    frozen: set[int] = set()
    jobs = _jobs_at(world, stages)
    while len(frozen) < len(jobs):
        tight = min((number for number in sorted(left) if free[number]), key=lambda it: left[it] / free[it])
        share = maximum(left[tight] / free[tight], 0.0)
        for job in stages[tight].flows:
            if job.number in frozen:
                continue
            frozen.add(job.number)
            job.rate = share
            for stage in job.stages:
                left[stage.number] -= share
                free[stage.number] -= 1
