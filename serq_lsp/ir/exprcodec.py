"""The shape of expressions and references: both ways, writing without recursion so that depth is no limit."""

from __future__ import annotations

from typing import Any

from serq_lsp.ir.expr import (
    AGGREGATES,
    BINARY_OPS,
    CONTEXT,
    DISTRIBUTIONS,
    FUNCTIONS,
    UNARY_OPS,
    Agg,
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    Ctx,
    Expr,
    JointTarget,
    Num,
    PoolArg,
    PoolTarget,
    Ref,
    Reg,
    Sample,
    StageArg,
    StageTarget,
    Unary,
    fold,
)
from serq_lsp.ir.shapes import (
    INTEGER,
    NUMBER,
    Field,
    IrError,
    Shape,
    fixed,
    later,
    many,
    one_of,
    optional,
    positional,
    record,
    single,
    tag_and_content,
    variants,
)


def _read(data: Any) -> Expr:
    tag, content = tag_and_content(data)
    shape = _READERS.get(tag)
    if shape is None:
        raise IrError(f"unknown expression `{tag}`")
    try:
        found: Expr = shape.read(content)
    except IrError as error:
        raise error.inside(tag) from None
    return found


def _write_node(node: Expr, parts: list[Any]) -> Any:
    match node:
        case Num(value):
            return {"Num": NUMBER.write(value)}
        case Attr(slot):
            return {"Attr": slot}
        case Ctx(name):
            return {"Ctx": name}
        case Reg(register):
            return {"Reg": register}
        case Agg(name, observe):
            return {"Agg": [name, observe]}
        case Sample(dist, _):
            return {"Sample": [dist, parts]}
        case Unary(op, _):
            return {"Unary": [op, *parts]}
        case Binary(op, _, _):
            return {"Binary": [op, *parts]}
        case Cond():
            return {"Cond": parts}
        case Cost(target, _):
            return {"Cost": [TARGET.write(target), *parts]}
        case Call(function, args):
            return {"Call": [function, _write_args(args, parts)]}


def _write_args(args: tuple[Any, ...], parts: list[Any]) -> list[Any]:
    rest = iter(parts)
    written = []
    for arg in args:
        match arg:
            case PoolArg(ref):
                written.append({"Pool": _write_ref(ref, rest)})
            case StageArg(ref):
                written.append({"Stage": _write_ref(ref, rest)})
            case _:
                written.append({"Expr": next(rest)})
    return written


def _write_ref(ref: Ref, rest: Any) -> dict[str, Any]:
    return {"base": ref.base, "count": ref.count, "index": None if ref.index is None else next(rest)}


EXPR = Shape(_read, lambda value: fold(value, _write_node))
REF = record(Ref, Field("base", INTEGER), Field("count", INTEGER), Field("index", optional(EXPR), default=None))

_TARGET_LATER = later(lambda: TARGET)
TARGET: Shape = variants(
    {
        "Pool": (PoolTarget, record(PoolTarget, Field("base", INTEGER), Field("count", INTEGER))),
        "Stage": (StageTarget, record(StageTarget, Field("base", INTEGER), Field("count", INTEGER))),
        "Joint": (JointTarget, single(JointTarget, "targets", many(_TARGET_LATER))),
    },
)


def _read_arg(data: Any) -> Any:
    tag, content = tag_and_content(data)
    match tag:
        case "Expr":
            return _read(content)
        case "Pool":
            return PoolArg(REF.read(content))
        case "Stage":
            return StageArg(REF.read(content))
        case _:
            raise IrError(f"unknown argument `{tag}`")


_ARG = Shape(_read_arg, lambda value: value)  # only reads: `_write_args` writes

_READERS: dict[str, Shape] = {
    "Num": single(Num, "value", NUMBER),
    "Attr": single(Attr, "slot", INTEGER),
    "Ctx": single(Ctx, "name", one_of(CONTEXT)),
    "Reg": single(Reg, "register", INTEGER),
    "Agg": positional(Agg, ("name", one_of(AGGREGATES)), ("observe", INTEGER)),
    "Sample": positional(Sample, ("dist", one_of(DISTRIBUTIONS)), ("args", many(EXPR))),
    "Call": positional(Call, ("function", one_of(FUNCTIONS)), ("args", many(_ARG))),
    "Unary": positional(Unary, ("op", one_of(UNARY_OPS)), ("operand", EXPR)),
    "Binary": positional(Binary, ("op", one_of(BINARY_OPS)), ("left", EXPR), ("right", EXPR)),
    "Cond": positional(Cond, ("test", EXPR), ("then", EXPR), ("other", EXPR)),
    "Cost": positional(Cost, ("target", TARGET), ("expr", EXPR)),
}

PAIR = fixed(INTEGER, NUMBER)
