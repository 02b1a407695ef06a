"""What is known in one stretch of text only, while names are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.sema.symbols import Symbol


class Frame:
    """One stretch of text: values, pools by a local name, time resources.

    `definition` is the definition whose body this is, `owner` the queue or engine whose entry or request this is,
    `queue` the queue whose text this is. `body` names a body that may be unused: a definition, an entry (`Q.verb`), a
    request (`E.request`). `silent` is true where the reference does not look: names found nowhere are no faults there.
    `constant` is true in a value that must be a constant: there the reference looks at one arm of a choice.
    """

    __slots__ = (
        "body",
        "calls",
        "constant",
        "definition",
        "owner",
        "parameters",
        "parent",
        "path",
        "pools",
        "queue",
        "silent",
        "values",
    )

    def __init__(
        self,
        parent: Frame | None,
        path: str,
        *,
        definition: str | None = None,
        queue: str | None = None,
        owner: str | None = None,
        body: str | None = None,
    ) -> None:
        self.parent: Frame | None = parent
        self.path = path
        self.values: dict[str, Symbol] = {}
        self.pools: dict[str, Symbol] = {}
        self.calls: dict[str, Symbol] = {}
        self.parameters: dict[str, Symbol] = parent.parameters if parent is not None else {}
        self.definition: str | None = definition if definition is not None or parent is None else parent.definition
        self.body: str | None = body if body is not None or parent is None else parent.body
        self.constant: bool = parent is not None and parent.constant
        self.silent: bool = parent is not None and parent.silent
        self.queue: str | None = queue if queue is not None or parent is None else parent.queue
        self.owner: str | None = owner if owner is not None or parent is None else parent.owner

    def find(self, name: str, table: Literal["values", "pools", "calls"]) -> Symbol | None:
        """Return the innermost symbol of a name."""
        frame: Frame | None = self
        while frame is not None:
            found: Symbol | None = getattr(frame, table).get(name)
            if found is not None:
                return found
            frame = frame.parent
        return None

    def indices(self) -> dict[str, Symbol]:
        """Return the indices of aggregates that are known here, by name."""
        found: dict[str, Symbol] = {}
        frame: Frame | None = self
        while frame is not None:
            for name, symbol in frame.values.items():
                if symbol.kind is Kind.INDEX:
                    found.setdefault(name, symbol)
            frame = frame.parent
        return found

    def unread(self) -> Frame:
        """Return a frame of the same text where the reference does not look."""
        frame = self.inner()
        frame.silent = True
        return frame

    def constants(self) -> Frame:
        """Return a frame of the same text for a value that must be a constant."""
        frame = self.inner()
        frame.constant = True
        return frame

    def inner(self) -> Frame:
        """Return a frame inside this one."""
        return Frame(self, self.path)
