"""Finds the bucket maps in the costs of a program's engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.bucketmaps import Map, recognise
from serq_lsp.checks.capacity import Capacity, of_count
from serq_lsp.checks.resources import engines, silent
from serq_lsp.checks.visits import plain
from serq_lsp.checks.witness import leaves_of
from serq_lsp.ir.expr import walk
from serq_lsp.sema.definitions import unfold
from serq_lsp.sema.scopes import Pasted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.resources import Engine
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

NODES_MAX = 3_000
"""So many nodes of one cost are looked at."""


class Use(NamedTuple):
    """A bucket map in a cost: `node` in the program's file, `body` the ladder itself in the file `body_path`.

    `definition` is the definition that the map is a use of, or None where it is written in place.
    """

    engine: Engine
    node: Node
    path: str
    body: Node
    body_path: str
    definition: Definition | None
    expr: Expr
    map: Map
    capacity: Capacity


class _Here(NamedTuple):
    """A node to look at: its scope, the node in the cost that led here, how the cost uses it."""

    node: Node
    scope: Scope
    site: Node
    whole: bool
    definition: Definition | None


def uses(model: Model) -> Iterator[Use]:
    """Yield the bucket maps in costs, in text order of the engines."""
    for engine in engines(model):
        if engine.cost is not None:
            yield from _in_cost(model, engine, engine.cost)


def _in_cost(model: Model, engine: Engine, cost: Node) -> Iterator[Use]:
    todo = [_Here(plain(cost), engine.scope, plain(cost), True, None)]
    seen = 0
    while todo and seen < NODES_MAX:
        here = todo.pop()
        seen += 1
        if here.node.kind in ("call", "conditional", "binary"):
            found = _map(model, engine, here)
            if found is not None:
                yield found
                continue
        todo.extend(reversed(list(_inside(model, here, engine.scope.path))))


def _map(model: Model, engine: Engine, here: _Here) -> Use | None:
    expr = silent(model).build(here.node, here.scope)
    leaf = _count(expr)
    capacity = of_count(model, engine, leaf) if leaf is not None else None
    if capacity is None:
        return None
    found = recognise(expr, capacity.least)
    if found is None:
        return None
    if here.whole and not found.tight:
        return None  # seconds rather than rows: nothing scales them
    definition, body, path = _named(model, here)
    return Use(engine, here.site, engine.scope.path, body, path, definition, expr, found, capacity)


def _count(expr: Expr) -> Expr | None:
    """Return the only leaf an expression reads; None where it reads none or several, or is very large."""
    if sum(1 for _ in zip(walk(expr), range(NODES_MAX), strict=False)) >= NODES_MAX:
        return None
    leaves = leaves_of((expr,))
    return leaves[0] if len(leaves) == 1 else None


def _named(model: Model, here: _Here) -> tuple[Definition | None, Node, str]:
    """Return the definition whose use this is, its body and the body's file; else the place itself."""
    function = here.node.child("function") if here.node.kind == "call" else None
    if function is not None and function.kind == "name":
        made = here.scope.find_call(function.text) or model.tables.definitions.get(function.text)
        if made is not None and made.value is not None:
            return made, plain(made.value), made.path
    return here.definition, here.node, here.scope.path


def _inside(model: Model, here: _Here, engine_path: str) -> Iterator[_Here]:
    """Yield what a node is made of; definitions and pasted names are followed."""
    node, scope = here.node, here.scope
    if node.kind == "name":
        meaning = scope.find(node.text)
        if isinstance(meaning, Pasted):
            yield _Here(plain(meaning.node), meaning.scope, here.site, here.whole, here.definition)
        return
    function = node.child("function") if node.kind == "call" else None
    if function is not None and function.kind == "name":
        made = scope.find_call(function.text) or model.tables.definitions.get(function.text)
        if made is not None and made.value is not None:
            inner = unfold(made, node, scope, wants_statements=False, report=_ignore)
            if inner is not None:
                yield _Here(plain(made.value), inner, here.site, here.whole, made)
            return
    for part in _operands(node):
        own = plain(part)
        in_place = scope.path == engine_path and _in(here.site, own)
        yield _Here(own, scope, own if in_place else here.site, False, None)


def _operands(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.kind == "arguments":
            yield from (arg for arg in child.children if arg.named and arg.kind != "comment")
        elif child.named and child.field not in ("function", "index") and child.kind != "comment":
            yield child


def _in(outer: Node, node: Node) -> bool:
    return outer.start <= node.start and node.end <= outer.end


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is known already."""
