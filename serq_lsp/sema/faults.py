"""What is wrong with a program's names and structure, as facts without words: `checks` words them.

Every fact has the place (`path`, `span`) where it shows. `in_unused_def` is true inside the body of a definition that
nothing uses: the reference never looks there, so such a fact is a warning at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sema.symbols import Kind
    from serq_lsp.text.spans import Span


@dataclass(frozen=True)
class Fault:
    """A place where something is wrong."""

    path: str
    span: Span


@dataclass(frozen=True)
class UnknownName(Fault):
    """No `kind` of this name is in scope; `candidates` are the names that are."""

    kind: Kind
    name: str
    candidates: tuple[str, ...]
    in_unused_def: bool = False


@dataclass(frozen=True)
class WrongArity(Fault):
    """A function, distribution, definition or entry gets `given` arguments and takes one of `takes`."""

    kind: Kind
    name: str
    given: int
    takes: tuple[int, ...]
    in_unused_def: bool = False


@dataclass(frozen=True)
class WrongBody(Fault):
    """A definition of an expression used as a statement (`wanted` statements), or the other way round."""

    name: str
    wants_statements: bool
    in_unused_def: bool = False


@dataclass(frozen=True)
class Duplicate(Fault):
    """`name` is declared again; the first declaration is at `first_path`, `first`."""

    kind: Kind
    name: str
    first_path: str
    first: Span


@dataclass(frozen=True)
class DefinitionCycle(Fault):
    """A definition uses itself, or a later one; `cycle` spells the names (`a`, `b`, `a`), or just the two."""

    cycle: tuple[str, ...]


class LibraryProblem(Enum):
    """Why a library could not be taken."""

    MISSING = "missing"
    DIRECTORY = "directory"
    UNREADABLE = "unreadable"
    NOT_UTF8 = "not utf-8"
    TOO_LARGE = "too large"
    NOT_REGULAR = "not a regular file"


@dataclass(frozen=True)
class LibraryFault(Fault):
    """The library named here could not be read."""

    named: str
    problem: LibraryProblem
    detail: str = ""


@dataclass(frozen=True)
class LibraryItem(Fault):
    """A library holds something else than `use` and `def`."""

    item: str


@dataclass(frozen=True)
class NotConstant(Fault):
    """A constant position whose value cannot be known before the program runs, or is not a number."""

    what: str


@dataclass(frozen=True)
class FamilySize(Fault):
    """A family's size is not a whole number from 1 to 10000."""

    name: str
    value: float


@dataclass(frozen=True)
class TooManyTerms(Fault):
    """The aggregates of the program write out more than `limit` terms."""

    limit: int


@dataclass(frozen=True)
class TooManyStatements(Fault):
    """Definitions, entries and the server unfold into more than `limit` statements."""

    limit: int


@dataclass(frozen=True)
class TooDeep(Fault):
    """Text, definitions or expressions nest deeper than `limit` levels."""

    limit: int


@dataclass(frozen=True)
class EntryCycle(Fault):
    """Entries call one another in a circle; `cycle` spells it (`P.prefill`, `D.decode`, `P.prefill`)."""

    cycle: tuple[str, ...]


@dataclass(frozen=True)
class HorizonMissing(Fault):
    """A classic program whose run blocks name no horizon."""
