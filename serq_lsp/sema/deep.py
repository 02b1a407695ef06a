"""Faults that show only when definitions are unfolded: constants that move, too many terms, names unknown at a use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.sema.attributes import walk
from serq_lsp.sema.calls import clause_scope, execute_scope, let_scope
from serq_lsp.sema.expressions import Builder
from serq_lsp.sema.faults import NotConstant, UnknownName
from serq_lsp.sema.reads import expressions, inside
from serq_lsp.sema.scopes import Scope
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.tables import last, run_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.declarations import Declarations, Engine
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.flow import Flow
    from serq_lsp.sema.scopes import Tables
    from serq_lsp.syntax.tree import Node

CONSTANTS = ("cap", "capacity", "granule", "latency", "state")
"""Options whose value is constant (classic.md 9.4); `block` is read with the tables."""
_LAWS = ("poisson", "closed", "batch")


def deep_faults(declared: Declarations, flow: Flow, tables: Tables, path: str) -> list[Fault]:
    """Return what building every expression of the program reports, each place once."""
    found: list[Fault] = []
    builder = Builder(tables, found.append)
    root = Scope(path)
    for node, what in _constants(declared):
        builder.constant(node, root, what)
    for _, gap in _arrivals(declared):
        if builder.known(gap, root) is None:
            builder.build(gap, root)
    for node in (*declared.gauges, *declared.claims):
        for each, scope in inside(node, root):
            builder.build(each, scope)
    for engine in declared.engines.values():
        for each, scope in _clauses(engine, declared, path):
            builder.build(each, scope)
    for block in flow.blocks:
        for step in walk(block):
            for node, scope in expressions(step):
                builder.build(node, scope)
    return found


def _clauses(engine: Engine, declared: Declarations, path: str) -> Iterator[tuple[Node, Scope]]:
    """Yield the expressions of an engine's cap, schedule and cost; of a clause that is repeated the last one counts."""
    scope = clause_scope(engine, path)
    cost = last(engine.node, "execute")
    if cost is not None:
        yield cost, execute_scope(engine, declared, path)
    cap = last(engine.node, "tokens_cap")
    if cap is not None:
        yield cap, scope
    for schedule in engine.node.of_kind("schedule")[-1:]:
        body = schedule.child("body")
        if body is not None:
            yield from _schedule(body, let_scope(body, scope))


def _schedule(block: Node, scope: Scope) -> Iterator[tuple[Node, Scope]]:
    """Yield the expressions of a schedule but its `let`s; `taking` is read in a request."""
    todo = list(block.children)
    while todo:
        node = todo.pop()
        if node.field in ("test", "value", "key"):
            yield node, scope
        elif node.named and node.kind not in ("let", "taking"):
            todo.extend(node.children)


def merged(lexical: list[Fault], deep: list[Fault]) -> list[Fault]:
    """Return both, the deep ones only where nothing was found at the place before."""
    places = {(it.path, it.span.start) for it in lexical if not isinstance(it, NotConstant)}
    found = [it for it in lexical if not isinstance(it, NotConstant) or (it.path, it.span.start) not in places]
    seen = {(it.path, it.span.start) for it in found}
    for fault in deep:
        if (fault.path, fault.span.start) not in seen:
            seen.add((fault.path, fault.span.start))
            found.append(fault)
    return found


def certain(deep: list[Fault], broken: frozenset[str], *, unread: bool) -> list[Fault]:
    """Return the faults that hang neither on text that could not be parsed nor on a library that was not read."""
    return [
        it
        for it in deep
        if not isinstance(it, UnknownName)
        or (it.name.partition(".")[0] not in broken and not (unread and it.kind is Kind.FUNCTION))
    ]


def _arrivals(declared: Declarations) -> Iterator[tuple[str, Node]]:
    """Yield the law of arrivals and its amount, if the program says one that has an amount: the last one counts."""
    for arrive in declared.workload.of_kind("arrive")[-1:] if declared.workload is not None else []:
        law, amount = arrive.child("law"), arrive.child("value")
        if law is not None and amount is not None:
            yield law.kind, amount


def _constants(declared: Declarations) -> Iterator[tuple[Node, str]]:
    """Yield the values that must be constant, each with the word it belongs to."""
    holders = [family.node for family in (*declared.pools.values(), *declared.stages.values()) if family.node]
    holders += [device.node for device in declared.devices.values()]
    for holder in holders:
        kind = holder.child("kind")
        for option, value in (*_last(holder), *(_last(kind) if kind is not None else ())):
            yield value, option
        servers = kind.child("servers") if kind is not None else None
        if servers is not None:
            yield servers, "fifo"
    yield from ((amount, law) for law, amount in _arrivals(declared) if law in _LAWS)
    settings = {word: value for word, node in run_settings(declared) if (value := node.child("value")) is not None}
    for name, value in settings.items():
        yield value, name


def _last(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the constant options of a declaration; of an option that is repeated only the last one counts."""
    seen: set[str] = set()
    for child in reversed(node.children):
        value = child.child("value") if child.kind in CONSTANTS else None
        if value is None:
            continue
        if child.kind in ("cap", "granule", "latency"):
            if child.kind in seen:
                continue
            seen.add(child.kind)
        yield child.kind, value
