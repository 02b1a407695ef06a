"""What names mean at a place: frames that hide one another, over the tables of the program.

Definitions are not expanded as text. A use of `f(a, b)` is the body of `f` read in a frame that says what `a` and `b`
stand for: a node together with the scope it was written in. Names of the body that are no parameters mean what they
mean at the use, as if the text stood there (classic.md 8).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.ir.expr import Expr, Ref
    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


class Pasted(NamedTuple):
    """A parameter, header binding or schedule `let`: `node`, read in `scope`, stands for the name."""

    node: Node
    scope: Scope


class Valued(NamedTuple):
    """An aggregate's index: a value of its own."""

    expr: Expr


class Renamed(NamedTuple):
    """A name that an entry sets: the attribute `Q.name`."""

    attribute: str


@dataclass(frozen=True, slots=True)
class Member:
    """A pool or stage under another name: a queue's own pool inside its entries, the source of an entry."""

    family: Family
    index: Pasted | None


Meaning = Union[Pasted, Valued, Renamed]  # noqa: UP007 (evaluated at run time, on 3.10 too)


class Place(NamedTuple):
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
    index: Pasted | None
    renames: bool = False
    source: str | None = None
    source_queue: str | None = None
    source_index: Pasted | None = None
    request: bool = False


class Scope:
    """One frame. `names` are values, `calls` definitions of this frame only, `pools` are pools by a local name.

    `parameters` are those of the definition whose body is read; they come first, and bodies used from there do not see
    them, while they do see the other names of the frames around (as pasted text would).
    `path` is the file the text read in this frame stands in. `via` are the places of the uses that led here,
    innermost first. `at` is the place in the program's file that decides what is declared above (None: the text
    itself stands in the program's file). `level` is the order of the definition whose body is read: a body uses
    earlier definitions only.
    """

    __slots__ = ("at", "calls", "level", "names", "parameters", "parent", "path", "pools", "station", "via")

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
        level: int | None = None,
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
        self.level = level

    def find(self, name: str) -> Meaning | None:
        """Return what a value name means in the frames, or None where only the program's tables can tell."""
        pasted = self.argument(name)
        if pasted is not None:
            return pasted
        frame: Scope | None = self
        while frame is not None:
            meaning = frame.names.get(name)
            if meaning is not None:
                return meaning
            frame = frame.parent
        return None

    def argument(self, name: str) -> Pasted | None:
        """Return the argument that stands for a parameter here: as its tokens stand in the body, its indices hide names."""
        pasted = self.parameters.get(name)
        if pasted is None:
            return None
        indices: dict[str, Meaning] = {}
        frame: Scope | None = self
        while frame is not None and frame.parameters is self.parameters:
            for each, meaning in frame.names.items():
                if isinstance(meaning, Valued):
                    indices.setdefault(each, meaning)
            frame = frame.parent
        return Pasted(pasted.node, pasted.scope.inner(indices)) if indices else pasted

    def name(self, text: str) -> tuple[str, Scope]:
        """Return the name that stands where `text` is written, and the scope it was written in.

        A parameter stands for the tokens of its argument (classic.md 8): for every kind of name where the argument is
        one. One that is no bare name leaves the parameter, which then names nothing.
        """
        scope = self
        while (pasted := scope.parameters.get(text)) is not None and pasted.node.kind == "name":
            text, scope = pasted.node.text, pasted.scope
        return text, scope

    def origin(self, node: Node) -> tuple[Node, Scope]:
        """Return the name that stands where the name `node` is written, as a node, and the scope it was written in."""
        scope = self
        while (pasted := scope.parameters.get(node.text)) is not None and pasted.node.kind == "name":
            node, scope = pasted
        return node, scope

    def find_pool(self, name: str) -> Member | None:
        """Return the pool or stage a local name stands for; `name` is no parameter."""
        frame: Scope | None = self
        while frame is not None:
            member = frame.pools.get(name)
            if member is not None:
                return member
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

    def pools_in_sight(self) -> dict[str, Member]:
        """Return the pools that have a local name here."""
        found: dict[str, Member] = {}
        frame: Scope | None = self
        while frame is not None:
            for name, member in frame.pools.items():
                found.setdefault(name, member)
            frame = frame.parent
        return found

    def inner(self, names: Mapping[str, Meaning]) -> Scope:
        """Return a frame in which `names` hide others; text and place stay."""
        return Scope(self.path, names, self, parameters=self.parameters, via=self.via, at=self.at, level=self.level)

    def expansion(self, definition: Definition, parameters: Mapping[str, Pasted], use: Span) -> Scope:
        """Return the frame in which the body of a definition used at `use` is read."""
        at = use.start if self.at is None else self.at
        via = (Place(self.path, use), *self.via)
        return Scope(
            definition.path,
            None,
            self,
            parameters=parameters,
            via=via,
            at=at,
            level=definition.order if definition.order >= 0 else None,
        )


@dataclass(eq=False)
class Tables:
    """What names mean program-wide. `constants` are those that readers see (the last value of each name).

    `attributes`, `registers` and `observations` map names to numbers of the kernel. `admitted` maps an engine to the pools whose waiting requests it admits. `blocks` are the block
    sizes of pools.
    """

    edition: Edition
    constants: Mapping[str, float] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    observations: dict[str, int] = field(default_factory=dict)
    pools: dict[str, Family] = field(default_factory=dict)
    stages: dict[str, Family] = field(default_factory=dict)
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    blocks: dict[str, float | None] = field(default_factory=dict)
    admitted: Mapping[str, tuple[Ref, ...]] = field(default_factory=dict)
