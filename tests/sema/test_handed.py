"""A parameter stands for the tokens of its argument: for a name of any kind (classic.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.sema.faults import DefinitionCycle, UnknownName
from serq_lsp.sema.scopes import Pasted, Scope
from serq_lsp.sema.symbols import Kind
from tests.sema.programs import CLASSIC, ENGINE, analysed

if TYPE_CHECKING:
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model

STAGES = "stage press : fifo; workload { arrive batch(1); } run { horizon 9; } "


def faults(model: Model) -> list[Fault]:
    """Return all faults but those in unused bodies."""
    return [it for it in model.faults if not getattr(it, "in_unused_def", False)]


def test_a_name_is_followed_through_the_frames_to_where_it_was_written() -> None:
    """Through any number of definitions; an argument that is no bare name leaves the parameter."""
    tree = analysed("let a = max + (max);").tree
    value = tree.root.of_kind("let")[0].child("value")
    assert value is not None
    name, other = value.child("left"), value.child("right")
    assert name is not None
    assert other is not None
    top = Scope("main.sq")
    inner = Scope("main.sq", None, top, parameters={"f": Pasted(name, top), "x": Pasted(other, top)})
    hop = Scope("main.sq", None, inner, parameters={"max": Pasted(name, top)})
    assert inner.name("f") == ("max", top)
    assert inner.name("x") == ("x", inner)
    assert hop.name("max") == ("max", top)
    assert top.name("f") == ("f", top)


@pytest.mark.parametrize(
    ("body", "argument", "kind"),
    [
        ("f(2, 3)", "max", Kind.FUNCTION),
        ("f(2)", "twice", Kind.DEF),
        ("~f(2)", "exp", Kind.DISTRIBUTION),
        ("count(f)", "printed", Kind.OBSERVATION),
        ("mill.f", "ground", Kind.MARK),
        ("f.ground", "mill", Kind.QUEUE),
        ("f(press)", "queue", Kind.FUNCTION),
    ],
)
def test_an_argument_is_a_use_of_what_it_names(body: str, argument: str, kind: Kind) -> None:
    """The editor finds the function, law, observation, mark or queue that is handed over; nothing is wrong."""
    model = analysed(
        f"def twice(x) = 2 * x; def use_it(f) = {body};"
        + STAGES
        + "queue mill : prefill { serve fifo; prefill (n) { mark ground; run mill (n); } }"
        + f"session {{ mill.prefill(1); observe printed = 1; set got = use_it({argument}); run press (1); end; }}"
    )
    assert faults(model) == []
    start = model.tree.source.text.rindex(f"({argument})") + 1
    assert next(it.kind for it in model.uses if it.span.start == start) is kind


@pytest.mark.parametrize(("body", "argument"), [("f(2, 3)", "nobody"), ("~f(2)", "nobody"), ("mill.f", "nobody")])
def test_an_argument_that_names_nothing_is_a_fault(body: str, argument: str) -> None:
    """At the argument, or in the body where only that can tell."""
    model = analysed(f"def use_it(f) = {body};" + STAGES + f"session {{ run press (use_it({argument})); end; }}")
    found = [it for it in faults(model) if isinstance(it, UnknownName)]
    assert [it.name.rpartition(".")[2] for it in found] == [argument]


def test_a_definition_that_is_handed_to_itself_ends() -> None:
    """It is a fault, in an expression and in a statement."""
    model = analysed("def apply(f, x) = f(f, x) + f(f, x);" + STAGES + "session { run press (apply(apply, 1)); end; }")
    assert any(isinstance(it, DefinitionCycle) for it in faults(model))
    model = analysed("def apply(f) { f(f); f(f); }" + STAGES + "session { apply(apply); end; }")
    assert model.flow.session is not None


def test_a_later_definition_may_be_handed_to_an_earlier_one() -> None:
    """The order counts where the name is written."""
    model = analysed("def use_it(f) = f(1); def one(x) = x;" + STAGES + "session { run press (use_it(one)); end; }")
    assert faults(model) == []


def test_what_a_handed_function_takes_shows_where_the_body_is_unfolded() -> None:
    """Its arguments may be pools of a queue, members and all."""
    model = analysed(
        "def of(k, f) = f(mill[k].kv);"
        + STAGES
        + "queue mill[2] : prefill { pool kv { cap 9; } serve fifo; prefill (n) { run (n); } }"
        + "session { run press (of(1, used)); end; }"
    )
    assert faults(model) == []


def test_a_dropped_argument_uses_nothing() -> None:
    """A definition that only an argument names which its body drops is not used."""
    model = analysed("def lost() = press; def none(x) { } " + STAGES + "session { none(lost()); end; }")
    assert faults(model) == []
    assert "lost" not in model.used


def test_what_no_engine_calls_is_not_looked_at() -> None:
    """A device's time resource is read where `execute` uses it, directly, by a definition or by a parameter."""
    text = """def by_name(f, n) {{ f(n) }} def direct(n) {{ pulse(n) }}
    fn main() {{ device card {{ pulse (n) = omega; }}
      engine scribe on card {{ tokens cap 9; request (a) {{ prefill (a); }}
        schedule {{ advance running; admit waiting while (running.preempted == 0); }} execute ({cost}); }}
      workload {{ arrive batch(1); }} server {{ scribe (3); }} }}"""
    for cost, wrong in (("1", False), ("pulse(2)", True), ("direct(2)", True), ("by_name(pulse, 2)", True)):
        found = [it for it in analysed(text.format(cost=cost), ENGINE).faults if isinstance(it, UnknownName)]
        assert [it.name for it in found] == ["omega"]
        assert found[0].in_unused_def is not wrong


@pytest.mark.parametrize("option", ["cap 1 ? 9 : lost", "block 1 ? 3 : ~none(2)", "cap max(2, 0 ? used(lost) : 3)"])
def test_a_constant_looks_at_the_arm_that_it_takes(option: str) -> None:
    """The other may name anything; the one that is taken may not."""
    assert faults(analysed(f"pool kv {{ {option}; }}" + STAGES, CLASSIC)) == []
    turned = option.replace("1 ?", "0 ?") if "1 ?" in option else option.replace("0 ?", "1 ?")
    assert faults(analysed(f"pool kv {{ {turned}; }}" + STAGES, CLASSIC)) != []
