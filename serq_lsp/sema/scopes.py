"""What names mean at a place: frames that hide one another, over the tables of the program.

Definitions are not expanded as text. A use of `f(a, b)` is the body of `f` read in a frame that says what `a` and `b`
stand for: a node together with the scope it was written in. Names of the body that are no parameters mean what they
mean at the use, as if the text stood there (classic.md 8).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.ir.expr import Expr, Ref
    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


@dataclass(frozen=True, slots=True)
class Pasted:
    """A parameter, header binding or schedule `let`: `node`, read in `scope`, stands for the name."""

    """

    node: Node
    scope: Scope


@dataclass(frozen=True, slots=True)
class Valued:
    """An aggregate's index, `self`, the number of a source: a value of its own."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Renamed:
    """A name that an entry sets: the attribute `Q.name`."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Member:
    """A pool or stage under another name: a queue's own pool inside its entries, the source of an entry."""

    family: Family
    index: Expr | None


Meaning = Union[Pasted, Valued, Renamed]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file and a span of its text."""

    path: str
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Station:
    """What an entry or a request knows of the queue or engine it belongs to.

    `stage` is the stage that `run (w)`, `prefill` and `decode` without a stage mean, `index` its member. `prefix` is
    put before the names of attributes that `mark` (and, where `renames`, `set`) makes.
    """

    name: str
    prefix: str
    stage: Family | None
    index: Expr | None
    renames: bool = False
    source: str | None = None
    source_queue: str | None = None
    source_index: Expr | None = None
    request: bool = False


class Scope:
    """One frame. `names` are values, `calls` definitions of this frame only, `pools` are pools by a local name.

    `parameters` are those of the definition whose body is read; they come first, and bodies used from there do not see
    them, while they do see the other names of the frames around (as pasted text would).
    `path` is the file the text read in this frame stands in. `via` are the places of the uses that led here,
    innermost first. `at` is the place in the program's file that decides what is declared above (None: the text
    itself stands in the program's file).
    """

    __slots__ = ("at", "calls", "names", "parameters", "parent", "path", "pools", "station", "via")

    def __init__(
        self,
        path: str,
        names: Mapping[str, Meaning] | None = None,
        parent: Scope | None = None,
        *,
        parameters: Mapping[str, Pasted] | None = None,
        via: tuple[Place, ...] = (),
        at: int | None = None,
        calls: Mapping[str, Definition] | None = None,
        pools: Mapping[str, Member] | None = None,
        station: Station | None = None,
    ) -> None:
        self.path = path
        self.names: Mapping[str, Meaning] = names or {}
        self.parent = parent
        self.parameters: Mapping[str, Pasted] = parameters or {}
        self.via = via
        self.at = at
        self.calls: Mapping[str, Definition] = calls or {}
        self.pools: Mapping[str, Member] = pools or {}
        self.station: Station | None = station or (parent.station if parent else None)

    def find(self, name: str) -> Meaning | None:
        """Return what a value name means in the frames, or None where only the program's tables can tell."""
        pasted = self.parameters.get(name)
        if pasted is not None:
            return pasted
        frame: Scope | None = self
        while frame is not None:
            meaning = frame.names.get(name)
            if meaning is not None:
                return meaning
            frame = frame.parent
        return None

    def find_pool(self, name: str) -> Member | Pasted | None:
        """Return the pool or stage a local name stands for, or the argument it is pasted from."""
        pasted = self.parameters.get(name)
        if pasted is not None:
            return pasted
        frame: Scope | None = self
        while frame is not None:
            member = frame.pools.get(name)
            if member is not None:
                return member
            meaning = frame.names.get(name)
            if isinstance(meaning, Pasted):
                return meaning
            frame = frame.parent
        return None

    def find_call(self, name: str) -> Definition | None:
        """Return a definition that only this frame knows (a device's time resource)."""
        frame: Scope | None = self
        while frame is not None:
            found = frame.calls.get(name)
            if found is not None:
                return found
            frame = frame.parent
        return None

    def inner(self, names: Mapping[str, Meaning]) -> Scope:
        """Return a frame in which `names` hide others; text and place stay."""
        return Scope(self.path, names, self, parameters=self.parameters, via=self.via, at=self.at)

    def expansion(self, definition: Definition, parameters: Mapping[str, Pasted], use: Span) -> Scope:
        """Return the frame in which the body of a definition used at `use` is read."""
        at = use.start if self.at is None else self.at
        via = (Place(self.path, use), *self.via)
        return Scope(definition.path, None, self, parameters=parameters, via=via, at=at)


@dataclass
class Tables:
    """What names mean program-wide. `constants` are those that readers see (the last value of each name).

    `attributes`, `registers` and `observations` map names to numbers of the kernel. `admitted` maps an engine to the pools whose waiting requests it admits. `blocks` are the block
    sizes of pools.
    """

    edition: Edition
    constants: dict[str, float] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    observations: dict[str, int] = field(default_factory=dict)
    pools: dict[str, Family] = field(default_factory=dict)
    stages: dict[str, Family] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    blocks: dict[str, float | None] = field(default_factory=dict)
    admitted: dict[str, tuple[Ref, ...]] = field(default_factory=dict)
