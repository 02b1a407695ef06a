"""The definitions of a program and its libraries, in the order in which they are read (classic.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.sema.faults import DefinitionCycle, UnknownName, WrongArity, WrongBody
from serq_lsp.sema.scopes import Pasted, Place
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

MAX_HANDED = 8
"""A definition that is handed to another may be used so often inside itself."""


class Definition(NamedTuple):
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
    return Definition(name.text, path, name.span, node, parameters, node.child("value"), node.child("body"), order, at)


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
    home = scope.name(function.text)[1] if function is not None else scope
    handed = home is not scope
    if not handed and scope.level is not None and definition.order >= scope.level:
        report(UnknownName(scope.path, span, Kind.DEF, definition.name, ()))
        return None
    # time resources have no order, and a definition may be handed to itself: both may lead back to themselves
    if _active(definition, scope) > MAX_HANDED if handed else Place(scope.path, span) in scope.via:
        report(DefinitionCycle(scope.path, span, (definition.name,) * 2, definition.path, definition.span))
        return None
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


def _active(definition: Definition, scope: Scope) -> int:
    """Return how many of the uses that led to `scope` stand in the body of `definition`."""
    body = definition.node
    return sum(it.path == definition.path and body.start <= it.span.start < body.end for it in scope.via)


def cycle(definitions: Mapping[str, Definition], start: str, used: str) -> tuple[str, ...]:
    """Spell the circle that leads from a definition through `used` back to it; just the two names if there is none."""
    paths: list[tuple[str, ...]] = [(start, used)]
    seen = {used}
    while paths:
        path = paths.pop()
        if path[-1] == start:
            return path
        for called in sorted(_called(definitions, path[-1])):
            if called == start or called not in seen:
                seen.add(called)
                paths.append((*path, called))
    return (start, used)


def _called(definitions: Mapping[str, Definition], name: str) -> set[str]:
    """Return the definitions that the body of a definition names, as far as the text tells."""
    made = definitions[name]
    found: set[str] = set()
    todo = [it for it in (made.value, made.body) if it is not None]
    while todo:
        node = todo.pop()
        function = node.child("function") if node.kind == "call" else None
        if function is not None and function.text in definitions:
            found.add(function.text)
        todo.extend(node.children)
    return found
