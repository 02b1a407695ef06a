"""What lowering works with: the model, the expression builder, and what could not be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Num, Ref
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.broken import syntax_faults
from serq_lsp.sema.calls import leased
from serq_lsp.sema.declarations import Family
from serq_lsp.sema.expressions import Builder
from serq_lsp.sema.faults import HorizonMissing
from serq_lsp.sema.numbers import whole
from serq_lsp.sema.references import named
from serq_lsp.sema.scopes import Scope
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.tables import run_settings

if TYPE_CHECKING:
    from serq_lsp.ir.expr import Expr
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.references import Found
    from serq_lsp.sema.scopes import Pasted, Tables
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Something that cannot be lowered (yet): where it stands, and what it is, in a few words."""

    path: str
    span: Span
    what: str


class NotLowered(Exception):  # noqa: N818 (it ends the lowering of one program; it is no error of ours)
    """Raised inside this room where lowering cannot go on; `lower` turns it into a value."""

    def __init__(self, unsupported: Unsupported) -> None:
        super().__init__(unsupported.what)
        self.unsupported = unsupported


def refuse_faults(model: Model, settings: RunSettings) -> None:
    """Raise NotLowered for a program whose text or names have a fault.

    Bodies of unused definitions do not count, nor run settings that `settings` replaces.
    """
    replaced = [node.span for word, node in run_settings(model.declared) if settings.replaces(word)]
    for broken in syntax_faults(model):
        if not broken.in_unused_def:
            raise NotLowered(Unsupported(broken.path, broken.node.span, "a syntax error"))
    for fault in model.faults:
        unread = fault.path == model.path and any(it.start <= fault.span.start < it.end for it in replaced)
        if not isinstance(fault, HorizonMissing) and not unread and not getattr(fault, "in_unused_def", False):
            raise NotLowered(Unsupported(fault.path, fault.span, f"a faulty program ({type(fault).__name__})"))


class Context:
    """One program being lowered."""

    def __init__(self, model: Model, tables: Tables) -> None:
        self.model = model
        self.tables = tables
        self.engine = model.edition is not Edition.CLASSIC
        self.root = Scope(model.path)
        self.supplied_tool: Family | None = None
        """The `tool` stage that the language supplies where a session needs one and none is declared."""
        self.builder = Builder(tables, self._fault)

    def _fault(self, fault: Fault) -> None:
        raise NotLowered(Unsupported(fault.path, fault.span, f"a faulty program ({type(fault).__name__})"))

    def fail(self, node: Node, what: str, scope: Scope | None = None) -> NotLowered:
        """Return the exception to raise where `node` cannot be lowered."""
        return NotLowered(Unsupported((scope or self.root).path, node.span, what))

    def child(self, node: Node, field: str, scope: Scope | None = None) -> Node:
        """Return a part that a sound program has."""
        part = node.child(field)
        if part is None or part.missing:
            raise self.fail(node, f"{node.kind} without {field}", scope)
        return part

    def build(self, node: Node, scope: Scope | None = None) -> Expr:
        """Return the expression of a node."""
        return self.builder.build(node, scope or self.root)

    def constant(self, node: Node, what: str) -> float:
        """Return the value of a constant expression."""
        value = self.builder.constant(node, self.root, what)
        assert value is not None  # the builder's fault has been raised
        return value

    def pool(self, node: Node, scope: Scope) -> Ref:
        """Return the pool that a reference stands for."""
        return self._reference(node, scope, Kind.POOL)

    def leased_pool(self, node: Node, scope: Scope) -> Ref:
        """Return the pool that the `from` of an entry call stands for: of a queue, the one its entries lease."""
        parts = named(node, scope)
        queue = self.model.declared.queues.get(parts.name) if parts is not None and parts.member is None else None
        own = leased(queue, self.model.declared.definitions) if queue is not None else None
        if parts is None or own is None or parts.scope.find_pool(parts.name) is not None:
            return self.pool(node, scope)
        return self.member(own, parts.index)

    def stage(self, node: Node, scope: Scope) -> Ref:
        """Return the stage that a reference stands for."""
        return self._reference(node, scope, Kind.STAGE)

    def _reference(self, node: Node, scope: Scope, kind: Kind) -> Ref:
        found = self.builder.reference(node, scope, kind)
        if found is None:
            raise self.fail(node, f"unknown {kind.value}", scope)
        return found.ref

    def tool_stage(self, node: Node) -> Family:
        """Return the `tool` stage that the language supplies behind all others (engine.md 11.2)."""
        if self.supplied_tool is None:
            base = max((it.base + it.count for it in self.tables.stages.values()), default=0)
            self.supplied_tool = Family("tool", base, 1, False, None, self.root.path, node.span)
        return self.supplied_tool

    def member(self, family: Family, index: Pasted | None) -> Ref:
        """Return a member of a family by the index of an entry's queue."""
        number = self.builder.index(index.node, index.scope) if index is not None else None
        return Ref(family.base, family.count, number)

    def number(self, found: Found) -> int:
        """Return the number of the one member that a reference with a constant index stands for."""
        return found.family.base + (int(found.index.value) if isinstance(found.index, Num) else 0)

    def count(self, node: Node, what: str) -> int:
        """Return the value of a constant that counts something."""
        value = self.constant(node, what)
        if not whole(value) or value < 0:
            raise self.fail(node, f"{what}: not a whole number")
        return int(value)

    def keys(self, node: Node, scope: Scope | None = None) -> tuple[Expr, ...]:
        """Return the keys of a `by (…)`."""
        return tuple(self.build(key, scope) for key in self.child(node, "keys", scope).each("key"))
