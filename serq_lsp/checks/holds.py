"""What a hold takes, tests and does, as expressions: the view that the rules on holds share.

A hold is a `hold` statement, or the `taking` of an engine that admits requests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import all_steps, step_visits
from serq_lsp.sema.once import once
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.ir.expr import Expr, Ref
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.references import Found
    from serq_lsp.syntax.tree import Node


class Unit(NamedTuple):
    """One pool of a hold: the units taken, and the reserve where the header states one."""

    node: Node
    pool_node: Node
    pool: Found | None
    units_node: Node
    units: Expr
    reserve_node: Node | None
    reserve_value: Node | None
    reserve: Expr | None


class Hold(NamedTuple):
    """A hold: its pools, its `reuse`, whether it caches, the step it is."""

    step: Step
    units: tuple[Unit, ...]
    reuse_node: Node | None
    reuse: Expr | None
    cache: Node | None

    @property
    def path(self) -> str:
        """Return the file in which the header stands."""
        return self.step.scope.path

    def body(self) -> Iterator[Step]:
        """Yield all steps of the body, nested ones too."""
        for block in self.step.blocks:
            for visit in step_visits(block):
                yield visit.step


@once
def _holds(model: Model) -> dict[Step, Hold]:
    steps = (visit.step for visit in all_steps(model))
    return {step: _hold(model, step) for step in steps if step.form in ("hold", "admission")}


def hold_of(model: Model, step: Step) -> Hold:
    """Return the view of a step of the program that is a hold or an admission."""
    return _holds(model)[step]


def _hold(model: Model, step: Step) -> Hold:
    builder = silent(model)
    units: list[Unit] = []
    for node in step.node.each("unit"):
        reference, amount = node.child("pool"), node.child("units")
        if reference is None or amount is None:
            continue
        clause = node.child("reserve")
        reserve = clause.child("value") if clause is not None else None
        units.append(
            Unit(
                node,
                reference,
                builder.reference(reference, step.header, Kind.POOL),
                amount,
                builder.build(amount, step.header),
                clause,
                reserve,
                builder.build(reserve, step.header) if reserve is not None else None,
            )
        )
    reuse = step.node.child("reuse")
    bound = reuse.child("value") if reuse is not None else None
    return Hold(
        step,
        tuple(units),
        reuse,
        builder.build(bound, step.header) if bound is not None else None,
        step.cache or step.node.child("cache"),
    )


def grown(model: Model, step: Step) -> Ref | None:
    """Return the pool that a step makes grow or fills, or None."""
    reference = None
    match step.form:
        case "grow" | "load":
            reference = step.node.child("pool")
        case "transfer" | "arrived":
            to = step.node.child("to")
            reference = to.child("pool") if to is not None else None
        case _:
            growing = step.node.child("growing")
            reference = growing.child("pool") if growing is not None else None
    if reference is None:
        return None
    found = silent(model).reference(reference, step.header, Kind.POOL)
    return found.ref if found is not None else None
