"""IR expressions → Python functions, each compiled once for a run (semantics.md 2 and 6).

The source is made from IR records only: numbers, slots and fixed names; no text of a program's author gets into it. A
function's parameters are what its place of reading supplies (`PLACES`). Deep expressions are cut into helper functions, so
nesting is no limit. `serq_lsp.ir.eval` says what the values are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serq_lsp.ir import arith
from serq_lsp.ir.expr import (
    Agg,
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    Ctx,
    Num,
    PoolArg,
    Reg,
    Sample,
    StageArg,
    Unary,
    fold,
)
from serq_lsp.sim.distributions import DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.ir.expr import Expr, Ref

_DEEPEST = 30  # nested brackets before a helper function is cut off
_COMPARE = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Eq": "==", "Ne": "!="}
_PLAIN = {"Add": "+", "Sub": "-", "Mul": "*"}


@dataclass(frozen=True, slots=True)
class Place:
    """A place where expressions are read: its parameters by context name, in order, and where the rest comes from.

    `session`: the first parameter is what attributes are read from. `stream`: the source of draws.
    """

    context: tuple[str, ...] = ()
    session: bool = False
    stream: str = ""
    attr: str = "NAN"  # what an attribute reads without a session


_ENGINE = ("Nres", "Ndec", "Kvb", "Kvp")
_COSTS = (*_ENGINE, "Ntok", "Npre", "Attn")

SESSION = Place(session=True, stream="s.own")
WORKLOAD = Place(session=True, stream="s.workload")
QUEUE = Place(("Waited",), session=True, stream="MACHINE")
EVICT = Place(("Size", "Age", "Last", "Queued"), session=True, stream="EVICTION")
PS = Place(("N",), stream="MACHINE")
ENGINE = Place(_ENGINE, stream="MACHINE")
COST = Place(_COSTS, stream="MACHINE")
SERVE = Place((*_ENGINE, "Decoding", "Admission", "Remaining"), session=True, stream="MACHINE")
BODY = Place((*_ENGINE, "Ntok", "Npre", "Admitted", "Preempted"), stream="MACHINE")
PREEMPT = Place(("Admission", "Decoding", "Position"), session=True, stream="MACHINE")
GAUGE = Place(stream="MACHINE")
CLAIM = Place((*_COSTS, "Demand", "Served", "Arrived"), stream="MACHINE")
ARRIVAL = Place(stream="ARRIVALS")


@dataclass(frozen=True, slots=True)
class _Text:
    """Source of an expression: as a value, as a truth (when it is one), and how deeply its brackets nest."""

    value: str
    truth: str
    depth: int


class Compiler:
    """Makes functions for one run. `namespace` holds the run's objects under the names that `_Writer` uses."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = {
            **namespace,
            "INF": math.inf,
            "NAN": math.nan,
            "DIVIDE": arith.divide,
            "POWER": arith.power,
            "SQRT": arith.square_root,
            "EXP": arith.exponential,
            "LN": arith.logarithm,
            "ORDER": arith.order_key,
            **{f"DRAW_{name}": draw for name, draw in DRAWS.items()},
        }
        self._made: dict[str, Callable[..., Any]] = {}

    def value(self, place: Place, expr: Expr) -> Callable[..., float]:
        """A function from the place's parameters to the value of `expr`."""
        writer = _Writer(place)
        return self._function(writer, fold(expr, writer.node).value)

    def keys(self, place: Place, exprs: tuple[Expr, ...]) -> Callable[..., tuple[int, ...]]:
        """A function from the place's parameters to the keys of `exprs`, in the total order of doubles."""
        writer = _Writer(place)
        parts = [f"ORDER({fold(expr, writer.node).value})," for expr in exprs]
        return self._function(writer, f"({' '.join(parts)})")

    def raw_keys(self, place: Place, exprs: tuple[Expr, ...]) -> Callable[..., list[float]]:
        """A function from the place's parameters to the plain values of `exprs`, in a list."""
        writer = _Writer(place)
        return self._function(writer, f"[{', '.join(fold(expr, writer.node).value for expr in exprs)}]")

    def _function(self, writer: _Writer, result: str) -> Callable[..., Any]:
        source = "".join(writer.helpers) + f"def value({writer.parameters}):\n    return {result}\n"
        made = self._made.get(source)
        if made is None:
            scope: dict[str, Any] = dict(self._namespace)
            exec(compile(source, "<serq expression>", "exec"), scope)  # noqa: S102 - text made here, from records
            made = self._made[source] = scope["value"]
        return made


class _Writer:
    """Writes one function: the source of each node from that of its operands."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.parameters = ", ".join((["s"] if place.session else []) + [_parameter(name) for name in place.context])
        self.helpers: list[str] = []
        self._temps = 0

    def node(self, node: Expr, parts: list[_Text]) -> _Text:
        """The source of a node; a helper function's call when it has become too deep."""
        value, truth = self._write(node, parts)
        depth = 1 + max((part.depth for part in parts), default=0)
        if depth < _DEEPEST:
            return _Text(value, truth, depth)
        name = f"part{len(self.helpers)}"
        self.helpers.append(f"def {name}({self.parameters}):\n    return {value}\n")
        call = f"{name}({self.parameters})"
        return _Text(call, call, 1)

    def _write(self, node: Expr, parts: list[_Text]) -> tuple[str, str]:
        values = [part.value for part in parts]
        match node:
            case Unary("Not", _):
                return f"(0.0 if {parts[0].truth} else 1.0)", f"(not {parts[0].truth})"
            case Binary("And" | "Or", _, _):
                truth = f"({parts[0].truth} {node.op.lower()} {parts[1].truth})"
                return f"(1.0 if {truth} else 0.0)", truth
            case Binary(op, _, _) if op in _COMPARE:
                truth = f"({values[0]} {_COMPARE[op]} {values[1]})"
                return f"(1.0 if {truth} else 0.0)", truth
            case Cond():
                value = f"({values[1]} if {parts[0].truth} else {values[2]})"
            case Cost():
                value = values[0]
            case Sample(dist, _):
                value = f"DRAW_{dist}({', '.join([self._place.stream, *values])})"
            case Call(function, args):
                value = self._call(function, args, values)
            case _:
                value = self._simple(node, values)
        return value, value

    def _simple(self, node: Expr, values: list[str]) -> str:
        match node:
            case Num(value):
                return _literal(value)
            case Attr(slot):
                return f"s.attrs[{slot}]" if self._place.session else self._place.attr
            case Ctx("Now"):
                return "W.now"
            case Ctx(name):
                return _parameter(name) if name in self._place.context else "0.0"
            case Reg(register):
                return f"REGISTERS[{register}]"
            case Agg(name, observe):
                return f"AGG_{name}(VALUES[{observe}])"
            case Unary("Neg", _):
                return f"(-{values[0]})"
            case Binary("Div", _, Num(by)) if by:
                return f"({values[0]} / {values[1]})"
            case Binary("Div", _, _):
                return f"DIVIDE({values[0]}, {values[1]})"
            case Binary("Pow", _, _):
                return f"POWER({values[0]}, {values[1]})"
            case Binary(op, _, _):
                return f"({values[0]} {_PLAIN[op]} {values[1]})"
            case _:
                raise AssertionError(node)

    def _call(self, function: str, args: tuple[Any, ...], values: list[str]) -> str:
        match function:
            case "Min" | "Max":
                a, b = self._temp(), self._temp()
                sign = "<" if function == "Min" else ">"
                return f"({a} if ({a} := {values[0]}) {sign} ({b} := {values[1]}) or {b} != {b} else {b})"
            case "Floor":
                a, b = self._temp(), self._temp()
                return f"({a} if ({b} := ({a} := {values[0]}) // 1.0) != {b} else {b})"
            case "Ceil":
                a, b = self._temp(), self._temp()
                return f"({a} if ({b} := -(-({a} := {values[0]}) // 1.0)) != {b} else {b})"
            case "Abs":
                return f"abs({values[0]})"
            case "Sqrt" | "Exp" | "Ln":
                return f"{function.upper()}({values[0]})"
            case "Pow":
                return f"POWER({values[0]}, {values[1]})"
            case _:
                return self._state(function, args, values)

    def _state(self, function: str, args: tuple[Any, ...], values: list[str]) -> str:
        first = args[0]
        rest = values[1:] if first.ref.index is not None else values
        index = values[0] if first.ref.index is not None else None
        if isinstance(first, PoolArg):
            return self._pool(function, _member("POOL", first.ref, index))
        assert isinstance(first, StageArg)
        stage = _member("STAGE", first.ref, index)
        match function:
            case "Queue":
                return f"float({stage}.present)"
            case "EstLambda":
                return f"{stage}.estimator.rate()"
            case "EstRho":
                return f"{stage}.estimator.load()"
            case "EstWait":
                return f"{stage}.estimator.wait"
            case "Price":
                return f"{stage}.estimator.price({rest[0]}, {rest[1]})"
            case _:
                return f"{function.upper()}({stage})"

    def _pool(self, function: str, pool: str) -> str:
        match function:
            case "Used":
                return f"{pool}.used"
            case "Free":
                return f"FREE({pool})"
            case "Holders":
                return f"float({pool}.holder_count)"
            case "Queued":
                return f"float(len({pool}.queue))"
            case _:
                return f"CACHED({pool}, s.serial)" if self._place.session else "0.0"

    def _temp(self) -> str:
        self._temps += 1
        return f"t{self._temps}"


def _parameter(context: str) -> str:
    return f"c_{context.lower()}"


def _member(kind: str, ref: Ref, index: str | None) -> str:
    if index is None:
        return f"{kind}S[{ref.base}]"
    return f"{kind}S[{ref.base} + MEMBER({index}, {ref.count})]"


def _literal(value: float) -> str:
    if value != value:  # noqa: PLR0124
        return "NAN"
    if math.isinf(value):
        return "INF" if value > 0 else "(-INF)"
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"
