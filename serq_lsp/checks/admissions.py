"""Is `cached` read while it still speaks of the hold it stands in (engine.md 13, 6)?

Every admission sets `cached`, so after an inner hold it is that one's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.attributes import slot
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import all_steps
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.reads import expressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model

AFTER = Rule("cached-after-hold", Severity.ERROR, "`cached` is read after an inner hold has set it", ("engine",))
RULES = (AFTER,)
_HOLDS = ("hold", "admission")


def check(model: Model) -> Iterator[Finding]:
    """Yield reads of `cached` in a hold's body that follow an inner hold."""
    if model.edition is not Edition.ENGINE:
        return
    found: list[Finding] = []
    for visit in all_steps(model):
        if visit.step.form in _HOLDS and any(_inner(block) for block in visit.step.blocks):
            _follow(model, visit.step.blocks[0], None, found)
    yield from found


def _inner(steps: Iterable[Step]) -> bool:
    return any(step.form in _HOLDS or any(_inner(block) for block in step.blocks) for step in steps)


def _follow(model: Model, steps: Iterable[Step], after: Step | None, found: list[Finding]) -> Step | None:
    """Follow the steps of one hold's body; return the inner hold that was last admitted before their end, if any."""
    for step in steps:
        if after is not None:
            _read(model, step, after, found)
        if step.form in _HOLDS:
            after = step
        elif step.form != "fork":
            ends = [_follow(model, block, after, found) for block in step.blocks]
            after = next((it for it in reversed(ends) if it is not None), after)
    return after


def _read(model: Model, step: Step, after: Step, found: list[Finding]) -> None:
    cached, builder = slot("cached"), silent(model)
    for node, scope in expressions(step):
        if cached in set(walk(builder.build(node, scope))):
            note = Note("the inner hold", after.scope.path, after.node.span)
            message = "`cached` is of the inner hold here, not of the one around"
            found.append(Finding(AFTER, scope.path, node.span, message, (note,), "set it before: `set c = cached;`"))
            return
