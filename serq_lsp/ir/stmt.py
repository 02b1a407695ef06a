"""Statements of sessions and of scheduler bodies in the kernel IR (semantics.md 1.1), as frozen records.

Blocks are numbered; a statement names its nested blocks by number (`Program.blocks`). A scheduler body nests in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr, Ref

MODES = ("Plain", "Prefill", "Decode")


@dataclass(frozen=True, slots=True)
class Turn:
    """Begin the next turn: count it, take its recorded values, run the turn block."""


@dataclass(frozen=True, slots=True)
class End:
    """End the session."""


@dataclass(frozen=True, slots=True)
class Join:
    """Wait until no forked leg of the session is live."""


@dataclass(frozen=True, slots=True)
class Set:
    """Store a value in an attribute slot."""

    slot: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Observe:
    """Record a value under an observation."""

    observe: int
    expr: Expr


@dataclass(frozen=True, slots=True)
class Grow:
    """Enlarge the innermost hold of a pool."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Load:
    """Advance the position of the innermost hold of a pool."""

    pool: Ref
    units: Expr


@dataclass(frozen=True, slots=True)
class Drop:
    """Forget the session's own cache entry of a pool."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Release:
    """Give back the innermost hold (or the first lease) of a pool now."""

    pool: Ref


@dataclass(frozen=True, slots=True)
class Branch:
    """Go on in one of two blocks; the guard is 0 or 1."""

    guard: Expr
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class Loop:
    """Repeat a block for ever."""

    block: int


@dataclass(frozen=True, slots=True)
class While:
    """Repeat a block while the guard (0 or 1) holds; IR 13 and later."""

    guard: Expr
    block: int


@dataclass(frozen=True, slots=True)
class Fork:
    """Run a block as a leg beside the session."""

    block: int


@dataclass(frozen=True, slots=True)
class Choose:
    """Set slot `var` to the j in 0 … count-1 with the least keys."""

    var: int
    count: Expr
    key: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class HoldPool:
    """One pool of a hold: what is taken at admission, and what must fit for it (None: the same)."""

    pool: Ref
    units: Expr
    reserve: Expr | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The pool that stays taken after the hold, and for how many seconds."""

    pool: Ref
    time: Expr


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait for units of pools, run a block with them, give them back."""

    pools: tuple[HoldPool, ...]
    body: int
    reuse: Expr | None = None
    cache: Expr | None = None
    lease: Lease | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Work on a stage (and, shared, on the stages `also`); `growing` is the pool that grows with served tokens."""

    stage: Ref
    mode: str
    work: Expr
    growing: Ref | None = None
    also: tuple[Ref, ...] = ()


Stmt = (
    Turn
    | End
    | Join
    | Set
    | Observe
    | Grow
    | Load
    | Drop
    | Release
    | Branch
    | Loop
    | While
    | Fork
    | Choose
    | Hold
    | Run
)


@dataclass(frozen=True, slots=True)
class Serve:
    """Body statement: serve residents; `by` is None for the stage's own order."""

    only: Expr | None = None
    by: tuple[Expr, ...] | None = None


@dataclass(frozen=True, slots=True)
class Admit:
    """Body statement: let waiting sessions in while the gate is not 0, and serve those that join."""

    only: Expr | None = None
    gate: Expr | None = None


@dataclass(frozen=True, slots=True)
class BodyBranch:
    """Body statement: go on with one of two lists; the guard is 0 or 1."""

    guard: Expr
    then: tuple[BodyStmt, ...]
    other: tuple[BodyStmt, ...]


@dataclass(frozen=True, slots=True)
class SetRegister:
    """Body statement: store a finite value in a register."""

    register: int
    expr: Expr


BodyStmt = Serve | Admit | BodyBranch | SetRegister
