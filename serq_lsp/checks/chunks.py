"""Does a hold on an engine's memory take and test what the native schedulers do (checks.md 2 and 4)?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks.firstpass import first_pass
from serq_lsp.checks.holds import grown, hold_of
from serq_lsp.checks.native import cites
from serq_lsp.checks.reserves import bound_of
from serq_lsp.checks.resources import budget, built, engines, pools, silent
from serq_lsp.checks.shown import amount, named, source, text, witness
from serq_lsp.checks.visits import plain
from serq_lsp.diag.model import FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Call, Cond, Expr, Num, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.firstpass import Arrival
    from serq_lsp.checks.holds import Hold, Unit
    from serq_lsp.checks.resources import Engine
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model

WITHOUT_RESERVE = Rule(
    "growing-without-reserve",
    Severity.INFORMATION,
    "a hold takes a chunk and grows, without testing that the whole sequence fits as the native schedulers do",
)
BEYOND_CHUNK = Rule(
    "taking-beyond-chunk",
    Severity.WARNING,
    "a hold takes memory for more tokens than one iteration may compute of a request",
)
WITHOUT_REUSE = Rule(
    "hit-without-reuse",
    Severity.INFORMATION,
    "a hold counts a cached prefix but lets the whole cache entry be taken over",
)
ZERO_DECODE = Rule(
    "zero-decode-order",
    Severity.INFORMATION,
    "a decode of no tokens ends its request later than the native schedulers do",
)
RULES = (WITHOUT_RESERVE, BEYOND_CHUNK, WITHOUT_REUSE, ZERO_DECODE)
_UNLIMITED = 0.0
OTHERS = 2


def check(model: Model) -> Iterator[Finding]:
    """Yield where holds on engine memory differ from native admission."""
    if model.edition is Edition.CURRENT:
        return
    known = engines(model)
    memories = {it.memory: it for it in known if it.memory is not None}
    for arrival in first_pass(model):
        step = arrival.step
        if step.form in ("hold", "admission"):
            hold = hold_of(model, step)
            for unit in hold.units:
                engine = memories.get(unit.pool.family.name) if unit.pool is not None else None
                if engine is not None:
                    yield from _unit(model, arrival, hold, unit, engine)
            yield from _reuse(model, hold)
        elif _is_decode(step):
            yield from _zero(model, arrival)


def _unit(model: Model, arrival: Arrival, hold: Hold, unit: Unit, engine: Engine) -> Iterator[Finding]:
    growing = [step for step in hold.body() if _grows(model, step, unit)]
    prefill = next((step for step in growing if _mode(step) == "prefill"), None)
    takes_chunk = any(isinstance(it, Call) and it.function == "BudgetLeft" for it in walk(unit.units))
    if prefill is not None and takes_chunk and unit.reserve is None:
        written = text(model, hold.path, bound_of(unit.units_node))
        at = _after_units(model, hold.path, unit)
        fix = Fix(f"Insert `reserve ({written})`", (FileEdit(hold.path, Span(at, at), f" reserve ({written})"),))
        name = text(model, hold.path, unit.pool_node)
        yield Finding(
            WITHOUT_RESERVE,
            hold.path,
            unit.node.span,
            f"the admission tests only the chunk it takes of `{name}`, not that the whole sequence fits",
            (Note("both native schedulers test every token the request has, vLLM by default, vllm-rbln always"),),
            fixes=(fix,),
            cites=cites("reserve"),
        )
    if growing and takes_chunk:
        yield from _beyond(model, arrival, hold, unit, engine)


def _beyond(model: Model, arrival: Arrival, hold: Hold, unit: Unit, engine: Engine) -> Iterator[Finding]:
    least = [(cap, node) for node, scope in engine.chunks for cap in _outcomes(built(model, node, scope))]
    caps = [(cap, node) for cap, node in least if cap is not None and cap > _UNLIMITED and math.isfinite(cap)]
    most = budget(model, engine)
    if not caps or most is None:
        return
    chunk, node = min(caps, key=lambda it: it[0])
    if most <= chunk:
        return
    left = next(it for it in walk(unit.units) if isinstance(it, Call) and it.function == "BudgetLeft")
    always = len(least) == len({id(it) for _, it in least})
    """Whether the cap is the same whoever runs; else it is taken to be lower beside two others."""

    def shows(values: list[float]) -> bool:
        return math.isfinite(values[0]) and values[0] > chunk + 1e-6 and (always or values[1] <= most - OTHERS)

    found = witness(arrival, (unit.units, left), shows, idle_only=always)
    if found is None:
        return
    words = named(arrival, found[0], (unit.units_node, arrival.step.header))
    yield Finding(
        BEYOND_CHUNK,
        hold.path,
        unit.units_node.span,
        f"{words}takes {amount(found[1][0])}, but an iteration computes {amount(chunk)} tokens of a request at most",
        (Note("the cap of one run", engine.scope.path, node.span),),
        help=f"put the cap inside the units: `min({text(model, engine.scope.path, node)}, …)`",
        cites=cites("each at most"),
    )


def _outcomes(expr: Expr) -> Iterator[float | None]:
    """Yield what a cap of one run can be: the arms of its conditions."""
    todo: list[Expr] = [expr]
    while todo:
        here = todo.pop()
        if isinstance(here, Cond):
            todo += (here.other, here.then)
        else:
            yield here.value if isinstance(here, Num) else constant(here)


def _reuse(model: Model, hold: Hold) -> Iterator[Finding]:
    if hold.cache is None or hold.reuse_node is not None:
        return
    known = pools(model)
    for unit in hold.units:
        pool = known.get(unit.pool.family.name) if unit.pool is not None else None
        if pool is None or pool.block is None:
            continue
        if not any(isinstance(it, Call) and it.function == "CachedIn" for it in walk(unit.units)):
            continue
        name = text(model, hold.path, unit.pool_node)
        yield Finding(
            WITHOUT_REUSE,
            hold.path,
            unit.units_node.span,
            f"the units count the prefix cached in `{name}`, but without `reuse` the whole entry is taken over",
            (Note("natively only full blocks that a hit may cover are taken over"),),
            help="add `reuse (…)` with the bound of the hit",
            cites=cites("reuse"),
        )


def _zero(model: Model, arrival: Arrival) -> Iterator[Finding]:
    step = arrival.step
    node = step.node.child("work")
    if node is None or constant(built(model, node, step.scope)) is not None:
        return
    expr = silent(model).build(node, step.scope)
    found = witness(arrival, (expr,), lambda it: abs(it[0]) < 1e-9, idle_only=True)
    if found is None:
        return
    words = named(arrival, found[0], (node, step.scope))
    yield Finding(
        ZERO_DECODE,
        step.scope.path,
        plain(node).span,
        f"{words}nothing is left to decode: the request ends after others of the same iteration",
        (
            Note(
                "natively it ends in the order of the batch, which can change the order of the cache and of next turns"
            ),
        ),
        cites=cites("decode"),
    )


def _is_decode(step: Step) -> bool:
    return _mode(step) == "decode"


def _mode(step: Step) -> str | None:
    """Return whether a step is a prefill or a decode of an engine."""
    if step.form in ("prefill", "decode"):
        return step.form
    mode = step.node.child("mode") if step.form == "run" else None
    return mode.kind if mode is not None else None


def _grows(model: Model, step: Step, unit: Unit) -> bool:
    ref = grown(model, step)
    return ref is not None and unit.pool is not None and ref.base == unit.pool.ref.base


def _after_units(model: Model, path: str, unit: Unit) -> int:
    """Return the place after the bracket that closes the units."""
    closing = source(model, path).find(")", unit.units_node.end)
    return closing + 1 if closing >= 0 else unit.units_node.end
