"""What expressions read at the places that have no session, and what a scheduler's tests may be (semantics.md 6 and 9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from serq_lsp.ir.expr import Attr, Binary, Call, Cond, Ctx, Expr, Num
from serq_lsp.ir.program import Batch, Program, Step
from serq_lsp.ir.stmt import Admit, Serve
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.run import Simulation
from serq_lsp.sim.trace import Iteration
from tests.sim.programs import engine_program, num

if TYPE_CHECKING:
    from serq_lsp.ir.stmt import BodyStmt

SERIAL = Attr(1)
NOT_A_NUMBER = Binary("Div", num(0), num(0))
INFINITY = Num(float("inf"))


def changed(
    cost: Expr | None = None,
    budget: Expr | None = None,
    chunk: Expr | None = None,
    body: tuple[BodyStmt, ...] | None = None,
) -> Program:
    """Return an engine of one session that prefills 5 tokens and decodes 3, with other options."""
    program = engine_program(arrival=Batch(1))
    stage = program.stages[0]
    kind = cast("Step", stage.kind)
    kind = replace(
        kind, cost=cost or kind.cost, budget=budget or kind.budget, chunk=chunk or kind.chunk, iteration=body
    )
    return replace(program, stages=(replace(stage, kind=kind),))


def starts(program: Program) -> list[tuple[float, float]]:
    """Return when the first iterations begin, and how many tokens each serves."""
    steps = (it for it in Simulation(program).steps() if isinstance(it, Iteration))
    return [(it.time, sum(item.tokens for item in it.items)) for it, _ in zip(steps, range(3), strict=False)]


def test_an_attribute_without_a_session_is_no_number() -> None:
    """A cost, budget or chunk reads no session: `max` takes the other side, every comparison is 0."""
    assert starts(changed(cost=Call("Max", (SERIAL, num(1.5))))) == [(0.0, 5.0), (1.5, 1.0), (3.0, 1.0)]
    assert starts(changed(budget=Call("Max", (SERIAL, num(2)))))[0] == (0.0, 2.0)
    assert starts(changed(chunk=Cond(Binary("Lt", SERIAL, num(9)), num(1), num(2))))[0] == (0.0, 2.0)


@pytest.mark.parametrize("name", ["Kvb", "Npre"])
@pytest.mark.parametrize("decodes", [False, True])
def test_an_empty_total_of_a_batch_is_zero_above(name: str, *, decodes: bool) -> None:
    """`kv_decode` of a batch without decodes, and `prefilled` of one without prefills, are 0 and not -0."""
    above = Binary("Eq", Binary("Div", num(1), Ctx(name)), INFINITY)
    none = {"Kvb": not decodes, "Npre": decodes}[name]
    found = starts(changed(cost=Cond(above, num(2), num(1))))
    before, after = found[1 if decodes else 0], found[2 if decodes else 1]
    assert after[0] - before[0] == (2.0 if none else 1.0)


@pytest.mark.parametrize("gate", [num(16), num(0.5), NOT_A_NUMBER])
def test_the_gate_of_an_admission_is_a_test(gate: Expr) -> None:
    """`admit while (…)` is 0 or 1, like every test of a scheduler; anything else ends the run."""
    with pytest.raises(RunError) as caught:
        starts(changed(body=(Serve(), Admit(gate=gate))))
    assert caught.value.kind == "bad-guard"
    assert "while" in caught.value.message
    assert starts(changed(body=(Serve(), Admit(gate=num(1)))))[0] == (0.0, 5.0)
