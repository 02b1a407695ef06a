"""Do the parts of a request's admission stand where they may (engine.md 4)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import first, visits_of
from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.model import Model

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
ADMISSION = Rule("req-admission-place", _ERROR, "an `at admission` stands not directly in a request", _ENGINE)
TAKING = Rule("taking-form", _ERROR, "a `taking` is not a list of pools with units", _ENGINE)
RULES = (ADMISSION, TAKING)


def check(model: Model) -> Iterator[Finding]:
    """Yield what stands in the wrong place."""
    if model.edition is not Edition.ENGINE:
        return
    for visit in visits_of(model, "request_admission", "taking"):
        node = visit.node
        if node.kind == "request_admission":
            if not in_request(visit):
                yield _at(model, ADMISSION, first(node), "`at admission` stands directly in a request")
            continue
        for unit in node.each("unit"):
            pool = unit.child("pool")
            if pool is not None and pool.child("index") is not None:
                yield _at(model, TAKING, Span(first(node).start, pool.end), "a request takes a pool, no member of one")


def _at(model: Model, rule: Rule, span: Span, message: str) -> Finding:
    return Finding(rule, model.path, span, message)


def in_request(visit: Visit) -> bool:
    """Say whether a statement stands directly in a request."""
    return len(visit.around) > 1 and visit.around[-2].kind == "engine_request"
