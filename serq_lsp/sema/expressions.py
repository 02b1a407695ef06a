"""From a written expression, read in a scope, to the kernel's expression.

Definitions are expanded, constants and `blocksize` become numbers, aggregates are written out; arithmetic on literals
stays as written (semantics.md 1.1, engine.md 11.1). What cannot be resolved is reported as a fault and stands as the
number 0, so that a broken text still gives an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import (
    Attr,
    Binary,
    Call,
    Cond,
    Ctx,
    Num,
    PoolArg,
    Reg,
    Unary,
)
from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import unfold
from serq_lsp.sema.faults import NotConstant, TooDeep, TooLarge, TooManyTerms, UnknownName
from serq_lsp.sema.functions import ZERO, apply, draw
from serq_lsp.sema.numbers import number, whole
from serq_lsp.sema.references import Found, find, named
from serq_lsp.sema.scopes import Pasted, Renamed, Valued
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.targets import target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from serq_lsp.ir.expr import Expr, Target
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.scopes import Scope, Tables
    from serq_lsp.syntax.tree import Node

MAX_TERMS = 4096
"""So many terms may all aggregates of a program write out (classic.md 13)."""
MAX_NESTING = 1000
"""So deep may definitions and expressions nest together."""
MAX_NODES = 400_000
"""So many expressions may definitions unfold into."""


class Builder:
    """Builds the expressions of one program. `tables` say what names mean, `report` takes the faults.

    `terms` counts what aggregates have written out so far; the limit is per program.
    """

    def __init__(self, tables: Tables, report: Callable[[Fault], None]) -> None:
        self.tables = tables
        self.report = report
        self.terms = 0
        self._depth = 0
        self._built = 0
        self._wanted: str | None = None
        """What needs a constant, while one is built."""
        self._moving = False
        self._functions = supplied.functions(tables.edition)

    def build(self, node: Node, scope: Scope) -> Expr:
        """Return the expression that `node`, read in `scope`, stands for."""
        self._built += 1
        if self._built > MAX_NODES:
            if self._built == MAX_NODES + 1:
                self.report(TooLarge(scope.path, node.span, MAX_NODES))
            return ZERO
        if self._depth >= MAX_NESTING:
            self.report(TooDeep(scope.path, node.span, MAX_NESTING))
            return ZERO
        self._depth += 1
        try:
            return self._build(node, scope)
        finally:
            self._depth -= 1

    def _build(self, node: Node, scope: Scope) -> Expr:
        match node.kind:
            case "number":
                return Num(number(node.text))
            case "name":
                return self.name(node.text, node, scope)
            case "binary":
                return self._binary(node, scope)
            case "parenthesized":
                inner = node.child("value")
                return self._build(inner, scope) if inner is not None else ZERO
            case "call":
                return self._call(node, scope)
            case "unary":
                operator, operand = node.child("operator"), node.child("operand")
                if operator is None or operand is None or operator.kind not in supplied.UNARY:
                    return ZERO
                return Unary(supplied.UNARY[operator.kind], self.build(operand, scope))
            case "conditional":
                if self._wanted is not None:
                    return self._chosen(node, scope)
                return Cond(*(self._part(node, part, scope) for part in ("test", "then", "else")))
            case "draw":
                return draw(self, node, scope)
            case "aggregate":
                return self._aggregate(node, scope)
            case "member":
                return self._member(node, scope)
            case _:
                return ZERO

    def _part(self, node: Node, field: str, scope: Scope) -> Expr:
        part = node.child(field)
        return self.build(part, scope) if part is not None else ZERO

    def _chosen(self, node: Node, scope: Scope) -> Expr:
        """Return a choice in a constant: with a constant test it is the arm that is taken, the other is not looked at."""
        test = self._part(node, "test", scope)
        value = constant(test)
        if value is None:
            return Cond(test, self._part(node, "then", scope), self._part(node, "else", scope))
        return self._part(node, "then" if value else "else", scope)

    def _binary(self, node: Node, scope: Scope) -> Expr:
        """Build a chain of operators by a loop over its left operands: chains may be long."""
        chain: list[tuple[str, Node | None]] = []
        left: Node | None = node
        while left is not None and left.kind == "binary":
            operator = left.child("operator")
            name = supplied.BINARY.get(operator.kind, "Add") if operator is not None else "Add"
            chain.append((name, left.child("right")))
            left = left.child("left")
        result = self.build(left, scope) if left is not None else ZERO
        for name, right in reversed(chain):
            result = Binary(name, result, self.build(right, scope) if right is not None else ZERO)
        return result

    def name(self, name: str, node: Node, scope: Scope) -> Expr:
        """Return what a bare name stands for in `scope` (classic.md 11.2)."""
        meaning = scope.find(name)
        if meaning is not None:
            if isinstance(meaning, Pasted):
                return self.build(meaning.node, meaning.scope)
            if isinstance(meaning, Valued):
                return meaning.expr
            assert isinstance(meaning, Renamed)
            name = meaning.attribute
        tables = self.tables
        slot = tables.attributes.get(name)
        if slot is not None:
            self.moves(node, scope)
            return Attr(slot)
        register = tables.registers.get(name)
        if register is not None:
            self.moves(node, scope)
            return Reg(register)
        value = tables.constants.get(name)
        if value is not None:
            return Num(value)
        context = supplied.CONTEXT.get(name)
        if context is not None:
            self.moves(node, scope)
            return Ctx(context)
        if name == supplied.INFINITY:
            return Num(float("inf"))
        self.report(UnknownName(scope.path, node.span, Kind.ATTRIBUTE, name, tuple(value_names(tables))))
        self._moving = True
        return ZERO

    def _member(self, node: Node, scope: Scope) -> Expr:
        """Return `running.count`, `Q.x`, `E.m`, `record.field`."""
        parts = named(node, scope)
        if parts is None or parts.member is None:
            return ZERO
        name = parts.name
        if self.tables.edition is not Edition.CLASSIC:
            context = supplied.ENGINE_CONTEXT.get((name, parts.member))
            if context is not None:
                return Ctx(context)
            if (name, parts.member) == ("waiting", "count"):
                return self._waiting(scope)
        slot = self.tables.attributes.get(f"{name}.{parts.member}")
        if slot is not None:
            return Attr(slot)
        known = tuple(it for it in self.tables.attributes if it.startswith(f"{name}."))
        self.report(UnknownName(scope.path, node.span, Kind.ATTRIBUTE, f"{name}.{parts.member}", known))
        return ZERO

    def _waiting(self, scope: Scope) -> Expr:
        """Return `waiting.count`: the sum of what waits in the pools the engine admits (engine.md 11.2)."""
        station = scope.station
        pools = self.tables.admitted.get(station.name, ()) if station is not None else ()
        result: Expr | None = None
        for pool in pools:
            term = Call("Queued", (PoolArg(pool),))
            result = term if result is None else Binary("Add", result, term)
        return ZERO if result is None else result

    def _aggregate(self, node: Node, scope: Scope) -> Expr:
        """Write out `max k in N (e)` and its kin, folded to the left."""
        index, count_node, body = node.child("index"), node.child("count"), node.child("body")
        operator = node.child("operator")
        if index is None or count_node is None or body is None or operator is None:
            return ZERO
        count = self.constant(count_node, scope, "count")
        if count is None or not whole(count) or count < 1:
            return ZERO
        if self.terms + count > MAX_TERMS:
            self.report(TooManyTerms(scope.path, operator.span, MAX_TERMS))
            return ZERO
        self.terms += int(count)
        result: Expr | None = None
        for at in range(int(count)):
            term = self.build(body, scope.inner({index.text: Valued(Num(float(at)))}))
            if result is None:
                result = term
            elif operator.kind == "sum":
                result = Binary("Add", result, term)
            else:
                result = Call(self._functions[operator.kind].kernel, (result, term))
        return result if result is not None else ZERO

    def _call(self, node: Node, scope: Scope) -> Expr:
        function = node.child("function")
        if function is None:
            return ZERO
        if function.kind != "name":
            return ZERO
        word, home = scope.origin(function)
        name = word.text
        definition = home.find_call(name) or self.tables.definitions.get(name)
        if definition is not None:
            inner = unfold(definition, node, scope, wants_statements=False, report=self.report)
            if inner is None or definition.value is None:
                return ZERO
            return self.build(definition.value, inner)
        known = self._functions.get(name)
        if known is None:
            names = (*self._functions, *self.tables.definitions)
            self.report(UnknownName(home.path, word.span, Kind.FUNCTION, name, names))
            return ZERO
        return apply(self, known, name, node, scope)

    def reference(self, node: Node, scope: Scope, kind: Kind) -> Found | None:
        """Return what a pool or stage reference stands for; None, with a fault, where nothing has that name."""
        families = self.tables.pools if kind is Kind.POOL else self.tables.stages
        found = find(node, scope, families, self.index)
        if found is None:
            parts = named(node, scope)
            if parts is not None:
                self.report(UnknownName(scope.path, node.span, kind, parts.full, tuple(families)))
        return found

    def index(self, node: Node, scope: Scope) -> Expr:
        """Return the expression of a member's index; a constant one becomes its number."""
        expr = self.build(node, scope)
        value = constant(expr)
        return expr if value is None else Num(value)

    def target(self, given: Iterable[Node], scope: Scope) -> Target | None:
        """Return the resources of a cost, sorted and each once; None, with a fault, where nothing has a name."""
        return target(given, scope, self.tables, self.index, self.report)

    def constant(self, node: Node, scope: Scope, what: str) -> float | None:
        """Return the value of an expression that must be constant; None, with a fault, where it is not.

        The fault stands at the first name, draw or call that cannot be known before the program runs.
        """
        if node.kind == "number":
            return number(node.text)
        outer, self._wanted = self._wanted, what
        reported, self._moving = self._moving, False
        try:
            value = constant(self.build(node, scope))
            moving = self._moving
        finally:
            self._wanted, self._moving = outer, reported
        if moving:
            return None
        if value is None or value != value:  # noqa: PLR0124 (NaN is no constant)
            self.report(NotConstant(scope.path, node.span, what))
            return None
        return value

    def known(self, node: Node, scope: Scope) -> float | None:
        """Return the value of an expression that may be a constant; None, without a fault, where it is none."""
        report = self.report
        faults: list[Fault] = []
        self.report = faults.append
        try:
            value = self.constant(node, scope, "value")
        finally:
            self.report = report
        return value if not faults else None

    def moves(self, node: Node, scope: Scope) -> None:
        """Note that `node` moves: report what stands in the way of a constant, if one is wanted."""
        if self._wanted is not None:
            if not self._moving:
                self.report(NotConstant(scope.path, node.span, self._wanted))
            self._moving = True


def value_names(tables: Tables) -> Iterable[str]:
    """Return the names that a value may be called by, for suggestions."""
    yield from tables.attributes
    yield from tables.registers
    yield from tables.constants
    yield from supplied.CONTEXT
    yield supplied.INFINITY
