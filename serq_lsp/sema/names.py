"""Every occurrence of a name in a program and its libraries, and what it finds: facts for the editor and the checks.

The text is walked once, as written: bodies of definitions are looked at where they stand. A name in such a body that no
parameter explains may mean something at the use only (a binding, an index), so it is a fault only where nothing in the
whole program could explain it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.sema.callees import (
    note_definition,
    note_distribution,
    note_entry,
    note_function,
    note_handed,
    note_request,
)
from serq_lsp.sema.collect import items
from serq_lsp.sema.deep import CONSTANTS
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.enginenames import note_device, note_engine, note_let
from serq_lsp.sema.frames import Frame
from serq_lsp.sema.resolve import ANY, RESOURCE, SOURCE, Resolver, body_of
from serq_lsp.sema.symbols import Kind, Symbol

if TYPE_CHECKING:
    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema import supplied
    from serq_lsp.sema.declarations import Declarations
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.syntax.tree import Node

_ROLES = {
    ("memory", "pool"): Kind.POOL, ("admit_via", "stage"): Kind.STAGE, ("relation", "left"): Kind.QUEUE,
    ("relation", "right"): Kind.QUEUE, ("request", "gateway"): Kind.QUEUE, ("hidden", "name"): ANY,
}  # fmt: skip
"""What a bare name wants where it is no value: by the node it stands in and its role there."""
_SILENT = frozenset((
    "record_field", "roles", "parameters", "named_argument", "send_binding", "server_parameter", "reply", "connector", "module_call",
    "pool_owner",
))  # fmt: skip
"""Nodes whose own names are declared or looked up elsewhere, or are not modelled."""
_OPTIONED = frozenset(("pool", "step", "run_block", "workload"))
"""Nodes in which a repeated option replaces the earlier one, which is then not looked at (classic.md 2.2)."""
_CONSTANT = frozenset((*CONSTANTS, "block_size", "size", "fifo", "arrive", "setting", "let"))
"""Nodes whose values must be constant (classic.md 9.4), or are looked at as constants first (a gap)."""
_DROPPED = "a dropped argument"
"""Stands for the body of a definition while an argument is noted that its body does not use: nothing reads it."""
_REPEATED = ("state", "hidden", "session")
_HANDED = (Kind.FUNCTION, Kind.DISTRIBUTION, Kind.OBSERVATION, Kind.ENTRY, Kind.MARK, SOURCE)
"""Names, no values, that a parameter may stand for beside pools and stages."""
_REFERENCES = {"pool": Kind.POOL, "to": Kind.POOL, "stage": Kind.STAGE}


class Names:
    """Walks the text of one program. `out` takes the uses and faults."""

    def __init__(self, declared: Declarations, edition: Edition, out: Resolver) -> None:
        self.declared = declared
        self.edition = edition
        self.out = out

    def walk(self, root: Node) -> None:
        """Walk definitions in order, then the items of the program."""
        for made in self.declared.definitions.values():
            self._definition(made)
        top = Frame(None, self.out.table.path)
        for item in items(root):
            if item.kind != "def":
                self.visit(item, top)

    def _definition(self, made: Definition) -> None:
        table = self.out.table
        frame = Frame(None, made.path, definition=made.name, body=made.name)
        frame.parameters = {}
        for part in made.node.of_kind("parameters"):
            for name in part.each("parameter"):
                symbol = table.local(Kind.PARAMETER, name.text, name.span, name, path=made.path, owner=made.name)
                frame.parameters.setdefault(name.text, symbol)
                self.out.use(Kind.PARAMETER, name, frame, symbol, writes=True)
        self.out.declared(made.node, frame)
        body = made.value or made.body
        if body is None:
            return
        if body.kind == "name":
            self.out.value(body, frame)
        else:
            self.visit(body, frame)

    def visit(self, node: Node, frame: Frame) -> None:
        """Note the names in a node and below it."""
        match node.kind:
            case "binary" | "block" | "arguments" | "parenthesized" | "unary":
                self.children_of(node, frame)
            case "conditional" if frame.constant:
                self._choice(node, frame)
            case "call":
                self._call(node, frame, statement=False)
            case "call_statement":
                self._call_statement(node, frame)
            case "reference":
                self._reference(node, frame, _REFERENCES.get(node.field or "", RESOURCE))
            case "member":
                self.out.member(node, frame)
            case "subscript":
                self.out.anything(node, frame)  # the superset takes it; it may be an argument that stands for a pool
                self.index_of(node, frame)
            case "draw":
                self._draw(node, frame)
            case "aggregate":
                self._aggregate(node, frame)
            case "set" | "choose" | "observe" | "mark" | "declare":
                self.assign(node, frame)
            case "hold":
                self._hold(node, frame)
            case "queue":
                self._queue(node, frame)
            case "engine":
                note_engine(self, node, frame)
            case "entry":
                self._entry(node, frame)
            case "device":
                note_device(self, node, frame)
            case "let" if node.child("value") is not None:
                note_let(self, node, frame)
            case "pool_owner":
                self.out.owner(node, frame)
            case "number" | "string" | "comment" | "def" | "ERROR":
                return
            case _:
                self.children_of(node, frame)

    def children_of(self, node: Node, frame: Frame) -> None:
        """Note the names in the children of a node, each in its role."""
        kind = node.kind
        frame = frame.constants() if kind in _CONSTANT else frame
        replaced = _replaced(node, self.declared.runs) if kind in _OPTIONED else ()
        for child in node.children:
            if not child.named:
                continue
            if child.kind != "name":
                self.visit(child, frame if child not in replaced else frame.unread())
            elif not child.missing and kind not in _SILENT and not self.out.declares(child, frame):
                role = _ROLES.get((kind, child.field or ""))
                if role is None or role is ANY:
                    self.out.value(child, frame)
                else:
                    self.out.named(role, child, frame)

    # -- expressions ------------------------------------------------------------------------------

    def _choice(self, node: Node, frame: Frame) -> None:
        """Note a choice in a constant; what is wrong with the arm that is taken shows where its value is worked out."""
        for child in node.children:
            if child.named:
                self.value_in(child, frame if child.field == "test" else frame.unread())

    def _call(self, node: Node, frame: Frame, *, statement: bool, source: bool = False) -> None:
        function = node.child("function")
        if function is None:
            return
        given = arguments(node)
        if function.kind != "name":
            note_entry(self.out, function, len(given), frame, statement=statement, source=source)
            for part in function.children:
                self.index_of(part, frame)
            self.arguments_of(given, frame)
            return
        name = function.text
        local = frame.find(name, "calls")
        made = self.declared.definitions.get(name)
        if self.out.parameter(function, Kind.FUNCTION, frame):
            self._supplied(None, given, frame.unread())  # what they are shows where the body is unfolded
        elif local is not None:
            self.out.use(Kind.TIME_RESOURCE, function, frame, local)
            if local.span is not None:
                self.out.called(frame, body_of(name, local.span))
            self.arguments_of(given, frame)
        elif made is not None:
            note_definition(self.out, function, made, len(given), frame, statement=statement)
            for arg, parameter in zip(given, (*made.parameters, *("",) * len(given)), strict=False):
                self._handed(arg, made, parameter, frame)
        elif statement and name in self.declared.engines:
            note_request(self.out, function, self.declared.engines[name], len(given), frame)
            self.arguments_of(given, frame)
        else:
            known = note_function(self.out, function, len(given), frame, statement=statement)
            self._supplied(known, given, frame)

    def _supplied(self, known: supplied.Function | None, given: list[Node], frame: Frame) -> None:
        """Note the arguments of a function of the language, each in its role."""
        for at, arg in enumerate(given):
            takes = "value"
            if known is None and arg.kind == "name":
                self.out.anything(arg, frame)
                continue
            if known is not None:
                takes = known.takes[min(at, len(known.takes) - 1)]
                if takes == "resources" and at == len(given) - 1:
                    takes = "value"
            match takes:
                case "pool" | "stage" | "resources":
                    wanted = {"pool": Kind.POOL, "stage": Kind.STAGE}.get(takes, RESOURCE)
                    self._reference(arg, frame, wanted)
                case "observation":
                    if arg.kind == "name":
                        self.out.named(Kind.OBSERVATION, arg, frame)
                case _:
                    self.value_in(arg, frame)

    def arguments_of(self, given: list[Node], frame: Frame) -> None:
        """Note arguments that are values."""
        for arg in given:
            self.value_in(arg, frame)

    def value_in(self, node: Node, frame: Frame) -> None:
        """Note a node that stands where a value is read."""
        if node.kind == "name":
            self.out.value(node, frame)
        else:
            self.visit(node, frame)

    def _handed(self, arg: Node, made: Definition, parameter: str, frame: Frame) -> None:
        """Note an argument of a definition in the roles that its parameter plays in the body."""
        roles = self.out.roles.get((made.name, parameter), set())
        handed = next((kind for kind in _HANDED if kind in roles), None)
        if arg.kind == "name" and handed is not None and note_handed(self.out, arg, handed, frame):
            return
        if not roles:
            frame = Frame(frame.unread(), frame.path, body=_DROPPED)
        if indices := self.out.indices.get((made.name, parameter)):
            frame = frame.inner()
            frame.values.update(indices)
        if arg.kind not in ("name", "subscript"):
            self.visit(arg, frame)
            return
        if len(roles) != 1:
            self.out.anything(arg, frame)
            self.index_of(arg, frame)
        elif ANY in roles:
            self.value_in(arg, frame)
        else:
            self._reference(arg, frame, next(iter(roles)))

    def _reference(self, node: Node, frame: Frame, kind: Kind) -> None:
        if node.kind not in ("name", "reference", "member", "subscript"):
            self.visit(node, frame.unread())  # it is none, and nothing reads it as a value
            return
        self.out.reference(kind, node, frame)
        self.index_of(node, frame)

    def index_of(self, node: Node, frame: Frame) -> None:
        """Note the index of a reference."""
        index = node.child("index") if node.kind in ("reference", "subscript") else None
        if index is not None:
            self.value_in(index, frame)
        elif node.kind == "member":
            for part in node.children:
                self.index_of(part, frame)

    def _draw(self, node: Node, frame: Frame) -> None:
        given = arguments(node)
        name = node.child("distribution")
        if name is not None:
            note_distribution(self.out, name, len(given), frame)
        self.arguments_of(given, frame)

    def _aggregate(self, node: Node, frame: Frame) -> None:
        index, count, body = node.child("index"), node.child("count"), node.child("body")
        if count is not None:
            self.value_in(count, frame.constants())
        if index is None or body is None:
            return
        inner = frame.inner()
        inner.values[index.text] = self.out.local(Kind.INDEX, index, node, inner)
        self.value_in(body, inner)

    # -- statements -------------------------------------------------------------------------------

    def assign(self, node: Node, frame: Frame) -> None:
        """Note a statement that assigns or records."""
        self.out.assigned(node, frame)
        for child in node.children:
            if child.named and child.field != "name":
                self.value_in(child, frame)

    def _call_statement(self, node: Node, frame: Frame) -> None:
        call = node.child("call")
        if call is not None:
            source = node.child("from") is not None and node.child("to") is None
            self._call(call, frame, statement=True, source=source)
        for part in node.of_kind("from"):
            for reference in part.of_kind("reference"):
                self._reference(reference, frame, SOURCE)
        for part in node.of_kind("to"):
            self.visit(part, frame)

    def _hold(self, node: Node, frame: Frame) -> None:
        header = frame.inner()
        bindings = node.child("bindings")
        for binding in bindings.of_kind("binding") if bindings is not None else []:
            self.binding_in(binding, header)
        for child in node.children:
            if child.named and child.kind != "at_admission":
                self.visit(child, header)

    def binding_in(self, binding: Node, header: Frame) -> None:
        """Note one binding; later ones, the header and the body know it."""
        self.named_value(Kind.BINDING, binding, header)

    def named_value(self, kind: Kind, node: Node, frame: Frame) -> None:
        """Note a binding or a schedule's `let`; where nothing reads the name, the reference does not look at it."""
        name, value = node.child("name"), node.child("value")
        inner = frame
        if name is not None:
            inner = Frame(frame, frame.path, body=body_of(name.text, name.span))
        if value is not None:
            self.value_in(value, inner)
        if name is not None and name.text and name.text not in frame.parameters:
            frame.values[name.text] = self.out.local(kind, name, node, frame)

    # -- queues and engines -----------------------------------------------------------------------

    def _queue(self, node: Node, frame: Frame) -> None:
        name = node.child("name")
        self.out.declared(node, frame)
        inner = Frame(frame, frame.path, queue=name.text if name is not None else None)
        self.children_of(node, inner)

    def _entry(self, node: Node, frame: Frame) -> None:
        verb = node.child("name")
        name = verb.text if verb is not None else ""
        body = f"{frame.queue}.{name}" if node.child("source") is None else f"{frame.queue}.{name} from"
        inner = Frame(frame, frame.path, owner=frame.queue if name != "route" else None, body=body)
        queue = self.declared.queues.get(frame.queue or "")
        for name in queue.pools if queue is not None else ():
            symbol = self.out.table.find(Kind.POOL, f"{frame.queue}.{name}")
            if symbol is not None:
                inner.pools[name] = symbol
        self.parameters_in(node, inner)
        source = node.child("source")
        if source is not None:
            symbol = self.out.local(Kind.PARAMETER, source, node, inner)
            inner.pools[source.text] = inner.values[source.text] = symbol
        if queue is not None:
            inner.values["self"] = Symbol(Kind.SUPPLIED, "self")
        block = node.child("body")
        if block is not None:
            self.visit(block, inner)

    def parameters_in(self, node: Node, inner: Frame) -> None:
        """Note the parameters of an entry, a request or a time resource: `inner` knows them."""
        for part in node.of_kind("parameters"):
            for name in part.each("parameter"):
                inner.values.setdefault(name.text, self.out.local(Kind.PARAMETER, name, node, inner))


def _replaced(node: Node, runs: list[Node]) -> list[Node]:
    """Return the options of a node that a later one of the same kind replaces; all run blocks count as one."""
    later = runs[runs.index(node) + 1 :] if node in runs else []
    seen = {it.kind for run in later for setting in run.of_kind("setting") if (it := setting.child("setting"))}
    found: list[Node] = []
    for child in reversed(node.children):
        setting = child.child("setting") if child.kind == "setting" else None
        kind = setting.kind if setting is not None else child.kind
        if child.named and kind not in _REPEATED and kind in seen:
            found.append(child)
        seen.add(kind)
    return found
