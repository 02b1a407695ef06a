"""What is wrong with a program's names and structure, as facts without words: `checks` words them.

Every fact has the place (`path`, `span`) where it shows. `in_unused_def` is true inside the body of a definition that
nothing uses, or of an entry that nothing calls: the reference does not look there, so such a fact is a warning at most.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_lsp.sema.symbols import Kind
    from serq_lsp.text.spans import Span


class UnknownName(NamedTuple):
    """No `kind` of this name is in scope; `candidates` are the names that are.

    `declared_below` is true for a definition that stands further down: it may be used only below itself.
    """

    path: str
    span: Span
    kind: Kind
    name: str
    candidates: tuple[str, ...]
    in_unused_def: bool = False
    declared_below: bool = False


class WrongArity(NamedTuple):
    """A function, distribution, definition or entry gets `given` arguments and takes one of `takes`."""

    path: str
    span: Span
    kind: Kind
    name: str
    given: int
    takes: tuple[int, ...]
    in_unused_def: bool = False


class WrongBody(NamedTuple):
    """A definition of an expression used as a statement (`wanted` statements), or the other way round."""

    path: str
    span: Span
    name: str
    wants_statements: bool
    in_unused_def: bool = False


class Duplicate(NamedTuple):
    """`name` is declared again; the first declaration is at `first_path`, `first`."""

    path: str
    span: Span
    kind: Kind
    name: str
    first_path: str
    first: Span


class DefinitionCycle(NamedTuple):
    """A definition uses itself, or a later one; `cycle` spells the names (`a`, `b`, `a`), or just the two.

    The fault stands at the use; `later_path` and `later` are the name of the definition that is used too early.
    """

    path: str
    span: Span
    cycle: tuple[str, ...]
    later_path: str
    later: Span


class LibraryProblem(Enum):
    """Why a library could not be taken."""

    MISSING = "missing"
    DIRECTORY = "directory"
    UNREADABLE = "unreadable"
    NOT_UTF8 = "not utf-8"
    TOO_LARGE = "too large"
    NOT_REGULAR = "not a regular file"


class LibraryFault(NamedTuple):
    """The library named here could not be read."""

    path: str
    span: Span
    named: str
    problem: LibraryProblem
    detail: str = ""


class LibraryItem(NamedTuple):
    """A library holds something else than `use` and `def`."""

    path: str
    span: Span
    item: str


class NotConstant(NamedTuple):
    """A constant position whose value cannot be known before the program runs, or is not a number."""

    path: str
    span: Span
    what: str


class FamilySize(NamedTuple):
    """A family's size is not a whole number from 1 to 10000."""

    path: str
    span: Span
    name: str
    value: float


class TooManyTerms(NamedTuple):
    """The aggregates of the program write out more than `limit` terms."""

    path: str
    span: Span
    limit: int


class TooManyStatements(NamedTuple):
    """Definitions, entries and the server unfold into more than `limit` statements."""

    path: str
    span: Span
    limit: int


class TooLarge(NamedTuple):
    """Definitions unfold into more than `limit` expressions."""

    path: str
    span: Span
    limit: int


class TooDeep(NamedTuple):
    """Text, definitions or expressions nest deeper than `limit` levels."""

    path: str
    span: Span
    limit: int


class EntryCycle(NamedTuple):
    """Entries call one another in a circle; `cycle` spells it (`P.prefill`, `D.decode`, `P.prefill`)."""

    path: str
    span: Span
    cycle: tuple[str, ...]


class HorizonMissing(NamedTuple):
    """A classic program whose run blocks name no horizon."""

    path: str
    span: Span


Fault = (
    UnknownName
    | WrongArity
    | WrongBody
    | Duplicate
    | DefinitionCycle
    | LibraryFault
    | LibraryItem
    | NotConstant
    | FamilySize
    | TooManyTerms
    | TooManyStatements
    | TooLarge
    | TooDeep
    | EntryCycle
    | HorizonMissing
)
"""A place where something is wrong."""
