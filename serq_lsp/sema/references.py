"""From a written reference (`kv`, `kv[i]`, `Q.kv`, `Q[i].kv`) to members of a family of pools or stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Ref
from serq_lsp.sema.scopes import Member, Pasted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

    Build = Callable[[Node, Scope], Expr]

_HOPS = 64
"""A parameter may be handed on through so many definitions."""


@dataclass(frozen=True, slots=True)
class Written:
    """The parts of a reference: a name, the index after it, the member after a dot; each may be missing."""

    name: str
    index: Node | None
    member: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a reference stands for: a family, and the member (None: the family's only one)."""

    family: Family
    index: Expr | None

    @property
    def ref(self) -> Ref:
        """Return the kernel's reference."""
        return Ref(self.family.base, self.family.count, self.index)


def written(node: Node) -> Written | None:
    """Return the parts of a `reference`, `name`, `subscript`, `member` or parenthesised one; None for others."""
    match node.kind:
        case "name":
            return Written(node.text, None, None)
        case "reference":
            name, member = node.child("name"), node.child("member")
            return Written(name.text, node.child("index"), member.text if member else None) if name else None
        case "subscript":
            inner = node.child("object")
            return Written(inner.text, node.child("index"), None) if inner is not None else None
        case "member":
            inner, member = node.child("object"), node.child("member")
            if inner is None or member is None:
                return None
            if inner.kind == "member":
                first = written(inner)
                if first is None or first.member is None or first.index is not None:
                    return None
                return Written(first.name, None, f"{first.member}.{member.text}")
            outer = written(inner)
            return Written(outer.name, outer.index, member.text) if outer else None
        case _:
            return None


def find(node: Node, scope: Scope, families: Mapping[str, Family], build: Build) -> Found | None:
    """Return what the reference `node` stands for among `families`, or None.

    `build` turns an index into an expression. A parameter of a definition is followed to its argument.
    """
    index: Expr | None = None
    for _ in range(_HOPS):
        parts = written(node)
        if parts is None:
            return None
        if parts.index is not None and index is None:
            index = build(parts.index, scope)
        local = scope.find_pool(parts.name)
        if isinstance(local, Pasted):
            if parts.member is not None:
                return _dotted(parts, local, families, index, build)
            node, scope = local.node, local.scope
            continue
        if isinstance(local, Member) and parts.member is None and families.get(local.family.name) is local.family:
            return Found(local.family, local.index if index is None else index)
        name = parts.name if parts.member is None else f"{parts.name}.{parts.member}"
        family = families.get(name)
        return Found(family, index) if family is not None else None
    return None


def _dotted(
    parts: Written, local: Pasted, families: Mapping[str, Family], index: Expr | None, build: Build
) -> Found | None:
    """Return `P.member` where `P` is a parameter that stands for a queue."""
    outer = written(local.node)
    if outer is None or outer.member is not None:
        return None
    if outer.index is not None and index is None:
        index = build(outer.index, local.scope)
    family = families.get(f"{outer.name}.{parts.member}")
    return Found(family, index) if family is not None else None
