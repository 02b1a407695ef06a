"""From a written reference (`kv`, `kv[i]`, `Q.kv`, `Q[i].kv`) to members of a family of pools or stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Ref
from serq_lsp.sema.scopes import Pasted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.declarations import Family
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

    Build = Callable[[Node, Scope], Expr]


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


@dataclass(frozen=True, slots=True)
class Named:
    """The parts of a reference with its parameters replaced: a name, written in `scope`, its index, its member."""

    name: str
    index: Pasted | None
    member: str | None
    scope: Scope

    @property
    def full(self) -> str:
        """Return the name, with the member after a dot."""
        return self.name if self.member is None else f"{self.name}.{self.member}"


def named(node: Node, scope: Scope) -> Named | None:
    """Return the parts of the reference that stands at `node` once arguments are put for parameters; None for others.

    An argument `NAME[…]` goes in as it is, index and all (classic.md 8).
    """
    parts = written(node)
    if parts is None:
        return None
    index = Pasted(parts.index, scope) if parts.index is not None else None
    member = ".".join(scope.name(it)[0] for it in parts.member.split(".")) if parts.member is not None else None
    name, home = scope.name(parts.name)
    while (pasted := home.argument(name)) is not None:
        inner = pasted.node.child("object") if pasted.node.kind == "subscript" else None
        number = pasted.node.child("index")
        if inner is None or inner.kind != "name" or number is None:
            return None
        index = index or Pasted(number, pasted.scope)
        name, home = pasted.scope.name(inner.text)
    return Named(name, index, member, home)


def find(node: Node, scope: Scope, families: Mapping[str, Family], build: Build) -> Found | None:
    """Return what the reference `node` stands for among `families`, or None; `build` makes an index an expression."""
    parts = named(node, scope)
    if parts is None:
        return None
    local = parts.scope.find_pool(parts.name) if parts.member is None else None
    if local is not None and families.get(local.family.name) is local.family:
        family, index = local.family, parts.index or local.index
    else:
        found = families.get(parts.full)
        if found is None:
            return None
        family, index = found, parts.index
        station = parts.scope.station
        if index is None and station is not None and family is station.stage:
            index = station.index
    return Found(family, build(index.node, index.scope) if index is not None else None)
