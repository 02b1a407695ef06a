"""What a program declares: one record per declared name."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


class Kind(Enum):
    """What a name stands for. The value is the word a message may use."""

    POOL = "pool"
    STAGE = "stage"
    DEVICE = "device"
    TIME_RESOURCE = "time resource"
    CAPACITY = "capacity"
    ENGINE = "engine"
    QUEUE = "queue"
    ENTRY = "entry"
    DEF = "definition"
    PARAMETER = "parameter"
    CONSTANT = "constant"
    INPUT = "input"
    SCHEDULE_LET = "schedule let"
    ATTRIBUTE = "attribute"
    OBSERVATION = "observation"
    GAUGE = "gauge"
    CLAIM = "claim"
    REGISTER = "register"
    MARK = "mark"
    BINDING = "binding"
    INDEX = "index"
    FIELD = "field"
    SUPPLIED = "supplied value"
    FUNCTION = "function"
    DISTRIBUTION = "distribution"


@dataclass(frozen=True, eq=False)
class Symbol:
    """One declared name.

    `path` and `span` are the place of the name where it is first declared or assigned; a name the language supplies
    has neither. `node` is the declaration, `owner` the definition, queue, engine or device it belongs to. `places`
    are all places that declare or assign the name, in text order (an attribute may have many).
    """

    kind: Kind
    name: str
    path: str | None = None
    span: Span | None = None
    node: Node | None = None
    owner: str | None = None
    places: list[tuple[str, Span]] = field(default_factory=list)


class Use(NamedTuple):
    """One occurrence of a name in a text.

    `kind` is what is wanted there, `target` what it finds (None: nothing certain is known). `writes` is true where
    the occurrence declares or assigns the name.
    """

    kind: Kind
    name: str
    path: str
    span: Span
    target: Symbol | None
    writes: bool = False
