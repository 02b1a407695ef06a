"""The program of a run: statements with their expressions compiled, blocks by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sim.errors import Place


Value = Callable[..., float]
"""A compiled expression."""
Keys = Callable[..., tuple[int, ...]]
"""Compiled keys, in the total order of doubles."""


@dataclass(frozen=True, slots=True)
class Member:
    """A pool or stage by number, or one of a family chosen by `index`."""

    base: int
    count: int
    index: Value | None


@dataclass(frozen=True, slots=True)
class Turn:
    """Begin a turn."""

    place: Place


@dataclass(frozen=True, slots=True)
class End:
    """End the session."""

    place: Place


@dataclass(frozen=True, slots=True)
class Join:
    """Wait for the session's legs."""

    place: Place


@dataclass(frozen=True, slots=True)
class Set:
    """Store a value."""

    place: Place
    slot: int
    value: Value


@dataclass(frozen=True, slots=True)
class Observe:
    """Record a value."""

    place: Place
    observe: int
    value: Value


@dataclass(frozen=True, slots=True)
class Grow:
    """Enlarge a hold."""

    place: Place
    pool: Member
    units: Value


@dataclass(frozen=True, slots=True)
class Load:
    """Advance a hold's position."""

    place: Place
    pool: Member
    units: Value


@dataclass(frozen=True, slots=True)
class Drop:
    """Forget the own cache entry."""

    place: Place
    pool: Member


@dataclass(frozen=True, slots=True)
class Release:
    """Give back a hold or a lease now."""

    place: Place
    pool: Member


@dataclass(frozen=True, slots=True)
class Branch:
    """Go on in one of two blocks."""

    place: Place
    guard: Value
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class Loop:
    """Repeat a block, for ever or while `guard` holds."""

    place: Place
    block: int
    guard: Value | None


@dataclass(frozen=True, slots=True)
class Fork:
    """Run a block as a leg."""

    place: Place
    block: int


@dataclass(frozen=True, slots=True)
class Choose:
    """Find the index with the least keys."""

    place: Place
    slot: int
    count: Value
    keys: Callable[..., list[float]]


@dataclass(frozen=True, slots=True)
class HoldPool:
    """One pool of a hold. The two flags say that an amount does not move while the hold waits."""

    pool: Member
    units: Value
    reserve: Value | None
    units_stay: bool
    reserve_stays: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait for pools, run a block holding them."""

    place: Place
    pools: tuple[HoldPool, ...]
    body: int
    reuse: Value | None
    cache: Value | None
    lease: tuple[Member, Value] | None


@dataclass(frozen=True, slots=True)
class Run:
    """Work on stages."""

    place: Place
    stages: tuple[Member, ...]
    work: Value
    decode: bool
    growing: Member | None


Statement = (
    Turn | End | Join | Set | Observe | Grow | Load | Drop | Release | Branch | Loop | Fork | Choose | Hold | Run
)


class Moves(Enum):
    """When serving keys may change while an iteration is planned."""

    NEVER = "never"
    TOTALS = "with the totals of the residents"
    ALWAYS = "at any time"


@dataclass(frozen=True, slots=True)
class Serve:
    """Body statement: serve residents; `keys` None is the stage's own order."""

    only: Value | None
    keys: Keys | None
    moves: Moves


@dataclass(frozen=True, slots=True)
class Admit:
    """Body statement: admit while the gate is open, and serve those that join."""

    only: Value | None
    gate: Value | None


@dataclass(frozen=True, slots=True)
class BodyBranch:
    """Body statement: go on with one of two lists."""

    guard: Value
    then: tuple[BodyStatement, ...]
    other: tuple[BodyStatement, ...]


@dataclass(frozen=True, slots=True)
class SetRegister:
    """Body statement: store a register."""

    register: int
    value: Value


BodyStatement = Serve | Admit | BodyBranch | SetRegister


@dataclass(eq=False, slots=True)
class ClaimState:
    """A claim and what has been seen of it."""

    name: str
    kind: str
    value: Value
    given: Value | None
    checked: int = 0
    failures: int = 0
    first: float | None = None
    left_scope: int | None = None


@dataclass(eq=False, slots=True)
class Script:
    """All compiled parts that do not belong to one pool or stage.

    `workload`: for each block, which statements are the workload's (none before IR 13).
    """

    blocks: list[tuple[Statement, ...]] = field(default_factory=list)
    workload: list[tuple[bool, ...]] = field(default_factory=list)
    gap: Value | None = None
    gauges: list[Value] = field(default_factory=list)
    claims: list[ClaimState] = field(default_factory=list)
