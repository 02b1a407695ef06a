"""The states in which a session first reaches a hold or a test, as expressions over what is free (checks.md 1).

A session is followed along its statements with symbols in place of values. What is free (a draw, `serial`, the clock, the
state of pools and stages) becomes a *source*: an attribute of a number no program uses, with an interval of what it
can be and what it is on an idle machine. Attributes then are expressions over sources, so that values found for sources
can occur together, and a witness is a real one. Later passes of loops are not followed: what a loop may have changed
is unknown and makes no witness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks import bounds, intervals
from serq_lsp.checks.attributes import assignments, slot
from serq_lsp.checks.bounds import Facts, interval_of, is_leaf
from serq_lsp.checks.intervals import COUNT, INF, NATURAL, Interval, exactly
from serq_lsp.checks.resources import budget, engines, pools, silent, value
from serq_lsp.checks.visits import step_visits
from serq_lsp.ir.expr import (
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    Ctx,
    Expr,
    Num,
    PoolArg,
    Sample,
    StageArg,
    Unary,
    fold,
)
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.once import once

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.ir.expr import Arg
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model

FIRST_SOURCE = 1_000_000
"""Slots from here on are sources."""
NODES_MAX = 2_000
"""An attribute whose expression grows beyond this becomes unknown."""
ARRIVALS_MAX = 4
"""Of one statement that is unfolded several times so many arrivals are kept."""
TAIL = 5.0
"""Unbounded draws are taken to lie below so many means."""
_TRACED = ("new", "out", "think", "more", "forced")


@dataclass(eq=False, slots=True)
class Sources:
    """What is free, by source: `ranges` of what it can be; `idle` values on a machine where nobody else is."""

    ranges: dict[Expr, Interval] = field(default_factory=dict)
    idle: dict[Expr, Interval] = field(default_factory=dict)
    unknown: set[Expr] = field(default_factory=set)
    shy: set[Expr] = field(default_factory=set)
    """Sources that a witness takes at their idle value only: what else they can be is not certain."""

    def add(self, can_be: Interval, idle: Interval | None = None, *, known: bool = True, shy: bool = False) -> Expr:
        """Return a new source."""
        leaf = Attr(FIRST_SOURCE + len(self.ranges))
        self.ranges[leaf] = can_be
        self.idle[leaf] = idle if idle is not None else can_be
        if not known:
            self.unknown.add(leaf)
        if shy:
            self.shy.add(leaf)
        return leaf

    def facts(self) -> Facts:
        """Return what sources can be at all."""
        return Facts(dict(self.ranges))

    def worlds(self, sources: Iterable[Expr], *, idle: bool) -> Facts:
        """Return what these sources can certainly be together, on an idle machine or on a busy one."""
        return Facts({it: self.idle[it] if idle or it in self.shy else self.ranges[it] for it in sources})


@dataclass(eq=False, slots=True)
class State:
    """Attributes by slot, and the tests that led here, each with its outcome."""

    attributes: dict[int, Expr]
    tests: tuple[tuple[Expr, bool], ...] = ()

    def copy(self) -> State:
        """Return a state that can go its own way."""
        return State(dict(self.attributes), self.tests)


class Arrival(NamedTuple):
    """A session reaches `step` in `state`; `resolve` puts sources in the place of what an expression reads there."""

    step: Step
    state: State
    walk: FirstPass
    live: dict[Expr, Expr]

    def resolve(self, expr: Expr) -> Expr:
        """Return `expr` over sources; parts that read the machine are the same source at the same arrival."""
        return self.walk.resolve(expr, self.state, self.live)

    def conditions(self) -> tuple[tuple[Expr, bool], ...]:
        """Return the tests that must have come out so for a session to be here."""
        return self.state.tests


class FirstPass:
    """Follows one session of a program."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sources = Sources()
        self._arrivals: list[Arrival] = []
        self._builder = silent(model)
        self._pools = {it.family.base: it for it in pools(model).values()}
        self._engines = {it.stage.base: it for it in engines(model)}
        self._cached = False
        self._in_turn = False
        self._visited: dict[int, int] = {}
        self.alone = False
        """Whether there is only one session at a time, so that the machine is idle when it comes."""
        self._traced = model.declared.workload is not None and any(model.declared.workload.of_kind("trace"))

    def run(self) -> list[Arrival]:
        """Follow `init`, then the session; return the arrivals on the way, which are not kept."""
        state = State({slot("serial").slot: self.sources.add(self._serials())})
        self._steps(self.model.flow.init, state)
        self._steps(self.model.flow.session, state)
        found, self._arrivals = self._arrivals, []
        return found

    def _serials(self) -> Interval:
        """Return which sessions there are: a batch of n has the serials 0 … n-1."""
        workload = self.model.declared.workload
        for arrive in workload.of_kind("arrive")[-1:] if workload is not None else []:
            number = value(self.model, arrive.child("value"))
            if number is None or not 1 <= number < INF:
                continue
            batch = arrive.has_word("batch")
            self.alone = number == 1 and (batch or arrive.has_word("closed"))
            if batch:
                return Interval(0, number - 1, whole=True)
        return COUNT

    def _steps(self, steps: Iterable[Step], state: State) -> bool:
        """Follow steps in order; False where the session has ended."""
        return all(self._step(step, state) for step in steps)

    def _step(self, step: Step, state: State) -> bool:
        match step.form:
            case "hold" | "admission":
                return self._hold(step, state)
            case "branch":
                return self._branch(step, state)
            case "loop" | "while":
                return self._loop(step, state)
            case "fork":
                self._steps(step.blocks[0], state.copy())
            case "turn":
                self._turn(state)
            case "end":
                return False
            case _:
                self._assign(step, state)
                if step.form in ("run", "prefill", "decode"):
                    self._arrive(step, state)
        return True

    def _arrive(self, step: Step, state: State) -> Arrival:
        found = Arrival(step, state.copy(), self, {})
        times = self._visited.get(id(step.node), 0)
        self._visited[id(step.node)] = times + 1
        if times < ARRIVALS_MAX:
            self._arrivals.append(found)
        return found

    def _assign(self, step: Step, state: State) -> None:
        for number, expr in assignments(self.model, step):
            state.attributes[number] = self._kept(expr, state)

    def _kept(self, expr: Expr | None, state: State) -> Expr:
        if expr is None:
            return self.sources.add(COUNT, known=False)
        found = self.resolve(expr, state, {})
        if _larger(found, NODES_MAX):
            return self.sources.add(interval_of(found, self.sources.facts()), known=False)
        return found

    def _turn(self, state: State) -> None:
        if self._in_turn:
            return
        self._in_turn = True
        number = slot("turn_no").slot
        state.attributes[number] = Binary("Add", state.attributes.get(number, Num(0.0)), Num(1.0))
        for name in _TRACED if self._traced else ():
            state.attributes[slot(name).slot] = self.sources.add(NATURAL, known=False)
        self._steps(self.model.flow.turn, state)
        self._in_turn = False

    def _hold(self, step: Step, state: State) -> bool:
        fresh = exactly(0.0)
        state.attributes[slot("computed").slot] = Num(0.0)
        state.attributes[slot("cached").slot] = (
            self.sources.add(NATURAL, fresh, known=False) if self._cached else Num(0.0)
        )
        self._arrive(step, state)
        self._cached = self._cached or step.cache is not None or step.node.child("cache") is not None
        goes_on = True
        for block in step.blocks:
            goes_on = self._steps(block, state) and goes_on
        return goes_on

    def _branch(self, step: Step, state: State) -> bool:
        node = step.node.child("test")
        arrival = self._arrive(step, state)
        if node is None or step.node.child("draw") is not None:
            test = self.sources.add(intervals.TRUTH)
        else:
            test = arrival.resolve(self._builder.build(node, step.scope))
        known = intervals.truth(interval_of(test, self.sources.facts()))
        sides: list[State] = []
        for truth, block in zip((True, False), step.blocks, strict=False):
            if known == (not truth):
                continue
            side = State(dict(state.attributes), state.tests if known is not None else (*state.tests, (test, truth)))
            if self._steps(block, side):
                sides.append(side)
        if not sides:
            return False
        if len(sides) == 1:
            state.attributes, state.tests = sides[0].attributes, sides[0].tests
            return True
        then, other = (side.attributes for side in sides)
        for number in {*then, *other}:
            a, b = then.get(number, Num(0.0)), other.get(number, Num(0.0))
            merged = a if a == b else Cond(test, a, b)
            state.attributes[number] = self.sources.add(NATURAL, known=False) if _larger(merged, NODES_MAX) else merged
        return True

    def _loop(self, step: Step, state: State) -> bool:
        inner = state.copy()
        if step.form == "while":
            node = step.node.child("test")
            if node is not None:
                test = self.resolve(self._builder.build(node, step.scope), state, {})
                inner.tests = (*inner.tests, (test, True))
        ended = not self._steps(step.blocks[0], inner)
        for visit in step_visits(step.blocks[0]):
            for name in assigned(visit.step):
                number = self.model.tables.attributes.get(name)
                if number is not None:
                    state.attributes[number] = self.sources.add(intervals.ANY, known=False)
            if visit.step.form == "turn":
                self._forget_turn(state)
        return step.form == "while" or not ended

    def _forget_turn(self, state: State) -> None:
        for visit in step_visits(self.model.flow.turn):
            for name in assigned(visit.step):
                number = self.model.tables.attributes.get(name)
                if number is not None:
                    state.attributes[number] = self.sources.add(intervals.ANY, known=False)

    # -- expressions --------------------------------------------------------------------------------

    def resolve(self, expr: Expr, state: State, live: dict[Expr, Expr]) -> Expr:
        """Return `expr` with attributes replaced by what they are and everything live by sources."""
        facts = self.sources.facts()

        def combine(node: Expr, parts: list[Expr]) -> Expr:
            if isinstance(node, Attr):
                return state.attributes.get(node.slot, Num(0.0)) if node.slot < FIRST_SOURCE else node
            if isinstance(node, Sample):
                return self.sources.add(_likely(node, [interval_of(part, facts) for part in parts]))
            if is_leaf(node):
                if node not in live:
                    live[node] = self._live(node)
                return live[node]
            return rebuilt(node, parts)

        return fold(expr, combine)

    def _live(self, node: Expr) -> Expr:
        kind = bounds.of_kind(node)
        match node:
            case Ctx("Now"):
                return self.sources.add(kind, exactly(0.0), shy=True)
            case Call("Free" | "Used" as function, (PoolArg(ref),)):
                pool = self._pools.get(ref.base)
                cap = pool.cap if pool is not None and pool.cap is not None else None
                if cap is None:
                    return self.sources.add(kind, known=False)
                can_be = Interval(0, cap, infinite=math.isinf(cap))
                return self.sources.add(can_be, exactly(cap if function == "Free" else 0.0))
            case Call("BudgetLeft", (StageArg(ref),)):
                engine = self._engines.get(ref.base)
                most = budget(self.model, engine) if engine is not None else None
                if most is None or not most >= 0:
                    return self.sources.add(kind, known=False)
                whole = most == math.floor(most) if math.isfinite(most) else True
                return self.sources.add(Interval(0, most, whole, infinite=math.isinf(most)), exactly(most))
            case Call("CachedIn", _):
                return self.sources.add(kind, exactly(0.0), known=not self._cached, shy=True)
            case Call("Queue" | "Busy" | "Work" | "Holders" | "Queued", _):
                return self.sources.add(kind, exactly(0.0), shy=True)
            case _:
                return self.sources.add(kind, known=False)


@once
def first_pass(model: Model) -> list[Arrival]:
    """Return where one session comes on its way through a program."""
    return FirstPass(model).run()


def rebuilt(node: Expr, parts: list[Expr]) -> Expr:
    """Return the node with other operands; references stay as they are."""
    match node:
        case Unary(op, _):
            return Unary(op, parts[0])
        case Binary(op, _, _):
            return Binary(op, parts[0], parts[1])
        case Cond():
            return Cond(parts[0], parts[1], parts[2])
        case Cost():
            return parts[0]
        case Call(function, _):
            args: tuple[Arg, ...] = tuple(parts)
            return Call(function, args)
        case _:
            return node


def _likely(draw: Sample, args: list[Interval]) -> Interval:
    """Return what a draw gives with a probability worth a warning."""
    found = bounds.draw(draw.dist, args)
    if found.high == INF and found.low >= 0 and args:
        mean = args[1] if draw.dist == "Erlang" else args[0]
        if math.isfinite(mean.high):
            return Interval(0, TAIL * mean.high)
    return found


def _larger(expr: Expr, limit: int) -> bool:
    return fold(expr, lambda _, parts: min(limit + 1, 1 + sum(parts))) > limit
