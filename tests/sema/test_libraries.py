"""Libraries: where they are looked for, that each is read once, and what cannot be read."""

from __future__ import annotations

import pytest

from serq_lsp.sema.faults import LibraryFault, LibraryItem, LibraryProblem
from serq_lsp.sema.libraries import MAX_BYTES, ReadFault
from serq_lsp.sema.model import analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from tests.sema.programs import CLASSIC, ENGINE, analysed

PROGRAM = 'use "lib/deep/a.sq"; stage s : delay; session {{ run s ({0}); }} run {{ horizon 3; }}'


def test_a_library_is_relative_to_the_file_that_names_it() -> None:
    """A library in a folder of a folder names its neighbour without the folder, and the one above with `..`."""
    model = analysed(
        PROGRAM.format("a(1) + b(2) + c(3)"),
        lib__deep__a='use "b.sq"; use "../c.sq"; def a(x) = b(x) + c(x);',
        lib__deep__b="def b(x) = x;",
        lib__c="def c(x) = x;",
    )
    assert model.faults == ()
    assert [it.path for it in model.libraries] == ["lib/deep/a.sq", "lib/deep/b.sq", "lib/c.sq"]


def test_each_file_is_read_once() -> None:
    """A second `use`, a circle of libraries and one back to the program bring nothing twice."""
    model = analysed(
        'use "x.sq"; use "x.sq"; use "y.sq"; stage s : delay; session { run s (x(1)); } run { horizon 3; }',
        x='use "y.sq"; use "main.sq"; def x(n) = n;',
        y='use "x.sq"; def y(n) = n;',
    )
    assert model.faults == ()
    assert [it.path for it in model.libraries] == ["x.sq", "y.sq"]
    assert set(model.targets.values()) == {"x.sq", "y.sq", "main.sq"}


@pytest.mark.parametrize("problem", LibraryProblem)
def test_a_library_that_cannot_be_read_is_a_fact(problem: LibraryProblem) -> None:
    """The fact stands at the `use` and says why; the rest of the program is analysed."""
    text = 'use "gone.sq"; stage s : delay; session { run s (1); } run { horizon 3; }'
    model = analyze(parse(Source("main.sq", text)), CLASSIC, lambda _path: ReadFault(problem, "why"))
    assert model.faults == (LibraryFault("main.sq", model.faults[0].span, "gone.sq", problem, "why"),)
    assert text[model.faults[0].span.start :].startswith('use "gone.sq"')


def test_names_a_missing_library_may_define_are_not_reported() -> None:
    """What is called may stand in the file that could not be read."""
    text = 'use "gone.sq"; stage s : delay; session { run s (far(1)); go(2); } run { horizon 3; }'
    model = analyze(parse(Source("main.sq", text)), CLASSIC, lambda _path: ReadFault(LibraryProblem.MISSING))
    assert [type(it) for it in model.faults] == [LibraryFault]
    assert model.unread_libraries


def test_a_library_above_the_limit_is_not_read() -> None:
    """A file above 1 MiB is no library."""
    model = analysed('use "big.sq"; run { horizon 3; }', big="/" * (MAX_BYTES + 1))
    assert [it.problem for it in model.faults if isinstance(it, LibraryFault)] == [LibraryProblem.TOO_LARGE]


def test_a_library_holds_definitions_only() -> None:
    """Any other item is a fact in the library, at the item."""
    model = analysed('use "x.sq"; run { horizon 3; }', x="def f(a) = a;\nlet two = 2;")
    assert [(it.path, it.item, it.span.start) for it in model.faults if isinstance(it, LibraryItem)] == [
        ("x.sq", "let", 14)
    ]


def test_a_file_of_definitions_is_a_library() -> None:
    """It lacks no horizon, and what its names mean is known where it is used."""
    model = analysed("def f(a) { a + from_the_program }\ndef g(s) { run s (f(1)); run elsewhere (2); }")
    assert model.is_library
    assert model.faults == ()


def test_the_standard_library_reads_no_file() -> None:
    """`use "std/args";` asks for nothing, also inside main."""
    model = analysed('fn main() { use "std/args"; let a = args.number("a", 2); }', ENGINE)
    assert (model.faults, model.libraries) == ((), ())
    assert model.constants == {"a": 2.0}
