"""What the statements of a session do, and how far a session gets (semantics.md 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serq_lsp.sim import client, growth, holding, queueing, script, sessions, stages
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.holding import amount, index_of
from serq_lsp.sim.limits import READINESS_MAX, STATEMENTS_MAX
from serq_lsp.sim.resources import SharedStage
from serq_lsp.sim.session import Frame, FrameKind, Status
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.sim.session import Session
    from serq_lsp.sim.world import World


def run_ready(world: World) -> None:
    """Run every session of the ready list, in order, until the list is empty."""
    ready = world.ready
    while ready:
        session = ready.popleft()
        if session.ready_at != world.now:
            session.ready_at = world.now
            session.ready_count = 0
        session.ready_count += 1
        if session.ready_count > READINESS_MAX:
            raise RunError(
                "no-time-passes",
                f"session {session.serial} becomes ready more than {READINESS_MAX:,} times at one instant; "
                "let its loop run a stage with work above 0",
            )
        if session.status is Status.READY:
            execute(world, session)


def execute(world: World, session: Session) -> None:
    """Run a session until it waits for something or ends."""
    frames = session.frames
    for _ in range(STATEMENTS_MAX):
        frame = frames[-1]
        code = frame.code
        if frame.at >= len(code):
            if not _end_of_block(world, session, frame):
                return
            continue
        statement = code[frame.at]
        frame.at += 1
        world.place = place = statement.place
        if session.client is not None and world.script.workload[place.block][place.statement]:
            client.answered(world, session)
        world.meter.step()
        if not _DO[type(statement)](world, session, statement):
            return
    raise RunError(
        "no-blocking",
        f"session {session.serial} runs {STATEMENTS_MAX:,} statements without waiting; let its loop run a stage or hold a pool",
    )


def _end_of_block(world: World, session: Session, frame: Frame) -> bool:
    frames = session.frames
    if frame.kind is FrameKind.LOOP:
        if frame.guard is None or guard_holds(frame.guard(session), "`while`"):
            frame.at = 0
            world.meter.step()
            return True
        frames.pop()
        return True
    frames.pop()
    if frame.kind is FrameKind.HOLD:
        holding.close(world, session, session.holds[-1])
        session.attrs[world.program.slots[8]] = 0.0
        growth.serve_pools(world)
        return True
    if frames:
        return True
    if session.parent is not None:
        sessions.end_leg(world, session)
    else:
        sessions.end(world, session)
    return False


def guard_holds(x: float, what: str) -> bool:
    """Whether a guard, which must be 0 or 1, is 1."""
    if x == 1:
        return True
    if x == 0:
        return False
    raise RunError("bad-guard", f"the guard of {what} is {x:g}; write a comparison, which gives 0 or 1")


def _turn(world: World, session: Session, _it: script.Turn) -> bool:
    sessions.begin_turn(world, session)
    return True


def _end(world: World, session: Session, _it: script.End) -> bool:
    sessions.end(world, session)
    return False


def _join(_world: World, session: Session, _it: script.Join) -> bool:
    if not session.legs_live:
        return True
    session.status = Status.JOINING
    return False


def _set(_world: World, session: Session, it: script.Set) -> bool:
    session.attrs[it.slot] = it.value(session)
    return True


def _observe(world: World, session: Session, it: script.Observe) -> bool:
    sessions.observe(world, session, it.observe, it.value(session))
    return True


def _grow(world: World, session: Session, it: script.Grow) -> bool:
    pool = world.pools[index_of(it.pool, session)]
    units = amount(it.units(session), f"the growth of `{pool.name}`")
    hold, part = holding.need_part(session, pool)
    return growth.grow(world, session, hold, part, units)


def _load(world: World, session: Session, it: script.Load) -> bool:
    pool = world.pools[index_of(it.pool, session)]
    units = amount(it.units(session), f"the load into `{pool.name}`")
    hold, part = holding.need_part(session, pool)
    if part.position + units > part.allocated + EPS:
        raise RunError(
            "load-too-large",
            f"`load` puts {part.position + units:g} units into a hold of {part.allocated:g} of `{pool.name}`; hold or grow more first",
        )
    part.position += units
    hold.grown = True
    return True


def _drop(world: World, session: Session, it: script.Drop) -> bool:
    pool = world.pools[index_of(it.pool, session)]
    entry = pool.entries.pop(session.serial, None)
    if entry is not None:
        pool.cached -= entry.size
    return True


def _release(world: World, session: Session, it: script.Release) -> bool:
    pool = world.pools[index_of(it.pool, session)]
    found = holding.part_of(session, pool)
    if found is not None:
        hold, part = found
        hold.parts.remove(part)
        holding.release_part(world, session, hold, part)
        session.preempted_at.pop(pool, None)
    else:
        lease = next((lease for lease in session.leases if lease.pool is pool), None)
        if lease is None:
            return True
        holding.end_lease(world, lease)
    growth.serve_pools(world)
    return True


def _branch(world: World, session: Session, it: script.Branch) -> bool:
    block = it.then if guard_holds(it.guard(session), "`branch`") else it.other
    session.frames.append(Frame(world.script.blocks[block], FrameKind.PLAIN))
    return True


def _loop(world: World, session: Session, it: script.Loop) -> bool:
    if it.guard is None or guard_holds(it.guard(session), "`while`"):
        session.frames.append(Frame(world.script.blocks[it.block], FrameKind.LOOP, guard=it.guard))
    return True


def _fork(world: World, session: Session, it: script.Fork) -> bool:
    sessions.fork(world, session, it.block)
    return True


def _choose(world: World, session: Session, it: script.Choose) -> bool:
    count = it.count(session)
    if not (count >= 0 and count == count // 1.0):
        raise RunError("bad-count", f"`choose` in {count:g}: the count must be a whole number of at least 0")
    best = 0.0
    least: list[float] | None = None
    for j in range(int(count)):
        world.meter.step()
        session.attrs[it.slot] = float(j)
        values = it.keys(session)
        if least is None or _less(values, least):
            best, least = float(j), values
    session.attrs[it.slot] = best
    return True


def _less(a: list[float], b: list[float]) -> bool:
    """Whether keys come before others by ordinary comparison; not-a-number is never less."""
    for x, y in zip(a, b, strict=True):
        if x < y:
            return True
        if x != y:
            return False
    return False


def _hold(world: World, session: Session, it: script.Hold) -> bool:
    queueing.join(world, queueing.ask(world, session, it), front=False)
    return False


def _run(world: World, session: Session, it: script.Run) -> bool:
    first = world.stages[index_of(it.stages[0], session)]
    work = amount(it.work(session), f"the work for `{first.name}`")
    found = [first, *(world.stages[index_of(member, session)] for member in it.stages[1:])]
    if it.decode and world.rules.client:
        client.decode_starts(world, session)
    growing = None
    if it.growing is not None:
        growing = holding.need_part(session, world.pools[index_of(it.growing, session)])
    if len(found) > 1 and not all(isinstance(stage, SharedStage) for stage in found):
        raise RunError("not-shared", "a run on several stages needs stages that share their capacity (`ps`)")
    if work > 0:
        stages.start(world, session, found, work, it.place, decode=it.decode, growing=growing)
    else:
        world.next_job += 1
        stages.make_ready(world, session)
    return False


_DO: dict[type[Any], Callable[[World, Session, Any], bool]] = {
    script.Turn: _turn,
    script.End: _end,
    script.Join: _join,
    script.Set: _set,
    script.Observe: _observe,
    script.Grow: _grow,
    script.Load: _load,
    script.Drop: _drop,
    script.Release: _release,
    script.Branch: _branch,
    script.Loop: _loop,
    script.Fork: _fork,
    script.Choose: _choose,
    script.Hold: _hold,
    script.Run: _run,
}
