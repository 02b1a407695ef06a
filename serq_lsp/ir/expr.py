"""Expressions of the kernel IR (semantics.md 1.1), as frozen records.

Every value is a double. A name that the IR prints as text (an operator, a function, a distribution, a context value) stays
that text here; the tuples below list what exists, and the codec refuses anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNARY_OPS = ("Neg", "Not")
BINARY_OPS = ("Add", "Sub", "Mul", "Div", "Pow", "Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or")
ARITHMETIC = ("Min", "Max", "Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln", "Pow")
POOL_FUNCTIONS = ("Used", "Free", "CachedIn", "Holders", "Queued")
STAGE_FUNCTIONS = ("Queue", "Busy", "Work", "Price", "BudgetLeft", "EstLambda", "EstRho", "EstWait")
FUNCTIONS = ARITHMETIC + POOL_FUNCTIONS + STAGE_FUNCTIONS
DISTRIBUTIONS = ("Exp", "Det", "Uniform", "Erlang", "H2", "Bernoulli")
BUILTIN_ATTRS = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
AGGREGATES = ("Total", "Count", "Largest", "Smallest", "PrefixTotal")
CONTEXT = (
    "Now", "Waited", "Size", "Age", "Last", "Queued", "N", "Nres", "Ndec", "Kvb", "Kvp", "Ntok", "Npre", "Attn",
    "Decoding", "Admission", "Remaining", "Position", "Admitted", "Preempted", "Demand", "Served", "Arrived",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ref:
    """The member `base + index` of a family of `count` pools or stages; without an index, `base` itself."""

    base: int
    count: int = 1
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class Num:
    """A literal."""

    value: float


@dataclass(frozen=True, slots=True)
class Attr:
    """A session attribute, by slot."""

    slot: int


@dataclass(frozen=True, slots=True)
class Ctx:
    """A value that the place of reading supplies (`CONTEXT`); 0 where the place supplies none."""

    name: str


@dataclass(frozen=True, slots=True)
class Reg:
    """A register of a step engine, by number."""

    register: int


@dataclass(frozen=True, slots=True)
class Agg:
    """An aggregate (`AGGREGATES`) over all values of an observation."""

    name: str
    observe: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A random draw from a distribution (`DISTRIBUTIONS`)."""

    dist: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class PoolArg:
    """A pool as an argument of a state function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class StageArg:
    """A stage as an argument of a state function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Call:
    """A function (`FUNCTIONS`) of values, pools and stages."""

    function: str
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator of `UNARY_OPS` and its operand."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator of `BINARY_OPS` between two operands; `And` and `Or` read the second only when it matters."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Cond:
    """`test ? then : other`; only the chosen branch is read."""

    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class PoolTarget:
    """What a cost is measured in: a pool, or any member of a family of pools."""

    base: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class StageTarget:
    """What a cost is measured in: a stage, or any member of a family of stages."""

    base: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class JointTarget:
    """A cost that counts in several resources at once, in ascending order."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of a resource (IR 13 and later); its value is that of `expr`."""

    target: Target
    expr: Expr


Target = PoolTarget | StageTarget | JointTarget
Expr = Num | Attr | Ctx | Reg | Agg | Sample | Call | Unary | Binary | Cond | Cost
Arg = Num | Attr | Ctx | Reg | Agg | Sample | Call | Unary | Binary | Cond | Cost | PoolArg | StageArg

_T = TypeVar("_T")


def children(expr: Expr) -> tuple[Expr, ...]:
    """The operands of `expr` in the order they are read; a reference's index counts as one."""
    match expr:
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Cond(test, then, other):
            return (test, then, other)
        case Cost(_, inner):
            return (inner,)
        case Sample(_, args):
            return args
        case Call(_, call_args):
            found: list[Expr] = []
            for arg in call_args:
                if not isinstance(arg, (PoolArg, StageArg)):
                    found.append(arg)
                elif arg.ref.index is not None:
                    found.append(arg.ref.index)
            return tuple(found)
        case _:
            return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """Every node of `expr`, itself first, in reading order. Nesting may be of any depth."""
    todo = [expr]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(children(node)))


def fold(expr: Expr, combine: Callable[[Expr, list[_T]], _T]) -> _T:
    """Build a result bottom-up: `combine(node, results of its children)` for every node. Nesting may be of any depth."""
    todo: list[tuple[Expr, bool]] = [(expr, False)]
    done: list[_T] = []
    while todo:
        node, ready = todo.pop()
        parts = children(node)
        if not ready and parts:
            todo.append((node, True))
            todo.extend((part, False) for part in reversed(parts))
            continue
        split = len(done) - len(parts)
        results = done[split:]
        del done[split:]
        done.append(combine(node, results))
    return done[0]
