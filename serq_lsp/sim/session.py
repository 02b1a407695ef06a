"""The state of sessions: what they execute, hold and wait for (semantics.md 3.3, 7.1). Plain data; positions in pool units."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sim.client import ClientClock
    from serq_lsp.sim.resources import Flow, Pool, QueueJob, Resident, StepStage
    from serq_lsp.sim.rng import Stream
    from serq_lsp.sim.script import Hold as HoldScript
    from serq_lsp.sim.script import Statement, Value

    Record = tuple[tuple[tuple[int, float], ...], ...]

NEVER_ADMITTED = 2**64 - 1


class Status(Enum):
    """What a session is doing."""

    READY = "ready"
    QUEUED = "queued"
    STAGE = "at a stage"
    GROWING = "stalled in a growth"
    JOINING = "waiting for its legs"
    ENDED = "ended"


class FrameKind(Enum):
    """What happens at the end of a frame's block."""

    PLAIN = "plain"
    LOOP = "loop"
    HOLD = "hold"


@dataclass(eq=False, slots=True)
class Frame:
    """A block being executed and the next statement in it. `guard` is a while loop's."""

    code: tuple[Statement, ...]
    kind: FrameKind
    at: int = 0
    guard: Value | None = None


@dataclass(eq=False, slots=True)
class Part:
    """One pool of an open hold."""

    pool: Pool
    allocated: float
    position: float
    reserved: float


@dataclass(eq=False, slots=True)
class OpenHold:
    """A hold that a session is inside of. `grown`: a growing run or a load has moved its position."""

    script: HoldScript
    parts: list[Part]
    lease: Pool | None
    grown: bool = False


@dataclass(eq=False, slots=True)
class Wait:
    """A hold waiting in a queue. `needs` are the amounts last asked for, one a pool."""

    session: Session
    script: HoldScript
    pools: list[Pool]
    needs: list[float]
    asked: list[float]
    lease: Pool | None
    since: float
    resumed: bool


@dataclass(eq=False, slots=True)
class Lease:
    """Units that stay taken after a hold. `attrs` and `drawer` are of the session or leg that held them."""

    pool: Pool
    allocated: float
    computed: float
    cache: Value | None
    session: Session
    reader: Session
    ends: float
    over: bool = False


@dataclass(eq=False, slots=True)
class Entry:
    """A cache entry: units kept after a release. Its key is its session's serial, or a number no session has.

    `serial` is that of no session: an expression that reads an entry without a live session has none.
    """

    key: int
    size: float
    last: float
    number: int
    attrs: list[float]
    serial: int = -1


@dataclass(eq=False, slots=True)
class Session:
    """A session, or a leg of one (`parent`)."""

    serial: int
    attrs: list[float]
    own: Stream
    workload: Stream
    frames: list[Frame] = field(default_factory=list)
    status: Status = Status.READY
    holds: list[OpenHold] = field(default_factory=list)
    leases: list[Lease] = field(default_factory=list)
    wait: Wait | None = None
    job: QueueJob | Flow | Resident | None = None
    stall: Stall | None = None
    admission: int = NEVER_ADMITTED
    preempted_at: dict[Pool, float] = field(default_factory=dict)
    stuck: bool = False
    turns: int = 0
    slot: int = -1
    record: Record | None = None
    parent: Session | None = None
    legs_made: int = 0
    legs_live: list[Session] = field(default_factory=list)
    ready_at: float = -1.0
    ready_count: int = 0
    token: Token | None = None
    client: ClientClock | None = None


@dataclass(eq=False, slots=True)
class Token:
    """A session's last token (semantics.md 12.5)."""

    turn: float
    time: float
    stage: StepStage
    decoded: bool
    preempted: bool = False


@dataclass(eq=False, slots=True)
class Stall:
    """A growth that waits for room. `job` is the engine's job it stalled in."""

    session: Session
    pool: Pool
    part: Part
    units: float
    job: Resident | None
