"""What a program declares, as records; `collect` fills them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_lsp.sema.constants import Let
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


@dataclass(frozen=True, eq=False, slots=True)
class Family:
    """Pools or stages declared together: members `base` … `base + count - 1`.

    `name` is what the kernel calls them (`kv`, `Q.kv`, `Q.nic.latency`); `array` says whether members are indexed.
    `node` is the `pool`, `stage`, `queue_stage`, `nic`, `engine` or `relation` that declares them, `span` its name.
    `queue` is the queue they belong to, `owner` the engine or device a pool is declared on.
    """

    name: str
    base: int
    count: int
    array: bool
    node: Node | None
    path: str
    span: Span
    queue: str | None = None
    owner: str | None = None


@dataclass(frozen=True, eq=False)
class Device:
    """A device: its size and node; `resources` are its time resources, `capacities` its capacities by name."""

    name: str
    node: Node
    span: Span
    count: int
    array: bool
    resources: dict[str, Definition]
    capacities: dict[str, Node]


class Engine(NamedTuple):
    """An engine: the stage it is, the device it stands on, its capacities; `queue` where it is a queue's own."""

    name: str
    node: Node
    span: Span
    device: str
    stage: Family
    capacities: dict[str, Node]
    request: Node | None
    queue: str | None = None


@dataclass(eq=False)
class Queue:
    """A queue: its size, roles, own pools and entries. An entry's key is its verb, with ` from` where it has one."""

    name: str
    node: Node
    span: Span
    count: int
    array: bool
    roles: tuple[str, ...]
    pools: dict[str, Family] = field(default_factory=dict)
    entries: dict[str, Node] = field(default_factory=dict)
    stage: Family | None = None
    nic: Family | None = None
    latency: Family | None = None


class Relation(NamedTuple):
    """`D pull P` or `P push D`: `reader` takes from `source`; `poster` says it and waits at `wait`, if it has one."""

    reader: str
    source: str
    node: Node
    poster: str
    wait: Family | None


@dataclass(eq=False)
class Declarations:
    """Everything a program declares, by name; later declarations of a name do not replace the first."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    lets: list[Let] = field(default_factory=list)
    constants: dict[str, float] = field(default_factory=dict)
    pools: dict[str, Family] = field(default_factory=dict)
    stages: dict[str, Family] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    engines: dict[str, Engine] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    gauges: list[Node] = field(default_factory=list)
    claims: list[Node] = field(default_factory=list)
    workload: Node | None = None
    session: Node | None = None
    server: Node | None = None
    init: Node | None = None
    turn: Node | None = None
    runs: list[Node] = field(default_factory=list)
    shares: list[Node] = field(default_factory=list)
    hidden: list[Node] = field(default_factory=list)
    has_program: bool = False
    """Whether there is anything but `use` and `def` (a file with only these is a library)."""
