"""Calls of what the language supplies: functions of values, pools, stages and observations; draws (classic.md 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Agg, Binary, Call, Cost, Num, PoolArg, Sample, StageArg
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.faults import NotConstant, UnknownName, WrongArity
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Arg, Expr
    from serq_lsp.sema.expressions import Builder
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

ZERO = Num(0.0)
"""What stands for an expression that cannot be resolved."""


def apply(out: Builder, known: supplied.Function, name: str, node: Node, scope: Scope) -> Expr:
    """Return the call `node`, read in `scope`, of the function `known`, which the language calls `name`."""
    function, given = node.child("function") or node, arguments(node)
    if len(given) not in known.counts:
        out.report(WrongArity(scope.path, function.span, Kind.FUNCTION, name, len(given), known.counts))
        return ZERO
    match known.kernel:
        case "Cost":
            target = out.target(given[:-1], scope)
            amount = out.build(given[-1], scope)
            return Cost(target, amount) if target is not None else ZERO
        case "BlockSize":
            return _block_size(out, given[0], scope)
        case "Floor" if len(given) == 2:
            step = out.build(given[1], scope)
            whole = Call("Floor", (Binary("Div", out.build(given[0], scope), step),))
            return Binary("Mul", whole, step)
    if known.takes[0] == "observation":
        return _observed(out, known.kernel, given[0], scope)
    if known.takes[0] != "value":
        out.moves(function, scope)
    args: list[Arg] = []
    for arg, takes in zip(given, known.takes, strict=False):
        if takes == "value":
            args.append(out.build(arg, scope))
            continue
        found = out.reference(arg, scope, Kind.POOL if takes == "pool" else Kind.STAGE)
        if found is None:
            return ZERO
        args.append(PoolArg(found.ref) if takes == "pool" else StageArg(found.ref))
    return Call(known.kernel, tuple(args))


def draw(out: Builder, node: Node, scope: Scope) -> Expr:
    """Return the draw `node`, read in `scope`."""
    distribution = node.child("distribution")
    out.moves(distribution or node, scope)
    if distribution is None:
        return ZERO
    word, home = scope.origin(distribution)
    name = word.text
    known = supplied.DISTRIBUTIONS.get(name)
    if known is None:
        names = tuple(supplied.DISTRIBUTIONS)
        out.report(UnknownName(home.path, word.span, Kind.DISTRIBUTION, name, names))
        return ZERO
    given = arguments(node)
    if len(given) != known[1]:
        out.report(WrongArity(scope.path, distribution.span, Kind.DISTRIBUTION, name, len(given), (known[1],)))
        return ZERO
    return Sample(known[0], tuple(out.build(arg, scope) for arg in given))


def _observed(out: Builder, kernel: str, arg: Node, scope: Scope) -> Expr:
    word, home = scope.origin(arg)
    observe = out.tables.observations.get(word.text) if word.kind == "name" else None
    if observe is None:
        names = tuple(out.tables.observations)
        out.report(UnknownName(home.path, word.span, Kind.OBSERVATION, word.text, names))
        return ZERO
    return Agg(kernel, observe)


def _block_size(out: Builder, arg: Node, scope: Scope) -> Expr:
    found = out.reference(arg, scope, Kind.POOL)
    if found is None:
        return ZERO
    size = out.tables.blocks.get(found.family.name)
    if size is None:
        out.report(NotConstant(scope.path, arg.span, "blocksize"))
        return ZERO
    return Num(size)
