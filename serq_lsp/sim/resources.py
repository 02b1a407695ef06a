"""The state of pools and stages, and of the jobs at stages (semantics.md 7.1, 8, 9). Plain data; nothing decides here."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.sim.script import Moves
from serq_lsp.sim.stats import BatchStats, Estimator, Gaps, Level, RunningMean

if TYPE_CHECKING:
    from serq_lsp.sim.errors import Place
    from serq_lsp.sim.script import BodyStatement, ClaimState, Keys, Value
    from serq_lsp.sim.session import Entry, OpenHold, Part, Session, Stall, Wait


@dataclass(eq=False, slots=True)
class Job:
    """Work at a stage, of a session or (a spill's copy) of nobody. `finish` is set while an own event is scheduled."""

    number: int
    owner: Session | None
    work: float
    joined: float
    start: float = 0.0
    finish: float = math.inf
    gone: bool = False


@dataclass(eq=False, slots=True)
class QueueJob(Job):
    """A job of a fifo, delay or ps stage."""

    stage: FifoStage | DelayStage | PsStage = field(kw_only=True)


@dataclass(eq=False, slots=True)
class Flow(Job):
    """A job on shared stages; `work` is what it had left when the flows were last brought up to date."""

    stages: tuple[SharedStage, ...] = field(kw_only=True)
    rate: float = 0.0


@dataclass(eq=False, slots=True)
class Resident(Job):
    """A job of a step engine; `work` is what it has left.

    `hold` and `part`: what grows with its tokens. `place`: the Run statement's. `seen`: the last attempt that served it.
    """

    session: Session = field(kw_only=True)
    stage: StepStage = field(kw_only=True)
    decode: bool = field(kw_only=True)
    place: Place = field(kw_only=True)
    hold: OpenHold | None = None
    part: Part | None = None
    seen: int = -1


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
    served_by: Stage | None
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
    levels: tuple[Level, Level, Level, Level] = field(default_factory=lambda: (Level(), Level(), Level(), Level()))


@dataclass(eq=False, slots=True)
class Stage:
    """What every kind of stage has."""

    number: int
    name: str
    index: int | None
    levels: tuple[Level, Level] = field(default_factory=lambda: (Level(), Level()))
    completed: int = 0
    waits: RunningMean = field(default_factory=RunningMean)
    services: RunningMean = field(default_factory=RunningMean)
    estimator: Estimator = field(default_factory=Estimator)
    present: int = 0


@dataclass(eq=False, slots=True)
class FifoStage(Stage):
    """First come, first served."""

    servers: int = 1
    line: deque[QueueJob] = field(default_factory=deque)
    running: dict[int, QueueJob] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class DelayStage(Stage):
    """Every job takes its own time."""

    jobs: dict[int, QueueJob] = field(default_factory=dict)


@dataclass(eq=False, slots=True, kw_only=True)
class PsStage(Stage):
    """Processor sharing in virtual time; `tags` are (tag, job number, job) in order."""

    capacity: Value
    tags: list[tuple[float, int, QueueJob]] = field(default_factory=list)
    virtual: float = 0.0
    rate: float = 0.0
    last: float = 0.0
    epoch: int = 0
    dirty: bool = False


@dataclass(eq=False, slots=True, kw_only=True)
class SharedStage(Stage):
    """A link that jobs hold together with others."""

    capacity: Value
    flows: list[Flow] = field(default_factory=list)


@dataclass(eq=False, slots=True, kw_only=True)
class StepStage(Stage):
    """A step engine: its expressions, its residents in admission order, its running iteration."""

    budget: Value
    cost: Value
    chunk: Value
    granule: Value | None = None
    exclusive: bool = False
    keys: Keys | None = None
    moves: Moves = Moves.NEVER
    body: tuple[BodyStatement, ...] | None = None
    reads_kv: bool = True
    cost_reads_kv: bool = True
    memory: Pool | None = None
    queues: list[Pool] = field(default_factory=list)
    registers: list[int] = field(default_factory=list)
    claims: list[ClaimState] = field(default_factory=list)
    residents: list[Resident] = field(default_factory=list)
    changes: int = 0
    batch: list[tuple[Resident, float]] = field(default_factory=list)
    running: bool = False
    epoch: int = 0
    tries: int = 0
    left: float | None = None
    iterations: int = 0
    served: float = 0.0
    idle_with_work: bool = False
    batches: BatchStats = field(default_factory=BatchStats)
    gaps: Gaps = field(default_factory=Gaps)
    idle_since: float = -1.0
    idle_count: int = 0


@dataclass(eq=False, slots=True)
class Flows:
    """The jobs on shared stages, in job order."""

    jobs: list[Flow] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    dirty: bool = False
    last: float = 0.0
    epoch: int = 0
