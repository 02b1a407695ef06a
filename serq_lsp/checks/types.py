"""Are costs given where costs are wanted, and ordinary numbers elsewhere; does each side keep to its own (engine.md 9)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.attributes import assignments
from serq_lsp.checks.commands import anchor
from serq_lsp.checks.costs import Kinds, Quantity, judge, kinds
from serq_lsp.checks.reading import positions
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import all_steps
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, Cost, JointTarget, PoolTarget, StageTarget, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.reads import expressions, inside
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.targets import joint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
RUN = Rule("type-run-cost", _ERROR, "an amount is no cost of the resource it is of", _ENGINE)
QUANTITY = Rule("type-not-quantity", _ERROR, "a cost stands where an ordinary number is wanted", _ENGINE)
MIXED = Rule("type-mixed", _ERROR, "a cost is combined with something else than its like", _ENGINE)
BRANCHES = Rule("type-branches", _ERROR, "the arms of a `?:` are of different kinds", _ENGINE)
FUNCTION = Rule("type-function", _ERROR, "a cost is given to a function of numbers", _ENGINE)
PREDICATE = Rule("type-predicate", _ERROR, "a test is a cost", _ENGINE)
LEASE = Rule("type-lease", _ERROR, "the time of a lease is a cost", _ENGINE)
CHOOSE = Rule("type-choose", _ERROR, "a choice counts or ranks by a cost", _ENGINE)
DECLARATION = Rule("type-declaration", _ERROR, "a declaration reads a cost", _ENGINE)
CHANGES = Rule("type-changes", _ERROR, "one attribute is a cost here and a number there", _ENGINE)
TWO = Rule("type-two-resources", _ERROR, "one attribute is a cost of two resources", _ENGINE)
DECLARED = Rule("cost-declaration", _ERROR, "a `Cost` is declared with something that is none", _ENGINE)
INIT = Rule("type-init-cost", _ERROR, "`init` or `turn` makes a cost", _ENGINE)
READONLY = Rule("type-size-readonly", _ERROR, "the server assigns a size of the workload", _ENGINE)
BUILTIN = Rule("type-value-builtin", _ERROR, "the workload assigns what the scheduler sets", _ENGINE)
CLIENT = Rule("type-client-resource", _ERROR, "the session makes a cost of a resource of the server", _ENGINE)
INDEX = Rule("type-index", _ERROR, "the index of a family is a cost", _ENGINE)
RULES = (
    INDEX, RUN, QUANTITY, MIXED, BRANCHES, FUNCTION, PREDICATE, LEASE, CHOOSE, DECLARATION, CHANGES, TWO, DECLARED, INIT, READONLY,
    BUILTIN, CLIENT,
)  # fmt: skip
_FAULTS = {
    "quantity": (QUANTITY, "this is a cost already"),
    "branches": (BRANCHES, "both arms are costs of one resource, or both are numbers"),
    "mixed": (MIXED, "costs combine with costs of the same resource, and scale by numbers"),
    "function": (FUNCTION, "this function takes ordinary numbers"),
}
_SCHEDULER = ("cached", "computed")


def check(model: Model) -> Iterator[Finding]:
    """Yield what is of the wrong kind, or assigned on the wrong side."""
    if model.edition is not Edition.ENGINE:
        return
    found = kinds(model)
    early = {id(step) for block in (model.flow.init, model.flow.turn) for step in block}
    for visit in all_steps(model):
        yield from _step(model, visit.step, found, early=id(visit.step) in early)
    for position in positions(model):
        if position.anchor is None and position.moment not in ("statement", "init", "request"):
            judged = judge(silent(model).build(position.node, position.scope), found.attributes)
            if judged.fault is not None:
                rule, message = _FAULTS[judged.fault]
                yield Finding(rule, position.scope.path, position.node.span, message)
            elif judged.quantity is not None:
                yield Finding(
                    DECLARATION, position.scope.path, position.node.span, "declarations read ordinary numbers"
                )
    yield from _sides(model, found, early)


def _at(rule: Rule, step: Step, span: Span, message: str, help_text: str | None = None) -> Finding:
    notes = [Note("the statement", step.scope.path, anchor(step))]
    notes += [Note("used here", it.path, it.span) for it in step.scope.via[:1]]
    return Finding(rule, step.scope.path, span, message, tuple(notes), help_text)


def _step(model: Model, step: Step, found: Kinds, *, early: bool) -> Iterator[Finding]:
    for node, scope, wanted, is_cost in _amounts(model, step):
        expr = silent(model).build(node, scope)
        if any(isinstance(it, Attr) and it.slot in found.two | found.mixed for it in walk(expr)):
            continue  # what is wrong with the attribute is said where it is set
        judged = judge(expr, found.attributes)
        if judged.fault is not None:
            rule, message = _FAULTS[judged.fault]
            yield _at(rule, step, node.span, message)
        elif is_cost and judged.quantity != wanted:
            message = "an ordinary number, not a cost" if judged.quantity is None else "a cost of something else"
            yield _at(RUN, step, node.span, f"this is {message}", "convert it: `cost(RESOURCE, …)`")
        elif not is_cost and judged.quantity is not None:
            yield _at(QUANTITY, step, node.span, "an ordinary number is wanted: it is converted here")
    yield from _plain(model, step, found)
    yield from _sets(model, step, found, early=early)


def _amounts(model: Model, step: Step) -> Iterator[tuple[Node, Scope, Quantity, bool]]:
    """Yield the amounts of a statement: the resources each is a cost of, and whether it is written as a cost."""
    builder = silent(model)
    node = step.node
    work = node.child("work")
    if step.form == "run" and work is not None:
        stages = [builder.reference(it, step.scope, Kind.STAGE) for it in node.each("stage")]
        known = [it.family for it in stages if it is not None]
        station = step.scope.station
        if not stages and station is not None and station.stage is not None:
            known = [station.stage]
        if known and len(known) == max(len(stages), 1):
            yield work, step.scope, joint(StageTarget(it.base, it.count) for it in known), True
    elif step.form in ("prefill", "decode", "tool", "transfer") and work is not None:
        yield work, step.scope, None, False
        to = node.child("to")
        filled = to.child("amount") if to is not None else None
        if filled is not None:
            yield filled, step.scope, None, False
    elif step.form in ("grow", "load"):
        pool, amount = node.child("pool"), node.child("value")
        found = builder.reference(pool, step.scope, Kind.POOL) if pool is not None else None
        if found is not None and amount is not None:
            yield amount, step.scope, PoolTarget(found.family.base, found.family.count), True
    elif step.form in ("hold", "admission"):
        yield from _header(model, step)


def _header(model: Model, step: Step) -> Iterator[tuple[Node, Scope, Quantity, bool]]:
    builder = silent(model)
    is_cost = step.form == "hold"
    targets: list[PoolTarget] = []
    for unit in step.node.each("unit"):
        pool, units, reserve = unit.child("pool"), unit.child("units"), unit.child("reserve")
        found = builder.reference(pool, step.header, Kind.POOL) if pool is not None else None
        if found is None:
            return
        target = PoolTarget(found.family.base, found.family.count)
        targets.append(target)
        for node in (units, reserve.child("value") if reserve is not None else None):
            if node is not None:
                yield node, step.header, target, is_cost
    for clause in (step.node.child("reuse"), step.cache or step.node.child("cache")):
        value = clause.child("value") if clause is not None else None
        if value is not None and targets:
            yield value, step.header, joint(targets), is_cost


def _plain(model: Model, step: Step, found: Kinds) -> Iterator[Finding]:
    """Tests, times of leases, counts and keys are ordinary numbers."""
    node = step.node
    lease, keys = node.child("lease"), node.child("keys")
    places: list[tuple[Node | None, Rule, str]] = [
        (node.child("test"), PREDICATE, "a test is 0 or 1, no cost"),
        (lease.child("time") if lease is not None else None, LEASE, "the time of a lease is in seconds"),
    ]
    if step.form == "choose":
        places.append((node.child("count"), CHOOSE, "a count is an ordinary number"))
        places += [
            (key, CHOOSE, "a key is an ordinary number") for key in (keys.each("key") if keys is not None else ())
        ]
    nested = step.form in ("branch", "while", "loop", "fork", "bind", "admission")
    for index, _ in inside(node, step.header) if not nested else ():
        if index.field == "index":
            places.append((index, INDEX, "an index is an ordinary number"))
    for place, rule, message in places:
        if place is None:
            continue
        judged = judge(silent(model).build(place, step.header), found.attributes)
        if judged.fault is not None:
            yield _at(_FAULTS[judged.fault][0], step, place.span, _FAULTS[judged.fault][1])
        elif judged.quantity is not None:
            yield _at(rule, step, place.span, message)


def _sets(model: Model, step: Step, found: Kinds, *, early: bool) -> Iterator[Finding]:
    if step.form not in ("set", "declare", "observe"):
        return
    for number, expr in assignments(model, step):
        value = step.node.child("value")
        name = step.node.child("name") or step.node
        if expr is None or value is None:
            continue
        judged = judge(expr, found.attributes)
        if judged.fault is not None:
            yield _at(_FAULTS[judged.fault][0], step, value.span, _FAULTS[judged.fault][1])
        elif early and judged.quantity is not None:
            yield _at(INIT, step, value.span, "`init` and `turn` bring sizes; the server makes costs of them")
        elif number in found.two and step.form == "set":
            yield _at(TWO, step, name.span, f"`{name.text}` is a cost of another resource elsewhere")
        elif number in found.mixed and step.form == "set":
            yield _at(CHANGES, step, name.span, f"`{name.text}` is a cost in one place and a number in another")
        if step.form == "declare" and judged.quantity is None and any(it.kind == "Cost" for it in step.node.children):
            yield _at(
                DECLARED,
                step,
                value.span,
                f"`{name.text}` is declared as a cost, and this is a number",
                "write `cost(RESOURCE, …)`",
            )


def _sides(model: Model, found: Kinds, early: set[int]) -> Iterator[Finding]:
    """Sizes are the workload's, and read-only to the server."""
    workload = {name for visit in all_steps(model) if not visit.step.server for name in assigned(visit.step)}
    sizes = {*BUILTIN_ATTRS} - {*_SCHEDULER}
    used = _used(model)
    for visit in all_steps(model):
        step = visit.step
        for name in assigned(step):
            place = step.node.child("name") or step.node
            if step.server and step.form != "bind" and (name in workload or name in sizes):
                yield _at(
                    READONLY, step, place.span, f"`{name}` is a size of the workload, and the server only reads it"
                )
            elif not step.server and name in _SCHEDULER:
                yield _at(BUILTIN, step, place.span, f"the scheduler sets `{name}`")
        if not step.server and id(step) not in early:
            for node, scope in expressions(step):
                read = list(walk(silent(model).build(node, scope)))
                costs: list[Quantity] = [it.target for it in read if isinstance(it, Cost)]
                costs += [
                    found.attributes[it.slot] for it in read if isinstance(it, Attr) and it.slot in found.attributes
                ]
                if any(part in used for it in costs for part in _parts(it)):
                    yield _at(
                        CLIENT,
                        step,
                        node.span,
                        "the server converts amounts into costs of its resources; the client sends amounts",
                    )


def _parts(target: Quantity) -> tuple[Quantity, ...]:
    return target.targets if isinstance(target, JointTarget) else (target,)


def _used(model: Model) -> set[Quantity]:
    """Return the resources that the server runs, holds, grows or loads."""
    found: set[Quantity] = set()
    for visit in all_steps(model):
        if visit.step.server:
            for _, _, target, _ in _amounts(model, visit.step):
                found.update(_parts(target))
    return found
