"""Does a statement that works, grows or gives back fit the stages and holds it names?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.attributes import slot
from serq_lsp.checks.broken import broken_stretches, is_broken
from serq_lsp.checks.resources import silent
from serq_lsp.checks.shown import amount
from serq_lsp.checks.visits import StepVisit, all_steps, first
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Num, Unary, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.reads import expressions
from serq_lsp.sema.roles import is_engine, role
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ir.expr import Ref
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

_ERROR = Severity.ERROR
MODE = Rule("run-mode", _ERROR, "a mode is missing on an engine, or given on another stage")
GROWING = Rule("growing-stage", _ERROR, "`growing` on a stage that is no engine", aliases=("run-growing-stage",))
OUTSIDE = Rule(
    "outside-hold",
    _ERROR,
    "a statement acts on a pool outside a hold of it",
    aliases=("run-growing-pool",),
)
AMOUNT = Rule("amount", _ERROR, "a constant amount is negative", aliases=("hold-negative",))
MISSING = Rule("role-missing", _ERROR, "no stage plays the part of a serving word", aliases=("role-stage",))
AMBIGUOUS = Rule("role-ambiguous", _ERROR, "several stages play the part of a serving word", aliases=("role-stage",))
GUARD = Rule("guard-constant", _ERROR, "a test is a constant other than 0 and 1", aliases=("branch-constant",))
CACHED = Rule(
    "cached-without-cache", _ERROR, "`cached` is read in a hold that does not cache", aliases=("cached-needs-cache",)
)
SHARE = Rule(
    "share-missing", _ERROR, "a run holds several stages, and nothing says how they divide", aliases=("share-needed",)
)
UNSHARED = Rule("share-unused", _ERROR, "`share`, and no run holds several stages")
SHARED = Rule("shared-stage", _ERROR, "a shared stage is no `ps` of a constant", aliases=("share-stage-kind",))
TWICE = Rule("stage-named-twice", _ERROR, "a run names one stage twice", aliases=("share-stage-twice",))
GROW_TRANSFER = Rule("transfer-growing", _ERROR, "a transfer that grows a pool")
TRANSFER = Rule(
    "transfer-needs-pools", _ERROR, "a transfer without both its ends", aliases=("transfer-whole", "call-transfer-ends")
)
STATEMENT = Rule("mode-statement", _ERROR, "`prefill` or `decode` as a statement outside a request", ("engine",))
ROLE_STAGE = Rule("role-stage-undeclared", _ERROR, "the stage after `on` is not declared", aliases=("role-on-stage",))
RULES = (
    ROLE_STAGE, STATEMENT, MODE, GROWING, OUTSIDE, AMOUNT, MISSING, AMBIGUOUS, GUARD, CACHED, SHARE, UNSHARED, SHARED, TWICE, GROW_TRANSFER,
    TRANSFER,
)  # fmt: skip


def check(model: Model) -> Iterator[Finding]:
    """Yield statements that do not fit what they name."""
    if model.edition is Edition.CURRENT:
        return
    shared = False
    leased = _leased(model)
    for visit in all_steps(model):
        step = visit.step
        stages = _stages(model, step)
        read = step.form == "transfer" and not step.node.each("stage") and step.scope.station is not None
        shared = shared or len(step.node.each("stage")) > 1 or read
        yield from _work(model, visit, stages)
        yield from _acts(model, visit, stages, leased)
        yield from _amounts(model, step)
        yield from _guard(model, step)
        yield from _cached(model, visit)
        if step.form == "transfer":
            yield from _transfer(model, step)
    shares = model.declared.shares
    cards = {it.name for it in model.declared.queues.values() if it.nic is not None}
    relations = [it.node for it in model.declared.relations if {it.reader, it.source} <= cards]
    if (shares or relations) and not shared and not broken_stretches(model).anywhere():
        place = first(shares[0]) if shares else relations[0].span
        yield Finding(UNSHARED, model.path, place, "no run holds several stages, so nothing is shared")


def _at(rule: Rule, step: Step, span: Span, message: str, help_text: str | None = None) -> Finding:
    notes = tuple(Note("used here", it.path, it.span) for it in step.scope.via[:1])
    return Finding(rule, step.scope.path, span, message, notes, help_text)


def anchor(step: Step) -> Span:
    """Return where a fault of a statement shows: its first stage or pool, else its word (classic.md 12.2)."""
    node = step.node
    reference = node.child("stage") or node.child("pool")
    unit = node.child("unit")
    if reference is None and unit is not None:
        reference = unit.child("pool")
    return reference.span if reference is not None else first(node)


def _stages(model: Model, step: Step) -> list[Family]:
    """Return the stages that a step works on, as far as they are known."""
    if step.form not in ("run", "prefill", "decode", "tool", "transfer"):
        return []
    builder = silent(model)
    named = [builder.reference(it, step.scope, Kind.STAGE) for it in step.node.each("stage")]
    if named:
        return [it.family for it in named if it is not None]
    if step.form != "run":
        found = role(model.declared, step.form, step.scope, step.node)
        return found if len(found) == 1 else []
    station = step.scope.station
    return [station.stage] if station is not None and station.stage is not None else []


def _work(model: Model, visit: StepVisit, stages: list[Family]) -> Iterator[Finding]:
    step = visit.step
    station = step.scope.station
    if step.form in ("prefill", "decode") and model.edition is Edition.ENGINE:
        work = step.node.child("work")
        plain = work is not None and work.kind == "parenthesized" and not step.node.each("stage")
        if station is None or not station.request or not plain:
            message = f"`{step.form}` is the mode of a run, and a statement in a request only"
            yield _at(STATEMENT, step, first(step.node), message, f"write `run ENGINE {step.form} (cost(ENGINE, …));`")
        return
    if step.form in ("prefill", "decode", "tool", "transfer") and not step.node.each("stage") and not stages:
        yield from _role(model, step)
    at = step.node.start if step.scope.at is None else step.scope.at
    for reference, stage in zip(step.node.each("stage"), stages, strict=False):
        node = stage.node if step.form != "run" and stage.path == model.path else None
        if node is not None and node.start > at:
            yield _at(ROLE_STAGE, step, reference.span, f"`{stage.name}` is declared below", "move the declaration up")
    for stage in stages[:1]:
        mode = step.node.child("mode")
        has_mode = mode is not None or step.form in ("prefill", "decode")
        if is_engine(stage) and not has_mode:
            message = f"work on `{stage.name}` is a prefill or a decode"
            yield _at(MODE, step, anchor(step), message, f"write `run {stage.name} prefill (…);`")
        elif mode is not None and not is_engine(stage):
            yield _at(MODE, step, anchor(step), f"`{stage.name}` runs no iterations, so it has no {mode.kind}")
        elif step.node.child("growing") is not None and not is_engine(stage) and step.form != "transfer":
            yield _at(GROWING, step, anchor(step), f"`{stage.name}` runs no iterations, so nothing grows with them")
    if len(step.node.each("stage")) > 1:
        yield from _shared(model, step)


def _role(model: Model, step: Step) -> Iterator[Finding]:
    found = role(model.declared, step.form, step.scope, step.node)
    word = first(step.node)
    station = step.scope.station
    if len(found) > 1:
        names = " and ".join(f"`{it.name}`" for it in found[:3])
        yield _at(AMBIGUOUS, step, word, f"{names} could do this", f"write `{step.form} on STAGE …;`")
    elif not found and not (step.form == "transfer" and station is not None):
        if step.form == "tool" and model.edition is Edition.ENGINE and not step.server:
            return
        yield _at(
            MISSING,
            step,
            word,
            f"no stage above is called `{step.form}` or plays its part",
            f"write `{step.form} on STAGE …;`",
        )


def _shared(model: Model, step: Step) -> Iterator[Finding]:
    references = step.node.each("stage")
    if not model.declared.shares and not model.declared.relations and not is_broken(model.tree.root):
        yield _at(SHARE, step, references[1].span, "nothing says how these stages divide", "add `share maxmin;`")
    seen: dict[str, Node] = {}
    builder = silent(model)
    for reference in references:
        found = builder.reference(reference, step.scope, Kind.STAGE)
        if found is None:
            continue
        if found.family.name in seen:
            yield _at(TWICE, step, reference.span, f"this run names `{found.family.name}` already")
        seen.setdefault(found.family.name, reference)
        kind = found.family.node.child("kind") if found.family.node is not None else None
        through = kind.child("throughput") if kind is not None and kind.kind == "ps" else None
        expr = builder.build(through, step.scope) if through is not None else None
        if kind is not None and not (isinstance(expr, Num) and expr.value > 0):
            yield _at(
                SHARED,
                step,
                reference.span,
                f"a shared stage is `ps(c)` with a constant c above 0, and `{found.family.name}` is not",
            )


def _leased(model: Model) -> set[int]:
    """Return the pools that some hold leases."""
    builder = silent(model)
    found = set()
    for visit in all_steps(model):
        lease = visit.step.node.child("lease") if visit.step.form == "hold" else None
        pool = lease.child("pool") if lease is not None else None
        known = builder.reference(pool, visit.step.scope, Kind.POOL) if pool is not None else None
        if known is not None:
            found.add(known.family.base)
    return found


def _held(model: Model, around: tuple[Step, ...]) -> list[Ref]:
    builder = silent(model)
    found = []
    for step in around:
        if step.form in ("hold", "admission"):
            for unit in step.node.each("unit"):
                pool = unit.child("pool")
                known = builder.reference(pool, step.header, Kind.POOL) if pool is not None else None
                if known is not None:
                    found.append(known.ref)
    return found


def _acts(model: Model, visit: StepVisit, stages: list[Family], leased: set[int]) -> Iterator[Finding]:
    step = visit.step
    if any(it.form == "fork" for it in visit.around):
        return
    if step.form == "transfer":
        yield from _ends(model, visit, leased)
    growing = step.node.child("growing")
    pool = step.node.child("pool") if step.form in ("grow", "load", "release") else None
    if growing is not None and (not stages or is_engine(stages[0])):
        pool = growing.child("pool")
    if pool is None or step.form in ("hold", "transfer"):
        return
    station = step.scope.station
    if station is not None and station.request:
        return  # a rule on requests speaks of it
    found = silent(model).reference(pool, step.scope, Kind.POOL)
    if found is None or found.ref in _held(model, visit.around):
        return
    if step.form == "release" and found.family.base in leased:
        return
    span = anchor(step) if growing is not None else pool.span
    verb = "grows" if growing is not None else {"grow": "grows", "load": "fills"}.get(step.form, "gives back")
    yield _at(OUTSIDE, step, span, f"this {verb} `{found.family.name}` outside a hold of it")


def _ends(model: Model, visit: StepVisit, leased: set[int]) -> Iterator[Finding]:
    """A transfer gives back at one end, in a hold or from a lease, and fills at the other, in a hold."""
    step = visit.step
    if step.scope.station is not None and step.scope.station.request:
        return
    for field in ("from", "to"):
        part = step.node.child(field)
        pool = part.child("pool") if part is not None else None
        found = silent(model).reference(pool, step.scope, Kind.POOL) if pool is not None else None
        if pool is None or found is None or found.ref in _held(model, visit.around):
            continue
        if field == "from" and found.family.base in leased:
            continue
        verb = "gives back" if field == "from" else "fills"
        yield _at(OUTSIDE, step, pool.span, f"this {verb} `{found.family.name}` outside a hold of it")


def _amounts(model: Model, step: Step) -> Iterator[Finding]:
    if step.form in ("hold", "admission"):
        nodes = [it.child("units") for it in step.node.each("unit")]
    elif step.form in ("grow", "load"):
        nodes = [step.node.child("value")]
    else:
        nodes = [step.node.child("work")]
    for node in nodes:
        expr = silent(model).build(node, step.header) if node is not None else None
        value = constant(expr) if expr is not None else None
        if expr is None or any(isinstance(it, Unary) and it.op == "Not" for it in walk(expr)):
            continue  # the reference does not work out a `!`
        if value is not None and not value >= 0:
            what = amount(value) if value < 0 else "not-a-number"
            yield _at(AMOUNT, step, anchor(step), f"an amount is not negative, and this one is {what}")
            return


def _guard(model: Model, step: Step) -> Iterator[Finding]:
    node = step.node.child("test") if step.form in ("branch", "while") else None
    if node is None or step.node.child("draw") is not None:
        return
    expr = silent(model).build(node, step.scope)
    if isinstance(expr, Num) and expr.value not in (0.0, 1.0):
        message = f"a test is 0 or 1, not {amount(expr.value)}"
        yield _at(GUARD, step, node.span, message, "a draw is written `branch with (p)`")


def _cached(model: Model, visit: StepVisit) -> Iterator[Finding]:
    step = visit.step
    inner = next((it for it in reversed(visit.around) if it.form in ("hold", "admission", "fork")), None)
    if inner is None or inner.form == "fork" or inner.cache is not None or inner.node.child("cache") is not None:
        return
    read = slot("cached")
    builder = silent(model)
    for node, scope in expressions(step):
        if node.field not in ("index", "time") and read in set(walk(builder.build(node, scope))):
            span = _name(node, "cached") or node.span
            yield _at(CACHED, step, span, "`cached` is 0 here: the hold has no `cache`")
            return


def _name(node: Node, text: str) -> Span | None:
    todo = [node]
    while todo:
        here = todo.pop()
        if here.kind == "name" and here.text == text:
            return here.span
        todo.extend(reversed(here.children))
    return None


def _transfer(model: Model, step: Step) -> Iterator[Finding]:
    del model
    growing = step.node.child("growing")
    if growing is not None:
        yield _at(GROW_TRANSFER, step, first(step.node), "a transfer loads a pool, and grows none")
    elif step.node.child("from") is None or step.node.child("to") is None:
        yield _at(TRANSFER, step, first(step.node), "a transfer names both ends", "write `transfer w from P to Q (n);`")
