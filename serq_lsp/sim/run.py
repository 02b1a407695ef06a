"""Run a program: the event loop (semantics.md 3), as an iterator of what a trace shows, and its result.

This is the room's public face: `Simulation(program, options).steps()` yields iterations as they happen, `run(...)` goes to
the end. Nothing is read or written but the program's recorded trace, through the reader that the caller gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from heapq import heappop
from typing import TYPE_CHECKING, Any

from serq_lsp.ir import arith
from serq_lsp.ir import program as ir
from serq_lsp.sim import growth, holding, iteration, sessions, stages
from serq_lsp.sim.agenda import (
    ARRIVAL,
    FINISH,
    FLOW_FINISH,
    ITERATION_END,
    LEASE_END,
    PS_FINISH,
    WARM_UP,
)
from serq_lsp.sim.build import build
from serq_lsp.sim.deadlock import stuck_join
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.recorded import read_records
from serq_lsp.sim.resources import StepStage
from serq_lsp.sim.result import Result, result_of
from serq_lsp.sim.settle import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from serq_lsp.sim.cache import Eviction
    from serq_lsp.sim.rng import Stream
    from serq_lsp.sim.session import Lease
    from serq_lsp.sim.trace import Iteration
    from serq_lsp.sim.world import World

    ReadTrace = Callable[[str], Iterable[str]]
    Sink = Callable[[Iteration | Eviction], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: limits, what to record, and how to read the recorded trace that the program names.

    `iterations`, `evictions`: what `steps` yields. `read_trace(name)` gives the lines of the log; without it a program that
    names one does not run.
    """

    limits: Limits = field(default_factory=Limits)
    iterations: bool = True
    evictions: bool = False
    read_trace: ReadTrace | None = None


class Simulation:
    """One run of one program. `steps` may be iterated once; `result` is there when it has come to its end."""

    def __init__(self, program: ir.Program, options: Options | None = None) -> None:
        self.options = options or Options()
        self.program = program
        self.result: Result | None = None

    def steps(self) -> Iterator[Iteration | Eviction]:
        """What happens, as it happens. Raises `RunError` (or its kind `LimitReached`) after what came before the fault."""
        world = None
        try:
            world = build(self.program, self.options.limits, self._records())
            world.tracing = self.options.iterations
            world.evictions = self.options.evictions
            yield from _events(world)
            self.result = result_of(world)
        except RunError as error:
            if world is not None:
                yield from _flush(world)
                error.time = world.now
                error.place = error.place or world.place
            raise
        except RecursionError:
            raise RunError("too-deep", "an expression is nested too deeply to run; split it with `set`") from None

    def _records(self) -> list[Any]:
        name = self.program.trace
        if name is None:
            return []
        if self.options.read_trace is None:
            raise RunError("bad-trace", f"the trace `{name}` cannot be read here")
        try:
            return list(read_records(self.options.read_trace(name), self.program))
        except (OSError, UnicodeError) as error:
            raise RunError("bad-trace", f"the trace `{name}` cannot be read: {error}") from None


def run(program: ir.Program, options: Options | None = None, sink: Sink | None = None) -> Result:
    """Run to the end; every iteration (and eviction, if asked for) goes to `sink` as it happens.

    Raises `RunError` for a fault of the program and `LimitReached` for a limit; what the sink got until then stands.
    """
    chosen = options or Options()
    if sink is None:
        chosen = Options(chosen.limits, iterations=False, evictions=False, read_trace=chosen.read_trace)
    simulation = Simulation(program, chosen)
    for step in simulation.steps():
        if sink is not None:
            sink(step)
    assert simulation.result is not None
    return simulation.result


def _flush(world: World) -> Iterator[Iteration | Eviction]:
    out = world.out
    if out:
        world.out = []
        yield from out


def _events(world: World) -> Iterator[Iteration | Eviction]:
    """Handle events until the run is over."""
    program, agenda, meter = world.program, world.agenda, world.meter
    heap = agenda.heap
    _begin(world)
    settle(world)
    yield from _flush(world)
    limited = program.arrivals
    horizon = program.horizon
    while heap:
        if limited is not None and world.arrived >= limited and not world.live:
            break
        if heap[0][0] > horizon:
            break
        time, _, kind, about, epoch = heappop(heap)
        if time > world.now:
            if world.gauges:
                _read_gauges(world)
            world.now = time
            meter.new_instant()
            world.closed_instant = 0
        world.place = None
        world.events += 1
        meter.event(world.events)
        _HANDLERS[kind](world, about, epoch)
        settle(world)
        if world.out:
            yield from _flush(world)
    _read_gauges(world)
    if limited is None:
        world.now = program.horizon
    else:
        _check_limited(world, limited)
    stuck_join(world)


def _begin(world: World) -> None:
    program = world.program
    world.warm = not program.warmup > 0
    if not world.warm:
        world.agenda.add(program.warmup, WARM_UP)
    match program.arrival:
        case ir.Poisson():
            world.agenda.add(0.0, ARRIVAL)
        case ir.Renewal():
            world.agenda.add(world.now + _gap(world), ARRIVAL)
        case ir.Closed(count) | ir.Batch(count):
            for _ in range(count):
                sessions.create(world)
        case ir.Sessions(explicit):
            for each in explicit:
                sessions.create(world, each)
        case _:
            pass


def _gap(world: World) -> float:
    arrival = world.program.arrival
    if isinstance(arrival, ir.Poisson):
        return arrivals_gap(world.arrivals_stream, arrival.rate)
    assert world.script.gap is not None
    gap = world.script.gap()
    if not 0 < gap < float("inf"):
        raise RunError("bad-gap", f"the time between two arrivals is {gap:g}; it must be finite and above 0")
    return gap


def arrivals_gap(stream: Stream, rate: float) -> float:
    """The time to the next arrival of a Poisson process."""
    return arith.divide(-math.log(1.0 - stream.f64()), rate)


def _on_arrival(world: World, _about: object, _epoch: int) -> None:
    limited = world.program.arrivals
    if limited is None or world.arrived + 1 < limited:
        world.agenda.add(world.now + _gap(world), ARRIVAL)
    sessions.create(world)


def _on_warm(world: World, _about: object, _epoch: int) -> None:
    world.warm = True
    world.ledger.restart(world.now)
    for stage in world.stages:
        if isinstance(stage, StepStage):
            stage.batches.restart(world.now)


def _on_lease(world: World, lease: Lease, _epoch: int) -> None:
    if lease.over:
        return
    holding.end_lease(world, lease)
    growth.serve_pools(world)


def _read_gauges(world: World) -> None:
    for points, value in zip(world.gauges, world.script.gauges, strict=True):
        points.read(world.now, value())


def _check_limited(world: World, limited: int) -> None:
    if world.arrived < limited:
        raise RunError(
            "arrivals-missing", f"only {world.arrived} of {limited} sessions arrive by the horizon; lengthen it"
        )
    if world.live:
        raise RunError("still-live", f"{world.live} session(s) are still live at the horizon; lengthen it")
    if world.now <= world.program.warmup and world.program.warmup > 0:
        raise RunError("drained-early", "all sessions are over before the warm-up ends; shorten the warm-up")


_HANDLERS: dict[int, Callable[[World, Any, int], None]] = {
    WARM_UP: _on_warm,
    ARRIVAL: _on_arrival,
    FINISH: stages.on_finish,
    PS_FINISH: stages.on_ps_finish,
    ITERATION_END: iteration.on_end,
    LEASE_END: _on_lease,
    FLOW_FINISH: stages.on_flow_finish,
}
