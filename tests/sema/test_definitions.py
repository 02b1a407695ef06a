"""Definitions: both spellings, parameters as references, what bodies see, circles."""

from __future__ import annotations

from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import Attr, Binary, Num
from serq_lsp.ir.stmt import Hold, Run, Set
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from serq_lsp.sema.faults import DefinitionCycle, UnknownName, WrongArity, WrongBody
from tests.sema.programs import ENGINE, analysed, faults, quoted

SESSION = "stage desk : fifo; pool kv {{ cap 9; block 4; }} session {{ {0} }} run {{ horizon 9; }}"


def statements(text: str) -> tuple[object, ...]:
    """Return the statements of a classic session."""
    lowered = lower(analysed(text), RunSettings())
    assert lowered.program is not None, lowered.unsupported
    return lowered.program.blocks[2]


def test_both_spellings_of_an_expression_are_one() -> None:
    """`def f(x) = e;` and `def f(x) { e }` give the same program in the classic edition (classic.md 8)."""
    use = SESSION.format("set a = twice(3) ^ 2;")
    assert statements("def twice(x) = x + x;" + use) == statements("def twice(x) { x + x }" + use)


def test_a_use_is_not_pasted_as_text() -> None:
    """The body and each argument stay one operand: precedence is never broken."""
    found = statements("def twice(x) { x + x }" + SESSION.format("set a = twice(1 - 2) * 3;"))
    inner = Binary("Sub", Num(1.0), Num(2.0))
    assert found == (Set(9, Binary("Mul", Binary("Add", inner, inner), Num(3.0))),)


def test_a_parameter_may_stand_for_a_pool_and_a_stage() -> None:
    """A bare name goes in as it is, also through two definitions."""
    text = "def rest(s, w) { run s (w); } def stay(p, s) { hold p (blocksize(p)) { rest(s, 2); } }" + SESSION.format(
        "stay(kv, desk);"
    )
    hold = statements(text)[0]
    assert isinstance(hold, Hold)
    assert hold.pools[0].units == Num(4.0)


def test_a_member_of_a_family_goes_in_with_its_index() -> None:
    """`name[…]` is pasted as it is, its index read at the use."""
    text = "def rest(s) { run s (1); } stage rep[3] : fifo; session { rest(rep[1 + 1]); } run { horizon 9; }"
    run = statements(text)[0]
    assert isinstance(run, Run)
    assert (run.stage.base, run.stage.count, run.stage.index) == (0, 3, Num(2.0))


def test_a_body_sees_the_bindings_of_its_use() -> None:
    """A name of the body that is no parameter means what it means where the definition is used."""
    text = "def double() = known * 2;" + SESSION.format("hold kv (double()) at admission (known = 3) { }")
    hold = statements(text)[0]
    assert isinstance(hold, Hold)
    assert constant(hold.pools[0].units) == 6.0


def test_a_body_does_not_see_the_parameters_of_another() -> None:
    """Parameters are replaced before the definitions in the body are: `x` of `outer` is unknown in `inner`."""
    model = analysed("def inner() = x; def outer(x) = inner() + x;" + SESSION.format("set a = outer(3);"))
    assert [(it.name, quoted(model, it.span)) for it in faults(model, UnknownName) if isinstance(it, UnknownName)] == [
        ("x", "x")
    ]


def test_a_parameter_hides_an_attribute() -> None:
    """A parameter comes before every other meaning of its name."""
    found = statements("def last(size) = size + 1;" + SESSION.format("set size_now = 2; set a = last(size_now);"))
    assert found[1] == Set(10, Binary("Add", Attr(9), Num(1.0)))


def test_wrong_uses_are_facts() -> None:
    """Arity, statements where an expression is wanted and the other way round, each at the name of the use."""
    text = "def twice(x) = x + x; def rest() { run desk (1); }" + SESSION.format(
        "set a = twice(1, 2) + rest(); twice(3);"
    )
    model = analysed(text)
    assert [(it.given, it.takes) for it in faults(model, WrongArity) if isinstance(it, WrongArity)] == [(2, (1,))]
    bodies = [it for it in faults(model, WrongBody) if isinstance(it, WrongBody)]
    assert [(quoted(model, it.span), it.wants_statements) for it in bodies] == [("rest", False), ("twice", True)]


def test_a_circle_is_spelled_out() -> None:
    """Definitions use earlier ones only; a circle is told with all its names."""
    model = analysed("def a(x) = b(x); def b(x) = c(x); def c(x) = a(x);" + SESSION.format("set n = 1;"))
    cycles = [it.cycle for it in model.faults if isinstance(it, DefinitionCycle)]
    assert ("a", "b", "c", "a") in cycles


def test_a_later_definition_is_not_visible_above() -> None:
    """A use above its definition finds nothing yet; the fact says that the name is declared below."""
    model = analysed(SESSION.format("set a = late(1);") + "def late(x) = x;")
    found = [it for it in model.faults if isinstance(it, UnknownName)]
    assert [(it.name, it.declared_below) for it in found] == [("late", True)]


def test_the_body_of_an_unused_definition_is_only_warned_of() -> None:
    """The reference does not look there, so facts from there are marked."""
    model = analysed("def unused(x) = nowhere + x;" + SESSION.format("end;"))
    assert [it.in_unused_def for it in model.faults if isinstance(it, UnknownName)] == [True]


def test_an_argument_that_the_body_drops_is_not_looked_at() -> None:
    """The text of such an argument is never pasted, so a wrong name in it is no fault."""
    model = analysed("def first(a, b) = a;" + SESSION.format("set n = first(1, nowhere);"))
    assert model.faults == ()


def test_time_resources_may_stand_in_any_order() -> None:
    """They are definitions of `execute` only and may use one another (engine.md 5)."""
    text = (
        "fn main() { device d { whole (n) = 2 * part(n); part (n) = n + 1; } engine e on d { tokens cap 4; "
        "schedule { advance running; admit waiting; } execute (whole(batch.tokens)); } "
        "workload { arrive batch(1); } server { run e prefill (cost(e, 3)); } }"
    )
    model = analysed(text, ENGINE)
    assert model.faults == ()
    assert lower(model, RunSettings()).program is not None
