"""Does the index of a held family name the same member for as long as the hold lasts (classic.md 12, 201 to 203)?

The index is read again at each statement that acts on the hold, and when a preempted hold is admitted anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.attributes import slot
from serq_lsp.checks.commands import anchor
from serq_lsp.checks.resources import pools, silent
from serq_lsp.checks.visits import StepVisit, all_steps, step_visits
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import draws
from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, Call, Ctx, PoolArg, StageArg, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ir.expr import Expr, Ref
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
CHANGES = Rule(
    "hold-index-changes", _ERROR, "a hold's body changes what its index reads", aliases=("hold-index-drift",)
)
MOVES = Rule("hold-index-moves", _ERROR, "a statement acts on a hold whose index moves on")
PREEMPT = Rule(
    "hold-index-preempt",
    _ERROR,
    "a hold that may be admitted anew has an index that moves",
    aliases=("hold-index-live",),
)
RULES = (CHANGES, MOVES, PREEMPT)
_ACTS = ("grow", "load", "release")
_ADMITTED = frozenset({"cached", "computed"})


class _Indexed(NamedTuple):
    """A pool of a hold that is named with an index."""

    node: Node
    ref: Ref
    value: Expr


def check(model: Model) -> Iterator[Finding]:
    """Yield indices that do not stay the same."""
    if model.edition is Edition.CURRENT:
        return
    preempting = {it.family.base for it in pools(model).values() if it.preempts}
    turn = {*BUILTIN_ATTRS} - _ADMITTED
    turn |= {name for visit in step_visits(model.flow.turn) for name in assigned(visit.step)}
    for visit in all_steps(model):
        if visit.step.form == "hold":
            found = list(_indexed(model, visit.step))
            yield from _changes(model, visit.step, found, turn)
            yield from _preempted(model, visit, found, preempting)
        else:
            yield from _moves(model, visit)


def _at(rule: Rule, step: Step, node: Node, message: str) -> Finding:
    notes = [Note("the statement", step.scope.path, anchor(step))]
    notes += [Note("used here", it.path, it.span) for it in step.scope.via[:1]]
    help_text = "set an attribute before the hold, and name the member by it"
    return Finding(rule, step.scope.path, node.span, message, tuple(notes), help_text)


def _indexed(model: Model, step: Step) -> Iterator[_Indexed]:
    builder = silent(model)
    for unit in step.node.each("unit"):
        pool = unit.child("pool")
        if pool is None or pool.child("index") is None:
            continue
        found = builder.reference(pool, step.header, Kind.POOL)
        if found is not None and found.index is not None:
            yield _Indexed(pool, found.ref, found.index)


def _changes(model: Model, step: Step, found: list[_Indexed], turn: set[str]) -> Iterator[Finding]:
    read = {it.slot for one in found for it in walk(one.value) if isinstance(it, Attr)}
    if not read:
        return
    slots = {*BUILTIN_ATTRS, *model.tables.attributes}
    numbers = {name: model.tables.attributes.get(name, _builtin(name)) for name in slots}
    for block in step.blocks:
        for name in _set(block, turn):
            if numbers.get(name) in read:
                node = next(it.node for it in found if Attr(numbers[name]) in set(walk(it.value)))
                yield _at(CHANGES, step, node, f"the body of this hold changes `{name}`, which the index reads")
                return


def _builtin(name: str) -> int:
    return BUILTIN_ATTRS.index(name) if name in BUILTIN_ATTRS else -1


def _set(steps: Iterable[Step], turn: set[str]) -> Iterator[str]:
    """Yield the names that steps set, but for those of a leg."""
    for step in steps:
        yield from assigned(step)
        if step.form == "turn":
            yield from sorted(turn)
        elif step.form in ("hold", "admission"):
            yield from sorted(_ADMITTED)
        if step.form != "fork":
            for block in step.blocks:
                yield from _set(block, turn)


def _drifts(expr: Expr) -> bool:
    """Say whether an index reads the state, the clock or a draw."""
    live = any(
        isinstance(it, Ctx) or (isinstance(it, Call) and any(isinstance(arg, (PoolArg, StageArg)) for arg in it.args))
        for it in walk(expr)
    )
    return live or draws(expr)


def _preempted(model: Model, visit: StepVisit, found: list[_Indexed], preempting: set[int]) -> Iterator[Finding]:
    admitted = {slot(name) for name in _ADMITTED}
    moving = [it for it in found if _drifts(it.value) or admitted.intersection(walk(it.value))]
    if not moving or any(it.form == "fork" for it in visit.around):
        return
    builder = silent(model)
    for step in (visit.step, *visit.around):
        for unit in step.node.each("unit") if step.form in ("hold", "admission") else ():
            pool = unit.child("pool")
            held = builder.reference(pool, step.header, Kind.POOL) if pool is not None else None
            if held is not None and held.family.base in preempting:
                message = f"`{held.family.name}` may preempt this hold, and its index may then name another member"
                yield _at(PREEMPT, visit.step, moving[0].node, message)
                return


def _moves(model: Model, visit: StepVisit) -> Iterator[Finding]:
    step = visit.step
    growing = step.node.child("growing")
    pool = step.node.child("pool") if step.form in _ACTS else growing.child("pool") if growing is not None else None
    if pool is None or pool.child("index") is None:
        return
    found = silent(model).reference(pool, step.scope, Kind.POOL)
    if found is None or found.index is None or not _drifts(found.index):
        return
    held = [it.ref for outer in visit.around if outer.form == "hold" for it in _indexed(model, outer)]
    if found.ref in held:
        yield _at(MOVES, step, pool, "the index of this hold moves on, so this may name another member")
