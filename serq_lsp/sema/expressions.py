"""From a written expression, read in a scope, to the kernel's expression.

Definitions are expanded, constants and `blocksize` become numbers, aggregates are written out; arithmetic on literals
stays as written (semantics.md 1.1, engine.md 11.1). What cannot be resolved is reported as a fault and stands as the
number 0, so that a broken text still gives an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import (
    Agg,
    Attr,
    Binary,
    Call,
    Cond,
    Cost,
    Ctx,
    JointTarget,
    Num,
    PoolArg,
    PoolTarget,
    Reg,
    Sample,
    StageArg,
    StageTarget,
    Unary,
)
from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import arguments, unfold
from serq_lsp.sema.faults import NotConstant, TooDeep, TooManyTerms, UnknownName, WrongArity
from serq_lsp.sema.references import Found, find, written
from serq_lsp.sema.scopes import Pasted, Renamed, Valued
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from serq_lsp.ir.expr import Arg, Expr, Target
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.scopes import Family, Scope, Tables
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

MAX_TERMS = 4096
"""So many terms may all aggregates of a program write out (classic.md 13)."""
MAX_NESTING = 1000
"""So deep may definitions and expressions nest together."""
ZERO = Num(0.0)


class Builder:
    """Builds the expressions of one program. `tables` say what names mean, `report` takes the faults.

    `terms` counts what aggregates have written out so far; the limit is per program.
    """

    def __init__(self, tables: Tables, report: Callable[[Fault], None]) -> None:
        self.tables = tables
        self.report = report
        self.terms = 0
        self._depth = 0
        self._functions = supplied.functions(tables.edition)

    def build(self, node: Node, scope: Scope) -> Expr:
        """Return the expression that `node`, read in `scope`, stands for."""
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
                return Cond(*(self._part(node, part, scope) for part in ("test", "then", "else")))
            case "draw":
                return self._draw(node, scope)
            case "aggregate":
                return self._aggregate(node, scope)
            case "member":
                return self._member(node, scope)
            case _:
                return ZERO

    def _part(self, node: Node, field: str, scope: Scope) -> Expr:
        part = node.child(field)
        return self.build(part, scope) if part is not None else ZERO

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
            return Attr(slot)
        register = tables.registers.get(name)
        if register is not None:
            return Reg(register)
        value = tables.constants.get(name)
        if value is not None:
            return Num(value)
        context = supplied.CONTEXT.get(name)
        if context is not None:
            return Ctx(context)
        if name == supplied.INFINITY:
            return Num(float("inf"))
        self.report(UnknownName(scope.path, node.span, Kind.ATTRIBUTE, name, tuple(value_names(tables))))
        return ZERO

    def _member(self, node: Node, scope: Scope) -> Expr:
        """Return `running.count`, `Q.x`, `E.m`, `record.field`."""
        parts = written(node)
        if parts is None or parts.member is None:
            return ZERO
        name = parts.name
        local = scope.parameters.get(name)
        if local is not None and local.node.kind == "name":
            name = local.node.text
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

    def _draw(self, node: Node, scope: Scope) -> Expr:
        name = node.child("distribution")
        known = supplied.DISTRIBUTIONS.get(name.text) if name is not None else None
        if name is None or known is None:
            if name is not None:
                names = tuple(supplied.DISTRIBUTIONS)
                self.report(UnknownName(scope.path, name.span, Kind.DISTRIBUTION, name.text, names))
            return ZERO
        given = arguments(node)
        if len(given) != known[1]:
            self.report(
                WrongArity(scope.path, name.span, Kind.DISTRIBUTION, name.text, len(given), (known[1],))
            )
            return ZERO
        return Sample(known[0], tuple(self.build(arg, scope) for arg in given))

    def _aggregate(self, node: Node, scope: Scope) -> Expr:
        """Write out `max k in N (e)` and its kin, folded to the left."""
        index, count_node, body = node.child("index"), node.child("count"), node.child("body")
        operator = node.child("operator")
        if index is None or count_node is None or body is None or operator is None:
            return ZERO
        count = self.constant(count_node, scope, "count")
        if count is None or count < 1 or count != int(count):
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
        name = function.text
        definition = scope.find_call(name) or self.tables.definitions.get(name)
        if definition is not None:
            inner = unfold(definition, node, scope, wants_statements=False, report=self.report)
            if inner is None or definition.value is None:
                return ZERO
            return self.build(definition.value, inner)
        known = self._functions.get(name)
        if known is None:
            names = (*self._functions, *self.tables.definitions)
            self.report(UnknownName(scope.path, function.span, Kind.FUNCTION, name, names))
            return ZERO
        given = arguments(node)
        if len(given) not in known.counts:
            self.report(WrongArity(scope.path, function.span, Kind.FUNCTION, name, len(given), known.counts))
            return ZERO
        return self._supplied(known, given, node, scope)

    def _supplied(self, known: supplied.Function, given: list[Node], node: Node, scope: Scope) -> Expr:
        """Return a call of a function of the language."""
        match known.kernel:
            case "Cost":
                target = self.target(given[:-1], scope)
                amount = self.build(given[-1], scope)
                return Cost(target, amount) if target is not None else ZERO
            case "BlockSize":
                return self._block_size(given[0], scope)
            case "Floor" if len(given) == 2:
                step = self.build(given[1], scope)
                whole = Call("Floor", (Binary("Div", self.build(given[0], scope), step),))
                return Binary("Mul", whole, step)
        if known.takes[0] == "observation":
            return self._observed(known.kernel, given[0], scope)
        args: list[Arg] = []
        for arg, takes in zip(given, known.takes, strict=False):
            if takes == "value":
                args.append(self.build(arg, scope))
                continue
            found = self.reference(arg, scope, Kind.POOL if takes == "pool" else Kind.STAGE)
            if found is None:
                return ZERO
            args.append(PoolArg(found.ref) if takes == "pool" else StageArg(found.ref))
        return Call(known.kernel, tuple(args))

    def _observed(self, kernel: str, arg: Node, scope: Scope) -> Expr:
        observe = self.tables.observations.get(arg.text) if arg.kind == "name" else None
        if observe is None:
            names = tuple(self.tables.observations)
            self.report(UnknownName(scope.path, arg.span, Kind.OBSERVATION, arg.text, names))
            return ZERO
        return Agg(kernel, observe)

    def _block_size(self, arg: Node, scope: Scope) -> Expr:
        found = self.reference(arg, scope, Kind.POOL)
        if found is None:
            return ZERO
        size = self.tables.blocks.get(found.family.name)
        if size is None:
            self.report(NotConstant(scope.path, arg.span, "blocksize"))
            return ZERO
        return Num(size)

    def reference(self, node: Node, scope: Scope, kind: Kind) -> Found | None:
        """Return what a pool or stage reference stands for; None, with a fault, where nothing has that name."""
        families = self.tables.pools if kind is Kind.POOL else self.tables.stages
        found = find(node, scope, families, self.index)
        if found is None:
            parts = written(node)
            if parts is None:
                return None
            name = parts.name if parts.member is None else f"{parts.name}.{parts.member}"
            self.report(UnknownName(scope.path, node.span, kind, name, tuple(families)))
        return found

    def index(self, node: Node, scope: Scope) -> Expr:
        """Return the expression of a member's index; a constant one becomes its number."""
        expr = self.build(node, scope)
        value = constant(expr)
        return expr if value is None else Num(value)

    def target(self, given: Iterable[Node], scope: Scope) -> Target | None:
        """Return the resources of a cost, sorted and each once; an index is dropped."""
        found: list[Target] = []
        for arg in given:
            stage = find(arg, scope, self.tables.stages, self.index)
            pool = find(arg, scope, self.tables.pools, self.index) if stage is None else None
            if stage is None and pool is None:
                parts = written(arg)
                if parts is not None:
                    names = (*self.tables.pools, *self.tables.stages)
                    self.report(UnknownName(scope.path, arg.span, Kind.POOL, parts.name, names))
                return None
            if stage is not None:
                found.append(StageTarget(stage.family.base, stage.family.count))
            elif pool is not None:
                found.append(PoolTarget(pool.family.base, pool.family.count))
        return joint(found)

    def constant(self, node: Node, scope: Scope, what: str) -> float | None:
        """Return the value of an expression that must be constant; None, with a fault, where it is not."""
        value = constant(self.build(node, scope))
        if value is None or value != value:  # noqa: PLR0124 (NaN is no constant)
            self.report(NotConstant(scope.path, node.span, what))
            return None
        return value


def number(text: str) -> float:
    """Return the value of a number as written; 0 for one that is none (`1..2`)."""
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return 0.0


def value_names(tables: Tables) -> Iterable[str]:
    """Return the names that a value may be called by, for suggestions."""
    yield from tables.attributes
    yield from tables.registers
    yield from tables.constants
    yield from supplied.CONTEXT
    yield supplied.INFINITY


def joint(targets: Iterable[Target]) -> Target | None:
    """Return one target for several resources: pools before stages, each family once, in ascending order."""
    flat = {
        (isinstance(it, StageTarget), it.base, it.count): it
        for target in targets
        for it in (target.targets if isinstance(target, JointTarget) else (target,))
        if not isinstance(it, JointTarget)
    }
    ordered = [flat[key] for key in sorted(flat)]
    if not ordered:
        return None
    return ordered[0] if len(ordered) == 1 else JointTarget(tuple(ordered))
