"""Is a hold's header sound: what it takes, when it is read, what goes with what?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks.attributes import assignments
from serq_lsp.checks.commands import anchor
from serq_lsp.checks.holds import hold_of
from serq_lsp.checks.resources import pools, silent
from serq_lsp.checks.shown import amount, in_blocks
from serq_lsp.checks.visits import all_steps, first
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant, draws
from serq_lsp.ir.expr import Attr, Call, PoolArg, StageArg, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.checks.holds import Hold
    from serq_lsp.checks.resources import Pool
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.text.spans import Span

_ERROR = Severity.ERROR
NEVER = Rule("hold-never-fits", _ERROR, "a hold takes or reserves more than its pool has", aliases=("hold-over-cap",))
TWICE = Rule("hold-pool-twice", _ERROR, "a hold names one pool twice", aliases=("hold-twice", "taking-twice"))
DRAWS = Rule("hold-draws", _ERROR, "a hold's header draws", aliases=("hold-units-draw",))
LEASE = Rule("lease-pool", _ERROR, "a lease of a pool that the hold does not take")
REUSE = Rule(
    "reuse-without-cache", _ERROR, "a bound on reuse in a hold that does not cache", aliases=("reuse-needs-cache",)
)
STALE = Rule(
    "stale-header-read",
    _ERROR,
    "a header reads what was set from state that moves while it waits",
    aliases=("hold-stale-set",),
)
RULES = (NEVER, TWICE, DRAWS, LEASE, REUSE, STALE)


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with the headers of a program's holds."""
    if model.edition is Edition.CURRENT:
        return
    known = pools(model)
    for visit in all_steps(model):
        if visit.step.form in ("hold", "admission"):
            yield from _hold(model, hold_of(model, visit.step), known)
    for block in (*model.flow.blocks, *(nested for visit in all_steps(model) for nested in visit.step.blocks)):
        yield from _stale(model, block)


def _at(rule: Rule, step: Step, span: Span, message: str, *notes: Note, help_text: str | None = None) -> Finding:
    via = tuple(Note("used here", it.path, it.span) for it in step.scope.via[:1])
    return Finding(rule, step.scope.path, span, message, (*notes, *via), help_text)


def _hold(model: Model, hold: Hold, known: dict[str, Pool]) -> Iterator[Finding]:
    step = hold.step
    place = anchor(step)
    seen = set()
    for unit in hold.units:
        if unit.pool is None:
            continue
        if unit.pool.ref in seen:
            twice = Note("again here", hold.path, unit.pool_node.span)
            start = first(step.node) if step.form == "admission" else place
            yield _at(TWICE, step, start, f"this takes `{unit.pool.family.name}` twice", twice)
        seen.add(unit.pool.ref)
        pool = known.get(unit.pool.family.name)
        for expr in (unit.units, unit.reserve):
            if pool is not None and expr is not None:
                yield from _fits(step, place, pool, expr)
    exprs = [hold.reuse, *(it.units for it in hold.units), *(it.reserve for it in hold.units)]
    if any(expr is not None and draws(expr) for expr in exprs):
        yield _at(
            DRAWS,
            step,
            place,
            "a header is read at each try, so it may not draw",
            help_text="draw into an attribute first",
        )
    lease = step.node.child("lease")
    leased = lease.child("pool") if lease is not None else None
    if leased is not None:
        found = silent(model).reference(leased, step.scope, Kind.POOL)
        if found is not None and found.ref not in seen:
            yield _at(
                LEASE,
                step,
                place,
                f"this hold does not take `{found.family.name}`",
                Note("leased here", hold.path, leased.span),
            )
    if hold.reuse_node is not None and hold.cache is None:
        yield _at(REUSE, step, first(hold.reuse_node), "the hold has no `cache`, so there is nothing to bound")


def _fits(step: Step, place: Span, pool: Pool, expr: Expr) -> Iterator[Finding]:
    value = constant(expr)
    if value is None or pool.cap is None or not math.isfinite(pool.cap) or math.isnan(value):
        return
    rounded = pool.rounded(value)
    if rounded > pool.cap:
        message = f"`{pool.family.name}` has {amount(pool.cap)}, so {in_blocks(value, rounded, pool.block)} never fit"
        notes = (Note("the capacity", pool.family.path, pool.cap_node.span),) if pool.cap_node is not None else ()
        yield _at(NEVER, step, place, message, *notes)


def _stale(model: Model, block: Sequence[Step]) -> Iterator[Finding]:
    """What a block sets from live state and a later header of it reads (classic.md 12.3, rule 187)."""
    for number, step in enumerate(block):
        if step.form != "set":
            continue
        for slot_number, expr in assignments(model, step):
            if expr is None or not _live(expr):
                continue
            reader = _reader(model, block[number + 1 :], slot_number)
            name = step.node.child("name")
            if reader is not None and name is not None:
                note = Note("read by this header", reader.scope.path, anchor(reader))
                yield _at(
                    STALE,
                    step,
                    name.span,
                    f"`{name.text}` may have changed when the hold is admitted",
                    note,
                    help_text="bind it with `at admission (…)`",
                )


def _live(expr: Expr) -> bool:
    return any(
        isinstance(it, Call) and any(isinstance(arg, (PoolArg, StageArg)) for arg in it.args) for it in walk(expr)
    )


def _reader(model: Model, rest: Sequence[Step], slot_number: int) -> Step | None:
    """Return the hold that reads the slot before it is set again, in a block or in branches, loops and forks of it."""
    for step in rest:
        if step.form in ("set", "choose") and any(it == slot_number for it, _ in assignments(model, step)):
            return None
        if step.form in ("hold", "admission"):
            if _reads(model, step, slot_number):
                return step
        elif step.form in ("branch", "loop", "fork", "while"):
            for block in step.blocks:
                found = _reader(model, block, slot_number)
                if found is not None:
                    return found
    return None


def _reads(model: Model, step: Step, slot_number: int) -> bool:
    hold = hold_of(model, step)
    exprs = [hold.reuse, *(it.units for it in hold.units), *(it.reserve for it in hold.units)]
    kept = hold.cache.child("value") if hold.cache is not None else None
    if kept is not None:
        exprs.append(silent(model).build(kept, step.header))
    return any(Attr(slot_number) in set(walk(expr)) for expr in exprs if expr is not None)
