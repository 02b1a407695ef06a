"""How many requests an engine can run at once, and which declaration says so (checks.md 3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.holds import hold_of
from serq_lsp.checks.resources import budget, engines, pools
from serq_lsp.checks.visits import all_steps
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Ctx

if TYPE_CHECKING:
    from serq_lsp.checks.holds import Hold
    from serq_lsp.checks.resources import Engine, Pool
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.model import Model
    from serq_lsp.text.spans import Span

REQUEST_COUNTS = ("Ndec", "Nres")
TOKEN_COUNTS = ("Ntok", "Npre")


class Capacity(NamedTuple):
    """The largest count that can occur: at least `least`, at most `most`; `what` says why, `place` is where it stands."""

    least: int
    most: int
    what: str
    path: str
    place: Span


def of_count(model: Model, engine: Engine, leaf: Expr) -> Capacity | None:
    """Return the largest value of a count that an engine's cost reads; None where nothing certain bounds it."""
    if not isinstance(leaf, Ctx):
        return None
    if leaf.name in REQUEST_COUNTS:
        return of_requests(model, engine)
    if leaf.name in TOKEN_COUNTS:
        most = budget(model, engine)
        if most is not None and engine.budget is not None and 1 <= most < math.inf:
            text = f"an iteration has a budget of {int(most)} tokens"
            return Capacity(int(most), int(most), text, engine.scope.path, engine.budget.span)
    return None


def of_requests(model: Model, engine: Engine) -> Capacity | None:
    """Return how many requests an engine can hold at once: what the pools of their holds allow."""
    known = pools(model)
    alone = len(engines(model)) == 1
    found: dict[str, Capacity] = {}
    for visit in all_steps(model):
        if visit.step.form not in ("hold", "admission"):
            continue
        hold = hold_of(model, visit.step)
        admitted = any(unit.pool is not None and unit.pool.family.name in engine.admits for unit in hold.units)
        if admitted or (alone and not engine.admits and _works(hold)):
            limit = _limit(hold, known)
            if limit is None:
                return None
            found.setdefault(limit[0].family.name, limit[1])
    if not found:
        return None
    first = max(found.values(), key=lambda it: it.least)
    return Capacity(first.least, sum(it.most for it in found.values()), first.what, first.path, first.place)


def _works(hold: Hold) -> bool:
    """Say whether the body works on an engine."""
    return any(step.form in ("prefill", "decode") or step.node.child("mode") is not None for step in hold.body())


def _limit(hold: Hold, known: dict[str, Pool]) -> tuple[Pool, Capacity] | None:
    """Return the pool that lets in the fewest such holds at once, and how many."""
    best: tuple[Pool, Capacity] | None = None
    for unit in hold.units:
        pool = known.get(unit.pool.family.name) if unit.pool is not None else None
        units = constant(unit.units)
        if pool is None or pool.cap is None or not math.isfinite(pool.cap) or units is None or not units >= 1:
            continue
        each = int(pool.cap // pool.rounded(units))
        if each < 1 or pool.cap_node is None:
            continue
        text = f"`{pool.family.name}` lets in {each}"
        capacity = Capacity(each, each * pool.family.count, text, pool.family.path, pool.cap_node.span)
        if best is None or each < best[1].least:
            best = (pool, capacity)
    return best
