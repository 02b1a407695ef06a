"""The state of a run, as plain data: sessions, holds, jobs, pools, stages (semantics.md 3.3, 7.1, 8, 9).

Nothing here decides anything. Numbers are doubles unless named counts; positions and allocations are in the pool's units.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from serq_lsp.sim.stats import BatchStats, Estimator, Gaps, GaugePoints, Ledger, Level, RunningMean, Samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.ir.program import Program
    from serq_lsp.sim.agenda import Agenda
    from serq_lsp.sim.client import ClientClock
    from serq_lsp.sim.errors import Place
    from serq_lsp.sim.limits import Meter
    from serq_lsp.sim.rng import Stream
    from serq_lsp.sim.rules import Rules
    from serq_lsp.sim.script import Hold as HoldScript
    from serq_lsp.sim.script import Script, Statement

    Value = Callable[..., float]
    Keys = Callable[..., tuple[int, ...]]
    Record = tuple[tuple[tuple[int, float], ...], ...]

EPS = 1e-9
NEVER_ADMITTED = 2**64 - 1
DEAD_ENTRIES = 2**62  # keys of cache entries that no session can use again


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
    """A cache entry: units kept after a release."""

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
    job: Job | None = None
    stall: Stall | None = None
    admission: int = NEVER_ADMITTED
    preempted_at: dict[Pool, float] = field(default_factory=dict)
    stuck: bool = False
    turns: int = 0
    slot: int = -1
    record: Record | None = None
    explicit: bool = False
    parent: Session | None = None
    legs: int = 0
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
    job: Job | None


@dataclass(eq=False, slots=True)
class Job:
    """Work at a stage. `work` is what is left of it for a step stage; `place` is the Run statement's."""

    number: int
    session: Session | None
    stage: Stage
    work: float
    joined: float
    place: Place
    decode: bool = False
    prefill: bool = False
    hold: OpenHold | None = None
    part: Part | None = None
    start: float = 0.0
    finish: float = math.inf
    gone: bool = False
    seen: int = -1
    rate: float = 0.0
    stages: tuple[SharedStage, ...] = ()
    key: object = None


@dataclass(eq=False, slots=True)
class Pool:
    """A pool's state and counters."""

    number: int
    name: str
    index: int | None
    cap: float
    block: float | None
    evict: Keys | None
    evict_again: bool
    preempt: Keys | None
    tail: bool
    queue_keys: Keys | None
    spill: tuple[Pool, Stage, Value, Value] | None
    served_by: StepStage | None
    reserve_held: bool
    engines: list[StepStage] = field(default_factory=list)
    used: float = 0.0
    cached: float = 0.0
    holders: list[Session] = field(default_factory=list)
    holder_count: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    queue: deque[Wait] = field(default_factory=deque)
    growers: deque[Stall] = field(default_factory=deque)
    lru: list[tuple[float, int, int]] = field(default_factory=list)
    waits: RunningMean = field(default_factory=RunningMean)
    admissions: int = 0
    evicted_entries: int = 0
    evicted_units: float = 0.0
    preemptions: int = 0
    spills: int = 0
    rejected: int = 0
    stuck: int = 0
    levels: tuple[Level, Level, Level, Level] = ()  # type: ignore[assignment]


@dataclass(eq=False, slots=True)
class Stage:
    """What every kind of stage has."""

    number: int
    name: str
    index: int | None
    levels: tuple[Level, Level] = ()  # type: ignore[assignment]
    completed: int = 0
    waits: RunningMean = field(default_factory=RunningMean)
    services: RunningMean = field(default_factory=RunningMean)
    estimator: Estimator = field(default_factory=Estimator)
    present: int = 0


@dataclass(eq=False, slots=True)
class FifoStage(Stage):
    """First come, first served."""

    servers: int = 1
    line: deque[Job] = field(default_factory=deque)
    running: dict[int, Job] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class DelayStage(Stage):
    """Every job takes its own time."""

    jobs: dict[int, Job] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class PsStage(Stage):
    """Processor sharing in virtual time; `tags` are (tag, job number, job) in order."""

    capacity: Value | None = None
    tags: list[tuple[float, int, Job]] = field(default_factory=list)
    virtual: float = 0.0
    rate: float = 0.0
    last: float = 0.0
    epoch: int = 0
    dirty: bool = False


@dataclass(eq=False, slots=True)
class SharedStage(Stage):
    """A link that jobs hold together with others."""

    capacity: Value | None = None
    flows: list[Job] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class StepStage(Stage):
    """A step engine: its expressions, its residents in admission order, its running iteration."""

    budget: Value | None = None
    cost: Value | None = None
    chunk: Value | None = None
    granule: Value | None = None
    exclusive: bool = False
    keys: Keys | None = None
    keys_fixed: bool = True
    body: tuple[object, ...] | None = None
    reads_kv: bool = True
    cost_reads_kv: bool = True
    memory: Pool | None = None
    queues: list[Pool] = field(default_factory=list)
    registers: list[int] = field(default_factory=list)
    every: list[object] = field(default_factory=list)
    residents: list[Job] = field(default_factory=list)
    changes: int = 0
    batch: list[tuple[Job, float]] = field(default_factory=list)
    running: bool = False
    epoch: int = 0
    tries: int = 0
    left: float | None = None
    iterations: int = 0
    served: float = 0.0
    idle_with_work: bool = False
    batches: BatchStats = field(default_factory=BatchStats)
    gaps: Gaps = field(default_factory=Gaps)
    instant_count: int = 0


@dataclass(eq=False, slots=True)
class Flows:
    """The jobs on shared stages, in job order."""

    jobs: list[Job] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    dirty: bool = False
    last: float = 0.0
    epoch: int = 0
    next_job: Job | None = None


@dataclass(eq=False, slots=True)
class World:
    """One run: the program's compiled script, the state, the clock, the counters."""

    program: Program
    rules: Rules
    meter: Meter
    agenda: Agenda
    records: list[Record]
    script: Script = None  # type: ignore[assignment]
    now: float = 0.0
    warm: bool = False
    pools: list[Pool] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    registers: list[float] = field(default_factory=list)
    flows: Flows = field(default_factory=Flows)
    ready: deque[Session] = field(default_factory=deque)
    slots: list[Session | None] = field(default_factory=list)
    free_slots: list[int] = field(default_factory=list)
    by_serial: dict[int, Session] = field(default_factory=dict)
    live: int = 0
    arrived: int = 0
    ended: int = 0
    turns: int = 0
    events: int = 0
    next_job: int = 0
    next_admission: int = 0
    next_release: int = 0
    next_dead: int = DEAD_ENTRIES
    planning_preempted: int = 0
    closed_instant: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    live_level: Level = field(default_factory=Level)
    observes: list[Samples] = field(default_factory=list)
    aggregates: list[list[float]] = field(default_factory=list)
    gauges: list[GaugePoints] = field(default_factory=list)
    place: Place | None = None
    out: list[object] = field(default_factory=list)
    tracing: bool = False
    evictions: bool = False
