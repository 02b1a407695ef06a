"""`c ? a : b` over constants is decided when a program is lowered, the other arm whatever it is (engine.md 11.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Attr, Binary, Cond, Ctx, Expr, Num, Sample
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from tests.sema.programs import ENGINE, analysed

if TYPE_CHECKING:
    from serq_lsp.ir.program import Step

PROGRAM = """fn main() {{
  device card {{ }}
  engine scribe on card {{
    desks cap 3;
    tokens cap 16;
    request (brief) {{ prefill (brief); }}
    schedule {{ advance running each at most ({cap}); admit waiting each at most ({cap}) taking desks (1); }}
    execute (1);
  }}
  pool desks on scribe {{ }}
  workload {{ arrive batch(2); }}
  server {{ scribe (3); }}
}}"""
BUSY = Binary("Gt", Ctx("Nres"), Num(1.0))


@pytest.mark.parametrize(
    ("cap", "expected"),
    [
        ("(1 ? 3 : running.decoding) > 2 ? 2 : 5", Num(2.0)),
        ("running.count > 1 ? 2 : max(3, 1 ? 4 : running.kv_decode)", Cond(BUSY, Num(2.0), Num(4.0))),
        ("0 ? 3 : running.count > 1 ? 2 : 9", Cond(BUSY, Num(2.0), Num(9.0))),
    ],
)
def test_a_cap_decides_its_constant_choices(cap: str, expected: Expr) -> None:
    """An outcome or a condition that is constant by the arm it takes becomes a number."""
    program = lower(analysed(PROGRAM.format(cap=cap), ENGINE), RunSettings()).program
    assert program is not None
    assert cast("Step", program.stages[0].kind).chunk == expected


@pytest.mark.parametrize("other", [Attr(9), Ctx("Now"), Sample("Exp", (Num(1.0),))])
def test_a_constant_needs_the_arm_it_takes_only(other: Expr) -> None:
    """What `&&` and `||` pass over counts all the same."""
    assert constant(Cond(Num(1.0), Num(3.0), other)) == 3.0
    assert constant(Cond(Cond(Num(0.0), other, Num(1.0)), Num(3.0), other)) == 3.0
    assert constant(Cond(Num(0.0), Num(3.0), other)) is None
    assert constant(Cond(other, Num(3.0), Num(3.0))) is None
    assert constant(Binary("And", Num(0.0), other)) is None
    assert constant(Binary("Or", Num(1.0), other)) is None
