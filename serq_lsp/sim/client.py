"""What a client sees of a turn: first token, pace, answer (semantics.md 14.6; from IR 13 on)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.sim.stats import Samples

if TYPE_CHECKING:
    from serq_lsp.sim.session import Session
    from serq_lsp.sim.world import World


@dataclass(eq=False, slots=True)
class ClientClock:
    """One turn as its client sees it (times in seconds). `tokens` counts from the first token on.

    The end of a prefill gives a first token that is not `sure` yet: another prefill may give it anew, on a second engine say.
    It is sure when a decode starts at that instant, at the first decode token, or with the answer.
    """

    asked: float
    first: float = 0.0
    tokens: int = 0
    sure: bool = False


@dataclass(eq=False, slots=True)
class ClientTimes:
    """Seconds to the first token, seconds a token after it, seconds to the answer: one value a turn."""

    ttft: Samples = field(default_factory=Samples)
    tpot: Samples = field(default_factory=Samples)
    response: Samples = field(default_factory=Samples)


def asked(world: World, session: Session) -> None:
    """A turn begins."""
    session.client = ClientClock(world.now)


def token(world: World, session: Session, *, decode: bool) -> None:
    """A prefill has ended, or a decode token is out; of a leg it counts for its session."""
    owner = session.parent or session
    clock = owner.client
    if clock is None:
        return
    if clock.sure:
        clock.tokens += 1
    elif decode and clock.tokens:
        clock.tokens += 1
        _settle(world, owner, clock)
    else:
        clock.first = world.now
        clock.tokens = 1
        if decode:
            _settle(world, owner, clock)


def decode_starts(world: World, session: Session) -> None:
    """A decode is asked for, of whatever length: a prefill that ended at this instant has given the first token."""
    owner = session.parent or session
    clock = owner.client
    if clock is not None and clock.tokens and not clock.sure and clock.first == world.now:
        _settle(world, owner, clock)


def _settle(world: World, session: Session, clock: ClientClock) -> None:
    clock.sure = True
    if world.warm:
        _record(world, world.client.ttft, session, clock.first - clock.asked)


def _record(world: World, samples: Samples, session: Session, value: float) -> None:
    samples.add(world.now, value, session.serial, session.attrs[world.program.slots[2]])


def answered(world: World, session: Session) -> None:
    """Execution is back at the workload's side: the turn is over for the client."""
    clock = session.client
    assert clock is not None
    session.client = None
    if clock.tokens and not clock.sure:
        _settle(world, session, clock)
    if not world.warm:
        return
    if clock.tokens > 1:
        _record(world, world.client.tpot, session, (world.now - clock.first) / (clock.tokens - 1))
    _record(world, world.client.response, session, world.now - clock.asked)


def ended(session: Session) -> None:
    """The session ends with a turn open: a server's `end` leaves no answer."""
    session.client = None
