"""The values of constants: `let`s folded in the order of the text (classic.md 9.4, engine.md 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.sema.expressions import Builder
from serq_lsp.sema.faults import Fault, NotConstant, UnknownName
from serq_lsp.sema.numbers import number
from serq_lsp.sema.scopes import Scope, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

    Sets = Mapping[str, float | Node]
    """New values for constants or inputs: numbers, or the nodes of constant expressions."""


class Let(NamedTuple):
    """One `let`: its name and place, its value's node; an input has its external name and its default."""

    name: str
    path: str
    span: Span
    node: Node
    value: Node
    external: str | None
    default: Node | None


def value_of(
    let: Let,
    above: Mapping[str, float],
    definitions: Mapping[str, Definition],
    edition: Edition,
    report: Callable[[Fault], None],
) -> float | None:
    """Return the value of a `let` over the constants `above` it; None, with a fault, where it has none."""
    node = let.default if let.external is not None and let.default is not None else let.value
    if node.kind == "number":
        return number(node.text)
    tables = Tables(edition, constants=above, definitions=definitions)

    def found(fault: Fault) -> None:
        report(NotConstant(fault.path, fault.span, let.name) if isinstance(fault, UnknownName) else fault)

    return Builder(tables, found).constant(node, Scope(let.path), let.name)


def fold(lets: Sequence[Let], definitions: Mapping[str, Definition], edition: Edition, sets: Sets) -> dict[str, float]:
    """Return the constants that readers see, with new values for those that `sets` names.

    `sets` names an input by its external name, any other constant by its own (a classic program's). A `let` that has
    no value is left out.
    """
    values: dict[str, float] = {}
    for let in lets:
        given = sets.get(_outside(let))
        if isinstance(given, (int, float)):
            values[let.name] = float(given)
            continue
        value = value_of(_with(let, given), values, definitions, edition, _ignore)
        if value is not None:
            values[let.name] = value
    return values


def replaced(let: Let, sets: Mapping[str, Node]) -> Let:
    """Return a `let` with the value that `sets` gives it, itself where it gives none."""
    return _with(let, sets.get(_outside(let))) if sets else let


def _outside(let: Let) -> str:
    """Return the name by which a new value is given: an input's external one, any other constant's own."""
    return let.external if let.external is not None else let.name


def _with(let: Let, node: Node | None) -> Let:
    if node is None:
        return let
    return Let(let.name, let.path, let.span, let.node, node, None, None)


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is found when the program is analysed."""
