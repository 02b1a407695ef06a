"""The state of a whole run, as plain data: clock, counters, sessions, pools, stages. Nothing here decides anything."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.sim.client import ClientTimes
from serq_lsp.sim.resources import Flows
from serq_lsp.sim.script import Script
from serq_lsp.sim.stats import GaugePoints, Ledger, Level, Samples

if TYPE_CHECKING:
    from serq_lsp.ir.program import Program
    from serq_lsp.sim.agenda import Agenda
    from serq_lsp.sim.cache import Eviction
    from serq_lsp.sim.errors import Place
    from serq_lsp.sim.limits import Meter
    from serq_lsp.sim.resources import Pool, PsStage, Stage, StepStage
    from serq_lsp.sim.rng import Stream
    from serq_lsp.sim.rules import Rules
    from serq_lsp.sim.session import Record, Session
    from serq_lsp.sim.trace import Iteration

EPS = 1e-9
DEAD_ENTRIES = 2**62  # keys of cache entries that no session can use again


@dataclass(eq=False, slots=True)
class World:
    """One run: the program's compiled script, the state, the clock, the counters.

    `watched` are the stages that settle looks at, in order; `place` is the statement being executed, for errors; `out` holds
    what has been recorded and not yet handed to the caller.
    """

    program: Program
    rules: Rules
    meter: Meter
    agenda: Agenda
    records: list[Record]
    choice: Stream
    arrivals_stream: Stream
    script: Script = field(default_factory=Script)
    now: float = 0.0
    warm: bool = False
    pools: list[Pool] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    watched: list[StepStage | PsStage] = field(default_factory=list)
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
    preempted: int = 0
    closed_instant: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    live_level: Level = field(default_factory=Level)
    observes: list[Samples] = field(default_factory=list)
    aggregates: list[list[float]] = field(default_factory=list)
    gauges: list[GaugePoints] = field(default_factory=list)
    client: ClientTimes = field(default_factory=ClientTimes)
    place: Place | None = None
    out: list[Iteration | Eviction] = field(default_factory=list)
    tracing: bool = False
    evictions: bool = False
