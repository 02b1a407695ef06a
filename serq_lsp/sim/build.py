"""From a program to the world it starts in: pools, stages, compiled statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serq_lsp.ir import program as ir
from serq_lsp.ir import stmt as st
from serq_lsp.ir.eval import moves
from serq_lsp.ir.expr import Agg, Call, Ctx, Num, Reg, Sample, walk
from serq_lsp.ir.validate import walk_body
from serq_lsp.sim import aggregates, script, stages
from serq_lsp.sim import compile as source
from serq_lsp.sim.agenda import Agenda
from serq_lsp.sim.errors import Place
from serq_lsp.sim.holding import whole_index
from serq_lsp.sim.limits import Limits, Meter
from serq_lsp.sim.resources import DelayStage, FifoStage, Pool, PsStage, SharedStage, Stage, StepStage
from serq_lsp.sim.rng import Stream
from serq_lsp.sim.rules import rules_of
from serq_lsp.sim.stats import GaugePoints, Samples
from serq_lsp.sim.totals import budget_left
from serq_lsp.sim.world import World

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr, Ref
    from serq_lsp.sim.session import Record

_MACHINE = 0x5851F42D4C957F2D
_EVICTION = 0x2545F4914F6CDD1D
_CHOICE = 0x6A09E667F3BCC908
_TOTALS = ("Nres", "Ndec", "Kvb", "Kvp")


def build(program: ir.Program, limits: Limits, records: list[Record]) -> World:
    """The world before anything has happened. `records` are the recorded sessions of the program's trace."""
    world = World(
        program,
        rules_of(program.version),
        Meter(limits),
        Agenda(),
        records,
        Stream(program.seed ^ _CHOICE),
        Stream(program.seed),
    )
    world.ledger.track(world.live_level)
    world.observes = [Samples() for _ in program.observes]
    world.aggregates = [[] for _ in program.observes]
    world.registers = [register.init for register in program.registers]
    world.gauges = [GaugePoints() for _ in program.gauges]
    compiler = source.Compiler(_namespace(world))
    shared = _shared_stages(program)
    for number, stage in enumerate(program.stages):
        world.stages.append(_stage(world, compiler, number, stage, shared=number in shared))
    world.watched = [it for it in world.stages if isinstance(it, (StepStage, PsStage))]
    for number, pool in enumerate(program.pools):
        world.pools.append(_pool(world, compiler, number, pool))
    _connect(world)
    world.script = _Scripts(program, compiler).compiled()
    for claim, declared in zip(world.script.claims, program.claims, strict=True):
        if not isinstance(declared.kind, ir.AtEnd):
            engine = world.stages[declared.kind.stage]
            if isinstance(engine, StepStage):
                engine.claims.append(claim)
    return world


def _namespace(world: World) -> dict[str, Any]:
    """The objects that compiled expressions name."""
    return {
        "W": world,
        "POOLS": world.pools,
        "STAGES": world.stages,
        "REGISTERS": world.registers,
        "VALUES": world.aggregates,
        "MACHINE": Stream(world.program.seed ^ _MACHINE),
        "EVICTION": Stream(world.program.seed ^ _EVICTION),
        "ARRIVALS": world.arrivals_stream,
        "MEMBER": whole_index,
        "CACHED": _cached,
        "FREE": lambda pool: pool.cap - pool.used,
        "BUSY": stages.busy,
        "WORK": lambda stage: stages.work_left(world, stage),
        "BUDGETLEFT": budget_left,
        **{f"AGG_{name}": compute for name, compute in aggregates.AGGREGATES.items()},
    }


def _cached(pool: Pool, serial: int) -> float:
    entry = pool.entries.get(serial)
    return 0.0 if entry is None else entry.size


def _shared_stages(program: ir.Program) -> set[int]:
    """Stages of every array that a run on several stages names (semantics.md 8)."""
    found: set[int] = set()
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, st.Run) and statement.also:
                for ref in (statement.stage, *statement.also):
                    found.update(range(ref.base, ref.base + ref.count))
    return found


def _stage(world: World, compiler: source.Compiler, number: int, stage: ir.Stage, *, shared: bool) -> Stage:
    made: Stage
    match stage.kind:
        case ir.Fifo(servers):
            made = FifoStage(number, stage.name, stage.index, servers=servers)
        case ir.Ps(capacity) if shared:
            made = SharedStage(number, stage.name, stage.index, capacity=compiler.value(source.PS, capacity))
        case ir.Ps(Ctx("N")) if world.rules.present_is_delay:
            made = DelayStage(number, stage.name, stage.index)
        case ir.Ps(capacity):
            made = PsStage(number, stage.name, stage.index, capacity=compiler.value(source.PS, capacity))
        case ir.Delay():
            made = DelayStage(number, stage.name, stage.index)
        case ir.Step() as step:
            made = _engine(world, compiler, number, stage, step)
            made.registers = [at for at, it in enumerate(world.program.registers) if it.stage == number]
    world.ledger.track(*made.levels)
    return made


def _engine(world: World, compiler: source.Compiler, number: int, stage: ir.Stage, step: ir.Step) -> StepStage:
    keys = step.serve or ()
    body = None if step.iteration is None else tuple(_body(compiler, it) for it in step.iteration)
    planning = [step.budget, step.chunk, *keys, *_body_exprs(step)]
    planning += [] if step.granule is None else [step.granule]
    claims = [claim.expr for claim in world.program.claims if getattr(claim.kind, "stage", None) == number]
    return StepStage(
        number,
        stage.name,
        stage.index,
        budget=compiler.value(source.ENGINE, step.budget),
        cost=compiler.value(source.COST, step.cost),
        chunk=compiler.value(source.ENGINE, step.chunk),
        granule=None if step.granule is None else compiler.value(source.ENGINE, step.granule),
        exclusive=step.serve is None,
        keys=compiler.keys(source.SERVE, keys) if keys else None,
        moves=_moves(keys),
        body=body,
        reads_kv=any(_reads_kv(expr) for expr in planning),
        cost_reads_kv=any(_reads_kv(expr) for expr in (step.cost, *claims)),
    )


def _body_exprs(step: ir.Step) -> list[Expr]:
    found: list[Expr | None] = []
    for part in walk_body(step.iteration or ()):
        match part:
            case st.Serve(only, by):
                found += [only, *(by or ())]
            case st.Admit(only, gate):
                found += [only, gate]
            case st.BodyBranch(guard, _, _):
                found.append(guard)
            case st.SetRegister(_, expr):
                found.append(expr)
    return [expr for expr in found if expr is not None]


def _reads_kv(expr: Expr) -> bool:
    return any(isinstance(node, Ctx) and node.name in ("Kvb", "Kvp") for node in walk(expr))


def _moves(keys: tuple[Expr, ...]) -> script.Moves:
    """When serving keys may change while an iteration is planned."""
    nodes = [node for expr in keys for node in walk(expr)]
    if any(isinstance(node, (Reg, Agg, Sample)) or (isinstance(node, Call) and moves(node)) for node in nodes):
        return script.Moves.ALWAYS
    if any(isinstance(node, Ctx) and node.name in _TOTALS for node in nodes):
        return script.Moves.TOTALS
    return script.Moves.NEVER


def _body(compiler: source.Compiler, part: st.BodyStmt) -> script.BodyStatement:
    match part:
        case st.Serve(only, by):
            return script.Serve(
                None if only is None else compiler.value(source.SERVE, only),
                None if by is None else compiler.keys(source.SERVE, by),
                script.Moves.NEVER if by is None else _moves(by),
            )
        case st.Admit(only, gate):
            return script.Admit(
                None if only is None else compiler.value(source.SERVE, only),
                None if gate is None else compiler.value(source.BODY, gate),
            )
        case st.BodyBranch(guard, then, other):
            return script.BodyBranch(
                compiler.value(source.BODY, guard),
                tuple(_body(compiler, it) for it in then),
                tuple(_body(compiler, it) for it in other),
            )
        case st.SetRegister(register, expr):
            return script.SetRegister(register, compiler.value(source.BODY, expr))


def _pool(world: World, compiler: source.Compiler, number: int, pool: ir.Pool) -> Pool:
    served_by = None if pool.admit_via is None else world.stages[pool.admit_via]
    made = Pool(
        number,
        pool.name,
        pool.index,
        pool.cap,
        pool.block,
        None if pool.evict is None else compiler.keys(source.EVICT, pool.evict),
        any(_changes(expr) for expr in pool.evict or ()),
        None if pool.preempt is None else compiler.keys(source.PREEMPT, pool.preempt.keys),
        pool.preempt is not None and pool.preempt.tail,
        None if pool.queue is None else compiler.keys(source.QUEUE, pool.queue),
        None,
        served_by,
        pool.reserve_held,
    )
    world.ledger.track(*made.levels)
    if isinstance(served_by, StepStage):  # another stage has no iterations: it lets nobody in
        served_by.queues.append(made)
    return made


def _changes(expr: Expr) -> bool:
    """Whether an eviction key reads state or draws, so that it is read again for every victim."""
    return any(isinstance(node, (Reg, Agg, Sample)) or (isinstance(node, Call) and moves(node)) for node in walk(expr))


def _connect(world: World) -> None:
    """Memories and spills, which name pools by number."""
    program = world.program
    compiler = source.Compiler(_namespace(world))
    for made, pool in zip(world.pools, program.pools, strict=True):
        if pool.spill is not None:
            made.spill = (
                world.pools[pool.spill.to],
                world.stages[pool.spill.via],
                compiler.value(source.EVICT, pool.spill.work),
                compiler.value(source.EVICT, pool.spill.when),
            )
    for engine, stage in zip(world.stages, program.stages, strict=True):
        if isinstance(engine, StepStage) and isinstance(stage.kind, ir.Step) and stage.kind.memory is not None:
            engine.memory = world.pools[stage.kind.memory]
            engine.memory.engines.append(engine)


class _Scripts:
    """Compiles the statements of one program."""

    def __init__(self, program: ir.Program, compiler: source.Compiler) -> None:
        self._program = program
        self._compiler = compiler

    def compiled(self) -> script.Script:
        """All blocks, gauges and claims."""
        program, compiler = self._program, self._compiler
        plain = (program.init, program.turn)
        blocks = [
            tuple(
                self._statement(statement, Place(number, at), source.WORKLOAD if number in plain else source.SESSION)
                for at, statement in enumerate(block)
            )
            for number, block in enumerate(program.blocks)
        ]
        gap = compiler.value(source.ARRIVAL, program.arrival.gap) if isinstance(program.arrival, ir.Renewal) else None
        gauges = [compiler.value(source.GAUGE, gauge.expr) for gauge in program.gauges]
        sides = program.sides or tuple(("Server",) * len(block) for block in program.blocks)
        workload = [tuple(side == "Workload" for side in block) for block in sides]
        return script.Script(blocks, workload, gap, gauges, [self._claim(claim) for claim in program.claims])

    def _claim(self, claim: ir.Claim) -> script.ClaimState:
        kind = {ir.EveryIteration: "every_iteration", ir.SomeIteration: "some_iteration", ir.AtEnd: "at_end"}
        given = None if claim.given is None else self._compiler.value(source.WORKLOAD, claim.given)
        return script.ClaimState(
            claim.name, kind[type(claim.kind)], self._compiler.value(source.CLAIM, claim.expr), given
        )

    def _member(self, ref: Ref) -> script.Member:
        index = None if ref.index is None else self._compiler.value(source.SESSION, ref.index)
        if isinstance(ref.index, Num):
            index = None if ref.index.value == 0 else index
        return script.Member(ref.base, ref.count, index)

    def _statement(self, it: st.Stmt, at: Place, place: source.Place) -> script.Statement:
        def value(expr: Expr) -> script.Value:
            return self._compiler.value(place, expr)

        match it:
            case st.Set(slot, expr):
                return script.Set(at, slot, value(expr))
            case st.Observe(number, expr):
                return script.Observe(at, number, value(expr))
            case st.Grow(ref, expr):
                return script.Grow(at, self._member(ref), value(expr))
            case st.Load(ref, expr):
                return script.Load(at, self._member(ref), value(expr))
            case st.Drop(ref):
                return script.Drop(at, self._member(ref))
            case st.Release(ref):
                return script.Release(at, self._member(ref))
            case st.Branch(guard, then, other):
                return script.Branch(at, value(guard), then, other)
            case st.Loop(block):
                return script.Loop(at, block, None)
            case st.While(guard, block):
                return script.Loop(at, block, value(guard))
            case st.Fork(block):
                return script.Fork(at, block)
            case st.Choose(var, count, key):
                return script.Choose(at, var, value(count), self._compiler.raw_keys(place, key))
            case st.Hold():
                return self._hold(it, at)
            case st.Run():
                return script.Run(
                    at,
                    tuple(self._member(ref) for ref in (it.stage, *it.also)),
                    value(it.work),
                    it.mode == "Decode",
                    None if it.growing is None else self._member(it.growing),
                )
            case st.Turn():
                return script.Turn(at)
            case st.End():
                return script.End(at)
            case st.Join():
                return script.Join(at)

    def _hold(self, it: st.Hold, at: Place) -> script.Hold:
        def value(expr: Expr | None) -> script.Value | None:
            return None if expr is None else self._compiler.value(source.SESSION, expr)

        pools = tuple(
            script.HoldPool(
                self._member(part.pool),
                self._compiler.value(source.SESSION, part.units),
                value(part.reserve),
                units_stay=not moves(part.units),
                reserve_stays=part.reserve is not None and not moves(part.reserve),
            )
            for part in it.pools
        )
        lease = None
        if it.lease is not None:
            lease = (self._member(it.lease.pool), self._compiler.value(source.SESSION, it.lease.time))
        return script.Hold(at, pools, it.body, value(it.reuse), value(it.cache), lease)
