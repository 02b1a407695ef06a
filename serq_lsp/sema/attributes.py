"""The attributes and observations of a program, numbered in order of first use (semantics.md 1.1, engine.md 11.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.sema.scopes import Renamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.sema.flow import Flow, Step
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node


@dataclass(eq=False)
class Slots:
    """Numbers of attributes and observations by name; the nine built-in attributes come first."""

    attributes: dict[str, int] = field(default_factory=lambda: {name: i for i, name in enumerate(BUILTIN_ATTRS)})
    observations: dict[str, int] = field(default_factory=dict)


def walk(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield steps in order, each before those of its blocks."""
    todo = list(steps)
    todo.reverse()
    while todo:
        step = todo.pop()
        yield step
        for block in reversed(step.blocks):
            todo.extend(reversed(block))


def number(flow: Flow) -> Slots:
    """Return the numbers, walking init, turn and the session in this order."""
    slots = Slots()
    for block in flow.blocks:
        for step in walk(block):
            if step.form == "observe":
                for name in _name(step.node):
                    slots.observations.setdefault(name, len(slots.observations))
            else:
                for name in assigned(step):
                    slots.attributes.setdefault(name, len(slots.attributes))
    return slots


def assigned(step: Step) -> list[str]:
    """Return the attributes that a step sets, in order, as the kernel calls them."""
    match step.form:
        case "set" | "choose" | "bind":
            return [attribute(name, step.scope) for name in _name(step.node)]
        case "mark":
            station = step.scope.station
            prefix = station.prefix if station is not None else ""
            return [f"{prefix}{step.scope.name(name)[0]}" for name in _name(step.node)]
        case "declare":
            record = step.node.child("record")
            if record is None:
                return [attribute(name, step.scope) for name in _name(step.node)]
            fields = [name for part in record.of_kind("record_field") for name in _name(part)]
            return [f"{name}.{step.scope.name(own)[0]}" for name in _name(step.node) for own in fields]
        case _:
            return []


def attribute(name: str, scope: Scope) -> str:
    """Return what the kernel calls the attribute that a `set` of `name` assigns here."""
    name, scope = scope.name(name)
    meaning = scope.find(name)
    return meaning.attribute if isinstance(meaning, Renamed) else name


def _name(node: Node) -> list[str]:
    name = node.child("name")
    return [name.text] if name is not None and name.text else []
