"""Stages other than the step engine's iterations: jobs come, finish and leave (semantics.md 8 and 7.5.1)."""

from __future__ import annotations

import math
from bisect import insort
from typing import TYPE_CHECKING

from serq_lsp.ir.arith import maximum, order_key
from serq_lsp.sim import flows
from serq_lsp.sim.agenda import FINISH, PS_FINISH
from serq_lsp.sim.resources import DelayStage, FifoStage, Flow, Job, PsStage, QueueJob, Resident, SharedStage, StepStage
from serq_lsp.sim.session import Status

if TYPE_CHECKING:
    from serq_lsp.sim.errors import Place
    from serq_lsp.sim.resources import Stage
    from serq_lsp.sim.session import OpenHold, Part, Session
    from serq_lsp.sim.world import World


def make_ready(world: World, session: Session) -> None:
    """The session goes to the end of the ready list."""
    session.status = Status.READY
    session.job = None
    world.ready.append(session)


def start(
    world: World,
    session: Session | None,
    stages: list[Stage],
    work: float,
    place: Place,
    *,
    decode: bool = False,
    growing: tuple[OpenHold, Part] | None = None,
) -> None:
    """Start a job of `work` above 0 at the first stage (and, shared, at the others)."""
    stage = stages[0]
    now = world.now
    number = world.next_job
    world.next_job += 1
    job: QueueJob | Flow | Resident
    match stage:
        case StepStage():
            assert session is not None
            hold, part = growing or (None, None)
            job = Resident(
                number,
                session,
                work,
                now,
                now,
                session=session,
                stage=stage,
                decode=decode,
                place=place,
                hold=hold,
                part=part,
            )
            _join_residents(stage, job)
        case SharedStage():
            links = tuple(it for it in stages if isinstance(it, SharedStage))
            job = Flow(number, session, work, now, now, stages=links)
            flows.join(world, job)
        case FifoStage() | DelayStage() | PsStage():
            job = QueueJob(number, session, work, now, now, stage=stage)
            _queue(world, stage, job)
        case _:
            raise AssertionError(stage)
    if session is not None:
        session.status = Status.STAGE
        session.job = job


def _queue(world: World, stage: FifoStage | DelayStage | PsStage, job: QueueJob) -> None:
    stage.present += 1
    match stage:
        case FifoStage():
            stage.line.append(job)
            _fill_servers(world, stage)
        case DelayStage():
            stage.jobs[job.number] = job
            _schedule(world, job)
        case PsStage():
            advance_ps(world, stage)
            insort(stage.tags, (stage.virtual + job.work, job.number, job), key=_tag)
            stage.dirty = True


def _schedule(world: World, job: QueueJob) -> None:
    job.start = world.now
    job.finish = world.now + job.work
    world.agenda.add(job.finish, FINISH, job)


def _tag(item: tuple[float, int, QueueJob]) -> tuple[int, int]:
    return order_key(item[0]), item[1]


def _join_residents(stage: StepStage, job: Resident) -> None:
    """Before the first resident with a greater admission number (semantics.md 9.1)."""
    residents = stage.residents
    number = job.session.admission
    at = len(residents)
    while at and residents[at - 1].session.admission > number:
        at -= 1
    residents.insert(at, job)
    stage.changes += 1
    stage.present += 1


def _fill_servers(world: World, stage: FifoStage) -> None:
    while stage.line and len(stage.running) < stage.servers:
        job = stage.line.popleft()
        stage.running[job.number] = job
        _schedule(world, job)


def advance_ps(world: World, stage: PsStage) -> None:
    """Bring virtual time up to now."""
    stage.virtual += stage.rate * (world.now - stage.last)
    stage.last = world.now


def retime_ps(world: World, stage: PsStage) -> None:
    """Read the capacity again and schedule the first finish; earlier ones are void."""
    stage.dirty = False
    count = len(stage.tags)
    capacity = stage.capacity(float(count)) if count else 0.0
    advance_ps(world, stage)
    stage.rate = capacity / count if count else 0.0
    stage.epoch += 1
    if stage.rate > 0:
        wait = (stage.tags[0][0] - stage.virtual) / stage.rate
        world.agenda.add(world.now + maximum(wait, 0.0), PS_FINISH, stage, stage.epoch)


def on_ps_finish(world: World, stage: PsStage, epoch: int) -> None:
    """The first tag is reached."""
    if epoch != stage.epoch or not stage.tags:
        return
    advance_ps(world, stage)
    tag, _, job = stage.tags.pop(0)
    stage.virtual = maximum(stage.virtual, tag)
    stage.dirty = True
    stage.present -= 1
    job.gone = True
    complete(world, stage, job)
    if job.owner is not None:
        make_ready(world, job.owner)


def on_finish(world: World, job: QueueJob, _epoch: int) -> None:
    """A job of a fifo or delay stage is done, unless it has left before."""
    if job.gone:
        return
    job.gone = True
    stage = job.stage
    stage.present -= 1
    if isinstance(stage, FifoStage):
        del stage.running[job.number]
    elif isinstance(stage, DelayStage):
        del stage.jobs[job.number]
    complete(world, stage, job)
    if job.owner is not None:
        make_ready(world, job.owner)
    if isinstance(stage, FifoStage):
        _fill_servers(world, stage)


def on_flow_finish(world: World, job: Flow, epoch: int) -> None:
    """A flow is done at all its stages."""
    if epoch != world.flows.epoch or job.gone:
        return
    flows.leave(world, job)
    job.gone = True
    for stage in job.stages:
        complete(world, stage, job)
    if job.owner is not None:
        make_ready(world, job.owner)


def complete(world: World, stage: Stage, job: Job) -> None:
    """Count a finished job at a stage."""
    wait = job.start - job.joined
    service = world.now - job.start
    if world.warm:
        stage.completed += 1
        stage.waits.add(wait)
        stage.services.add(service)
    stage.estimator.see(job.start, wait, service)


def leave(world: World, job: QueueJob | Flow | Resident) -> None:
    """Take a job away from its stage before it is done."""
    job.gone = True
    if isinstance(job, Flow):
        flows.leave(world, job)
        return
    stage = job.stage
    stage.present -= 1
    if isinstance(job, Resident):
        job.stage.residents.remove(job)
        job.stage.changes += 1
    elif isinstance(stage, FifoStage):
        if stage.running.pop(job.number, None) is None:
            stage.line.remove(job)
        _fill_servers(world, stage)
    elif isinstance(stage, DelayStage):
        del stage.jobs[job.number]
    elif isinstance(stage, PsStage):
        advance_ps(world, stage)
        stage.tags = [item for item in stage.tags if item[2] is not job]
        stage.dirty = True


def work_left(world: World, stage: Stage) -> float:
    """`work(s)`: what the jobs at a stage have left, in job order (semantics.md 6)."""
    now = world.now
    total = -0.0
    match stage:
        case StepStage():
            for resident in sorted(stage.residents, key=_number):
                total += resident.work
        case FifoStage():
            for job in sorted([*stage.running.values(), *stage.line], key=_number):
                total += job.work if job.finish == math.inf else job.finish - now
        case DelayStage():
            for job in stage.jobs.values():
                total += job.finish - now
        case PsStage():
            virtual = stage.virtual + stage.rate * (now - stage.last)
            for tag, _, _ in sorted(stage.tags, key=_tag_number):
                total += maximum(tag - virtual, 0.0)
        case SharedStage():
            for flow in stage.flows:
                total += maximum(flow.work - flow.rate * (now - world.flows.last), 0.0)
        case _:
            raise AssertionError(stage)
    return total


def _number(job: Job) -> int:
    return job.number


def _tag_number(item: tuple[float, int, QueueJob]) -> int:
    return item[1]


def busy(stage: Stage) -> float:
    """`busy(s)`: jobs in service (semantics.md 6)."""
    match stage:
        case FifoStage():
            return float(len(stage.running))
        case StepStage():
            return float(sum(1 for job, _ in stage.batch if not job.gone)) if stage.running else 0.0
        case _:
            return float(stage.present)
