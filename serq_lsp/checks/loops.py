"""Does time pass in every loop, and is every leg waited for?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.resources import pools, silent
from serq_lsp.checks.visits import StepVisit, all_steps, first
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import Cost, Num
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.checks.resources import Pool
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model

_ERROR = Severity.ERROR
TIME = Rule("loop-time", _ERROR, "a loop has a pass in which no time passes")
UNJOINED = Rule("fork-unjoined", _ERROR, "a program forks and never joins", aliases=("fork-no-join",))
ALONE = Rule("join-alone", _ERROR, "a program joins and never forks", aliases=("join-no-fork",))
PREEMPTIBLE = Rule("fork-preemptible", _ERROR, "a fork in a hold that may be preempted", aliases=("req-fork-in-hold",))
RULES = (TIME, UNJOINED, ALONE, PREEMPTIBLE)


def check(model: Model) -> Iterator[Finding]:
    """Yield loops that stand still, and legs and joins without the other."""
    if model.edition is Edition.CURRENT:
        return
    forks: list[Step] = []
    joins: list[Step] = []
    known = pools(model)
    for visit in all_steps(model):
        step = visit.step
        match step.form:
            case "loop" | "while" if not is_broken(step.node) and not _passes(model, step.blocks[0]):
                message = "there is a way through this loop on which no time passes"
                yield Finding(
                    TIME, step.scope.path, first(step.node), message, help="let every pass `run` something, or `end`"
                )
            case "fork":
                forks.append(step)
                yield from _preemptible(model, visit, known)
            case "join":
                joins.append(step)
    if is_broken(model.tree.root):
        return
    if forks and not joins:
        yield Finding(
            UNJOINED, forks[0].scope.path, first(forks[0].node), "nothing waits for this leg", help="add `join;`"
        )
    if joins and not forks:
        yield Finding(ALONE, joins[0].scope.path, first(joins[0].node), "there is no leg to wait for: nothing forks")


def _preemptible(model: Model, visit: StepVisit, known: dict[str, Pool]) -> Iterator[Finding]:
    for outer in visit.around:
        if outer.form not in ("hold", "admission"):
            continue
        for unit in outer.node.each("unit"):
            reference = unit.child("pool")
            found = silent(model).reference(reference, outer.header, Kind.POOL) if reference is not None else None
            pool = known.get(found.family.name) if found is not None else None
            if pool is not None and pool.preempts:
                note = Note("the hold", outer.scope.path, unit.span)
                message = f"`{pool.family.name}` may preempt this hold, and the leg would run twice"
                yield Finding(PREEMPTIBLE, visit.step.scope.path, first(visit.step.node), message, (note,))
                return


def _passes(model: Model, steps: Sequence[Step]) -> bool:
    """Say whether time passes, or the session ends, on every way through these steps."""
    return any(_takes_time(model, step) for step in steps)


def _takes_time(model: Model, step: Step) -> bool:
    match step.form:
        case "branch":
            return all(_passes(model, block) for block in step.blocks)
        case "hold" | "admission" | "loop":
            return any(_passes(model, block) for block in step.blocks)
        case "run" | "prefill" | "decode" | "tool" | "transfer":
            return not _nothing(model, step)
        case form:
            return form == "end"


def _nothing(model: Model, step: Step) -> bool:
    """Say whether a run is of a literal 0, or of a constant declared as 0."""
    node = step.node.child("work")
    expr = silent(model).build(node, step.scope) if node is not None else None
    while isinstance(expr, Cost):
        expr = expr.expr
    return isinstance(expr, Num) and expr.value == 0
