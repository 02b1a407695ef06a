"""Holds that grow, and who makes way for them (semantics.md 7.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.sim import cache, holding, queueing, sessions, stages
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.resources import Resident
from serq_lsp.sim.session import FrameKind, Stall, Status
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.session import OpenHold, Part, Session
    from serq_lsp.sim.world import World


def grow(
    world: World, session: Session, hold: OpenHold, part: Part, units: float, *, job: Resident | None = None
) -> bool:
    """Allocate what a hold lacks for `units` more. False: the session stalls, or has been preempted itself.

    `job` is the engine's job that grows, if one does.
    """
    pool = part.pool
    need = cache.rounded_up(pool, part.allocated + units) - part.allocated
    while need > 0:
        world.meter.step()
        if holding.room(world, pool, need, hold):
            _allocate(world, pool, part, need)
            return True
        victim = _victim(world, pool)
        if victim is None:
            session.stall = Stall(session, pool, part, units, job)
            session.status = Status.GROWING
            pool.growers.append(session.stall)
            return False
        preempt(world, victim, pool)
        if victim is session:
            return False
    return True


def _allocate(world: World, pool: Pool, part: Part, need: float) -> None:
    cache.make_room(world, pool, need)
    pool.used += need
    part.allocated += need


def _candidates(world: World, pool: Pool) -> list[Session]:
    """Who can be preempted on a pool, in order."""
    once = world.rules.holders_once
    if not pool.engines:
        found = [it for it in pool.holders if holding.part_of(it, pool) is not None]
        return list(dict.fromkeys(found)) if once else found
    found = [
        it
        for it in pool.holders
        if it.status is Status.STAGE and isinstance(it.job, Resident) and it.job.stage in pool.engines
    ]
    found.sort(key=lambda it: it.admission)
    if once:
        return [it for at, it in enumerate(found) if at == 0 or found[at - 1] is not it]
    return found


def _victim(world: World, pool: Pool) -> Session | None:
    """The candidate with the least keys, the last of equal ones."""
    keys = pool.preempt
    if keys is None:
        return None
    best: Session | None = None
    least: tuple[int, ...] = ()
    for place, candidate in enumerate(_candidates(world, pool)):
        found = holding.part_of(candidate, pool)
        if found is None:
            raise RunError(
                "victim-without-hold",
                f"a session that only leases `{pool.name}` would be preempted; release the lease before its next run",
            )
        decoding = 1.0 if isinstance(candidate.job, Resident) and candidate.job.decode else 0.0
        values = keys(candidate, float(place), decoding, found[1].position)
        if best is None or values <= least:
            best, least = candidate, values
    return best


def preempt(world: World, victim: Session, pool: Pool) -> None:
    """Take a session's hold of a pool away, with all it opened since; it waits for that hold again."""
    hold, part = holding.need_part(victim, pool)
    computed = part.position
    before = victim.preempted_at.get(pool)
    if before is not None and before >= computed - EPS and not victim.stuck:
        victim.stuck = True
        pool.stuck += 1
    victim.preempted_at[pool] = computed
    if victim.token is not None:
        victim.token.preempted = True
    victim.attrs[world.program.slots[8]] = computed
    sessions.withdraw(world, victim)
    while True:
        opened = victim.holds.pop()
        for each in opened.parts:
            holding.release_part(world, victim, opened, each, preempted=True)
        while victim.frames.pop().kind is not FrameKind.HOLD:
            pass
        if opened is hold:
            break
    wait = queueing.ask(world, victim, hold.script)
    pool.preemptions += 1
    world.preempted += 1
    queueing.join(world, wait, front=not pool.tail)


def retry(world: World, pool: Pool) -> None:
    """Let stalled growths go on, from the front, as far as there is room."""
    while pool.growers:
        stall = pool.growers[0]
        need = cache.rounded_up(pool, stall.part.allocated + stall.units) - stall.part.allocated
        hold = next(hold for hold in stall.session.holds if stall.part in hold.parts)
        if not holding.room(world, pool, need, hold):
            return
        pool.growers.popleft()
        _allocate(world, pool, stall.part, need)
        session = stall.session
        session.stall = None
        if stall.job is None:
            stages.make_ready(world, session)
        else:
            session.status = Status.STAGE
            if world.rules.stalled_growth_advances:
                stall.part.position += stall.units


def serve_pools(world: World) -> None:
    """Retry growers and admit, for every pool in order."""
    for pool in world.pools:
        if pool.growers:
            retry(world, pool)
        if pool.queue and pool.served_by is None:
            queueing.admit(world, pool)
