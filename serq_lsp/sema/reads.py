"""Which expressions a step reads, and which names in them no frame explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Num
from serq_lsp.sema.definitions import arguments, unfold
from serq_lsp.sema.scopes import Pasted, Valued
from serq_lsp.sema.supplied import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

_VALUES = ("value", "units", "work", "test", "count", "amount", "time", "key")
_APART = ("block", "at_admission", "call")
"""Parts of a statement that are no expressions of its own: nested blocks, bindings, a call that was unfolded."""
_MAX_NODES = 100_000
"""Names of one expression are looked for in so many nodes, definitions included."""


def expressions(step: Step) -> Iterator[tuple[Node, Scope]]:
    """Yield the expressions that a step itself reads (not those of its blocks), each with its scope.

    A reference yields its index. Bindings are not yielded: they are read where the header names them.
    """
    if step.form == "bind":
        value = step.node.child("value")
        if value is not None:
            yield value, step.header
        return
    if step.form in ("turn", "end", "join", "mark"):
        return
    if step.cache is not None:
        yield from inside(step.cache, step.header)
    yield from inside(step.node, step.header)


def inside(node: Node, scope: Scope) -> Iterator[tuple[Node, Scope]]:
    """Yield the expressions of a statement or option, nested blocks left out; a reference yields its index."""
    for child in node.children:
        if not child.named:
            continue
        if child.field in _VALUES:
            yield child, scope
        elif child.kind in _APART:
            continue
        elif child.kind == "reference":
            index = child.child("index")
            if index is not None:
                yield index, scope
        else:
            yield from inside(child, scope)


def free_names(steps: Iterable[Step], definitions: Mapping[str, Definition]) -> set[str]:
    """Return the names of values that the steps and their blocks read and that no frame explains.

    What a hold inside binds at the top of its body is not read from outside.
    """
    found: set[str] = set()
    read: set[str] = set()
    bound: set[str] = set()
    for step in steps:
        binds = step.form == "bind"
        if binds and (name := step.node.child("name")) is not None:
            bound.add(name.text)
        for node, scope in expressions(step):
            _names(node, scope, definitions, found if binds else read)
        for block in step.blocks:
            read |= free_names(block, definitions)
    return found | (read - bound)


def _names(node: Node, scope: Scope, definitions: Mapping[str, Definition], found: set[str]) -> None:
    """Add the free names of one expression; bodies of definitions count where they are used."""
    todo: list[tuple[Node, Scope]] = [(node, scope)]
    seen: set[tuple[Span, Scope]] = set()
    for _ in range(_MAX_NODES):
        if not todo:
            return
        here, frame = todo.pop()
        match here.kind:
            case "name":
                meaning = frame.find(here.text)
                if meaning is None:
                    found.add(here.text)
                elif isinstance(meaning, Pasted) and (meaning.node.span, meaning.scope) not in seen:
                    seen.add((meaning.node.span, meaning.scope))
                    todo.append((meaning.node, meaning.scope))
            case "call":
                todo.extend(_called(here, frame, definitions))
            case "aggregate":
                index, count, body = here.child("index"), here.child("count"), here.child("body")
                if index is not None and count is not None and body is not None:
                    todo += [(count, frame), (body, frame.inner({index.text: Valued(Num(0.0))}))]
            case "member" | "number" | "string" | "comment":
                pass
            case "subscript":
                inner = here.child("index")
                if inner is not None:
                    todo.append((inner, frame))
            case "draw":
                todo.extend((arg, frame) for arg in arguments(here))
            case _:
                todo.extend((child, frame) for child in here.children if child.named)


def _called(call: Node, frame: Scope, definitions: Mapping[str, Definition]) -> Iterator[tuple[Node, Scope]]:
    """Yield what a call reads: the body of a definition, or the arguments of a function that are values."""
    function = call.child("function")
    name, home = frame.name(function.text if function is not None else "")
    definition = home.find_call(name) or definitions.get(name)
    if definition is not None:
        inner = unfold(definition, call, frame, wants_statements=False, report=_ignore)
        if inner is not None and definition.value is not None:
            yield definition.value, inner
        return
    known = FUNCTIONS.get(name)
    for at, arg in enumerate(arguments(call)):
        if known is None or at >= len(known.takes) or known.takes[at] == "value":
            yield arg, frame
        elif (index := arg.child("index")) is not None:
            yield index, frame


def _ignore(_fault: Fault) -> None:
    """Take no note: the fault is found when the expression is built."""
