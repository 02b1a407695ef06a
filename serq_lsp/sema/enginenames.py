"""Names in engines and devices: requests, schedules, time resources (engine.md 5 and 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.lang.editions import Edition
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.frames import Frame
from serq_lsp.sema.resolve import body_of
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.sema.names import Names
    from serq_lsp.syntax.tree import Node


def note_engine(names: Names, node: Node, frame: Frame) -> None:
    """Note an engine: its request, its schedule, and what `execute` knows of the device."""
    names.out.declared(node, frame)
    name, on = node.child("name"), node.child("device")
    owner = name.text if name is not None else frame.queue
    key = ""
    if on is not None:
        key = on.text if frame.queue is None else f"{frame.queue}.{on.text}"
        names.out.keyed(Kind.DEVICE, key, on, frame)
    request = Frame(frame, frame.path, owner=owner, body=f"{owner}.request")
    for part in node.of_kind("engine_request"):
        names.parameters_in(part, request)
        body = part.child("body")
        for statement in body.children if body is not None else []:
            if statement.kind == "request_admission":
                for binding in statement.of_kind("binding"):
                    names.binding_in(binding, request)
            elif statement.named:
                names.visit(statement, request)
    execute = frame.inner()
    for symbol in names.out.table.resources(key):
        execute.calls[symbol.name] = symbol
    for part in node.children:
        match part.kind:
            case "engine_request":
                continue
            case "execute":
                names.children_of(part, execute)
            case "schedule":
                _schedule(names, part, frame, request)
            case _ if part.named and part.kind != "name":
                names.visit(part, frame)


def _schedule(names: Names, node: Node, frame: Frame, request: Frame) -> None:
    """Note a schedule: its `let`s are known in it, `taking` knows what the request knows."""
    inner = frame.inner()
    todo = [part for part in (node.child("body"),) if part is not None]
    while todo:
        block = todo.pop()
        for statement in block.children:
            if not statement.named or statement.field == "test":
                continue
            match statement.kind:
                case "let":
                    names.named_value(Kind.SCHEDULE_LET, statement, inner)
                case "schedule_branch" | "schedule_block":
                    test = statement.child("test")
                    if test is not None:
                        names.value_in(test, inner)
                    todo.append(statement)
                case "set":
                    names.assign(statement, inner)
                case _:
                    _schedule_statement(names, statement, inner, request)


def _schedule_statement(names: Names, node: Node, frame: Frame, request: Frame) -> None:
    for part in node.children:
        if part.kind == "name":
            names.out.value(part, frame)
        elif part.named:
            names.visit(part, request if part.kind == "taking" else frame)


def note_device(names: Names, node: Node, frame: Frame) -> None:
    """Note a device: its time resources know one another."""
    names.out.declared(node, frame)
    name = node.child("name")
    key = name.text if name is not None else ""
    if frame.queue is not None:
        key = f"{frame.queue}.{key}"
    for part in node.children:
        if part.kind == "time_resource":
            _time_resource(names, part, key, frame)
        elif part.named and part.kind != "name":
            names.visit(part, frame)


def _time_resource(names: Names, node: Node, device: str, frame: Frame) -> None:
    names.out.declared(node, frame)
    name = node.child("name")
    inner = Frame(frame, frame.path, body=body_of(name.text, name.span) if name is not None else None)
    names.parameters_in(node, inner)
    for symbol in names.out.table.resources(device):
        inner.calls[symbol.name] = symbol
    value = node.child("value")
    if value is not None:
        names.value_in(value, inner)


def note_let(names: Names, node: Node, frame: Frame) -> None:
    """Note a `let`; an input's default is looked at, its external name is no name of the program."""
    names.out.declared(node, frame)
    value = node.child("value")
    if value is None:
        return
    function = value.child("function") if value.kind == "call" else None
    if names.edition is not Edition.CLASSIC and function is not None and function.kind == "member":
        given = arguments(value)
        names.arguments_of([arg for arg in given if arg.kind != "string"], frame.constants())
        return
    names.value_in(value, frame.constants())
