"""What one occurrence of a name finds: uses as facts, and faults where nothing is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.faults import UnknownName, WrongArity, WrongBody
from serq_lsp.sema.references import written
from serq_lsp.sema.symbols import Kind, Symbol, Use

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.sema.declarations import Declarations
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.flow import Flow
    from serq_lsp.sema.frames import Frame
    from serq_lsp.sema.table import Table
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

ANY = Kind.ATTRIBUTE
"""What a place that reads a value wants."""
RESOURCE = Kind.CAPACITY
"""What the place of a cost's resource wants: a pool or a stage."""
SOURCE = Kind.QUEUE
"""What `from` wants: a queue, a pool, an entry's source."""
VALUE_KINDS = (Kind.ATTRIBUTE, Kind.REGISTER, Kind.CONSTANT, Kind.INPUT, Kind.SUPPLIED)
_CALLED = (Kind.FUNCTION, Kind.DEF)
_READ_UNCALLED = (Kind.ATTRIBUTE, Kind.POOL)
_WANTS = {
    Kind.POOL: (Kind.POOL,),
    Kind.STAGE: (Kind.STAGE, Kind.ENGINE, Kind.QUEUE),
    RESOURCE: (Kind.POOL, Kind.STAGE, Kind.ENGINE, Kind.QUEUE),
    SOURCE: (Kind.QUEUE, Kind.POOL),
}


class _Missing(NamedTuple):
    """A name that nothing declares, until the walk is over."""

    fault: UnknownName
    definition: str | None
    body: str | None


class Resolver:
    """Takes the occurrences of names of one program. `attributes` are those of its `flow`, `table` what is declared."""

    def __init__(
        self, table: Table, declared: Declarations, edition: Edition, flow: Flow, attributes: Mapping[str, int]
    ) -> None:
        self.table = table
        self.program = declared
        self.edition = edition
        self.attributes = attributes
        self._entered = flow.entered
        self.uses: list[Use] = []
        self.roles: dict[tuple[str, str], set[Kind]] = {}
        """What a definition's parameter stands for in its body, by (definition, parameter)."""
        self.indices: dict[tuple[str, str], dict[str, Symbol]] = {}
        """The indices around a definition's parameter in its body: an argument reads them, as pasted text would."""
        self._missing: list[_Missing] = []
        self._faults: list[tuple[Fault, str | None]] = []
        self._locals: set[str] = set()
        self._calls: dict[str | None, set[str]] = {}
        self.functions = supplied.functions(edition)
        self._places = {place: symbol for symbol in table.symbols for place in symbol.places}
        self._supplied: dict[str, Symbol] = {}

    # -- declarations -----------------------------------------------------------------------------

    def use(self, kind: Kind, node: Node, frame: Frame, target: Symbol | None, *, writes: bool = False) -> None:
        """Note one occurrence."""
        self.uses.append(Use(kind, node.text, frame.path, node.span, target, writes))

    def local(self, kind: Kind, name: Node, node: Node, frame: Frame) -> Symbol:
        """Declare a name that is known in one place only."""
        symbol = self.table.local(kind, name.text, name.span, node, path=frame.path, owner=frame.definition)
        self._locals.add(name.text)
        self.use(kind, name, frame, symbol, writes=True)
        return symbol

    def declared(self, node: Node, frame: Frame) -> None:
        """Note the name of a declaration."""
        name = node.child("name")
        if name is not None:
            self.declares(name, frame)

    def declares(self, name: Node, frame: Frame) -> bool:
        """Say whether a name stands where it is declared, and note it if so."""
        if name.field != "name":
            return False
        symbol = self._places.get((frame.path, name.span))
        if symbol is not None:
            self.use(symbol.kind, name, frame, symbol, writes=True)
        return symbol is not None

    def assigned(self, node: Node, frame: Frame) -> None:
        """Note the name that a statement assigns or records under."""
        name = node.child("name")
        if name is None or not name.text:
            return
        parameter = frame.parameters.get(name.text)
        if parameter is not None:
            self.role(frame, name.text, Kind.MARK if node.kind == "mark" else ANY)
            self.use(Kind.PARAMETER, name, frame, parameter, writes=True)
            return
        if node.kind == "set" and (register := self.table.find(Kind.REGISTER, name.text)) is not None:
            self.use(Kind.REGISTER, name, frame, register, writes=True)
            return
        symbol = self._places.get((frame.path, name.span))
        kind = symbol.kind if symbol is not None else Kind.ATTRIBUTE
        self.use(kind, name, frame, symbol, writes=True)
        record = node.child("record")
        for part in record.of_kind("record_field") if record is not None else []:
            own = part.child("name")
            if own is not None:
                self.reference(RESOURCE, own, frame)

    # -- values and references --------------------------------------------------------------------

    def value(self, node: Node, frame: Frame) -> None:
        """Note a bare name that is read as a value."""
        name = node.text
        if node.missing or not name:
            return
        if self.parameter(node, ANY, frame):
            return
        found = frame.find(name, "values")
        if found is None and frame.owner is not None:
            found = self.table.find(Kind.ATTRIBUTE, f"{frame.owner}.{name}")
        if found is not None and found.span is not None and found.kind in (Kind.BINDING, Kind.SCHEDULE_LET):
            self.called(frame, body_of(name, found.span))
        found = found or self.table.value(name)
        self.use(found.kind if found is not None else Kind.ATTRIBUTE, node, frame, found)
        if found is None and name not in supplied.ENGINE_LISTS:
            self.miss(Kind.ATTRIBUTE, name, node.span, frame, wants=VALUE_KINDS)

    def named(self, kind: Kind, node: Node, frame: Frame) -> None:
        """Note a bare name of a certain kind that is no reference (`memory kv`, `D pull P`)."""
        own = self.table.find(kind, f"{frame.queue}.{node.text}") if frame.queue is not None else None
        if own is not None:
            self.use(kind, node, frame, own)
        elif kind in _WANTS:
            self.reference(kind, node, frame)
        elif not self.parameter(node, kind, frame):
            self.keyed(kind, node.text, node, frame)

    def keyed(self, kind: Kind, key: str, node: Node, frame: Frame) -> None:
        """Note a name that is declared under `key`."""
        found = self.table.find(kind, key)
        self.use(kind, node, frame, found)
        if found is None and not node.missing:
            self.miss(kind, node.text, node.span, frame, wants=(kind,))

    def owner(self, node: Node, frame: Frame) -> None:
        """Note the `on E.D` of a pool: an engine or a device, those of a queue inside it."""
        owner, device = node.child("owner"), node.child("device")
        if owner is None or owner.missing:
            return
        prefix = f"{frame.queue}." if frame.queue is not None else ""
        found = self.table.find(Kind.ENGINE, owner.text) or self.table.find(Kind.DEVICE, f"{prefix}{owner.text}")
        if found is None and owner.text == frame.queue:
            found = self.table.find(Kind.QUEUE, owner.text)
        self.use(found.kind if found is not None else Kind.ENGINE, owner, frame, found)
        if found is None:
            self.miss(Kind.ENGINE, owner.text, owner.span, frame, wants=(Kind.ENGINE, Kind.DEVICE))
        if device is not None:
            self.keyed(Kind.DEVICE, f"{prefix}{device.text}", device, frame)

    def reference(self, kind: Kind, node: Node, frame: Frame) -> None:
        """Note a reference to a pool, a stage, or either; its index is not looked at here."""
        parts = written(node)
        name = head_of(node)
        if parts is None or name is None or name.missing:
            return
        tail = node.child("member")
        if tail is not None and self.parameter(tail, Kind.MARK, frame):
            self.parameter(name, SOURCE, frame)
            return
        if self.parameter(name, kind if parts.member is None else SOURCE, frame):
            return
        if parts.member is not None:
            self._dotted_reference(kind, parts.name, parts.member, node, frame)
            return
        found = self._resource(kind, parts.name, frame)
        self.use(found.kind if found is not None else kind, name, frame, found)
        if found is None and frame.find(parts.name, "values") is None:
            self.miss(kind, parts.name, name.span, frame, wants=_WANTS.get(kind, (kind,)))

    def _resource(self, kind: Kind, name: str, frame: Frame) -> Symbol | None:
        """Return the pool or stage of a bare name: a queue's own first."""
        found: Symbol | None = None
        if kind is not Kind.STAGE:
            found = frame.find(name, "pools")
            if found is None and kind is SOURCE:
                found = self.table.find(Kind.QUEUE, name)
            found = found or self.table.find(Kind.POOL, name)
        if found is None and kind in (Kind.STAGE, RESOURCE) and (name in self.program.stages or name == "tool"):
            found = self.table.stage(name) or self.word(name, Kind.STAGE)
        return found

    def _dotted_reference(self, kind: Kind, owner: str, member: str, node: Node, frame: Frame) -> None:
        queue = self.table.find(Kind.QUEUE, owner)
        head, tail = head_of(node), node.child("member")
        pool = self.table.find(Kind.POOL, f"{owner}.{member}") if kind is not Kind.STAGE else None
        stage = self.program.stages.get(f"{owner}.{member}") if kind is not Kind.POOL else None
        if head is not None and queue is not None:
            self.use(Kind.QUEUE, head, frame, queue)
        if tail is not None and pool is not None:
            self.use(Kind.POOL, tail, frame, pool)
        if pool is None and stage is None:
            self.miss(kind, f"{owner}.{member}", node.span, frame, wants=_WANTS.get(kind, (kind,)))

    def anything(self, node: Node, frame: Frame) -> None:
        """Note a name that may be a value, a pool or a stage: nothing certain is known of its place."""
        name = head_of(node)
        parts = written(node)
        if name is None or parts is None:
            return
        if parts.name in frame.parameters:
            self.role(frame, parts.name, RESOURCE)
        if self.parameter(name, ANY, frame):
            return
        found = (
            frame.find(parts.name, "values")
            or self._resource(RESOURCE, parts.name, frame)
            or self.table.find(Kind.QUEUE, parts.name)
            or self.table.value(parts.name)
        )
        self.use(found.kind if found is not None else ANY, name, frame, found)

    def member(self, node: Node, frame: Frame) -> None:
        """Note `Q.x`, `E.m`, `record.field`, `running.count` read as a value."""
        parts = written(node)
        head, tail = head_of(node), node.child("member")
        if parts is None or parts.member is None or head is None or tail is None:
            return
        key = (parts.name, parts.member)
        if self.parameter(tail, Kind.MARK, frame) | self.parameter(head, SOURCE, frame):
            return
        if self.edition is not Edition.CLASSIC and (key in supplied.ENGINE_CONTEXT or key == ("waiting", "count")):
            self.uses.append(Use(Kind.SUPPLIED, ".".join(key), frame.path, node.span, self.word(".".join(key))))
            return
        found = self.table.dotted(*key)
        for kind in (Kind.QUEUE, Kind.ENGINE, Kind.ATTRIBUTE):
            owner = self.table.find(kind, parts.name)
            if owner is not None:
                self.use(kind, head, frame, owner)
                break
        if found is not None:
            self.use(found.kind, tail, frame, found)
        elif ".".join(key) not in self.attributes:
            self.miss(Kind.MARK, ".".join(key), node.span, frame, wants=(Kind.MARK, Kind.FIELD, Kind.ATTRIBUTE))

    # -- faults -----------------------------------------------------------------------------------

    def word(self, name: str, kind: Kind = Kind.SUPPLIED) -> Symbol:
        """Return the symbol of a name that the language supplies here."""
        return self._supplied.setdefault(name, Symbol(kind, name))

    def role(self, frame: Frame, parameter: str, kind: Kind) -> None:
        """Note what a definition's parameter stands for."""
        if frame.definition is not None and not frame.silent:
            self.roles.setdefault((frame.definition, parameter), set()).add(kind)

    def parameter(self, name: Node, kind: Kind, frame: Frame) -> bool:
        """Say whether a name is a parameter of the definition it stands in; if so, note it and what it stands for."""
        symbol = frame.parameters.get(name.text)
        if symbol is not None:
            self.role(frame, name.text, kind)
            if frame.definition is not None:
                self.indices.setdefault((frame.definition, name.text), {}).update(frame.indices())
            self.use(Kind.PARAMETER, name, frame, symbol)
        return symbol is not None

    def called(self, frame: Frame, name: str) -> None:
        """Note that a definition, or the body of a binding, is used."""
        self._calls.setdefault(frame.body, set()).add(name)

    def fault(self, fault: Fault, frame: Frame) -> None:
        """Note a fault."""
        if not frame.silent:
            self._faults.append((fault, frame.body))

    def miss(self, kind: Kind, name: str, span: Span, frame: Frame, *, wants: tuple[Kind, ...]) -> None:
        """Note a name of a kind that is nowhere; `wants` are the kinds whose names may be meant."""
        if self.edition is Edition.CURRENT:
            return  # what a pair of files declares together is not modelled
        self.missing(UnknownName(frame.path, span, kind, name, self.table.names(*wants)), frame)

    def missing(self, fault: UnknownName, frame: Frame) -> None:
        """Note an unknown name; whether it is a fault is decided when the walk is over."""
        if not frame.silent:
            self._missing.append(_Missing(fault, frame.definition, frame.body))

    def faults(self, broken: frozenset[str], *, unread: bool) -> list[Fault]:
        """Return what is certainly wrong, once the walk is over.

        Names among the `broken` words may be declared; where a library is `unread`, so may be all that is called.
        """
        used = self.used()
        library = not self.program.has_program
        resources = {name for device in self.program.devices.values() for name in device.resources}
        local = self._locals | {name.rpartition(".")[2] for name in self.program.pools} | resources | {"self"}
        known = {*local, *self.program.stages, *self.program.queues, *self.program.engines}
        found = list(self._faults)
        for missing in self._missing:
            head = missing.fault.name.partition(".")[0]
            if library and missing.definition is not None:
                continue  # what a library's names mean is known where it is used
            if unread and missing.fault.kind in _CALLED:
                continue
            if head not in broken and (missing.definition is None or head not in local):
                found.append((missing.fault, missing.body))
        return [fault if body is None or body in used else _marked(fault, body, known) for fault, body in found]

    def used(self) -> set[str]:
        """Return the bodies that are used, directly or through others: definitions, entries, requests."""
        used = set(self._entered)
        todo = [name for body in (None, *used) for name in self._calls.get(body, ())]
        while todo:
            name = todo.pop()
            if name not in used:
                used.add(name)
                todo.extend(self._calls.get(name, ()))
        return used


def body_of(name: str, span: Span) -> str:
    """Return what the body of a binding or schedule `let` is called, apart from others of its name."""
    return f"{name}@{span.start}"


def head_of(node: Node) -> Node | None:
    """Return the name at the beginning of a reference, member or subscript."""
    while node.kind in ("member", "subscript", "reference"):
        inner = node.child("name" if node.kind == "reference" else "object")
        if inner is None:
            return None
        node = inner
    return node if node.kind == "name" else None


def _marked(fault: Fault, body: str, known: set[str]) -> Fault:
    """Return the fault, marked as one in a body that the reference does not look at.

    Of an entry or request that is not called it does look at the values and pools that are read, except of a `route`,
    and except names of something else (`known`).
    """
    looked_at = "." in body and not body.endswith(".route")
    if looked_at and isinstance(fault, UnknownName) and fault.kind in _READ_UNCALLED and fault.name not in known:
        return fault
    if isinstance(fault, (UnknownName, WrongArity, WrongBody)):
        return fault._replace(in_unused_def=True)
    return fault
