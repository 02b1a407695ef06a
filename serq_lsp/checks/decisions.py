"""Does the server decide by a hidden value before a run has revealed it (engine.md 9)?

The steps are followed in order with what each attribute may still conceal. A run reveals what its work reads whatever
happens: not the arms of `?:`, nor the right side of `&&` and `||`. What one way through a branch, a loop or a leg
reveals is still hidden after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.attributes import assignments
from serq_lsp.checks.commands import anchor
from serq_lsp.checks.resources import silent
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import Attr, Binary, Cond, fold, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.reads import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ir.expr import Expr
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

    Secrets = dict[int, frozenset[int]]

DECISION = Rule("hidden-decision", Severity.ERROR, "the server decides by a value that is still hidden", ("engine",))
DERIVED = Rule(
    "hidden-derived-admission", Severity.ERROR, "an admission reads what was set from a hidden value", ("engine",)
)
RULES = (DECISION, DERIVED)
_WORKS = ("run", "prefill", "decode", "tool", "transfer")


class _Decision(NamedTuple):
    """An expression by which something is decided: whether it is a header's, which `hidden-read` speaks of as well."""

    node: Node
    scope: Scope
    header: bool


def check(model: Model) -> Iterator[Finding]:
    """Yield decisions by hidden values."""
    hidden = {
        model.tables.attributes[it.text]: it.text for it in model.declared.hidden if it.text in model.tables.attributes
    }
    if model.edition is not Edition.ENGINE or not hidden:
        return
    walker = _Walker(model, hidden)
    walker.follow(model.flow.session, walker.fresh())
    yield from walker.found


class _Walker:
    """Follows the steps. What an attribute conceals are the hidden attributes it was set from, by slot."""

    def __init__(self, model: Model, hidden: dict[int, str]) -> None:
        self.model = model
        self.hidden = hidden
        self.found: list[Finding] = []
        self._builder = silent(model)

    def fresh(self) -> Secrets:
        """Return what is concealed when a turn begins."""
        return {slot: frozenset((slot,)) for slot in self.hidden}

    def follow(self, steps: Iterable[Step], secrets: Secrets) -> None:
        """Follow steps in order, changing `secrets`."""
        for step in steps:
            if step.form == "turn":
                secrets.clear()
                secrets.update(self.fresh())
            elif step.server:
                for decision in _decisions(step):
                    self._judge(step, decision, secrets)
            self._step(step, secrets)

    def _step(self, step: Step, secrets: Secrets) -> None:
        match step.form:
            case "branch":
                sides = [dict(secrets) for _ in step.blocks]
                for block, side in zip(step.blocks, sides, strict=True):
                    self.follow(block, side)
                _join(secrets, sides)
            case "while" | "loop":
                inner = dict(secrets)
                self.follow(step.blocks[0], inner)
                _join(secrets, [dict(secrets), inner])
            case "fork":
                self.follow(step.blocks[0], dict(secrets))
            case form if form in _WORKS:
                self._reveal(step, secrets)
            case _:
                for block in step.blocks:
                    self.follow(block, secrets)
        for number, expr in assignments(self.model, step):
            if expr is not None:
                secrets[number] = _concealed(walk(expr), secrets)

    def _reveal(self, step: Step, secrets: Secrets) -> None:
        work = step.node.child("work")
        if work is None:
            return
        shown = _concealed(_certain(self._builder.build(work, step.scope)), secrets)
        for number, some in secrets.items():
            secrets[number] = some - shown

    def _judge(self, step: Step, decision: _Decision, secrets: Secrets) -> None:
        expr = self._builder.build(decision.node, decision.scope)
        read = [it.slot for it in walk(expr) if isinstance(it, Attr) and secrets.get(it.slot)]
        if decision.header:
            read = [it for it in read if it not in self.hidden]
        if not read:
            return
        source = self.hidden[min(secrets[read[0]])]
        names = {slot: name for name, slot in self.model.tables.attributes.items()}
        own = names.get(read[0], source)
        what = f"`{own}` is hidden" if own == source else f"`{own}` is set from the hidden `{source}`"
        notes = [Note("the statement", step.scope.path, anchor(step))]
        notes += [Note("used here", it.path, it.span) for it in step.scope.via[:1]]
        self.found.append(
            Finding(
                DERIVED if decision.header else DECISION,
                step.scope.path,
                decision.node.span,
                f"{what}, and no run has revealed it here on every way",
                tuple(notes),
                "decide after a run whose work reads it",
            )
        )


def _join(secrets: Secrets, sides: list[Secrets]) -> None:
    """Make `secrets` what may be concealed after one of the sides."""
    for number in {number for side in sides for number in side}:
        secrets[number] = frozenset().union(*(side.get(number, frozenset()) for side in sides))


def _concealed(exprs: Iterable[Expr], secrets: Secrets) -> frozenset[int]:
    slots = [it.slot for it in exprs if isinstance(it, Attr)]
    return frozenset().union(*(secrets.get(slot, frozenset()) for slot in slots))


def _certain(expr: Expr) -> frozenset[Expr]:
    """Return the attributes that an expression reads whatever their values are."""

    def combine(node: Expr, parts: list[frozenset[Expr]]) -> frozenset[Expr]:
        if isinstance(node, Attr):
            return frozenset((node,))
        if isinstance(node, Cond) or (isinstance(node, Binary) and node.op in ("And", "Or")):
            return parts[0]
        return frozenset().union(*parts)

    return fold(expr, combine)


def _decisions(step: Step) -> Iterator[_Decision]:
    """Yield what a step decides by."""
    node = step.node
    nodes: list[Node | None] = []
    match step.form:
        case "branch" | "while":
            nodes = [node.child("test")]
        case "choose":
            keys = node.child("keys")
            nodes = [node.child("count"), *(keys.each("key") if keys is not None else ())]
        case "grow" | "load":
            nodes = [node.child("value")]
        case "hold":
            lease = node.child("lease")
            nodes = [lease.child("time") if lease is not None else None]
    for it in nodes:
        if it is not None:
            yield _Decision(it, step.scope, header=False)
    for it, scope in (
        inside(node, step.header) if step.form not in ("admission", "branch", "while", "loop", "fork") else ()
    ):
        if it.field == "index":
            yield _Decision(it, scope, header=False)
    if step.form in ("hold", "admission"):
        for unit in node.each("unit"):
            reserve = unit.child("reserve")
            for it in (unit.child("units"), reserve.child("value") if reserve is not None else None):
                if it is not None:
                    yield _Decision(it, step.header, header=True)
