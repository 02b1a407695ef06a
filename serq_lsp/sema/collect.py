"""Collects the declarations of a program in one walk over its items.

Sizes of families are resolved here, for they need only numbers and the constants above (classic.md 3.1). Every pool
and stage gets its number: members of a family are consecutive, families follow the text, a queue's own stand where
the queue stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.sema.constants import Let, replaced, value_of
from serq_lsp.sema.declarations import Declarations, Device, Engine, Family, Queue, Relation
from serq_lsp.sema.definitions import Definition, arguments, definition_of
from serq_lsp.sema.faults import Duplicate, FamilySize, NotConstant
from serq_lsp.sema.numbers import whole
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.libraries import Libraries
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

MAX_MEMBERS = 10_000
"""A family has at most so many members (classic.md 3.1)."""


class Collector:
    """Collects the declarations of one program and its libraries."""

    def __init__(self, libraries: Libraries, edition: Edition, sets: Mapping[str, Node]) -> None:
        self.out = Declarations()
        self.faults: list[Fault] = []
        self._libraries = libraries
        self._edition = edition
        self._sets = sets
        self._path = libraries.program.source.path
        self._pools = 0
        self._stages = 0

    def collect(self) -> Declarations:
        """Walk the items of the program in text order."""
        for item in items(self._libraries.program.root):
            self._item(item)
        return self.out

    def _item(self, item: Node) -> None:
        out = self.out
        match item.kind:
            case "use":
                self._use(item, self._path, item.end)
                return
            case "def":
                self._define(item, self._path, item.end)
                return
            case "let":
                self._let(item)
            case "pool":
                self._pool(item)
            case "stage":
                self._stage(item)
            case "device":
                self._device(item)
            case "engine":
                self._engine(item, None)
            case "queue":
                self._queue(item)
            case "relation":
                self._relation(item)
            case "workload":
                out.workload = out.workload or item
                self._workload(item)
            case "session" if not out.session or not out.session.child("body"):
                out.session = item
            case "server":
                out.server = out.server or item
            case "gauge" | "claim":
                (out.gauges if item.kind == "gauge" else out.claims).append(item)
            case "share":
                out.shares.append(item)
            case "run_block":
                out.runs.append(item)
        out.has_program = True

    # -- constants and definitions ----------------------------------------------------------------

    def _use(self, use: Node, path: str, at: int) -> None:
        """Read a library, and those it uses, where the `use` stands; `at` is that place in the program."""
        first = self._libraries.follow(use, path)
        todo = [(first, self._libraries.items(first))] if first is not None else []
        while todo:
            library, rest = todo[-1]
            item = next(rest, None)
            if item is None:
                todo.pop()
            elif item.kind == "def":
                self._define(item, library.path, at)
            else:
                inner = self._libraries.follow(item, library.path)
                if inner is not None:
                    todo.append((inner, self._libraries.items(inner)))

    def _define(self, node: Node, path: str, at: int) -> None:
        table = self.out.definitions
        made = definition_of(node, path, len(table), at)
        if made is None:
            return
        first = table.get(made.name)
        if first is not None:
            self.faults.append(Duplicate(path, made.span, Kind.DEF, made.name, first.path, first.span))
            return
        table[made.name] = made

    def _let(self, node: Node) -> None:
        name, value = node.child("name"), node.child("value")
        if name is None or value is None or not name.text:
            return
        let = Let(name.text, self._path, name.span, node, value, *_input(value))
        self.out.lets.append(let)
        own = replaced(let, self._sets)
        answer = value_of(own, self.out.constants, self.out.definitions, self._edition, self.faults.append)
        if answer is not None:
            self.out.constants[name.text] = answer

    def _size(self, node: Node) -> tuple[int, bool]:
        """Return how many members a declaration has, and whether they are indexed."""
        size = node.child("size")
        value = size.child("value") if size is not None else None
        if value is None:
            return 1, size is not None
        let = Let("", self._path, value.span, node, value, None, None)
        count = value_of(let, self.out.constants, self.out.definitions, self._edition, _unsaid)
        if count is None:
            self.faults.append(NotConstant(self._path, value.span, "size"))
            return 1, True
        if count != count or not 1 <= count <= MAX_MEMBERS or not whole(count):  # noqa: PLR0124 (NaN)
            name = node.child("name")
            self.faults.append(FamilySize(self._path, value.span, name.text if name else "", count))
            return 1, True
        return int(count), True

    # -- pools and stages -------------------------------------------------------------------------

    def _add_pool(
        self,
        name: str,
        node: Node,
        span: Span,
        size: tuple[int, bool],
        *,
        queue: str | None = None,
        owner: str | None = None,
    ) -> Family:
        """Give a family of pools its numbers and its name."""
        family = Family(name, self._pools, *size, node, self._path, span, queue, owner)
        self._pools += size[0]
        self._register(self.out.pools, family, Kind.POOL)
        return family

    def _add_stage(self, name: str, node: Node, span: Span, size: tuple[int, bool], queue: str | None = None) -> Family:
        """Give a family of stages its numbers and its name."""
        family = Family(name, self._stages, *size, node, self._path, span, queue)
        self._stages += size[0]
        self._register(self.out.stages, family, Kind.STAGE)
        return family

    def _register(self, table: dict[str, Family], family: Family, kind: Kind) -> None:
        first = table.setdefault(family.name, family)
        if first is not family:
            self.faults.append(Duplicate(self._path, family.span, kind, family.name, first.path, first.span))

    def _pool(self, node: Node) -> None:
        name = node.child("name")
        if name is None or not name.text:
            return
        on = node.child("on")
        if on is None:
            self._add_pool(name.text, node, name.span, self._size(node))
            return
        owner = on.child("owner")
        of = owner.text if owner is not None else ""
        self._add_pool(name.text, node, name.span, self._owned(of, name.text), owner=of or None)

    def _owned(self, owner: str, name: str) -> tuple[int, bool]:
        """Return the size of a pool declared on an engine or device (engine.md 5)."""
        engine = self.out.engines.get(owner)
        device = self.out.devices.get(engine.device if engine is not None else owner)
        if engine is not None and name in engine.capacities:
            count, array = self._size(engine.capacities[name])
            return (count, array) if array else (engine.stage.count, engine.stage.array)
        if device is not None and name in device.capacities:
            count, array = self._size(device.capacities[name])
            return (count, array) if array else (device.count, device.array)
        return 1, False

    def _stage(self, node: Node) -> None:
        name = node.child("name")
        if name is not None and name.text:
            self._add_stage(name.text, node, name.span, self._size(node))

    def _device(self, node: Node, queue: Queue | None = None) -> None:
        """Collect a device; one inside a queue has a member per member of the queue."""
        name = node.child("name")
        if name is None or not name.text:
            return
        key = name.text if queue is None else f"{queue.name}.{name.text}"
        if key in self.out.devices:
            first = self.out.devices[key]
            self.faults.append(Duplicate(self._path, name.span, Kind.DEVICE, name.text, self._path, first.span))
            return
        resources: dict[str, Definition] = {}
        capacities: dict[str, Node] = {}
        for part in node.of_kind("time_resource", "capacity"):
            own = part.child("name")
            if own is None:
                continue
            if part.kind == "capacity":
                capacities.setdefault(own.text, part)
            elif (made := definition_of(part, self._path, -1, part.end)) is not None:
                resources.setdefault(made.name, made)
        count, array = (queue.count, queue.array) if queue is not None else self._size(node)
        self.out.devices[key] = Device(key, node, name.span, count, array, resources, capacities)

    def _engine(self, node: Node, queue: Queue | None) -> Family | None:
        """Collect an engine and the stage it is; one inside a queue bears the queue's name."""
        name, on = node.child("name"), node.child("device")
        own = queue.name if queue is not None else name.text if name is not None else ""
        if not own:
            return None
        span = name.span if name is not None else queue.span if queue is not None else node.span
        size = (queue.count, queue.array) if queue is not None else self._size(node)
        stage = self._add_stage(own, node, span, size, queue.name if queue else None)
        capacities: dict[str, Node] = {}
        for part in node.of_kind("capacity"):
            what = part.child("name")
            if what is not None:
                capacities.setdefault(what.text, part)
        request = next(iter(node.of_kind("engine_request")), None)
        device = on.text if on is not None else ""
        if queue is not None:
            device = f"{queue.name}.{device}"
        engine = Engine(own, node, span, device, stage, capacities, request, queue.name if queue else None)
        self.out.engines.setdefault(own, engine)
        return stage

    # -- queues and relations ---------------------------------------------------------------------

    def _queue(self, node: Node) -> None:
        """Collect a queue: its pools `Q.p`, its stage `Q`, its NIC `Q.nic`, a link's wait `Q.latency`, its entries."""
        name = node.child("name")
        if name is None or not name.text:
            return
        first = self.out.queues.get(name.text)
        if first is not None:
            self.faults.append(Duplicate(self._path, name.span, Kind.QUEUE, name.text, self._path, first.span))
            return
        count, array = self._size(node)
        roles = tuple(role.text for part in node.of_kind("roles") for role in part.each("role"))
        queue = Queue(name.text, node, name.span, count, array, roles)
        for part in node.children:
            self._queue_part(part, queue)
        for part in node.of_kind("queue_stage"):  # its wait comes after every other stage of the queue
            if part.child("latency") is not None:
                queue.latency = self._add_stage(f"{queue.name}.latency", part, queue.span, (count, array), queue.name)
        self.out.queues[queue.name] = queue

    def _queue_part(self, part: Node, queue: Queue) -> None:
        name, span = queue.name, queue.span
        match part.kind:
            case "pool":
                own, on = part.child("name"), part.child("on")
                if own is not None and own.text not in queue.pools:
                    owner = on.child("owner") if on is not None else None
                    of = owner.text if owner is not None else None
                    if of is not None and of != name:
                        of = f"{name}.{of}"
                    full = f"{name}.{own.text}"
                    queue.pools[own.text] = self._add_pool(
                        full, part, own.span, (queue.count, queue.array), queue=name, owner=of
                    )
            case "queue_stage":
                queue.stage = self._add_stage(name, part, span, (queue.count, queue.array), name)
            case "nic":
                queue.nic = self._add_stage(f"{name}.nic", part, span, (queue.count, queue.array), name)
            case "device":
                self._device(part, queue)
            case "engine":
                queue.stage = self._engine(part, queue)
            case "entry":
                verb = part.child("name")
                if verb is not None:
                    key = f"{verb.text} from" if part.child("source") is not None else verb.text
                    queue.entries.setdefault(key, part)

    def _relation(self, node: Node) -> None:
        """Collect a relation; with a latency, the one that posts the copy gets a wait of its own (classic.md 6.4)."""
        left, right, verb = node.child("left"), node.child("right"), node.child("verb")
        if left is None or right is None or verb is None:
            return
        reader, source = (left, right) if verb.kind == "pull" else (right, left)
        wait = None
        poster = self.out.queues.get(left.text)
        if node.child("latency") is not None:
            size = (poster.count, poster.array) if poster is not None else (1, False)
            wait = self._add_stage(f"{left.text}.nic.latency", node, left.span, size, left.text)
        self.out.relations.append(Relation(reader.text, source.text, node, left.text, wait))

    def _workload(self, node: Node) -> None:
        out = self.out
        for part in node.children:
            match part.kind:
                case "init":
                    out.init = part
                case "turn_block":
                    out.turn = part
                case "session":
                    if out.session is None:
                        out.session = part
                case "hidden":
                    out.hidden.extend(part.each("name"))


def items(root: Node) -> Iterator[Node]:
    """Yield the items of a file in text order, those of `main` and of broken stretches included."""
    for child in root.children:
        if child.kind in ("main", "ERROR"):
            yield from items(child)
        elif child.named and child.kind != "comment":
            yield child


def _input(value: Node) -> tuple[str | None, Node | None]:
    """Return the external name and the default of `args.number("ext", default)`."""
    function = value.child("function") if value.kind == "call" else None
    if function is None or function.kind != "member":
        return None, None
    given = arguments(value)
    if len(given) == 2 and given[0].kind == "string":
        return given[0].text[1:-1], given[1]
    return None, None


def _unsaid(_fault: Fault) -> None:
    """Take no note: a size is reported as a whole."""
