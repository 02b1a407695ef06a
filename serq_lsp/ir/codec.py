"""Programs of the kernel IR as JSON, both ways (semantics.md 1.1 and 1.2).

`from_json`/`to_json` work on text, `from_data`/`to_data` on what `json.loads` gives. Bad data raises `IrError`.
"""

from __future__ import annotations

import json
from typing import Any

from serq_lsp.ir import program as ir
from serq_lsp.ir import stmt as st
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.ir.exprcodec import EXPR, PAIR, REF, TARGET
from serq_lsp.ir.jsontext import json_text
from serq_lsp.ir.shapes import (
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    Field,
    IrError,
    Shape,
    finite,
    later,
    many,
    one_of,
    optional,
    positional,
    record,
    single,
    variants,
)
from serq_lsp.ir.validate import validate

_KEYS = many(EXPR)

_HOLD_POOL = positional(st.HoldPool, ("pool", REF), ("units", EXPR), ("reserve", optional(EXPR)))
_LEASE = positional(st.Lease, ("pool", REF), ("time", EXPR))

_STMT = variants(
    {
        "Set": (st.Set, positional(st.Set, ("slot", INTEGER), ("expr", EXPR))),
        "Observe": (st.Observe, positional(st.Observe, ("observe", INTEGER), ("expr", EXPR))),
        "Grow": (st.Grow, positional(st.Grow, ("pool", REF), ("units", EXPR))),
        "Load": (st.Load, positional(st.Load, ("pool", REF), ("units", EXPR))),
        "Drop": (st.Drop, single(st.Drop, "pool", REF)),
        "Release": (st.Release, single(st.Release, "pool", REF)),
        "Branch": (st.Branch, positional(st.Branch, ("guard", EXPR), ("then", INTEGER), ("other", INTEGER))),
        "Loop": (st.Loop, single(st.Loop, "block", INTEGER)),
        "While": (st.While, positional(st.While, ("guard", EXPR), ("block", INTEGER))),
        "Fork": (st.Fork, single(st.Fork, "block", INTEGER)),
        "Choose": (st.Choose, record(st.Choose, Field("var", INTEGER), Field("count", EXPR), Field("key", _KEYS))),
        "Hold": (
            st.Hold,
            record(
                st.Hold,
                Field("pools", many(_HOLD_POOL)),
                Field("reuse", optional(EXPR), default=None),
                Field("body", INTEGER),
                Field("cache", optional(EXPR), default=None),
                Field("lease", optional(_LEASE), default=None),
            ),
        ),
        "Run": (
            st.Run,
            record(
                st.Run,
                Field("stage", REF),
                Field("mode", one_of(st.MODES)),
                Field("work", EXPR),
                Field("growing", optional(REF), default=None),
                Field("also", many(REF), default=(), omit=True),
            ),
        ),
    },
    {"Turn": st.Turn, "End": st.End, "Join": st.Join},
)

_BODY_LATER = later(lambda: _BODY)
_BODY: Shape = variants(
    {
        "Serve": (
            st.Serve,
            record(
                st.Serve,
                Field("only", optional(EXPR), default=None, omit=True),
                Field("by", optional(_KEYS), default=None, omit=True),
            ),
        ),
        "Admit": (
            st.Admit,
            record(
                st.Admit,
                Field("only", optional(EXPR), default=None, omit=True),
                Field("gate", optional(EXPR), default=None, omit=True),
            ),
        ),
        "Branch": (
            st.BodyBranch,
            positional(st.BodyBranch, ("guard", EXPR), ("then", many(_BODY_LATER)), ("other", many(_BODY_LATER))),
        ),
        "Set": (st.SetRegister, positional(st.SetRegister, ("register", INTEGER), ("expr", EXPR))),
    },
)


def _or_word(word: str, shape: Shape) -> Shape:
    """The shape, or a word that stands for None."""
    return Shape(
        lambda data: None if data == word else shape.read(data),
        lambda value: word if value is None else shape.write(value),
    )


def _tagged(tag: str, shape: Shape) -> Shape:
    """The shape inside an object whose one key is `tag`."""

    def read(data: Any) -> Any:
        if not isinstance(data, dict) or list(data) != [tag]:
            raise IrError(f"expected an object with the key `{tag}`")
        return shape.read(data[tag])

    return Shape(read, lambda value: {tag: shape.write(value)})


_PREEMPT = record(ir.PreemptBy, Field("keys", _KEYS), Field("tail", FLAG, default=False, omit=True))
_SPILL = record(ir.Spill, Field("to", INTEGER), Field("via", INTEGER), Field("work", EXPR), Field("when", EXPR))

_POOL = record(
    ir.Pool,
    Field("name", TEXT),
    Field("index", optional(INTEGER), default=None, omit=True),
    Field("cap", NUMBER),
    Field("block", finite(NUMBER), default=None),
    Field("evict", _or_word("Lru", _tagged("By", _KEYS)), default=None),
    Field("preempt", _or_word("None", _tagged("By", _PREEMPT)), default=None),
    Field("queue", optional(_KEYS), default=None),
    Field("spill", optional(_SPILL), default=None),
    Field("admit_via", optional(INTEGER), default=None),
    Field("reserve_held", FLAG, default=False, omit=True),
)

_STEP = record(
    ir.Step,
    Field("budget", EXPR),
    Field("cost", EXPR),
    Field("chunk", EXPR),
    Field("granule", optional(EXPR), default=None, omit=True),
    Field("serve", _or_word("ExclusivePrefill", _tagged("By", _KEYS)), default=()),
    Field("memory", optional(INTEGER), default=None),
    Field("iteration", optional(many(_BODY)), default=None, omit=True),
)

_KIND = variants(
    {
        "Fifo": (ir.Fifo, single(ir.Fifo, "servers", INTEGER)),
        "Ps": (ir.Ps, single(ir.Ps, "capacity", EXPR)),
        "Step": (ir.Step, _STEP),
    },
    {"Delay": ir.Delay},
)

_STAGE = record(
    ir.Stage,
    Field("name", TEXT),
    Field("index", optional(INTEGER), default=None, omit=True),
    Field("kind", _KIND),
)

_EXPLICIT = record(
    ir.ExplicitSession, Field("attrs", many(PAIR)), Field("turns", many(many(PAIR)), default=(), omit=True)
)

_ARRIVAL = variants(
    {
        "Poisson": (ir.Poisson, single(ir.Poisson, "rate", NUMBER)),
        "Renewal": (ir.Renewal, single(ir.Renewal, "gap", EXPR)),
        "Closed": (ir.Closed, single(ir.Closed, "sessions", INTEGER)),
        "Batch": (ir.Batch, single(ir.Batch, "sessions", INTEGER)),
        "Sessions": (ir.Sessions, single(ir.Sessions, "sessions", many(_EXPLICIT))),
    },
    {"None": ir.NoArrivals},
)

_CLAIM_KIND = variants(
    {
        "EveryIteration": (ir.EveryIteration, single(ir.EveryIteration, "stage", INTEGER)),
        "SomeIteration": (ir.SomeIteration, single(ir.SomeIteration, "stage", INTEGER)),
    },
    {"AtEnd": ir.AtEnd},
)

_CLAIM = record(
    ir.Claim,
    Field("name", TEXT),
    Field("given", optional(EXPR), default=None, omit=True),
    Field("kind", _CLAIM_KIND),
    Field("expr", EXPR),
)
_GAUGE = record(ir.Gauge, Field("name", TEXT), Field("expr", EXPR))
_REGISTER = record(ir.Register, Field("name", TEXT), Field("stage", INTEGER), Field("init", NUMBER))

_ATTR_TYPE = Shape(
    lambda data: data if data in ("Size", "Value") else _tagged("Cost", TARGET).read(data),
    lambda value: value if isinstance(value, str) else {"Cost": TARGET.write(value)},
)

_SLOT_FIELDS = tuple(f"slot_{name}" for name in ("turn" if it == "turn_no" else it for it in BUILTIN_ATTRS))

_PROGRAM = record(
    dict,
    Field("version", INTEGER),
    Field("attrs", many(TEXT)),
    Field("attr_types", optional(many(_ATTR_TYPE)), default=None, omit=True),
    Field("sides", optional(many(many(one_of(ir.SIDES)))), default=None, omit=True),
    Field("observes", many(TEXT)),
    Field("pools", many(_POOL)),
    Field("stages", many(_STAGE)),
    Field("arrival", _ARRIVAL),
    Field("trace", optional(TEXT), default=None),
    Field("trace_ordered", FLAG, default=False),
    Field("init", INTEGER),
    Field("turn", INTEGER),
    Field("session", INTEGER),
    Field("blocks", many(many(_STMT))),
    Field("horizon", NUMBER),
    Field("warmup", NUMBER),
    Field("seed", INTEGER),
    Field("arrivals", optional(INTEGER), default=None, omit=True),
    *(Field(name, INTEGER) for name in _SLOT_FIELDS),
    Field("hidden", many(INTEGER), default=()),
    Field("share", optional(one_of(ir.SHARES)), default=None, omit=True),
    Field("gauges", many(_GAUGE), default=(), omit=True),
    Field("claims", many(_CLAIM), default=(), omit=True),
    Field("registers", many(_REGISTER), default=(), omit=True),
)


class _Flat:
    """A program with its slots as single fields, which is how the text has them."""

    def __init__(self, program: ir.Program) -> None:
        self._program = program
        self._slots = dict(zip(_SLOT_FIELDS, program.slots, strict=True))

    def __getattr__(self, name: str) -> Any:
        return self._slots[name] if name in self._slots else getattr(self._program, name)


def from_data(data: Any) -> ir.Program:
    """The program that parsed JSON data describes; every number in it is checked against its table."""
    try:
        values = _PROGRAM.read(data)
    except RecursionError:
        raise IrError("nested too deeply") from None
    values["slots"] = tuple(values.pop(name) for name in _SLOT_FIELDS)
    program = ir.Program(**values)
    validate(program)
    return program


def to_data(program: ir.Program) -> dict[str, Any]:
    """Plain JSON data in printing order; infinity is the text "inf", doubles are floats, counts are ints."""
    data: dict[str, Any] = _PROGRAM.write(_Flat(program))
    return data


def from_json(text: str) -> ir.Program:
    """The program that a JSON text describes."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise IrError("nested too deeply") from None
    except ValueError as error:
        raise IrError(f"not JSON: {error}") from None
    return from_data(data)


def to_json(program: ir.Program) -> str:
    """The JSON text of a program, as the reference prints it: two blanks of indentation, one entry a line."""
    return json_text(to_data(program))
