"""The definitions of a program and its libraries, in the order in which they are read (classic.md 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.sema.faults import WrongArity, WrongBody
from serq_lsp.sema.scopes import Pasted
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


@dataclass(frozen=True, eq=False)
class Definition:
    """One `def`, or a device's time resource.

    `value` is the body of an expression definition, `body` the block of a statement definition; broken text may lack
    both. `order` counts definitions as they are read; `at` is the place in the program's file from which on the name
    may be used (the end of the `def`, or of the `use` that brought it).
    """

    name: str
    path: str
    span: Span
    node: Node
    parameters: tuple[str, ...]
    value: Node | None
    body: Node | None
    order: int
    at: int


def definition_of(node: Node, path: str, order: int, at: int) -> Definition | None:
    """Return the definition that a `def` or `time_resource` node makes; None without a name."""
    name = node.child("name")
    if name is None or not name.text:
        return None
    parameters = tuple(it.text for part in node.of_kind("parameters") for it in part.each("parameter"))
    return Definition(
        name.text, path, name.span, node, parameters, node.child("value"), node.child("body"), order, at
    )


def arguments(call: Node) -> list[Node]:
    """Return the arguments of a `call` node, in order."""
    return [arg for part in call.of_kind("arguments") for arg in part.children if arg.named and arg.kind != "comment"]


def unfold(
    definition: Definition, call: Node, scope: Scope, wants_statements: bool, report: Callable[[Fault], None]
) -> Scope | None:
    """Return the scope in which the body of `definition` is read at `call`; None with a fault where it cannot be.

    `wants_statements` says what stands at the use; `report` takes the fault.
    """
    given = arguments(call)
    function = call.child("function")
    span = function.span if function is not None else call.span
    if len(given) != len(definition.parameters):
        takes = (len(definition.parameters),)
        report(WrongArity(scope.path, span, Kind.DEF, definition.name, len(given), takes))
        return None
    if (definition.body if wants_statements else definition.value) is None:
        if definition.body is not None or definition.value is not None:
            report(WrongBody(scope.path, span, definition.name, wants_statements))
        return None
    names = {name: Pasted(arg, scope) for name, arg in zip(definition.parameters, given, strict=True)}
    return scope.expansion(definition, names, span)
