"""The names a program declares, by kind: what a use of a name may find (classic.md 11.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.sema import supplied
from serq_lsp.sema.symbols import Kind, Symbol
from serq_lsp.sema.tables import states

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.declarations import Declarations
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


class Table:
    """The symbols of one program, its libraries' definitions included. `symbols` are those with a place, in order."""

    def __init__(self, declared: Declarations, edition: Edition, path: str) -> None:
        self.path = path
        self.symbols: list[Symbol] = []
        self._by_kind: dict[Kind, dict[str, Symbol]] = {kind: {} for kind in Kind}
        for name in supplied.functions(edition):
            self._supply(Kind.FUNCTION, name)
        for name in supplied.DISTRIBUTIONS:
            self._supply(Kind.DISTRIBUTION, name)
        for name in (*supplied.CONTEXT, supplied.INFINITY):
            self._supply(Kind.SUPPLIED, name)
        for name in BUILTIN_ATTRS:
            self._supply(Kind.ATTRIBUTE, name)
        self._declare(declared)
        self._assign(declared)

    def _supply(self, kind: Kind, name: str) -> None:
        self._by_kind[kind][name] = Symbol(kind, name)

    def add(
        self, kind: Kind, name: str, span: Span, node: Node | None, *, path: str | None = None, owner: str | None = None
    ) -> Symbol:
        """Declare a name, or note a further place that declares or assigns it."""
        where = path or self.path
        table = self._by_kind[kind]
        key = f"{owner}.{name}" if owner is not None else name
        symbol = table.get(key)
        if symbol is None:
            symbol = Symbol(kind, name, where, span, node, owner)
            table[key] = symbol
            self.symbols.append(symbol)
        symbol.places.append((where, span))
        return symbol

    def local(
        self, kind: Kind, name: str, span: Span, node: Node | None, *, path: str, owner: str | None = None
    ) -> Symbol:
        """Return a new name that is known in one place only: a parameter, a binding, an index."""
        symbol = Symbol(kind, name, path, span, node, owner, [(path, span)])
        self.symbols.append(symbol)
        return symbol

    def find(self, kind: Kind, name: str) -> Symbol | None:
        """Return the symbol of a kind; an owned one is called `owner.name`."""
        return self._by_kind[kind].get(name)

    def names(self, *kinds: Kind) -> tuple[str, ...]:
        """Return the names of these kinds."""
        return tuple(name for kind in kinds for name in self._by_kind[kind])

    def value(self, name: str) -> Symbol | None:
        """Return what a bare value name means program-wide (classic.md 11.2)."""
        for kind in (Kind.ATTRIBUTE, Kind.REGISTER, Kind.CONSTANT, Kind.INPUT, Kind.SUPPLIED):
            found = self._by_kind[kind].get(name)
            if found is not None:
                return found
        return None

    def dotted(self, owner: str, name: str) -> Symbol | None:
        """Return the attribute or mark `owner.name`, or the field of a record."""
        for kind in (Kind.ATTRIBUTE, Kind.MARK, Kind.FIELD):
            found = self._by_kind[kind].get(f"{owner}.{name}")
            if found is not None:
                return found
        return None

    def _declare(self, declared: Declarations) -> None:
        for made in declared.definitions.values():
            self.add(Kind.DEF, made.name, made.span, made.node, path=made.path)
        for let in declared.lets:
            self.add(Kind.CONSTANT if let.external is None else Kind.INPUT, let.name, let.span, let.node)
        for family in declared.pools.values():
            owner, _, name = family.name.rpartition(".")
            self.add(Kind.POOL, name, family.span, family.node, owner=owner or None)
        for station in declared.queues.values():
            self.add(Kind.QUEUE, station.name, station.span, station.node)
            for node in station.entries.values():
                self._child(Kind.ENTRY, "", node, station.name)
        for engine in declared.engines.values():
            if engine.queue is None:
                self.add(Kind.ENGINE, engine.name, engine.span, engine.node)
            for name, node in engine.capacities.items():
                self._child(Kind.CAPACITY, name, node, engine.name)
        for device in declared.devices.values():
            queue, _, own = device.name.rpartition(".")
            self.add(Kind.DEVICE, own, device.span, device.node, owner=queue or None)
            for made in device.resources.values():
                self.add(Kind.TIME_RESOURCE, made.name, made.span, made.node, owner=device.name)
            for name, node in device.capacities.items():
                self._child(Kind.CAPACITY, name, node, device.name)
        for family in declared.stages.values():
            if family.node is not None and family.node.kind == "stage":
                self.add(Kind.STAGE, family.name, family.span, family.node)
        for kind, nodes in ((Kind.GAUGE, declared.gauges), (Kind.CLAIM, declared.claims)):
            for node in nodes:
                self._child(kind, "", node, None)

    def _child(self, kind: Kind, name: str, node: Node, owner: str | None) -> None:
        own = node.child("name")
        if own is not None and own.text:
            self.add(kind, name or own.text, own.span, node, owner=owner)

    def resources(self, device: str) -> list[Symbol]:
        """Return the time resources of a device."""
        own = self._by_kind[Kind.TIME_RESOURCE]
        return [symbol for symbol in own.values() if symbol.owner == device]

    def stage(self, name: str) -> Symbol | None:
        """Return what a stage reference `name` finds: a stage, an engine, or the queue whose own stage it is."""
        for kind in (Kind.STAGE, Kind.ENGINE, Kind.QUEUE):
            found = self._by_kind[kind].get(name)
            if found is not None:
                return found
        return None

    def _assign(self, declared: Declarations) -> None:
        """Declare what statements assign: attributes, marks, records, observations; and registers."""
        for _, state in states(declared):
            name = state.child("name")
            if name is not None and name.text:
                self.add(Kind.REGISTER, name.text, name.span, state)
        for root in (declared.workload, declared.session, declared.server):
            if root is not None:
                self._assigned(root, self.path, None, None)
        for queue in declared.queues.values():
            for verb, node in queue.entries.items():
                self._assigned(node, self.path, queue.name if verb != "route" else None, queue.name)
        for engine in declared.engines.values():
            if engine.request is not None:
                self._assigned(engine.request, self.path, None, engine.name)
        for made in declared.definitions.values():
            if made.body is not None:
                self._assigned(made.body, made.path, None, None, made.parameters)

    def _assigned(
        self, root: Node, path: str, owner: str | None, marker: str | None, parameters: tuple[str, ...] = ()
    ) -> None:
        for node in assignments(root):
            name = node.child("name")
            if name is None or not name.text or name.text in parameters:
                continue
            match node.kind:
                case "observe":
                    self.add(Kind.OBSERVATION, name.text, name.span, node, path=path)
                case "mark":
                    self.add(Kind.MARK, name.text, name.span, node, path=path, owner=marker)
                case _:
                    self.add(Kind.ATTRIBUTE, name.text, name.span, node, path=path, owner=owner)
                    record = node.child("record")
                    for part in record.of_kind("record_field") if record is not None else []:
                        own = part.child("name")
                        if own is not None:
                            self.add(Kind.FIELD, own.text, own.span, part, path=path, owner=name.text)


def assignments(root: Node) -> Iterator[Node]:
    """Yield the nodes below `root` that assign a name or record an observation, in text order."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind in ("set", "choose", "declare", "observe", "mark"):
            yield node
        if node.kind not in ("name", "number", "comment", "reference", "call", "binary"):
            todo.extend(reversed(node.children))
