"""Do the options of stages and engines fit together, each given as often as it may be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import first, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import Binary, Ctx, Num, Unary
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.scopes import Scope
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
COST = Rule("step-needs-cost", _ERROR, "a step stage has no cost", ("classic",))
SERVE = Rule("serve-twice", _ERROR, "a step stage has two orders", ("classic",))
ITERATION = Rule("iteration-twice", _ERROR, "a step stage has two iteration bodies", ("classic",))
ONLY = Rule("serve-only-and-iteration", _ERROR, "`serve only` beside an iteration body", ("classic",))
EXCLUSIVE = Rule("iteration-with-exclusive", _ERROR, "an exclusive prefill beside an iteration body", ("classic",))
GRANULE = Rule("granule-exclusive", _ERROR, "a granule beside an exclusive prefill")
PATH = Rule(
    "iteration-serves",
    _ERROR,
    "a path through an iteration that neither serves nor admits",
    aliases=("sched-dead-path",),
)
NEEDS = Rule("engine-needs", _ERROR, "an engine lacks its budget, its schedule or its cost", ("engine",))
ONCE = Rule("engine-once", _ERROR, "an engine states something twice", ("engine",))
EMPTY = Rule("sched-empty", _ERROR, "a schedule does nothing", ("engine",))
LET_FIRST = Rule("sched-let-first", _ERROR, "a schedule's `let` stands after a statement", ("engine",))
LET_BRANCH = Rule("sched-let-branch", _ERROR, "a schedule's `let` stands in a branch", ("engine",))
EXCLUSIVE_FORM = Rule(
    "sched-exclusive", _ERROR, "`exclusive prefill` in a schedule of another form than its one", ("engine",)
)
STATE = Rule("register-unset", _ERROR, "a register that nothing sets", aliases=("state-never-set",))
STATE_ARRAY = Rule("state-array", _ERROR, "a register of a family of stages", aliases=("state-family",))
FAMILY_REQUEST = Rule("req-family", _ERROR, "a request of a family of engines", ("engine",))
QUEUE_REQUEST = Rule("req-in-queue", _ERROR, "a request of a queue's engine", ("engine",))
RULES = (
    COST, SERVE, ITERATION, ONLY, EXCLUSIVE, GRANULE, PATH, NEEDS, ONCE, EMPTY, LET_FIRST, LET_BRANCH, EXCLUSIVE_FORM,
    STATE, STATE_ARRAY, FAMILY_REQUEST, QUEUE_REQUEST,
)  # fmt: skip


def check(model: Model) -> Iterator[Finding]:
    """Yield options that are missing, given twice or do not fit together."""
    if model.edition is Edition.CURRENT:
        return
    classic = model.edition is Edition.CLASSIC
    for visit in visits_of(model, "step", "engine"):
        if visit.node.kind == "step" and classic:
            yield from _step(model, visit.node, visit.around[-1])
        elif visit.node.kind == "engine" and not classic:
            yield from _engine(model, visit.node, visit.inside("queue"))


def _at(model: Model, rule: Rule, span: Span, message: str, *notes: Note, help_text: str | None = None) -> Finding:
    return Finding(rule, model.path, span, message, notes, help_text)


def _step(model: Model, step: Node, owner: Node) -> Iterator[Finding]:
    serves, iterations = step.of_kind("serve_order"), step.of_kind("iteration")
    if not step.of_kind("cost") and not is_broken(step):
        yield _at(model, COST, first(step), "an iteration needs its time", help_text="add `cost …;`")
    for later in serves[1:]:
        note = Note("the first", model.path, first(serves[0]))
        yield _at(model, SERVE, later.span, "a stage has one order of serving", note)
    for later in iterations[1:]:
        note = Note("the first", model.path, first(iterations[0]))
        brace = later.child("body")
        end = brace.start + 1 if brace is not None else later.start + 1
        yield _at(model, ITERATION, Span(later.start, end), "a stage has one iteration body", note)
    exclusive = [it for serve in serves for it in serve.of_kind("exclusive_prefill")]
    for serve in serves if iterations else ():
        only = serve.child("only")
        if only is not None:
            yield _at(
                model,
                ONLY,
                first(only),
                "an iteration body says itself whom it serves",
                help_text="write it in the body",
            )
    if exclusive and iterations:
        yield _at(model, EXCLUSIVE, first(iterations[0]), "an exclusive prefill is the whole iteration")
    for granule in step.of_kind("granule") if exclusive else ():
        yield _at(model, GRANULE, first(granule), "an exclusive prefill takes no granule: the engine would stop")
    for body in [it.child("body") for it in iterations]:
        if body is not None and not is_broken(body) and not _schedules(body):
            yield _at(model, PATH, first(iterations[0]), "a path through this body neither serves nor admits")
    yield from _registers(model, step, owner, bool(iterations))


def _registers(model: Model, step: Node, owner: Node, has_body: bool) -> Iterator[Finding]:
    states = step.of_kind("state")
    for state in states:
        name = state.child("name")
        if name is None:
            continue
        if owner.child("size") is not None:
            yield _at(model, STATE_ARRAY, name.span, f"which member `{name.text}` belongs to would be a guess")
        elif not has_body:
            yield _at(model, STATE, name.span, f"nothing sets `{name.text}`: the stage has no iteration body")


def _schedules(body: Node) -> bool:
    """Say whether every path through an iteration or schedule serves or admits."""
    for it in body.children:
        if it.kind in ("serve", "admit", "advance_running", "admit_waiting", "exclusive"):
            return True
        if it.kind in ("iteration_branch", "schedule_branch"):
            then, other = it.child("then"), it.child("else")
            if then is not None and other is not None and _schedules(then) and _arm(other):
                return True
    return False


def _arm(other: Node) -> bool:
    if other.kind != "schedule_branch":
        return _schedules(other)
    then, rest = other.child("then"), other.child("else")
    return then is not None and rest is not None and _schedules(then) and _arm(rest)


def _engine(model: Model, engine: Node, queue: Node | None) -> Iterator[Finding]:
    name = engine.child("name") or (queue.child("name") if queue is not None else None) or engine
    parts = (("tokens_cap", "tokens cap …;"), ("schedule", "schedule { … }"), ("execute", "execute (…);"))
    for kind, form in parts:
        found = engine.of_kind(kind)
        if not found and not is_broken(engine):
            yield _at(model, NEEDS, name.span, f"an engine needs its `{form}`")
            break
    for kind in ("tokens_cap", "schedule", "execute", "engine_request"):
        found = engine.of_kind(kind)
        for later in found[1:]:
            yield _at(
                model, ONCE, first(later), "an engine says this once", Note("the first", model.path, first(found[0]))
            )
    requests = engine.of_kind("engine_request")
    for request in requests:
        if engine.child("size") is not None:
            yield _at(model, FAMILY_REQUEST, first(request), "a call could not say which member it means")
        elif queue is not None:
            yield _at(model, QUEUE_REQUEST, first(request), "a queue is entered by its entries")
    for schedule in engine.of_kind("schedule"):
        body = schedule.child("body")
        if body is not None:
            yield from _schedule(model, engine, body)
    yield from _states(model, engine)


def _states(model: Model, engine: Node) -> Iterator[Finding]:
    sets = {
        name.text
        for visit in visits(engine)
        if visit.node.kind == "set" and visit.inside("schedule") is not None and (name := visit.node.child("name"))
    }
    for state in engine.of_kind("state"):
        name = state.child("name")
        if name is None:
            continue
        if engine.child("size") is not None:
            yield _at(model, STATE_ARRAY, name.span, f"which member `{name.text}` belongs to would be a guess")
        elif name.text not in sets and not is_broken(engine):
            yield _at(model, STATE, name.span, f"no statement of the schedule sets `{name.text}`")


def _schedule(model: Model, engine: Node, body: Node) -> Iterator[Finding]:
    statements = [it for it in body.children if it.named and it.kind not in ("comment", "let")]
    if not statements:
        if not is_broken(body):
            yield _at(model, EMPTY, first(body), "a schedule says what an iteration does")
        return
    for let in body.of_kind("let"):
        if let.start > statements[0].start:
            yield _at(model, LET_FIRST, first(let), "`let`s stand before the statements")
    for visit in visits(body):
        if visit.node.kind == "let" and visit.around and visit.around[-1] is not body:
            yield _at(model, LET_BRANCH, first(visit.node), "`let`s stand at the top of the schedule")
    if is_broken(body):
        return
    exclusive = any(it.kind == "exclusive" for it in statements)
    if exclusive and not _exclusive_form(model, statements):
        message = (
            "an exclusive prefill stands alone: `exclusive prefill; admit waiting while (running.preempted == 0) …;`"
        )
        yield _at(model, EXCLUSIVE_FORM, first(body), message)
    elif not _schedules(body):
        yield _at(model, PATH, first(body), "a path through this schedule neither advances nor admits")
    for granule in engine.of_kind("granule") if exclusive else ():
        yield _at(model, GRANULE, first(granule), "an exclusive prefill takes no granule: the engine would stop")


def _exclusive_form(model: Model, statements: list[Node]) -> bool:
    if [it.kind for it in statements] != ["exclusive", "admit_waiting"]:
        return False
    gate = statements[1].child("gate")
    if gate is None or statements[1].child("only") is not None:
        return False
    test = gate.child("test")
    expr = silent(model).build(test, Scope(model.path, at=test.start)) if test is not None else None
    none = Num(0.0)
    match expr:
        case Binary("Eq", Ctx("Preempted"), zero) | Binary("Eq", zero, Ctx("Preempted")):
            return zero == none
        case Unary("Not", Ctx("Preempted")):
            return True
        case _:
            return False
