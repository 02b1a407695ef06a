"""Witnesses at an arrival, and how values and amounts are written in messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks.bounds import interval_of
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import plain
from serq_lsp.checks.witness import find, leaves_of, value_of
from serq_lsp.sema import supplied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from serq_lsp.checks.firstpass import Arrival
    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

NAMES_MAX = 4
"""So many names of a witness are shown at most."""


def witness(
    arrival: Arrival, exprs: Sequence[Expr], shows: Callable[[list[float]], bool], *, idle_only: bool = False
) -> tuple[Mapping[Expr, float], list[float]] | None:
    """Look for a session that arrives so that `shows(values of exprs)`; the sources' values and those of `exprs`.

    First on an idle machine, then on any unless `idle_only`. Expressions that read what a loop may have changed have
    no witness.
    """
    resolved = [arrival.resolve(expr) for expr in exprs]
    tests = arrival.conditions()
    everything = [*resolved, *(test for test, _ in tests)]
    sources = arrival.walk.sources
    free = leaves_of(everything)
    if sources.unknown.intersection(free):
        return None
    count = len(resolved)

    def holds(values: list[float]) -> bool:
        led_here = all((value != 0) == truth for value, (_, truth) in zip(values[count:], tests, strict=True))
        return led_here and all(not math.isnan(it) for it in values[:count]) and shows(values[:count])

    for idle in (True,) if idle_only or arrival.walk.alone else (True, False):
        found = find(everything, sources.worlds(free, idle=idle), holds)
        if found is not None:
            return found[0], found[1][:count]
    return None


def most(arrival: Arrival, expr: Expr) -> float:
    """Return an upper bound of what an expression can be at an arrival; inf where none is known."""
    resolved = arrival.resolve(expr)
    found = interval_of(resolved, arrival.walk.sources.worlds(leaves_of((resolved,)), idle=False))
    return math.inf if found.nan else found.high


def named(arrival: Arrival, values: Mapping[Expr, float], *places: tuple[Node, Scope]) -> str:
    """Return `with `prompt = 6`, `left = 4`: ` for the names and calls written in these expressions; empty for none."""
    builder = silent(arrival.walk.model)
    found: dict[str, float] = {}
    for node, scope in places:
        for part, written in readings(arrival.walk.model, node, scope):
            if written not in found and len(found) < NAMES_MAX:
                expr = builder.build(part, scope)
                if leaves_of((expr,)):
                    found[written] = value_of(arrival.resolve(expr), values)
    if not found:
        return ""
    return "with " + ", ".join(f"`{name} = {amount(number)}`" for name, number in found.items()) + ": "


def readings(model: Model, node: Node, scope: Scope) -> Iterator[tuple[Node, str]]:
    """Yield the names and state functions that an expression reads as written, each with its text."""
    functions = supplied.functions(model.edition)
    todo = [plain(node)]
    while todo:
        here = todo.pop()
        function = here.child("function") if here.kind == "call" else None
        known = functions.get(function.text) if function is not None else None
        if here.kind in ("name", "member") or (known is not None and known.takes[0] in ("pool", "stage")):
            if known is None or known.kernel != "BlockSize":
                yield here, text(model, scope.path, here)
        else:
            todo.extend(child for child in reversed(here.children) if child.named and child.field != "function")


def text(model: Model, path: str, node: Node) -> str:
    """Return the text of a node of the file `path`, white space made single."""
    return " ".join(source(model, path)[node.start : node.end].split())


def source(model: Model, path: str) -> str:
    """Return the text of a file of the program."""
    trees = (model.tree, *(it.tree for it in model.libraries))
    return next((it for it in trees if it.source.path == path), model.tree).source.text


def amount(number: float) -> str:
    """Return a number as a message writes it: `6`, `0.25`, `inf`."""
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}".replace(",", "_") if abs(number) >= 1e5 else str(int(number))
    return f"{number:.6g}"


def in_blocks(number: float, rounded: float, block: float | None) -> str:
    """Return an amount with what it takes in blocks: `6 (8 in blocks of 4)`."""
    if block is None or rounded == number:
        return amount(number)
    return f"{amount(number)} ({amount(rounded)} in blocks of {amount(block)})"
