"""Units held by sessions: what is taken and given back, leases (semantics.md 7.1, 7.3, 7.6)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.ir.arith import maximum, minimum
from serq_lsp.sim import cache
from serq_lsp.sim.agenda import LEASE_END
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.session import Lease, Status
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.script import Member, Value
    from serq_lsp.sim.session import OpenHold, Part, Session
    from serq_lsp.sim.world import World


def amount(x: float, what: str) -> float:
    """An amount read from a program: a number of at least 0 (semantics.md 5)."""
    if x >= 0:
        return x + 0.0  # never -0
    if x >= -EPS:
        return 0.0
    raise RunError(
        "bad-amount",
        f"{what} is {_shown(x)}; an amount is a number of at least 0: check the division or keep it above 0 with max(0, …)",
    )


def _shown(x: float) -> str:
    return "not a number" if math.isnan(x) else f"{x:g}"


def index_of(member: Member, session: Session) -> int:
    """The number of the pool or stage that a reference names now."""
    if member.index is None:
        return member.base
    return member.base + whole_index(member.index(session), member.count)


def whole_index(x: float, count: int) -> int:
    """An index into a family of `count` members."""
    if 0 <= x < count and x == x // 1.0:
        return int(x)
    raise RunError("bad-index", f"the index {_shown(x)} is none of 0 to {count - 1}, the members of this array")


def held_back(world: World, pool: Pool, growing: OpenHold | None) -> float:
    """Units reserved but not yet taken, under `reserve held`; the hold that grows left out."""
    total = 0.0
    for session in world.slots:
        for hold in () if session is None else session.holds:
            if hold is growing:
                continue
            for part in hold.parts:
                if part.pool is pool:
                    total += maximum(part.reserved - part.allocated, 0.0)
    return total


def room(world: World, pool: Pool, x: float, growing: OpenHold | None = None) -> bool:
    """Whether `x` more units fit; cache entries do not count."""
    if pool.reserve_held:
        return pool.used + held_back(world, pool, growing) + x <= pool.cap + EPS
    return pool.used + x <= pool.cap + EPS


def part_of(session: Session, pool: Pool) -> tuple[OpenHold, Part] | None:
    """The session's innermost hold of a pool."""
    for hold in reversed(session.holds):
        for part in hold.parts:
            if part.pool is pool:
                return hold, part
    return None


def need_part(session: Session, pool: Pool) -> tuple[OpenHold, Part]:
    """The same, where there must be one."""
    found = part_of(session, pool)
    if found is None:
        raise RunError(
            "no-hold", f"`{pool.name}` is used outside a hold of it; put the statement inside `hold {pool.name}`"
        )
    return found


def add_holder(world: World, pool: Pool, session: Session) -> None:
    """Note one more admission of the session at the pool."""
    if not world.rules.holders_once or session not in pool.holders:
        pool.holder_count += 1
    pool.holders.append(session)


def drop_holder(world: World, pool: Pool, session: Session) -> None:
    """Take the session off the holder list: all its places, or one (semantics.md 14.3)."""
    holders = pool.holders
    if not world.rules.holders_once:
        pool.holders = [it for it in holders if it is not session]
        pool.holder_count = len(pool.holders)
    elif session in holders:
        holders.remove(session)
        if session not in holders:
            pool.holder_count -= 1


def give_back(
    world: World,
    pool: Pool,
    holder: Session,
    reader: Session,
    *,
    allocated: float,
    computed: float,
    clause: Value | None,
) -> None:
    """Release units, and cache what the clause says of what was computed."""
    pool.used -= allocated
    drop_holder(world, pool, holder)
    if clause is not None:
        size = cache.rounded_down(pool, minimum(maximum(clause(reader), 0.0), computed))
        if size > 0:
            cache.keep(world, pool, reader, size)


def release_part(world: World, session: Session, hold: OpenHold, part: Part, *, preempted: bool = False) -> None:
    """Release one pool of a hold. What counts as computed: the position if the hold was grown or is preempted."""
    computed = part.position if hold.grown or preempted else part.allocated
    give_back(world, part.pool, session, session, allocated=part.allocated, computed=computed, clause=hold.script.cache)


def close(world: World, session: Session, hold: OpenHold) -> None:
    """The end of a hold's scope: the leased pool stays taken for a while, the others are released."""
    assert session.holds[-1] is hold
    session.holds.pop()
    for part in hold.parts:
        if hold.lease is not part.pool or hold.script.lease is None:
            release_part(world, session, hold, part)
            continue
        seconds = maximum(hold.script.lease[1](session), 0.0)
        computed = part.position if hold.grown else part.allocated
        lease = Lease(part.pool, part.allocated, computed, hold.script.cache, session, session, world.now + seconds)
        session.leases.append(lease)
        if lease.ends < math.inf:
            world.agenda.add(lease.ends, LEASE_END, lease)
    for part in hold.parts:
        session.preempted_at.pop(part.pool, None)


def end_lease(world: World, lease: Lease) -> None:
    """Give a lease's units back, reading its `cache` clause now."""
    lease.over = True
    lease.session.leases.remove(lease)
    give_back(
        world,
        lease.pool,
        lease.session,
        lease.reader,
        allocated=lease.allocated,
        computed=lease.computed,
        clause=lease.cache,
    )


def hand_over(world: World, leg: Session, session: Session) -> None:
    """A leg's leases move to its session; each keeps reading the leg's attributes."""
    for lease in leg.leases:
        for at, holder in enumerate(lease.pool.holders):
            if holder is leg:
                lease.pool.holders[at] = session
        lease.session = session
        session.leases.append(lease)
        if world.rules.holders_once:
            lease.pool.holder_count = len(set(map(id, lease.pool.holders)))
    leg.leases = []


def waits_in(session: Session) -> Pool | None:
    """The pool whose queue the session is in."""
    if session.status is Status.QUEUED and session.wait is not None:
        return session.wait.pools[0]
    return None
