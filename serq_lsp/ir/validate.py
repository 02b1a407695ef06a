"""Whether the numbers of a program point into its own tables, so that no reader has to ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir import stmt as st
from serq_lsp.ir.expr import BUILTIN_ATTRS, Agg, Attr, Call, Cost, JointTarget, PoolArg, Reg, StageArg, walk
from serq_lsp.ir.program import (
    VERSIONS,
    AtEnd,
    Fifo,
    Ps,
    Renewal,
    Sessions,
    Step,
)
from serq_lsp.ir.shapes import IrError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ir.expr import Expr, Ref, Target
    from serq_lsp.ir.program import Program

ARRAY_MAX = 10_000  # members of one family


def validate(program: Program) -> None:
    """Raise `IrError` at the first number that points nowhere, and at an unknown version."""
    if program.version not in VERSIONS:
        raise IrError(f"version {program.version} is not supported; known are {', '.join(map(str, VERSIONS))}")
    _Checker(program).check()


class _Checker:
    """The sizes of one program's tables, and the checks against them."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def check(self) -> None:
        program = self._program
        for number in (program.init, program.turn, program.session):
            self._in_range(number, program.blocks, "block")
        for slot in (*program.slots, *program.hidden):
            self._in_range(slot, program.attrs, "attribute slot")
        if len(program.slots) != len(BUILTIN_ATTRS):
            raise IrError("the built-in slots are incomplete")
        for block in program.blocks:
            for statement in block:
                self._statement(statement)
        for table, found in (("pools", self._pools), ("stages", self._stages), ("run", self._rest)):
            try:
                found()
            except IrError as error:
                raise error.inside(table) from None

    def _in_range(self, number: int, table: tuple[object, ...], what: str) -> None:
        if not 0 <= number < len(table):
            raise IrError(f"{what} {number} does not exist; there are {len(table)}")

    def _ref(self, ref: Ref, table: tuple[object, ...], what: str) -> None:
        if not 1 <= ref.count <= ARRAY_MAX:
            raise IrError(f"a family of {ref.count} members")
        self._in_range(ref.base, table, what)
        self._in_range(ref.base + ref.count - 1, table, what)
        if ref.index is not None:
            self._exprs([ref.index])

    def _pool(self, ref: Ref) -> None:
        self._ref(ref, self._program.pools, "pool")

    def _stage(self, ref: Ref) -> None:
        self._ref(ref, self._program.stages, "stage")

    def _exprs(self, exprs: Iterable[Expr | None]) -> None:
        program = self._program
        for expr in exprs:
            for node in () if expr is None else walk(expr):
                match node:
                    case Attr(slot):
                        self._in_range(slot, program.attrs, "attribute slot")
                    case Reg(register):
                        self._in_range(register, program.registers, "register")
                    case Agg(_, observe):
                        self._in_range(observe, program.observes, "observation")
                    case Call(function, args):
                        self._call(function, args)
                    case Cost(target, _):
                        self._target(target)
                    case _:
                        pass

    def _call(self, function: str, args: tuple[object, ...]) -> None:
        for arg in args:
            if isinstance(arg, PoolArg):
                self._ref(arg.ref, self._program.pools, "pool")
            elif isinstance(arg, StageArg):
                self._ref(arg.ref, self._program.stages, "stage")
        found = "".join("p" if isinstance(it, PoolArg) else "s" if isinstance(it, StageArg) else "e" for it in args)
        if found != SIGNATURES[function]:
            raise IrError(f"`{function}` does not take these arguments")

    def _target(self, target: Target) -> None:
        if isinstance(target, JointTarget):
            for part in target.targets:
                self._target(part)

    def _statement(self, statement: st.Stmt) -> None:
        blocks = self._program.blocks
        for number in nested_blocks(statement):
            self._in_range(number, blocks, "block")
        match statement:
            case st.Set(slot, _):
                self._in_range(slot, self._program.attrs, "attribute slot")
            case st.Choose(slot, _, _):
                self._in_range(slot, self._program.attrs, "attribute slot")
            case st.Observe(observe, _):
                self._in_range(observe, self._program.observes, "observation")
            case st.Grow(ref, _) | st.Load(ref, _) | st.Drop(ref) | st.Release(ref):
                self._pool(ref)
            case st.Hold():
                if not statement.pools:
                    raise IrError("a hold of no pool")
                for part in statement.pools:
                    self._pool(part.pool)
                if statement.lease is not None:
                    self._pool(statement.lease.pool)
            case st.Run():
                for ref in (statement.stage, *statement.also):
                    self._stage(ref)
                if statement.growing is not None:
                    self._pool(statement.growing)
            case _:
                pass
        self._exprs(statement_exprs(statement))

    def _pools(self) -> None:
        program = self._program
        for pool in program.pools:
            for number in () if pool.admit_via is None else (pool.admit_via,):
                self._in_range(number, program.stages, "stage")
                if not isinstance(program.stages[number].kind, Step):
                    raise IrError(f"stage {number} does not admit: it is no step stage")
            if pool.block is not None and not pool.block > 0:
                raise IrError(f"the block of `{pool.name}` is not above 0")
            if pool.spill is not None:
                self._in_range(pool.spill.to, program.pools, "pool")
                self._in_range(pool.spill.via, program.stages, "stage")
                self._exprs([pool.spill.work, pool.spill.when])
            preempt = () if pool.preempt is None else pool.preempt.keys
            self._exprs([*(pool.evict or ()), *(pool.queue or ()), *preempt])

    def _stages(self) -> None:
        program = self._program
        for stage in program.stages:
            match stage.kind:
                case Fifo(servers):
                    if servers < 1:
                        raise IrError(f"`{stage.name}` has no server")
                case Ps(capacity):
                    self._exprs([capacity])
                case Step() as step:
                    if step.memory is not None:
                        self._in_range(step.memory, program.pools, "pool")
                    self._exprs([step.budget, step.cost, step.chunk, step.granule, *(step.serve or ())])
                    for part in walk_body(step.iteration or ()):
                        self._body(part)
                case _:
                    pass

    def _body(self, part: st.BodyStmt) -> None:
        match part:
            case st.Serve(only, by):
                self._exprs([only, *(by or ())])
            case st.Admit(only, gate):
                self._exprs([only, gate])
            case st.BodyBranch(guard, _, _):
                self._exprs([guard])
            case st.SetRegister(register, expr):
                self._in_range(register, self._program.registers, "register")
                self._exprs([expr])

    def _rest(self) -> None:
        program = self._program
        match program.arrival:
            case Renewal(gap):
                self._exprs([gap])
            case Sessions(sessions):
                for session in sessions:
                    for slot, _ in (*session.attrs, *(pair for turn in session.turns for pair in turn)):
                        self._in_range(slot, program.attrs, "attribute slot")
            case _:
                pass
        self._exprs([gauge.expr for gauge in program.gauges])
        for claim in program.claims:
            self._exprs([claim.given, claim.expr])
            if not isinstance(claim.kind, AtEnd):
                self._in_range(claim.kind.stage, program.stages, "stage")
        for register in program.registers:
            self._in_range(register.stage, program.stages, "stage")


SIGNATURES = {
    "Min": "ee", "Max": "ee", "Pow": "ee", "Abs": "e", "Floor": "e", "Ceil": "e", "Sqrt": "e", "Exp": "e", "Ln": "e",
    "Used": "p", "Free": "p", "CachedIn": "p", "Holders": "p", "Queued": "p",
    "Queue": "s", "Busy": "s", "Work": "s", "BudgetLeft": "s", "Price": "see",
    "EstLambda": "s", "EstRho": "s", "EstWait": "s",
}  # fmt: skip
"""The arguments of each function: `e` a value, `p` a pool, `s` a stage."""


def nested_blocks(statement: st.Stmt) -> tuple[int, ...]:
    """The numbers of the blocks that a statement runs."""
    match statement:
        case st.Branch(_, then, other):
            return (then, other)
        case st.Loop(block) | st.Fork(block) | st.While(_, block):
            return (block,)
        case st.Hold():
            return (statement.body,)
        case _:
            return ()


def statement_exprs(statement: st.Stmt) -> tuple[Expr, ...]:
    """The expressions of a statement in the order they are read, the indexes of its references left out."""
    match statement:
        case st.Set(_, expr) | st.Observe(_, expr) | st.Grow(_, expr) | st.Load(_, expr):
            return (expr,)
        case st.Branch(guard, _, _) | st.While(guard, _):
            return (guard,)
        case st.Choose(_, count, key):
            return (count, *key)
        case st.Run():
            return (statement.work,)
        case st.Hold():
            found = [it for part in statement.pools for it in (part.units, part.reserve) if it is not None]
            found += [it for it in (statement.reuse, statement.cache) if it is not None]
            return (*found, *(() if statement.lease is None else (statement.lease.time,)))
        case _:
            return ()


def walk_body(body: tuple[st.BodyStmt, ...]) -> Iterator[st.BodyStmt]:
    """Every statement of a scheduler body, nested ones after the branch that holds them."""
    todo = list(reversed(body))
    while todo:
        part = todo.pop()
        yield part
        if isinstance(part, st.BodyBranch):
            todo.extend(reversed((*part.then, *part.other)))
