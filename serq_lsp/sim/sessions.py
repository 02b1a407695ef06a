"""Sessions come and end, legs and recorded sessions among them (semantics.md 3.3, 4, 5.1, 7.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.program import Closed
from serq_lsp.sim import client, holding, script, stages
from serq_lsp.sim.errors import LimitReached, RunError
from serq_lsp.sim.rng import Stream
from serq_lsp.sim.session import Frame, FrameKind, Session, Status

if TYPE_CHECKING:
    from serq_lsp.ir.program import ExplicitSession
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.world import World

CLOSED_MAX = 100_000  # sessions replaced at one instant
_LEG = 3
_OWN = 2
_WORKLOAD = 1


def _stream(world: World, serial: int, turn: int, kind: int) -> Stream:
    seed = world.program.seed
    rule = world.rules.stream_seed
    return Stream(lambda: rule(seed, serial, turn, kind))


def create(world: World, explicit: ExplicitSession | None = None) -> Session:
    """A new session: serial, recorded turns, `init`, claims' `given`; it goes to the end of the ready list."""
    world.meter.step()
    serial = world.arrived
    session = Session(
        serial,
        [0.0] * len(world.program.attrs),
        _stream(world, serial, 0, _OWN),
        _stream(world, serial, 0, _WORKLOAD),
    )
    session.attrs[world.program.slots[1]] = float(serial)
    take_slot(world, session)
    world.by_serial[serial] = session
    if explicit is not None and explicit.turns:
        session.record = explicit.turns
    elif world.records:
        count = len(world.records)
        session.record = world.records[serial % count if world.program.trace_ordered else world.choice.below(count)]
    world.live += 1
    world.arrived += 1
    session.frames.append(Frame(world.script.blocks[world.program.session], FrameKind.PLAIN))
    run_plain(world, session, world.program.init)
    for slot, value in () if explicit is None else explicit.attrs:
        session.attrs[slot] = value
    for claim in world.script.claims:
        if claim.given is not None and claim.left_scope is None and claim.given(session) == 0:
            claim.left_scope = serial
    world.ready.append(session)
    return session


def take_slot(world: World, session: Session) -> None:
    """Give the session a slot, the most recently freed first."""
    if world.free_slots:
        session.slot = world.free_slots.pop()
        world.slots[session.slot] = session
    else:
        session.slot = len(world.slots)
        world.slots.append(session)


def run_plain(world: World, session: Session, block: int) -> None:
    """Run the `init` or `turn` block: sets and observations only, drawing from the workload stream."""
    statements = world.script.blocks[block]
    world.meter.step(len(statements))
    for statement in statements:
        world.place = statement.place
        if isinstance(statement, script.Set):
            session.attrs[statement.slot] = statement.value(session)
        elif isinstance(statement, script.Observe):
            observe(world, session, statement.observe, statement.value(session))


def observe(world: World, session: Session, number: int, value: float) -> None:
    """Record a value of an observation; aggregates see it always, samples while warm."""
    world.aggregates[number].append(value)
    if world.warm:
        world.observes[number].add(world.now, value, session.serial, session.attrs[world.program.slots[2]])


def begin_turn(world: World, session: Session) -> None:
    """The `turn` statement (semantics.md 4.2)."""
    program = world.program
    attrs = session.attrs
    attrs[program.slots[2]] += 1.0
    if world.warm:
        world.turns += 1
    session.turns += 1
    session.workload = _stream(world, session.serial, session.turns, _WORKLOAD)
    record = session.record
    if record is not None:
        if session.turns <= len(record):
            for slot, value in record[session.turns - 1]:
                attrs[slot] = value
        attrs[program.slots[6]] = 1.0 if session.turns < len(record) else 0.0
    run_plain(world, session, program.turn)
    if world.rules.client:
        client.asked(world, session)


def fork(world: World, session: Session, block: int) -> None:
    """A leg begins; the forking session goes on."""
    leg = Session(
        session.serial,
        list(session.attrs),
        _stream(world, session.serial, session.legs_made, _LEG),
        session.workload.copy(),
        parent=session,
    )
    session.legs_made += 1
    session.legs_live.append(leg)
    take_slot(world, leg)
    leg.frames.append(Frame(world.script.blocks[block], FrameKind.PLAIN))
    world.ready.append(leg)


def withdraw(world: World, session: Session) -> None:
    """Take the session away from what it waits for."""
    if session.status is Status.QUEUED and session.wait is not None:
        session.wait.pools[0].queue.remove(session.wait)
        session.wait = None
    if session.stall is not None:
        session.stall.pool.growers.remove(session.stall)
        session.stall = None
    if session.job is not None:
        stages.leave(world, session.job)
        session.job = None


def _leave(world: World, session: Session) -> None:
    """Give back all that a session holds, and its slot."""
    withdraw(world, session)
    while session.holds:
        hold = session.holds.pop()
        for part in hold.parts:
            holding.release_part(world, session, hold, part)
    session.frames.clear()
    session.status = Status.ENDED
    world.slots[session.slot] = None
    world.free_slots.append(session.slot)


def end_leg(world: World, leg: Session) -> None:
    """A leg is over: its leases move to its session, which may have waited for it."""
    session = leg.parent
    assert session is not None
    _leave(world, leg)
    session.legs_live.remove(leg)
    if session.status is Status.ENDED:
        while leg.leases:
            holding.end_lease(world, leg.leases[0])
        return
    holding.hand_over(world, leg, session)
    if session.status is Status.JOINING and not session.legs_live:
        stages.make_ready(world, session)


def end(world: World, session: Session, *, refused: bool = False) -> None:
    """A session ends. With `closed` arrivals the next one is created on the spot."""
    if session.legs_live and not refused:
        raise RunError("end-with-legs", "the session ends while a forked leg still runs; write `join;` before its end")
    client.ended(session)
    _leave(world, session)
    while session.leases:
        holding.end_lease(world, session.leases[0])
    del world.by_serial[session.serial]
    world.live -= 1
    if world.warm:
        world.ended += 1
    if isinstance(world.program.arrival, Closed):
        world.closed_instant += 1
        if world.closed_instant > CLOSED_MAX:
            raise LimitReached(
                "sessions-per-instant",
                f"more than {CLOSED_MAX:,} sessions end and are replaced at one instant; "
                "a closed workload needs sessions that take time (are all of them rejected?)",
            )
        create(world)


def refuse(world: World, session: Session, pool: Pool) -> None:
    """A hold that can never fit: count it, end the leg and its session (semantics.md 7.2)."""
    pool.rejected += 1
    if session.parent is None:
        end(world, session, refused=True)
        return
    parent = session.parent
    end_leg(world, session)
    if parent.status is not Status.ENDED:
        end(world, parent, refused=True)
