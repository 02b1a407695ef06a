"""A whole program of the kernel IR (semantics.md 1.1 for version 11, 1.2 for version 13), as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

from serq_lsp.ir.expr import BUILTIN_ATTRS

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr, Target
    from serq_lsp.ir.stmt import BodyStmt, Stmt

SHARES = ("MaxMin", "Bottleneck")
SIDES = ("Workload", "Server")
VERSIONS = (11, 13)


@dataclass(frozen=True, slots=True)
class PreemptBy:
    """Preempt the holder with the least keys; `tail`: it waits again at the back of the queue."""

    keys: tuple[Expr, ...]
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Spill:
    """Evicted units move to pool `to` over stage `via`, `work` each time, when `when` is not 0."""

    to: int
    via: int
    work: Expr
    when: Expr


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of units. `block`: units come in blocks of that size; `evict` None is lru; `queue` None is fifo."""

    name: str
    cap: float
    index: int | None = None
    block: float | None = None
    evict: tuple[Expr, ...] | None = None
    preempt: PreemptBy | None = None
    queue: tuple[Expr, ...] | None = None
    spill: Spill | None = None
    admit_via: int | None = None
    reserve_held: bool = False


@dataclass(frozen=True, slots=True)
class Fifo:
    """First come, first served, by so many servers."""

    servers: int


@dataclass(frozen=True, slots=True)
class Ps:
    """Processor sharing with a capacity in work per second."""

    capacity: Expr


@dataclass(frozen=True, slots=True)
class Delay:
    """Every job takes its own time (IR 11; later versions write `Ps` of the number present)."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step engine. `serve` None is exclusive prefill, else the keys of the serving order; chunk 0 is no cap."""

    cost: Expr
    budget: Expr
    chunk: Expr
    granule: Expr | None = None
    serve: tuple[Expr, ...] | None = ()
    memory: int | None = None
    iteration: tuple[BodyStmt, ...] | None = None


StageKind = Fifo | Ps | Delay | Step


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: its name, its place in an array (None: no array), its kind."""

    name: str
    kind: StageKind
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Poisson:
    """Arrivals at a rate per second."""

    rate: float


@dataclass(frozen=True, slots=True)
class Renewal:
    """Arrivals with independent gaps."""

    gap: Expr


@dataclass(frozen=True, slots=True)
class Closed:
    """So many sessions at all times: a new one replaces each that ends."""

    sessions: int


@dataclass(frozen=True, slots=True)
class Batch:
    """So many sessions at time 0."""

    sessions: int


@dataclass(frozen=True, slots=True)
class ExplicitSession:
    """A session spelled out: slots set after `init`, and slots set by each turn (none: turns set nothing)."""

    attrs: tuple[tuple[int, float], ...]
    turns: tuple[tuple[tuple[int, float], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Sessions:
    """Explicit sessions at time 0."""

    sessions: tuple[ExplicitSession, ...]


@dataclass(frozen=True, slots=True)
class NoArrivals:
    """Nobody arrives."""


Arrival = Poisson | Renewal | Closed | Batch | Sessions | NoArrivals


@dataclass(frozen=True, slots=True)
class Gauge:
    """A value read whenever an instant is over."""

    name: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class EveryIteration:
    """The claim holds at each iteration of a stage."""

    stage: int


@dataclass(frozen=True, slots=True)
class SomeIteration:
    """The claim holds at some iteration of a stage."""

    stage: int


@dataclass(frozen=True, slots=True)
class AtEnd:
    """The claim holds when the run is over and nobody is live."""


ClaimKind = EveryIteration | SomeIteration | AtEnd


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the run; `given` must hold for every session, else the claim is out of scope."""

    name: str
    kind: ClaimKind
    expr: Expr
    given: Expr | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A number that a step engine's body keeps from one iteration to the next."""

    name: str
    stage: int
    init: float


AttrType = Union[str, "Target"]  # "Size", "Value", or the resource of a cost


@dataclass(frozen=True, slots=True)
class Program:
    """One program: declarations, blocks of statements, workload and run settings (times in seconds).

    `attr_types` and `sides` exist from version 13 on and are None before. `slots` are the slots of `BUILTIN_ATTRS`.
    """

    version: int
    attrs: tuple[str, ...]
    observes: tuple[str, ...]
    pools: tuple[Pool, ...]
    stages: tuple[Stage, ...]
    arrival: Arrival
    blocks: tuple[tuple[Stmt, ...], ...]
    horizon: float
    warmup: float
    seed: int
    arrivals: int | None = None
    trace: str | None = None
    trace_ordered: bool = False
    init: int = 0
    turn: int = 1
    session: int = 2
    slots: tuple[int, ...] = field(default=tuple(range(len(BUILTIN_ATTRS))))
    hidden: tuple[int, ...] = ()
    share: str | None = None
    gauges: tuple[Gauge, ...] = ()
    claims: tuple[Claim, ...] = ()
    registers: tuple[Register, ...] = ()
    attr_types: tuple[AttrType, ...] | None = None
    sides: tuple[tuple[str, ...], ...] | None = None
