"""Are families used with an index that is a member, and functions given what they take?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.reading import positions, reads
from serq_lsp.checks.resources import silent
from serq_lsp.checks.shown import amount
from serq_lsp.checks.visits import all_steps, plain, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Num
from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.references import written
from serq_lsp.sema.roles import is_engine
from serq_lsp.sema.scopes import Scope, Valued
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.sema.references import Found
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

_ERROR = Severity.ERROR
INDEX = Rule("array-needs-index", _ERROR, "a family is used without an index", aliases=("family-unindexed",))
RANGE = Rule("index-range", _ERROR, "a family has no such member", aliases=("family-range",))
KIND = Rule("argument-kind", _ERROR, "a function wants a pool or a stage", aliases=("arg-kind",))
BUDGET = Rule(
    "budget-left-stage", _ERROR, "`budget_left` of a stage that is no engine", aliases=("budget-left-engine",)
)
MISMATCH = Rule("family-mismatch", _ERROR, "two families of different sizes are joined", ("classic",))
TERMS_MAX = 256
"""Aggregates of more terms are not looked into."""
RULES = (INDEX, RANGE, KIND, BUDGET, MISMATCH)


def check(model: Model) -> Iterator[Finding]:
    """Yield references that name no member, and arguments that are no reference."""
    if model.edition is Edition.CURRENT:
        return
    for position in positions(model):
        for read in reads(model, position.node, position.scope):
            if read.node.kind == "call":
                yield from _call(model, read.node, read.scope, position.anchor)
    yield from _joined(model)
    yield from _written_out(model)
    for visit in all_steps(model):
        node, scope = visit.step.node, visit.step.header
        for reference in node.each("stage"):
            yield from _reference(model, reference, scope, Kind.STAGE, reference.span)
        pools = [node.child("pool"), *(it.child("pool") for it in node.each("unit"))]
        for pool in pools:
            if pool is not None and visit.step.form not in ("transfer", "arrived"):
                yield from _reference(model, pool, scope, Kind.POOL, pool.span)


def _joined(model: Model) -> Iterator[Finding]:
    """`memory` and `admit via` join one for one, or one for all."""
    for visit in visits_of(model, "memory", "admit_via"):
        own = visit.node.child("pool") or visit.node.child("stage")
        owner = next((it for it in reversed(visit.around) if it.kind in ("pool", "stage")), None)
        name = owner.child("name") if owner is not None else None
        if own is None or owner is None or name is None or visit.inside("queue") is not None:
            continue
        pools, stages = model.declared.pools, model.declared.stages
        here = (pools if owner.kind == "pool" else stages).get(name.text)
        there = (stages if owner.kind == "pool" else pools).get(own.text)
        if here is not None and there is not None and 1 not in (here.count, there.count) and here.count != there.count:
            note = Note("the other family", there.path, there.span)
            message = f"`{here.name}` has {here.count} members, `{there.name}` {there.count}"
            yield Finding(MISMATCH, model.path, own.span, message, (note,), "join one for one, or one for all")


def _written_out(model: Model) -> Iterator[Finding]:
    """The index of an aggregate names members for each of its values."""
    for visit in visits_of(model, "aggregate"):
        index, count, body = (visit.node.child(it) for it in ("index", "count", "body"))
        if index is None or count is None or body is None or visit.inside("def", "aggregate") is not None:
            continue
        scope = Scope(model.path, at=visit.node.start)
        terms = constant(silent(model).build(count, scope))
        for it in visits(body) if terms is not None and 1 <= terms <= TERMS_MAX else ():
            if it.node.kind != "subscript" or it.inside("aggregate") is not None:
                continue
            for kind in (Kind.POOL, Kind.STAGE):
                scopes = [scope.inner({index.text: Valued(Num(float(term)))}) for term in range(int(terms or 0))]
                yield from _each(model, it.node, scopes, kind)


def _each(model: Model, node: Node, scopes: list[Scope], kind: Kind) -> Iterator[Finding]:
    for scope in scopes:
        found = next(_reference(model, node, scope, kind, node.span), None)
        if found is not None:
            yield found
            return


def _call(model: Model, call: Node, scope: Scope, anchor: Span | None) -> Iterator[Finding]:
    function = call.child("function")
    known = supplied.functions(model.edition).get(function.text) if function is not None else None
    given = arguments(call)
    if function is None or known is None or len(given) not in known.counts:
        return
    notes = (Note("the statement", scope.path, anchor),) if anchor is not None else ()
    for arg, takes in zip(given, known.takes, strict=False):
        if takes not in ("pool", "stage"):
            continue
        if written(arg) is None:
            yield Finding(KIND, scope.path, function.span, f"`{function.text}` takes the name of a {takes}", notes)
            continue
        kind = Kind.POOL if takes == "pool" else Kind.STAGE
        yield from _reference(model, arg, scope, kind, function.span)
        found = silent(model).reference(arg, scope, kind)
        if known.kernel == "BudgetLeft" and found is not None and not is_engine(found.family):
            yield Finding(BUDGET, scope.path, function.span, f"`{found.family.name}` plans no tokens", notes)


def _reference(model: Model, node: Node, scope: Scope, kind: Kind, span: Span) -> Iterator[Finding]:
    found = silent(model).reference(plain(node), scope, kind)
    if found is None:
        return
    if found.index is None:
        if (
            found.family.array
            and (found.family.count > 1 or found.family.queue is not None)
            and not _inside(scope, found)
        ):
            message = f"`{found.family.name}` has {found.family.count} members: say which, `{found.family.name}[…]`"
            yield Finding(INDEX, scope.path, span, message)
        return
    value = constant(found.index)
    if value is not None and not (
        value == int(value) and 0 <= value < found.family.count if abs(value) < 1e15 else False
    ):
        last = found.family.count - 1
        message = (
            f"`{found.family.name}` has the members 0 to {last}, not {amount(value)}"
            if last
            else f"`{found.family.name}` has the member 0 only"
        )
        yield Finding(RANGE, scope.path, node.span, message)


def _inside(scope: Scope, found: Found) -> bool:
    """Say whether an entry or an engine speaks of its own member."""
    station = scope.station
    return station is not None and (found.family.queue == station.name or found.family.owner is not None)
