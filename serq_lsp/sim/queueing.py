"""Waiting for pools and getting in (semantics.md 7.2 and 7.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.arith import maximum
from serq_lsp.sim import cache, holding, sessions
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.session import Entry, Frame, FrameKind, OpenHold, Part, Status, Wait
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.script import Hold
    from serq_lsp.sim.session import Session
    from serq_lsp.sim.world import World


def ask(world: World, session: Session, hold: Hold) -> Wait:
    """Read a hold's references and units, and its lease's reference."""
    pools: list[Pool] = []
    units = []
    for part in hold.pools:
        pool = world.pools[holding.index_of(part.pool, session)]
        if pool in pools:
            raise RunError("held-twice", f"the hold names the same member of `{pool.name}` twice; add the amounts up")
        pools.append(pool)
        units.append(holding.amount(part.units(session), f"the amount held of `{pool.name}`"))
    lease = None if hold.lease is None else world.pools[holding.index_of(hold.lease[0], session)]
    return Wait(session, hold, pools, list(units), units, lease, world.now, resumed=False)


def join(world: World, wait: Wait, *, front: bool) -> None:
    """Judge whether the hold can ever fit, then put it in the queue of its first pool."""
    session = wait.session
    for at, part in enumerate(wait.script.pools):
        need = wait.asked[at] if part.units_stay else 0.0
        if part.reserve is not None and part.reserve_stays:
            need = maximum(holding.amount(part.reserve(session), f"the reserve of `{wait.pools[at].name}`"), need)
        if cache.rounded_up(wait.pools[at], need) > wait.pools[at].cap:
            session.job = None
            sessions.refuse(world, session, wait.pools[at])
            return
    session.status = Status.QUEUED
    session.wait = wait
    queue = wait.pools[0].queue
    if front:
        wait.resumed = True
        queue.appendleft(wait)
    else:
        queue.append(wait)


def pick(world: World, pool: Pool) -> Wait:
    """The entry of a queue, not empty, that is tried next."""
    queue = pool.queue
    keys = pool.queue_keys
    if keys is None or queue[0].resumed:
        return queue[0]
    now = world.now
    world.meter.step(len(queue))
    return min(queue, key=lambda wait: keys(wait.session, now - wait.since))


def needs(wait: Wait) -> tuple[list[float], list[float]]:
    """Units and needs of a waiting hold, read now: what is taken, and what must fit."""
    session = wait.session
    units: list[float] = []
    wanted: list[float] = []
    for part, pool in zip(wait.script.pools, wait.pools, strict=True):
        take = holding.amount(part.units(session), f"the amount held of `{pool.name}`")
        units.append(take)
        if part.reserve is not None:
            wanted.append(maximum(holding.amount(part.reserve(session), f"the reserve of `{pool.name}`"), take))
        else:
            wanted.append(take)
    wait.needs = wanted
    return units, wanted


def fits(world: World, wait: Wait, wanted: list[float]) -> bool:
    """Whether every pool of a waiting hold has room."""
    for pool, need in zip(wait.pools, wanted, strict=True):
        if pool.reserve_held or pool.block is not None:
            if not holding.room(world, pool, cache.rounded_up(pool, need)):
                return False
        elif not pool.used + need <= pool.cap + EPS:
            return False
    return True


def admit(world: World, pool: Pool) -> None:
    """Let waiting holds of a pool in, until the one tried does not fit."""
    while pool.queue:
        world.meter.step()
        wait = pick(world, pool)
        world.place = wait.script.place
        units, wanted = needs(wait)
        if not fits(world, wait, wanted):
            return
        let_in(world, wait, units, wanted)


def let_in(world: World, wait: Wait, units: list[float], wanted: list[float]) -> None:
    """Take a hold's pools, open it, and make its session ready."""
    session, script = wait.session, wait.script
    world.place = script.place
    queue = wait.pools[0].queue
    if queue[0] is wait:
        queue.popleft()
    else:
        queue.remove(wait)
    session.wait = None
    reuse = None if script.reuse is None else maximum(script.reuse(session), 0.0)
    largest = 0.0
    parts = []
    for pool, take, need in zip(wait.pools, units, wanted, strict=True):
        own = 0.0 if script.cache is None else _own_entry(world, session, pool, reuse)
        largest = max(largest, own)
        allocated = cache.rounded_up(pool, take)
        cache.make_room(world, pool, allocated)
        pool.used += allocated
        holding.add_holder(world, pool, session)
        pool.admissions += 1
        parts.append(Part(pool, allocated, own, cache.rounded_up(pool, need)))
    if world.warm:
        wait.pools[0].waits.add(world.now - wait.since)
    session.admission = world.next_admission
    world.next_admission += 1
    session.attrs[world.program.slots[0]] = largest
    session.holds.append(OpenHold(script, parts, wait.lease))
    session.frames.append(Frame(world.script.blocks[script.body], FrameKind.HOLD))
    session.status = Status.READY
    world.ready.append(session)


def _own_entry(world: World, session: Session, pool: Pool, reuse: float | None) -> float:
    """Take the session's entry out of a pool; what may not be reused stays behind as a dead entry."""
    entry = pool.entries.pop(session.serial, None)
    if entry is None:
        return 0.0
    pool.cached -= entry.size
    usable = entry.size
    if reuse is not None and entry.size > cache.rounded_down(pool, reuse):
        usable = cache.rounded_down(pool, reuse)
        surplus = entry.size - usable
        cache.put(pool, Entry(world.next_dead, surplus, entry.last, entry.number, list(session.attrs)))
        world.next_dead += 1
        pool.cached += surplus
    return usable
