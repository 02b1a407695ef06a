"""Is a schedule's cap of one run, its `taking` and what it sets sound (engine.md 5)?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.quantities import CHUNK
from serq_lsp.checks.reading import Read, reads
from serq_lsp.checks.resources import silent
from serq_lsp.checks.shown import amount
from serq_lsp.checks.visits import first, tokens, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Call, Expr, Num, PoolArg, StageArg
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.definitions import unfold
from serq_lsp.sema.scopes import Pasted, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
DIFFER = Rule("cap-differ", _ERROR, "the statements of a schedule cap a run differently", _ENGINE)
INFINITE = Rule("cap-inf-inside", _ERROR, "`inf` inside the arithmetic of a cap", _ENGINE, ("cap-max-inf",))
POSITIVE = Rule("cap-not-positive", _ERROR, "a cap of one run is not above 0", _ENGINE)
COMPUTED = Rule("cap-computed", _ERROR, "a cap of one run may come out as nothing", _ENGINE)
TAKING = Rule("taking-differ", _ERROR, "the statements of a schedule take different pools", _ENGINE)
NO_REQUEST = Rule("taking-no-request", _ERROR, "an engine takes pools for requests it does not have", _ENGINE)
UNTAKEN = Rule("req-cache-untaken", _ERROR, "a request caches or binds, but takes no pool at admission", _ENGINE)
LAST = Rule("req-cache-last", _ERROR, "a request's `cache` is not its last item", _ENGINE)
ONCE = Rule("req-admission-once", _ERROR, "a request is admitted twice", _ENGINE)
SET = Rule(
    "iteration-set", _ERROR, "a schedule sets something else than its own register", aliases=("sched-set-register",)
)
STRAY = Rule("sched-let-stray", _ERROR, "a schedule's `let` is read outside `each at most`", _ENGINE)
RULES = (DIFFER, INFINITE, POSITIVE, COMPUTED, TAKING, NO_REQUEST, UNTAKEN, LAST, ONCE, SET, STRAY)
OUTCOMES_MAX = 1_000
"""So many parts of one cap are looked at."""


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with the schedules and bodies of engines."""
    if model.edition is Edition.CURRENT:
        return
    for visit in visits_of(model, "engine", "iteration"):
        node = visit.node
        if node.kind == "engine" and model.edition is Edition.ENGINE:
            yield from _engine(model, node)
        elif node.kind == "iteration" and model.edition is Edition.CLASSIC:
            yield from _sets(model, node, visit.around[-1])


def _sets(model: Model, body: Node, owner: Node) -> Iterator[Finding]:
    own = {name.text for it in owner.of_kind("state") if (name := it.child("name"))}
    for visit in visits(body):
        name = visit.node.child("name") if visit.node.kind == "set" else None
        if name is not None and name.text not in own:
            yield Finding(
                SET,
                model.path,
                name.span,
                f"`{name.text}` is no register of this stage",
                help=f"declare it: `state {name.text} = 0;`",
            )


def _engine(model: Model, engine: Node) -> Iterator[Finding]:
    requests = engine.of_kind("engine_request")
    takes = [it.node for it in visits(engine) if it.node.kind == "taking"]
    for schedule in engine.of_kind("schedule"):
        body = schedule.child("body")
        if body is not None:
            yield from _sets(model, body, engine)
            yield from _caps(model, engine, body)
            yield from _takings(model, engine, body, requests)
            yield from _stray(model, body)
    for request in requests:
        yield from _request(model, request, bool(takes))


def _stray(model: Model, body: Node) -> Iterator[Finding]:
    lets = {name.text for it in body.of_kind("let") if (name := it.child("name"))}
    for visit in visits(body):
        read = visit.node.kind == "name" and visit.node.field not in ("name", "pool", "function")
        if read and visit.node.text in lets and visit.inside("each_at_most", "let", "taking") is None:
            brace = Note("the schedule", model.path, first(body))
            yield Finding(
                STRAY,
                model.path,
                visit.node.span,
                f"`{visit.node.text}` is read in `each at most` only",
                (brace,),
                "use a `def`",
            )
            return


def _caps(model: Model, engine: Node, body: Node) -> Iterator[Finding]:
    statements = [it.node for it in visits(body) if it.node.kind in ("advance_running", "admit_waiting", "exclusive")]
    caps = [(it, it.child("each")) for it in statements]
    if _differ(model, body, [cap for _, cap in caps]):
        notes = tuple(Note("a cap", model.path, cap.span) for _, cap in caps if cap is not None)[:2]
        message = "a run has one cap: write the same `each at most` on each statement"
        yield Finding(DIFFER, model.path, first(body), message, notes)
        return
    cap = next((cap for _, cap in caps if cap is not None), None)
    value = cap.child("value") if cap is not None else None
    if value is not None:
        yield from _outcomes(model, value, _scope(model, body), Note("the schedule", model.path, first(body)))
        for granule in engine.of_kind("granule")[-1:]:
            yield from _granule(model, granule, value, _scope(model, body))


def _scope(model: Model, body: Node) -> Scope:
    scope = Scope(model.path, at=body.start)
    names: dict[str, Pasted] = {}
    for let in body.of_kind("let"):
        name, value = let.child("name"), let.child("value")
        if name is not None and value is not None:
            names = {**names, name.text: Pasted(value, scope.inner(names))}
    return scope.inner(names)


def _differ(model: Model, body: Node, caps: list[Node | None]) -> bool:
    """Say whether the caps differ as written, with `let`s and definitions put in, brackets left out."""
    written = {_written(body, cap) for cap in caps}
    if len(written) < 2:
        return False
    if any(it is None for it in caps):
        return True
    values = [value for cap in caps if cap is not None and (value := cap.child("value")) is not None]
    scope = _scope(model, body)
    if len({silent(model).build(it, scope) for it in values}) > 1:
        return True
    used = model.tables.definitions.keys() | {it.text for let in body.of_kind("let") for it in let.each("name")}
    return not any(used.intersection(tokens(it)) for it in values)


def _written(body: Node, cap: Node | None) -> tuple[str, ...]:
    """Return the tokens of a cap but for brackets, with the schedule's `let`s put in where one is the whole cap."""
    value = cap.child("value") if cap is not None else None
    if value is None:
        return ()
    text = _unbracketed(value)
    for _ in range(len(body.of_kind("let"))):
        for let in body.of_kind("let"):
            name, given = let.child("name"), let.child("value")
            if name is not None and given is not None and (name.text,) == text:
                text = _unbracketed(given)
    return text


def _unbracketed(node: Node) -> tuple[str, ...]:
    return tuple(it for it in tokens(node) if it not in ("(", ")"))


def _granule(model: Model, granule: Node, cap: Node, scope: Scope) -> Iterator[Finding]:
    """A granule fits into a constant cap, or into the floor of `max(k, e)`."""
    value = granule.child("value")
    size = constant(silent(model).build(value, Scope(model.path, at=value.start))) if value is not None else None
    expr = silent(model).build(cap, scope)
    known = [constant(expr)]
    if known[0] is None and isinstance(expr, Call) and expr.function == "Max":
        known = [constant(it) for it in expr.args if not isinstance(it, (PoolArg, StageArg))]
    least = next((it for it in known if it is not None), None)
    if value is not None and size is not None and least is not None and 0 < least < size:
        note = Note("the cap", model.path, cap.span)
        message = f"a granule of {amount(size)} exceeds the cap of {amount(least)}: no prompt could advance"
        yield Finding(CHUNK, model.path, value.span, message, (note,))


def _outcomes(model: Model, cap: Node, scope: Scope, place: Note) -> Iterator[Finding]:
    """Judge each outcome of a cap: what `?:` leaves of it, with `let`s and definitions put in."""
    todo = [Read(cap, scope)]
    for _ in range(OUTCOMES_MAX):
        if not todo:
            return
        here, frame = todo.pop()
        inner = _inside(model, here, frame)
        if inner is not None:
            todo.append(inner)
            continue
        if here.kind == "conditional":
            parts = [here.child(it) for it in ("test", "then", "else")]
            test, *arms = (it for it in parts if it is not None)
            if _literal(model, test, frame):
                yield _capped(model, place, cap, (INFINITE, "`inf` is a whole outcome, and no part of one"))
                return
            todo += [Read(it, frame) for it in reversed(arms)]
        elif (told := _outcome(model, here, frame)) is not None:
            yield _capped(model, place, cap, told)
            return


def _capped(model: Model, place: Note, cap: Node, told: tuple[Rule, str] | tuple[Rule, str, str]) -> Finding:
    rule, message, *cure = told
    return Finding(rule, model.path, cap.span, message, (place,), cure[0] if cure else None)


def _inside(model: Model, node: Node, scope: Scope) -> Read | None:
    """Return what a bracket, a name or the use of a definition stands for, or None."""
    if node.kind == "parenthesized" and (value := node.child("value")) is not None:
        return Read(value, scope)
    if node.kind == "name":
        meaning = scope.find(node.text)
        return Read(meaning.node, meaning.scope) if isinstance(meaning, Pasted) else None
    function = node.child("function") if node.kind == "call" else None
    made = model.tables.definitions.get(function.text) if function is not None else None
    if made is None or made.value is None:
        return None
    inner = unfold(made, node, scope, wants_statements=False, report=_ignore)
    return Read(made.value, inner) if inner is not None else None


def _literal(model: Model, node: Node, scope: Scope) -> bool:
    """Say whether `inf` itself is read; a constant that is infinite is a number like others."""
    return any(it.node.kind == "name" and it.node.text == "inf" for it in reads(model, node, scope))


def _outcome(model: Model, node: Node, scope: Scope) -> tuple[Rule, str] | tuple[Rule, str, str] | None:
    if node.kind == "name" and node.text == "inf":
        return None
    expr = silent(model).build(node, scope)
    value = constant(expr)
    endless = value is None and isinstance(expr, Call) and expr.function == "Max" and Num(math.inf) in expr.args
    if endless or _literal(model, node, scope):
        return INFINITE, "`inf` is a whole outcome, and no part of one"
    if value is not None:
        return None if value > 0 else (POSITIVE, f"a run gets something in an iteration, not {amount(value)}")
    if _at_least(expr):
        return None
    return COMPUTED, "this may come out as 0", "write `max(1, …)`, or put the `?:` outermost"


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is known already."""


def _at_least(expr: Expr) -> bool:
    """Say whether an outcome is `max(k, e)` with a constant k above 0."""
    if not isinstance(expr, Call) or expr.function != "Max":
        return False
    floors = [constant(it) for it in expr.args if not isinstance(it, (PoolArg, StageArg))]
    return any(it is not None and it > 0 for it in floors)


def _takings(model: Model, engine: Node, body: Node, requests: list[Node]) -> Iterator[Finding]:
    admits = [it.node for it in visits(body) if it.node.kind == "admit_waiting"]
    takes = [it.child("taking") for it in admits]
    broken = is_broken(engine)
    for take in takes:
        if take is not None and not requests and not broken:
            yield Finding(NO_REQUEST, model.path, first(take), "the engine has no `request` to take pools for")
    if not takes:
        return
    told = [tokens(it) if it is not None else () for it in takes]
    for admit, take, text in zip(admits[1:], takes[1:], told[1:], strict=True):
        if text != told[0]:
            place = first(take) if take is not None else admit.span
            yield Finding(
                TAKING,
                model.path,
                place,
                "every `admit waiting` takes the same",
                (Note("the first", model.path, admits[0].span),),
            )


def _request(model: Model, request: Node, takes: bool) -> Iterator[Finding]:
    body = request.child("body")
    items = [it for it in (body.children if body is not None else ()) if it.named and it.kind != "comment"]
    for number, item in enumerate(items):
        if item.kind == "request_admission" and not takes:
            yield Finding(UNTAKEN, model.path, first(item), "no `taking` admits the request, so nothing is bound")
        if item.kind != "request_cache":
            continue
        if not takes:
            yield Finding(UNTAKEN, model.path, first(item), "no `taking` admits the request, so nothing is cached")
        elif number < len(items) - 1:
            yield Finding(LAST, model.path, first(item), "`cache` is the last item of a request")
    admissions = [it for it in items if it.kind == "request_admission"]
    for later in admissions[1:]:
        note = Note("the first", model.path, first(admissions[0]))
        yield Finding(ONCE, model.path, first(later), "a request is admitted once", (note,))
