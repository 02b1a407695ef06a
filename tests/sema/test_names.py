"""Every occurrence of a name is a fact: its kind, its place, what it finds; libraries and bodies included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serq_lsp.sema.attributes import walk
from serq_lsp.sema.faults import UnknownName
from serq_lsp.sema.symbols import Kind
from tests.sema.programs import CLASSIC, CONFORMANCE, CURRENT, ENGINE, analysed, faults, of_file

if TYPE_CHECKING:
    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.symbols import Use

PROGRAM = """use "lib/a.sq";
let most = 4;
pool kv { cap most; }
stage desk : fifo;
def stay(p, w) { hold p (w) { run desk (area(w)); } }
workload { init { set prompt = 3; } }
session { stay(kv, prompt); observe done = now; hold kv (known) at admission (known = most) { set x = known; } }
gauge held = used(kv);
claim all : at end (count(done) > 0);
run { horizon 9; }
"""


def at(model: Model, word: str, nth: int = 0, path: str = "main.sq") -> Use:
    """Return the use at the nth occurrence of a word in a file."""
    trees = {model.path: model.tree, **{it.path: it.tree for it in model.libraries}}
    text, start = trees[path].source.text, -1
    for _ in range(nth + 1):
        start = text.index(word, start + 1)
    return next(it for it in model.uses if it.path == path and it.span.start == start)


@pytest.fixture(scope="module")
def model() -> Model:
    """The program above with its library."""
    return analysed(PROGRAM, lib__a="def area(w) = w * w;")


@pytest.mark.parametrize(
    ("word", "nth", "kind"),
    [
        ("most", 0, Kind.CONSTANT), ("most", 1, Kind.CONSTANT), ("most", 2, Kind.CONSTANT), ("kv", 0, Kind.POOL),
        ("kv", 1, Kind.POOL), ("desk", 1, Kind.STAGE), ("stay", 1, Kind.DEF), ("area", 0, Kind.DEF),
        ("prompt", 1, Kind.ATTRIBUTE), ("done", 1, Kind.OBSERVATION), ("now", 0, Kind.SUPPLIED), ("used", 0, Kind.FUNCTION),
        ("known", 0, Kind.BINDING), ("known", 2, Kind.BINDING), ("held", 0, Kind.GAUGE), ("all", 0, Kind.CLAIM),
    ],
)  # fmt: skip
def test_a_name_finds_what_it_means(model: Model, word: str, nth: int, kind: Kind) -> None:
    """Declarations and reads alike are uses with a target of the kind."""
    use = at(model, word, nth)
    assert use.target is not None
    assert (use.kind, use.target.kind, use.target.name) == (kind, kind, word)


def test_a_parameter_is_known_in_its_body_only(model: Model) -> None:
    """`w` of the program's definition and `w` of the library's are two symbols; the argument finds the pool."""
    own, other = at(model, "w)").target, at(model, "w)", 0, "lib/a.sq").target
    assert own is not None
    assert other is not None
    assert (own.kind, own.owner, other.owner) == (Kind.PARAMETER, "stay", "area")
    assert own is not other


def test_a_definition_of_a_library_is_found_there(model: Model) -> None:
    """The target of a use in the program stands in the library."""
    target = at(model, "area").target
    assert target is not None
    assert (target.path, target.span) == ("lib/a.sq", (4, 8))


def test_writes_are_marked(model: Model) -> None:
    """`set`, `observe` and declarations write the name, reads do not."""
    assert at(model, "prompt").writes
    assert not at(model, "prompt", 1).writes


def test_an_attribute_knows_all_places_that_set_it() -> None:
    """A name has one symbol, however often it is assigned."""
    model = analysed("session { set a = 1; branch (a) { set a = 2; } } run { horizon 9; }")
    symbol = next(it for it in model.symbols if it.name == "a")
    assert [span for _, span in symbol.places] == [(14, 15), (38, 39)]


@pytest.mark.parametrize(
    ("statement", "kind", "name"),
    [
        ("set a = promt;", Kind.ATTRIBUTE, "promt"),
        ("hold kw (1) { }", Kind.POOL, "kw"),
        ("run desc (1);", Kind.STAGE, "desc"),
        ("set a = flor(2);", Kind.FUNCTION, "flor"),
        ("set a = ~expo(2);", Kind.DISTRIBUTION, "expo"),
        ("set a = used(kw);", Kind.POOL, "kw"),
        ("rest(2);", Kind.DEF, "rest"),
        ("Q.prefil (2);", Kind.ENTRY, "Q.prefil"),
        ("R.prefill (2);", Kind.QUEUE, "R"),
        ("set a = Q.done;", Kind.MARK, "Q.done"),
    ],
)
def test_an_unknown_name_is_a_fact_with_candidates(statement: str, kind: Kind, name: str) -> None:
    """The candidates are the names of that kind in scope, for a suggestion."""
    model = analysed(
        "pool kv { } stage desk : fifo; queue Q : prefill { prefill (n) { run desk (n); } } "
        f"workload {{ init {{ set prompt = 1; }} }} session {{ {statement} }} run {{ horizon 9; }}"
    )
    (found,) = faults(model, UnknownName)
    assert isinstance(found, UnknownName)
    assert (found.kind, found.name) == (kind, name)
    if kind is Kind.POOL:
        assert found.candidates == ("kv",)


def test_a_repeated_option_hides_the_one_before() -> None:
    """What a later option replaces is not looked at (classic.md 2.2)."""
    model = analysed(
        "pool kv { cap nowhere; cap 4; } run { horizon never; horizon 3; } run { seed gone; } run { seed 2; }"
    )
    assert model.faults == ()


def test_an_entry_that_nothing_calls_is_only_partly_looked_at() -> None:
    """The reference reads its values, but links neither its stages nor its calls."""
    model = analysed("queue Q : prefill { prefill (n) { run nowhere (n); set a = lost; } } run { horizon 3; }")
    found = [(it.name, it.in_unused_def) for it in model.faults if isinstance(it, UnknownName)]
    assert found == [("nowhere", True), ("lost", False)]


def test_names_near_broken_text_are_not_reported() -> None:
    """What stands in a stretch that could not be parsed may be declared there."""
    model = analysed("pool kv cap 4; } session { hold kv (1) { } } run { horizon 3; }")
    assert faults(model, UnknownName) == []


@pytest.mark.parametrize("edition", [CLASSIC, ENGINE, CURRENT])
def test_an_edition_that_does_not_fit_still_gives_an_answer(edition: object) -> None:
    """A program read in another edition gives a smaller or a faulty model, never an exception."""
    for path in (CONFORMANCE / "classic/run/rbln.sq", CONFORMANCE / "engine/run/vllm.sq"):
        assert of_file(path, edition).symbols  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "edition"),
    [
        ("fn main() {{ stage s : fifo; workload {{ arrive batch(1); }} server {{ {} }} }}", ENGINE),
        (
            "stage s : fifo; workload {{ arrive batch(1); session {{ turn; request; }} }} server {{ {} }} run {{ horizon 9; }}",
            CLASSIC,
        ),
    ],
)
def test_a_server_is_not_put_into_itself(text: str, edition: Edition) -> None:
    """A `turn;` or `request;` that stands in the server is a fault, and no second server."""
    word = "turn" if edition is ENGINE else "request"
    steps = analysed(text.format(f"loop {{ {word}; }} {word}; join;"), edition).flow.session
    assert [step.form for step in walk(steps)].count("join") == 1
