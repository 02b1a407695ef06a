"""The wait cycle with a `join` in it that ends a run with an error (semantics.md 13)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.sim import cache, holding
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.session import Status

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.session import Session
    from serq_lsp.sim.world import World


def stuck_join(world: World) -> None:
    """Raise `RunError` if sessions wait for each other in a circle that includes a `join`."""
    found = [it for it in world.slots if it is not None and it.status in (Status.QUEUED, Status.JOINING)]
    waiting = set(map(id, found))
    changed = True
    while changed:
        changed = False
        for session in found:
            if id(session) in waiting and not _held_up(world, session, waiting):
                waiting.discard(id(session))
                changed = True
    for session in found:
        if id(session) in waiting and session.status is Status.JOINING:
            raise RunError(
                "wait-cycle",
                f"session {session.serial} waits at `join` for a leg that waits for units only the session's side can give back; "
                "release them before the `join`",
            )


def _held_up(world: World, session: Session, waiting: set[int]) -> bool:
    """Whether only sessions in `waiting` could let this one go on."""
    if session.status is Status.JOINING:
        return bool(session.legs_live) and all(id(leg) in waiting for leg in session.legs_live)
    wait = session.wait
    assert wait is not None
    short = [
        pool
        for pool, need, asked in zip(wait.pools, wait.needs, wait.asked, strict=True)
        if not holding.room(world, pool, cache.rounded_up(pool, max(need, asked)))
    ]
    return bool(short) and all(_only_held_by(world, pool, waiting) for pool in short)


def _only_held_by(world: World, pool: Pool, waiting: set[int]) -> bool:
    leased = any(
        lease.pool is pool and lease.ends < math.inf
        for session in world.slots
        for lease in (() if session is None else session.leases)
    )
    return bool(pool.holders) and not leased and all(id(holder) in waiting for holder in pool.holders)
