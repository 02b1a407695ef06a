"""Are gauges, claims, hidden attributes and aggregates sound?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks.reading import positions
from serq_lsp.checks.resources import silent
from serq_lsp.checks.shown import amount
from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Call, PoolArg, StageArg, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import supplied_names
from serq_lsp.sema.roles import is_engine
from serq_lsp.sema.scopes import Scope
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
TWICE = Rule("statistic-twice", _ERROR, "two statistics have one name", aliases=("duplicate-gauge-claim", "name-clash"))
STAGE = Rule("claim-stage", _ERROR, "a claim over the iterations of a stage that has none", aliases=("claim-engine",))
MEMBER = Rule("claim-member", _ERROR, "a claim over a member that is no constant")
MOVING = Rule("claim-member-moving", _ERROR, "a gauge or claim reads a member that moves", aliases=("gauge-index",))
HIDDEN_TWICE = Rule("hidden-twice", _ERROR, "an attribute is hidden twice")
HIDDEN_SET = Rule("hidden-scheduler", _ERROR, "an attribute is hidden that the scheduler itself sets")
COUNT = Rule("aggregate-count", _ERROR, "an aggregate runs over no whole number of members")
INDEX = Rule(
    "aggregate-index-clash", _ERROR, "the index of an aggregate has a name that is taken", aliases=("aggregate-index",)
)
RULES = (TWICE, STAGE, MEMBER, MOVING, HIDDEN_TWICE, HIDDEN_SET, COUNT, INDEX)


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with statistics."""
    if model.edition is Edition.CURRENT:
        return
    yield from _twice(model)
    yield from _hidden(model)
    for visit in visits_of(model, "claim", "aggregate"):
        if visit.node.kind == "claim":
            yield from _claim(model, visit.node)
        elif visit.node.kind == "aggregate" and visit.inside("def") is None:
            yield from _aggregate(model, visit.node)
    for position in positions(model):
        if position.moment in ("gauge", "iteration"):
            expr = silent(model).build(position.node, position.scope)
            refs = [
                arg.ref
                for it in walk(expr)
                if isinstance(it, Call)
                for arg in it.args
                if isinstance(arg, (PoolArg, StageArg))
            ]
            if any(ref.index is not None and constant(ref.index) is None for ref in refs):
                place = _moving(position.node) or position.node
                yield Finding(
                    MOVING, position.scope.path, place.span, "which member this reads must not change: write a number"
                )


def _moving(node: Node) -> Node | None:
    todo = [node]
    while todo:
        here = todo.pop()
        if here.kind == "subscript":
            return here
        todo.extend(reversed(here.children))
    return None


def _twice(model: Model) -> Iterator[Finding]:
    declared = model.declared
    observed = dict.fromkeys(model.tables.observations)
    for group in (declared.gauges, declared.claims):
        seen: dict[str, Node] = {}
        for node in group:
            name = node.child("name")
            if name is None:
                continue
            if name.text in seen:
                note = Note("the first", model.path, seen[name.text].span)
                yield Finding(TWICE, model.path, name.span, f"a {node.kind} is called `{name.text}` already", (note,))
            elif node.kind == "gauge" and name.text in observed:
                yield Finding(TWICE, model.path, name.span, f"an observation is called `{name.text}` already")
            seen.setdefault(name.text, name)


def _hidden(model: Model) -> Iterator[Finding]:
    seen: dict[str, Node] = {}
    for name in model.declared.hidden:
        if name.text in seen:
            note = Note("the first", model.path, seen[name.text].span)
            yield Finding(HIDDEN_TWICE, model.path, name.span, f"`{name.text}` is hidden already", (note,))
        elif name.text in ("cached", "computed"):
            yield Finding(HIDDEN_SET, model.path, name.span, f"the scheduler sets `{name.text}` itself")
        seen.setdefault(name.text, name)


def _claim(model: Model, node: Node) -> Iterator[Finding]:
    stage = node.child("stage")
    if stage is None:
        return
    scope = Scope(model.path, at=node.start)
    builder = silent(model)
    found = builder.reference(stage, scope, Kind.STAGE)
    if found is None:
        return
    if not is_engine(found.family):
        yield Finding(STAGE, model.path, stage.span, f"`{found.family.name}` runs no iterations")
    elif found.index is not None and constant(found.index) is None:
        yield Finding(MEMBER, model.path, stage.span, "a claim is about one member: write a number")


def _aggregate(model: Model, node: Node) -> Iterator[Finding]:
    index, count = node.child("index"), node.child("count")
    if index is None or count is None:
        return
    operator = node.child("operator") or index
    value = constant(silent(model).build(count, Scope(model.path, at=node.start)))
    if value is not None and not (math.isfinite(value) and value >= 1 and value == math.floor(value)):
        shown = "not-a-number" if math.isnan(value) else amount(value)
        yield Finding(COUNT, model.path, operator.span, f"an aggregate runs over a whole number from 1, not {shown}")
    taken = {
        **dict.fromkeys(supplied_names(model.edition), "supplied value"),
        **dict.fromkeys(model.declared.stages, "stage"),
        **dict.fromkeys(model.declared.pools, "pool"),
        **dict.fromkeys(model.tables.attributes, "attribute"),
        **dict.fromkeys(model.tables.constants, "constant"),
    }
    if index.text in taken:
        yield Finding(
            INDEX, model.path, operator.span, f"`{index.text}` is a {taken[index.text]}: give the index its own name"
        )
