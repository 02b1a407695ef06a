"""Is a test always 0 or 1 (checks.md 4)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.bounds import interval_of
from serq_lsp.checks.firstpass import first_pass
from serq_lsp.checks.resources import built
from serq_lsp.checks.shown import amount, named, witness
from serq_lsp.checks.visits import plain, word
from serq_lsp.diag.model import FileEdit, Finding, Fix, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model

PROBABILITY = Rule(
    "probability-as-test", Severity.WARNING, "a test can lie between 0 and 1, and the run stops where it does"
)
RULES = (PROBABILITY,)


def check(model: Model) -> Iterator[Finding]:
    """Yield tests that some session finds strictly between 0 and 1."""
    if model.edition is Edition.CURRENT:
        return
    for arrival in first_pass(model):
        step = arrival.step
        node = step.node.child("test") if step.form == "branch" else None
        if node is None or step.node.child("draw") is not None:
            continue
        expr = built(model, node, step.scope)
        if constant(expr) is not None or interval_of(arrival.resolve(expr), arrival.walk.sources.facts()).whole:
            continue
        found = witness(arrival, (expr,), lambda it: 1e-9 < it[0] < 1 - 1e-9, idle_only=True)
        if found is None:
            continue
        words = named(arrival, found[0], (node, step.scope))
        at = word(step.node, "branch").end
        fix = Fix("Draw with this probability", (FileEdit(step.scope.path, Span(at, at), " with"),))
        yield Finding(
            PROBABILITY,
            step.scope.path,
            plain(node).span,
            f"{words}this test is {amount(found[1][0])}, and a test is 0 or 1",
            help="a draw is written `branch with (p)`",
            fixes=(fix,) if step.node.kind == "branch" else (),
        )
