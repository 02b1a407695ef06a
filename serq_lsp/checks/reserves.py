"""Does a `reserve` ask for what its author believes (checks.md 2)?

The admission of a hold demands room for the larger of reserve and units, and takes the units (semantics.md 7.3).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.attributes import attribute_facts, slot
from serq_lsp.checks.firstpass import first_pass
from serq_lsp.checks.holds import grown, hold_of
from serq_lsp.checks.native import cites
from serq_lsp.checks.orders import never_exceeds
from serq_lsp.checks.resources import pools
from serq_lsp.checks.shown import amount, in_blocks, most, named, source, text, witness
from serq_lsp.checks.visits import plain
from serq_lsp.diag.model import FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Attr, Call, Num, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.bounds import Facts
    from serq_lsp.checks.firstpass import Arrival
    from serq_lsp.checks.holds import Hold, Unit
    from serq_lsp.checks.resources import Pool
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

BELOW = Rule(
    "reserve-below-hold",
    Severity.WARNING,
    "a `reserve` asks for less than the hold takes, and the admission waits for the larger of the two",
)
OVER = Rule(
    "reserve-over-cap", Severity.WARNING, "a `reserve` asks for more than its pool can ever hold", refuses=False
)
OUTGROWS = Rule("hold-outgrows-cap", Severity.WARNING, "a hold takes more than its pool can ever hold")
UNUSED = Rule(
    "reserve-without-growing", Severity.WARNING, "a `reserve` demands room that the hold never goes on to use"
)
FORGETS = Rule(
    "reserve-forgets-progress",
    Severity.WARNING,
    "a `reserve` leaves out what a preempted request had computed, which the hold counts",
)
SLOTS = Rule(
    "reserve-on-slots",
    Severity.INFORMATION,
    "a `reserve` on a pool that counts requests asks for no more than the hold",
)
RULES = (BELOW, OVER, OUTGROWS, UNUSED, FORGETS, SLOTS)
SLACK = 1e-6


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with the reserves of a program's holds."""
    if model.edition is Edition.CURRENT:
        return
    facts = attribute_facts(model)
    known = pools(model)
    for arrival in first_pass(model):
        if arrival.step.form not in ("hold", "admission"):
            continue
        hold = hold_of(model, arrival.step)
        for unit in hold.units:
            pool = known.get(unit.pool.family.name) if unit.pool is not None else None
            if pool is not None:
                yield from _unit(_Case(model, arrival, hold, unit, pool, facts))


class _Case(NamedTuple):
    """One pool of one hold, with everything a rule may ask of it."""

    model: Model
    arrival: Arrival
    hold: Hold
    unit: Unit
    pool: Pool
    facts: Facts

    def finding(
        self, rule: Rule, node: Node, message: str, *, fixes: tuple[Fix, ...] = (), help_text: str | None = None
    ) -> Finding:
        """Return a finding at `node`, with the use that led here where there is one."""
        scope = self.arrival.step.scope
        notes = tuple(Note("used here", place.path, place.span) for place in scope.via[:1])
        return Finding(
            rule,
            scope.path,
            node.span,
            message,
            notes,
            help_text,
            fixes,
            cites("reserve" if rule is not OUTGROWS else "hold"),
        )

    def counts_requests(self) -> bool:
        """Say whether the pool has no blocks and this hold takes one unit of it."""
        return self.pool.block is None and constant(self.unit.units) == 1.0

    def grows(self) -> bool:
        """Say whether the body grows the pool or fills it."""
        assert self.unit.pool is not None
        base = self.unit.pool.ref.base
        return any(ref is not None and ref.base == base for ref in (grown(self.model, it) for it in self.hold.body()))

    def sizes(self, expr: Expr, shows_over: float) -> tuple[str, float, float] | None:
        """Return a witness that `expr`, rounded to blocks, exceeds a limit: its words, the value and what it takes."""
        if self.pool.rounded(most(self.arrival, expr)) <= shows_over:
            return None
        found = witness(
            self.arrival, (expr,), lambda it: math.isfinite(it[0]) and self.pool.rounded(it[0]) > shows_over + SLACK
        )
        if found is None:
            return None
        node = self.unit.reserve_value if expr is self.unit.reserve else self.unit.units_node
        assert node is not None
        words = named(self.arrival, found[0], (node, self.arrival.step.header))
        return words, found[1][0], self.pool.rounded(found[1][0])


def _unit(case: _Case) -> Iterator[Finding]:
    unit = case.unit
    if unit.reserve is not None and unit.reserve_node is not None:
        if case.counts_requests() and never_exceeds(unit.reserve, unit.units, case.facts):
            yield from _slots(case, unit.reserve_node)
        else:
            yield from _below(case, unit.reserve_node, unit.reserve)
        yield from _over(case, unit.reserve_node, unit.reserve)
        yield from _unused(case, unit.reserve_node, unit.reserve)
        yield from _forgets(case, unit.reserve_node, unit.reserve)
    yield from _outgrows(case)


def _below(case: _Case, clause: Node, reserve: Expr) -> Iterator[Finding]:
    unit, pool = case.unit, case.pool

    def shows(values: list[float]) -> bool:
        taken, tested = values
        ordinary = math.isfinite(taken) and taken >= 0 and tested >= 0
        return ordinary and pool.rounded(tested) < pool.rounded(taken) - SLACK

    if never_exceeds(unit.units, reserve, case.facts):
        return
    found = witness(case.arrival, (unit.units, reserve), shows)
    if found is None or unit.reserve_value is None:
        return
    values, (taken, tested) = found
    header = case.arrival.step.header
    words = named(case.arrival, values, (unit.units_node, header), (unit.reserve_value, header))
    waits = pool.rounded(taken)
    short = f"{amount(tested)} ({amount(pool.rounded(tested))})" if pool.rounded(tested) != tested else amount(tested)
    message = f"{words}takes {in_blocks(taken, waits, pool.block)} but reserves {short}: the admission waits for {amount(waits)}"
    always = never_exceeds(reserve, unit.units, case.facts)
    yield case.finding(
        BELOW,
        clause,
        message,
        fixes=tuple(_fixes(case, clause)),
        help_text="the reserve never exceeds the hold, so it has no effect" if always else None,
    )


def _fixes(case: _Case, clause: Node) -> Iterator[Fix]:
    path = case.arrival.step.scope.path
    value = case.unit.reserve_value
    start = len(source(case.model, path)[: clause.start].rstrip())
    yield Fix("Remove the reserve", (FileEdit(path, Span(start, clause.end), ""),))
    bound = bound_of(case.unit.units_node)
    if value is not None:
        written = text(case.model, path, bound)
        yield Fix(f"Reserve `{written}`", (FileEdit(path, value.span, written),))


def bound_of(units: Node) -> Node:
    """Return what units can grow to: of `min(a, b)` the side that reads no live state, else the units themselves."""
    node = plain(units)
    function = node.child("function") if node.kind == "call" else None
    if function is not None and function.text == "min":
        sides = [arg for part in node.of_kind("arguments") for arg in part.children if arg.named]
        still = [side for side in sides if not _reads_calls(side)]
        if len(still) == 1 or (still and len(sides) == 2):
            return plain(still[0])
    return node


def _reads_calls(node: Node) -> bool:
    todo = [node]
    while todo:
        here = todo.pop()
        if here.kind == "call":
            return True
        todo.extend(here.children)
    return False


def _over(case: _Case, clause: Node, reserve: Expr) -> Iterator[Finding]:
    cap = case.pool.cap
    if cap is None or not math.isfinite(cap) or constant(reserve) is not None:
        return
    found = case.sizes(reserve, cap)
    if found is None:
        return
    words, tested, rounded = found
    finding = case.finding(
        OVER,
        clause,
        f"{words}reserves {in_blocks(tested, rounded, case.pool.block)} of a pool with cap {amount(cap)}: {_fate(reserve)}",
    )
    always = never_exceeds(Num(cap), reserve, case.facts, gap=SLACK)
    yield replace(finding, override=Severity.ERROR, help="no session can ever enter") if always else finding


def _fate(expr: Expr) -> str:
    """Say what becomes of a session whose demand exceeds the cap (semantics.md 7.2)."""
    moving = any(isinstance(it, Call) and it.function not in _STILL for it in walk(expr))
    return "the session waits for ever" if moving else "the session is turned away, and only `rejected` counts it"


_STILL = ("Min", "Max", "Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln", "Pow")


def _outgrows(case: _Case) -> Iterator[Finding]:
    cap, unit = case.pool.cap, case.unit
    if cap is None or not math.isfinite(cap) or unit.reserve is not None or constant(unit.units) is not None:
        return
    found = case.sizes(unit.units, cap)
    if found is None:
        return
    words, taken, rounded = found
    yield case.finding(
        OUTGROWS,
        unit.pool_node,
        f"{words}takes {in_blocks(taken, rounded, case.pool.block)} of a pool with cap {amount(cap)}: {_fate(unit.units)}",
    )


def _unused(case: _Case, clause: Node, reserve: Expr) -> Iterator[Finding]:
    unit = case.unit
    if case.grows() or not never_exceeds(unit.units, reserve, case.facts, gap=SLACK):
        return
    name = text(case.model, case.hold.path, unit.pool_node)
    yield case.finding(
        UNUSED,
        clause,
        f"the reserve demands more room than the hold takes, but nothing in its body makes `{name}` grow",
        help_text=f"grow `{name}` in the body, or remove the reserve",
    )


def _forgets(case: _Case, clause: Node, reserve: Expr) -> Iterator[Finding]:
    progress = slot("computed")
    if not case.pool.preempts or progress in set(walk(reserve)):
        return
    if progress not in set(walk(case.unit.units)) or _follows_progress(case, reserve):
        return
    yield case.finding(
        FORGETS,
        clause,
        "the reserve does not count what a preempted request had computed, though the hold does",
        help_text="reserve the binding that reads `computed`",
    )


def _follows_progress(case: _Case, reserve: Expr) -> bool:
    """Say whether the reserve reads an attribute that the body sets, which may keep the progress."""
    from serq_lsp.sema.attributes import assigned

    read = {it.slot for it in walk(reserve) if isinstance(it, Attr)}
    names = case.model.tables.attributes
    return any(names.get(name) in read for step in case.hold.body() for name in assigned(step))


def _slots(case: _Case, clause: Node) -> Iterator[Finding]:
    yield case.finding(
        SLOTS, clause, "the pool counts requests, and the hold takes the one it needs: the reserve has no effect"
    )
