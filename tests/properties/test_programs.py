"""Programs made from the language's description check clean, lower, run, and run the same way twice.

`programs` makes the text of one program of an edition: pools, a stage, an engine, definitions, and statements nested in
one another. Amounts are kept small and above 0, so that a run neither fails nor goes on for ever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq_lsp.checks.all import check
from serq_lsp.diag.model import Severity
from serq_lsp.ir.codec import from_json, to_json
from serq_lsp.lang.editions import Edition
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import analyze
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.report import report_json
from serq_lsp.sim.run import Options, run
from serq_lsp.sim.trace import Iteration, iter_line
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from serq_lsp.ir.program import Program
    from serq_lsp.sema.model import Model

CLASSIC, ENGINE = Edition.CLASSIC, Edition.ENGINE
EDITIONS = pytest.mark.parametrize("edition", [CLASSIC, ENGINE], ids=lambda it: it.value)
EXAMPLES = 20
NUMBERS = st.sampled_from(["0", "1", "2", "3", "7", ".5", "2.", "1e1", "1_0", "0.25"])
SIZES, VALUES = ("prompt", "reply"), ("best", "seen")
SESSION = (*SIZES, *VALUES, "serial", "now", "queue(desk)", "used(kv)", "free(slots)", "limit", "half(prompt)")


@dataclass(frozen=True)
class Side:
    """Where statements stand: what they may read and set, whether they draw, and which pools are held already."""

    edition: Edition
    reads: tuple[str, ...] = SESSION
    held: tuple[str, ...] = ()
    leg: bool = False


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return expressions made of `inner` ones: every operator and every plain function."""
    signs = st.sampled_from(["+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"])
    return st.one_of(
        st.builds("({} {} {})".format, inner, signs, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "pow"]), inner, inner),
        st.builds("{}({})".format, st.sampled_from(["abs", "floor", "ceil", "sqrt", "ln"]), inner),
        st.builds("({}{})".format, st.sampled_from("-!"), inner),
        st.builds("({} k in 2 ({} + k))".format, st.sampled_from(["sum", "max", "min"]), inner),
    )


def expressions(reads: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Return expressions over these values."""
    return st.recursive(st.sampled_from(reads) | NUMBERS, grown, max_leaves=5)


def amounts(reads: tuple[str, ...], least: int = 0) -> st.SearchStrategy[str]:
    """Return expressions whose value is a whole number from `least` to 7, whatever is in them."""
    return st.one_of(
        st.integers(max(least, 1), 7).map(str),
        expressions(reads).map(lambda it: f"max({least}, min(ceil({it}), 7))"),
    )


def guards(reads: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Return expressions that are 0 or 1."""
    return st.builds("({}) {} ({})".format, expressions(reads), st.sampled_from(["<", ">=", "=="]), expressions(reads))


def spent(side: Side, resource: str, amount: str) -> str:
    """Return an amount of a resource as the edition writes it."""
    return f"cost({resource}, {amount})" if side.edition is ENGINE else amount


@st.composite
def statements(draw: st.DrawFn, side: Side, depth: int) -> str:
    """Make a few statements of a server or of a classic session."""
    return " ".join(draw(st.lists(statement(side, depth), min_size=1, max_size=3)))


@st.composite
def statement(draw: st.DrawFn, side: Side, depth: int) -> str:
    """Make one statement."""
    reads = side.reads
    simple = ["set", "observe", "run", "choose", "use"]
    nested = ["branch", "with", *(() if side.leg else ("fork",)), *(() if side.held else ("hold", "hold"))]
    match draw(st.sampled_from([*simple, *(nested if depth else ())])):
        case "set":
            return f"set {draw(st.sampled_from(VALUES))} = {draw(expressions(reads))};"
        case "observe":
            return f"observe noted = {draw(expressions(reads))};"
        case "run":
            return f"run desk ({spent(side, 'desk', draw(amounts(reads)))});"
        case "choose":
            return f"choose best in 3 by ({draw(expressions(reads))}, best);"
        case "use":
            return f"rest(desk, {draw(st.sampled_from(['1', 'limit', '2 + 1']))});"
        case "branch":
            other = f" else {{ {draw(statements(side, depth - 1))} }}" if draw(st.booleans()) else ""
            return f"branch ({draw(guards(reads))}) {{ {draw(statements(side, depth - 1))} }}{other}"
        case "with":
            return f"branch with (0.5) {{ {draw(statements(side, depth - 1))} }}"
        case "fork":
            return f"fork {{ {draw(statements(replace(side, leg=True), depth - 1))} }} join;"
        case _:
            return draw(hold(side, depth))


@st.composite
def hold(draw: st.DrawFn, side: Side, depth: int) -> str:
    """Make a hold of the shared pool, with some of its clauses."""
    fixed = ("prompt", "reply", "serial", "limit")
    reserve = f" reserve ({spent(side, 'shelf', draw(amounts(fixed)))})" if draw(st.booleans()) else ""
    bound = " at admission (wanted = min(prompt, computed + 3))" if draw(st.booleans()) else ""
    units = "max(1, min(wanted, 7))" if bound else draw(amounts(fixed))
    cached = draw(st.booleans())
    reads = (*side.reads, "computed", *(("cached",) if cached else ()))
    body = draw(statements(replace(side, reads=reads, held=("shelf",), leg=True), depth - 1))
    grow = f" grow shelf ({spent(side, 'shelf', '1')});" if draw(st.booleans()) else ""
    cache = f" cache ({spent(side, 'shelf', draw(amounts(fixed)))})" if cached else ""
    return f"hold shelf ({spent(side, 'shelf', units)}){reserve}{bound} {{ {body}{grow} }}{cache};"


@st.composite
def pool_options(draw: st.DrawFn, *, capacity: str = "") -> str:
    """Make the options of a pool, in any order; those of a pool on an owner have no capacity."""
    keys = expressions(("serial", "prompt", "used(kv)"))
    options = (
        st.sampled_from(["block 2;", "block 1;"]),
        st.builds("evict by ({}, age);".format, keys) | st.just("evict lru;"),
        st.builds("queue by ({}, -waited);".format, keys) | st.just("queue fifo;"),
        st.just("reserve held;"),
    )
    kept = [draw(option) for option in options if draw(st.booleans())]
    if capacity:
        kept.append(f"cap {capacity};")
    return " ".join(draw(st.permutations(kept)))


PREEMPT = st.sampled_from(["", "preempt none;", "preempt lifo;", "preempt by (-position, admission) requeue tail;"])
ARRIVE = st.sampled_from(["batch(3)", "closed(2)", "poisson(0.4)", "renewal(1 + ~exp(1))"])
COMMON = "stage desk : fifo(2); pool shelf {{ {shelf} }}"
INIT = "init {{ set prompt = 2 + serial; set reply = {reply}; }} turn {{ set reply = 1; }}"
RUN = "run {s} prefill ({prompt}) growing kv; run {s} decode ({reply}) growing kv;"


@st.composite
def classic_programs(draw: st.DrawFn) -> str:
    """Make the text of a program of the classic edition."""
    side = Side(CLASSIC)
    order = draw(
        st.sampled_from(["", "serve decode first;", "serve by (remaining, prompt);", "serve exclusive prefill;"])
    )
    body = draw(
        st.sampled_from(
            ["", "iteration { serve; admit while (!preempted && admitted < 2); }", "serve only (remaining > 0);"]
        )
    )
    plan = draw(expressions(("residents", "decoders", "kv_decode", "kv_prefill", "limit")))
    cost = draw(expressions(("residents", "tokens", "prefilled", "attention")))
    asked = RUN.format(s="gpu", prompt=draw(amounts(SIZES, 1)), reply=draw(amounts(SIZES, 1)))
    items = [
        "def half(x) = x / 2;",
        "def rest(s, t) { run s (t); observe rested = now; }",
        "let limit = 3;",
        COMMON.format(shelf=draw(pool_options(capacity="20"))),
        f"stage gpu : step {{ budget max(2, min({plan}, 9)); cost 0.5 + min(2, abs({cost}) / 3); memory kv; {body or order} }}",
        f"pool kv {{ {draw(pool_options(capacity='24'))} {draw(PREEMPT)} }} pool slots {{ cap 2; admit via gpu; }}",
        f"workload {{ arrive {draw(ARRIVE)}; {INIT.format(reply=draw(amounts(('serial',))))} }}",
        f"session {{ set best = 0; set seen = 0; turn; {draw(statements(side, 3))}",
        f"hold slots (1), kv ({draw(amounts(SIZES))}) {{ {asked} }} cache (prompt); run desk (1); end; }}",
        f"gauge backlog = {draw(expressions(('queue(desk)', 'used(kv)')))};",
        "run { horizon 12; }",
    ]
    return "\n".join(items)


@st.composite
def engine_programs(draw: st.DrawFn) -> str:
    """Make the text of a program of the engine edition."""
    side = Side(ENGINE)
    plan = draw(expressions(("running.count", "running.decoding", "waiting.count", "limit")))
    cost = draw(expressions(("running.count", "batch.tokens", "batch.kv_decode", "pulse(batch.tokens)")))
    order = draw(st.sampled_from(["", " decode first", " by (remaining, serial)", " admission"]))
    gate = draw(st.sampled_from(["", " while (running.preempted == 0)", " while (waiting.admitted < 2)"]))
    cap = draw(st.sampled_from(["", " each at most (3)", " each at most (running.count > 1 ? 2 : inf)"]))
    own = ("a", "b")
    taken = f"slots (1), kv ({draw(amounts(own))}) reserve ({draw(amounts(own))})"
    items = [
        "def half(x) { x / 2 }",
        "def rest(s, t) { run s (cost(s, t)); observe rested = now; }",
        "fn main() {",
        "let limit = 3;",
        COMMON.format(shelf=draw(pool_options(capacity="20"))),
        "device card { pulse (n) = 0.1 * n; kv cap 24; }",
        f"engine gpu on card {{ slots cap 2; tokens cap max(2, min({plan}, 9));",
        f"request (a, b) {{ prefill ({draw(amounts(own, 1))}) growing kv; decode ({draw(amounts(own, 1))}) growing kv;",
        f"cache ({draw(amounts(own))}); }}",
        f"schedule {{ advance running{order}{cap}; admit waiting{gate}{cap} taking {taken}; }}",
        f"execute (0.5 + min(2, abs({cost}) / 3)); }}",
        f"pool kv on card {{ {draw(pool_options())} {draw(PREEMPT)} }} pool slots on gpu {{ }}",
        f"workload {{ arrive {draw(ARRIVE)}; {INIT.format(reply=draw(amounts(('serial',))))}",
        "session { turn; tool 1; turn; } }",
        f"server {{ set best = 0; set seen = 0; {draw(statements(side, 3))} gpu (prompt, {draw(amounts(SIZES))}); }}",
        f"gauge backlog = {draw(expressions(('queue(desk)', 'used(kv)')))};",
        "}",
    ]
    return "\n".join(items)


PROGRAMS = {CLASSIC: classic_programs(), ENGINE: engine_programs()}


def missing(_path: str) -> ReadFault:
    """There are no libraries."""
    return ReadFault(LibraryProblem.MISSING, "no such file")


def model_of(text: str, edition: Edition) -> Model:
    """Analyse a program that stands alone."""
    return analyze(parse(Source("made.sq", text)), edition, missing)


def lowered(text: str, edition: Edition) -> Program:
    """Return the kernel's program, which there must be."""
    found = lower(model_of(text, edition), RunSettings(horizon=12.0))
    assert found.program is not None, found.unsupported
    return found.program


def followed(program: Program) -> tuple[list[str], str]:
    """Run a program; return its trace and its report."""
    lines: list[str] = []

    def note(it: object) -> None:
        if isinstance(it, Iteration):
            lines.append(iter_line(it, pools=True))

    return lines, report_json(run(program, Options(Limits(events=50_000)), note), "made")


@EDITIONS
def test_a_sound_program_checks_lowers_and_runs(edition: Edition) -> None:
    """It has no error, its IR is read back as written, and two runs give the same trace and report."""

    @given(PROGRAMS[edition])
    @settings(max_examples=EXAMPLES)
    def holds(text: str) -> None:
        wrong = [it for it in check(model_of(text, edition)) if it.severity is Severity.ERROR]
        assert wrong == []
        program = lowered(text, edition)
        assert from_json(to_json(program)) == program
        assert followed(program) == followed(program)

    holds()


@EDITIONS
def test_a_definition_is_what_it_stands_for(edition: Edition) -> None:
    """An expression written in place and the same as a definition give one program, parameters included."""
    left, right = ("{ ", " }") if edition is ENGINE else ("= ", ";")
    texts = PROGRAMS[edition]

    @given(texts, expressions(("prompt", "serial", "limit")))
    @settings(max_examples=EXAMPLES // 2)
    def holds(text: str, expr: str) -> None:
        named = re.sub(r"\bprompt\b", "x", expr)
        written = text.replace("set seen = 0;", f"set seen = ({expr});")
        through = text.replace("set seen = 0;", "set seen = made(prompt);")
        through = f"def made(x) {left}{named}{right}\n{through}"
        assert to_json(lowered(written, edition)) == to_json(lowered(through, edition))

    holds()


@EDITIONS
def test_white_space_and_comments_mean_nothing(edition: Edition) -> None:
    """Whatever stands between the words of a program, it is the same program."""
    fillers = st.sampled_from(["\n", "\r\n", "\t", " /* ; } */ ", " // }\n", "\u3000"])

    @given(PROGRAMS[edition], st.lists(fillers, min_size=1, max_size=8))
    @settings(max_examples=EXAMPLES // 2)
    def holds(text: str, between: list[str]) -> None:
        words = re.findall(r"[\w.]+|[<>=!]=|&&|\|\||[^\w\s]", text)
        other = "".join(word + between[at % len(between)] for at, word in enumerate(words))
        assert to_json(lowered(other, edition)) == to_json(lowered(text, edition))

    holds()


@EDITIONS
def test_a_damaged_program_is_still_analysed(edition: Edition) -> None:
    """Words left out or put elsewhere give findings inside the text and a program or none, never an exception."""

    @given(PROGRAMS[edition], st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=4))
    @settings(max_examples=EXAMPLES // 2)
    def holds(text: str, moves: list[tuple[int, int]]) -> None:
        words = re.findall(r"\s+|[\w.]+|[^\w\s]", text)
        for taken, put in moves:
            word = words.pop(taken % len(words))
            if put % 2:
                words.insert(put % (len(words) + 1), word)
        damaged = "".join(words)
        model = model_of(damaged, edition)
        assert all(0 <= it.span.start <= it.span.end <= len(damaged) for it in check(model))
        lower(model, RunSettings(horizon=12.0))

    holds()
