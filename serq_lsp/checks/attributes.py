"""What values attributes can have at any time: every assignment of the program joined (checks.md 1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks import intervals
from serq_lsp.checks.bounds import Facts, interval_of
from serq_lsp.checks.intervals import COUNT, INF, NATURAL, NUMBER, Interval, exactly
from serq_lsp.checks.resources import budget, engines, pools, silent
from serq_lsp.checks.visits import all_steps
from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, Call, Cost, PoolArg, StageArg, walk
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.once import once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.resources import Engine, Pool
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model

ROUNDS_MAX = 6
"""So often are assignments followed before what still moves is taken to be unbounded."""
_BUILTIN = {"serial": COUNT, "turn_no": COUNT, "cached": NATURAL, "computed": NATURAL}


def slot(name: str) -> Attr:
    """Return a built-in attribute."""
    return Attr(BUILTIN_ATTRS.index(name))


@once
def _all_assignments(model: Model) -> dict[Step, list[tuple[int, Expr | None]]]:
    return {visit.step: list(_assignments(model, visit.step)) for visit in all_steps(model)}


def assignments(model: Model, step: Step) -> list[tuple[int, Expr | None]]:
    """Return the slots that a step of the program sets, each with the value; None where it is no written expression."""
    return _all_assignments(model)[step]


def _assignments(model: Model, step: Step) -> Iterator[tuple[int, Expr | None]]:
    builder = silent(model)
    names = [model.tables.attributes.get(name) for name in assigned(step)]
    if step.form in ("set", "declare", "bind"):
        record = step.node.child("record")
        parts = record.of_kind("record_field") if record is not None else [step.node]
        for number, part in zip(names, parts, strict=False):
            node, name = part.child("value"), part.child("name")
            expr = builder.build(node, step.header) if node is not None else None
            if record is not None and name is not None and expr is not None:
                target = builder.target([name], step.scope)
                expr = Cost(target, expr) if target is not None else expr
            if number is not None:
                yield number, expr
        return
    for number in names:
        if number is not None:
            yield number, None


@once
def attribute_facts(model: Model) -> Facts:
    """Return what holds of every attribute and pool at any time of any run."""
    sets: dict[int, list[Expr | None]] = {}
    for visit in all_steps(model):
        for number, expr in assignments(model, visit.step):
            sets.setdefault(number, []).append(expr)
    leaves: dict[Expr, Interval] = {Attr(i): _BUILTIN.get(name, NUMBER) for i, name in enumerate(BUILTIN_ATTRS)}
    start: dict[Expr, Interval] = {}
    for number in sets:
        leaf = Attr(number)
        builtin = number < len(BUILTIN_ATTRS)
        start[leaf] = leaves[leaf] if builtin else exactly(0.0)
    leaves.update(start)
    for round_number in range(ROUNDS_MAX):
        facts = Facts(leaves)
        moved = False
        for number, exprs in sets.items():
            leaf = Attr(number)
            found = intervals.join([start[leaf], *(_of(expr, facts) for expr in exprs)])
            if found != leaves[leaf]:
                moved = True
                leaves[leaf] = _widened(leaves[leaf], found) if round_number else found
        if not moved:
            break
    else:
        leaves.update({Attr(number): intervals.ANY for number in sets})
    return with_pools(model, Facts(leaves))


def _of(expr: Expr | None, facts: Facts) -> Interval:
    return COUNT if expr is None else interval_of(expr, facts)


def _widened(old: Interval, new: Interval) -> Interval:
    """Return `new` with every bound that moved taken away, so that the search for bounds ends."""
    return Interval(
        new.low if new.low >= old.low else -INF if new.low < 0 else 0.0,
        new.high if new.high <= old.high else INF,
        new.whole,
        new.infinite,
        new.nan,
    )


def with_pools(model: Model, facts: Facts) -> Facts:
    """Return the facts with the bounds of state functions that capacities and budgets give."""
    known_pools, known_engines = pools(model), engines(model)
    for expr in _state_functions(model):
        match expr:
            case Call(function, (PoolArg(ref),)):
                pool = next((it for it in known_pools.values() if it.family.base == ref.base), None)
                facts = _bound_pool(facts, expr, function, pool)
            case Call("BudgetLeft", (StageArg(ref),)):
                engine = next((it for it in known_engines if it.stage.base == ref.base), None)
                facts = _bound_budget(model, facts, expr, engine)
    return facts


def _bound_pool(facts: Facts, expr: Expr, function: str, pool: Pool | None) -> Facts:
    if pool is None or pool.cap is None or not math.isfinite(pool.cap) or pool.cap < 0:
        return facts
    if function in ("Used", "Free", "CachedIn"):
        return facts.knowing(expr, Interval(0, pool.cap))
    return facts


def _bound_budget(model: Model, facts: Facts, expr: Expr, engine: Engine | None) -> Facts:
    most = budget(model, engine) if engine is not None else None
    if most is None or not most >= 0:
        return facts
    return facts.knowing(expr, Interval(0, most, infinite=math.isinf(most)))


def _state_functions(model: Model) -> set[Expr]:
    """Return the calls of state functions in the headers of holds and in assignments."""
    from serq_lsp.checks.holds import hold_of

    found: set[Expr] = set()
    for visit in all_steps(model):
        exprs: list[Expr | None] = [expr for _, expr in assignments(model, visit.step)]
        if visit.step.form in ("hold", "admission"):
            hold = hold_of(model, visit.step)
            exprs += [hold.reuse, *(it.units for it in hold.units), *(it.reserve for it in hold.units)]
        for expr in exprs:
            found |= {node for node in (walk(expr) if expr is not None else ()) if isinstance(node, Call)}
    return {it for it in found if isinstance(it, Call) and any(isinstance(arg, (PoolArg, StageArg)) for arg in it.args)}
