"""The iterations of a step engine: their start, their end, and the tokens they give out (semantics.md 9.3, 9.6, 12.5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.sim import client, stages
from serq_lsp.sim.agenda import ITERATION_END
from serq_lsp.sim.errors import LimitReached, RunError
from serq_lsp.sim.limits import IDLE_ITERATIONS_MAX
from serq_lsp.sim.select import Plan
from serq_lsp.sim.session import Token
from serq_lsp.sim.totals import batch_units, demand
from serq_lsp.sim.trace import Item, Iteration, iter_line

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Resident, StepStage
    from serq_lsp.sim.world import World

_NO_UNITS = (0.0, 0.0)


def can_try(stage: StepStage) -> bool:
    """Whether an idle engine has anything to look at."""
    if stage.running:
        return False
    if stage.residents:
        return True
    return any(pool.queue for pool in stage.queues)


def attempt(world: World, stage: StepStage) -> None:
    """Plan an iteration and start it, unless there is nothing to do."""
    registers = [world.registers[number] for number in stage.registers] if stage.registers else ()
    plan = Plan(world, stage)
    plan.fill()
    for job, tokens in plan.batch:
        if job.part is not None and job.hold is not None:
            job.part.position += tokens
            job.hold.grown = True
    if not plan.batch and not plan.preempted:
        stage.idle_with_work = can_try(stage)
        if not plan.admitted:
            for number, value in zip(stage.registers, registers, strict=True):
                world.registers[number] = value
        return
    stage.idle_with_work = False
    _begin(world, stage, plan)


def _begin(world: World, stage: StepStage, plan: Plan) -> None:
    """Start the planned iteration."""
    batch = plan.batch
    tokens, prefilled = -0.0, 0.0  # the reference's sums start so: it shows where one divides by them
    decoders = 0
    for job, n in batch:
        tokens += n
        if job.decode:
            decoders += 1
        else:
            prefilled += n
    attention = -0.0
    for job, share in plan.attention:
        if not job.gone:  # a prefill that was served is in the batch, unless it was preempted since
            attention += share
    kv = batch_units(stage.memory, batch) if stage.cost_reads_kv else _NO_UNITS
    totals = (float(len(stage.residents)), float(decoders), *kv, tokens, prefilled, attention)
    cost = stage.cost(*totals)
    if not 0 < cost < math.inf:
        cost = _unusual_cost(world, stage, plan, cost, tokens)
    if stage.claims:
        _read_claims(world, stage, plan, totals)
    stage.served += tokens
    if world.tracing:
        world.out.append(_record(world, stage, plan))
    stage.iterations += 1
    stage.batches.begin(world.now, decoders, prefilled, cost, warm=world.warm)
    stage.batch = batch
    stage.running = True
    stage.epoch += 1
    world.agenda.add(world.now + cost, ITERATION_END, stage, stage.epoch)


def _record(world: World, stage: StepStage, plan: Plan) -> Iteration:
    turn_slot = world.program.slots[2]
    items = [
        Item(job.session.serial, job.session.attrs[turn_slot], "d" if job.decode else "p", n, job.place)
        for job, n in plan.batch
    ]
    memory = stage.memory
    used = cached = 0.0
    if memory is not None:
        block = memory.block or 1.0
        used, cached = memory.used / block, memory.cached / block
    return Iteration(world.now, stage.number, tuple(items), used, cached)


def _unusual_cost(world: World, stage: StepStage, plan: Plan, cost: float, tokens: float) -> float:
    """The cost of an iteration that takes no time; an error where it has to take some, or never ends.

    The reference begins an iteration of infinite cost and stalls in silence (checks.md 3); here the run stops.
    """
    if cost <= 0 and not tokens > 0:
        if stage.idle_since != world.now:
            stage.idle_since = world.now
            stage.idle_count = 0
        stage.idle_count += 1
        if stage.idle_count > IDLE_ITERATIONS_MAX:
            raise LimitReached(
                "idle-iterations",
                f"`{stage.name}` starts more than {IDLE_ITERATIONS_MAX:,} iterations at one instant; "
                "give an iteration without tokens a cost above 0",
            )
        return 0.0
    line = iter_line(_record(world, stage, plan))
    world.place = plan.batch[0][0].place if plan.batch else None
    if cost <= 0:
        raise RunError(
            "free-iteration",
            f"an iteration of `{stage.name}` serves tokens and costs nothing: {line}; let its cost be above 0",
        )
    found = "not a number" if math.isnan(cost) else "infinite"
    raise RunError(
        "endless-iteration",
        f"the cost of an iteration of `{stage.name}` is {found}: {line}; check its divisions and logarithms",
    )


def _read_claims(world: World, stage: StepStage, plan: Plan, totals: tuple[float, ...]) -> None:
    extra = (demand(stage, plan.chunk), stage.served, float(world.arrived))
    for claim in stage.claims:
        if claim.left_scope is not None:
            continue
        claim.checked += 1
        holds = claim.value(*totals, *extra) != 0
        if not holds:
            claim.failures += 1
        if claim.first is None and holds == (claim.kind == "some_iteration"):
            claim.first = world.now


def on_end(world: World, stage: StepStage, epoch: int) -> None:
    """An iteration is over: work is done, tokens are out, finished jobs leave."""
    if epoch != stage.epoch or not stage.running:
        return
    stage.running = False
    stage.batches.end(world.now)
    done: list[Resident] = []
    out: list[Resident] = []
    for job, tokens in stage.batch:
        if job.gone:
            continue
        job.work -= tokens
        finished = job.work <= 1e-9
        if finished:
            done.append(job)
        if finished or job.decode:
            out.append(job)
    stage.batch = []
    for job in out:
        _token(world, stage, job)
    for job in done:
        stages.leave(world, job)
        stages.complete(world, stage, job)
        stages.make_ready(world, job.session)


def _token(world: World, stage: StepStage, job: Resident) -> None:
    """A token of a session is out: note the gap since its last one, if that one leads to this one."""
    session = job.session
    now = world.now
    turn = session.attrs[world.program.slots[2]]
    old = session.token
    if old is not None and old.turn == turn:
        if world.warm and (job.decode or old.decoded or (old.preempted and old.stage is stage)):
            stage.gaps.add(now - old.time)
        old.decoded = old.decoded or job.decode
        old.preempted = False
        old.time = now
        old.stage = stage
    else:
        session.token = Token(turn, now, stage, job.decode)
    if world.rules.client:
        client.token(world, session, decode=job.decode)
