"""Is every cost assigned before it is read, and are records of costs sound (engine.md 9)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.attributes import assignments
from serq_lsp.checks.commands import anchor
from serq_lsp.checks.costs import kinds
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import all_steps
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import Attr, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.reads import expressions
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
UNASSIGNED = Rule("type-unassigned-cost", _ERROR, "a cost is read before every way assigns it", _ENGINE)
RECORD = Rule("cost-record", _ERROR, "a record of costs is malformed, or clashes with a name", _ENGINE)
RULES = (UNASSIGNED, RECORD)


def check(model: Model) -> Iterator[Finding]:
    """Yield costs that are read too early, and records that do not hold together."""
    if model.edition is not Edition.ENGINE:
        return
    found = kinds(model)
    slots = {slot for slot, quantity in found.attributes.items() if quantity is not None} - found.mixed - found.two
    if slots:
        names = {slot: name for name, slot in model.tables.attributes.items()}
        told: list[Finding] = []
        _follow(model, model.flow.session, _Costs(slots, names, told), set())
        yield from told
    yield from _records(model)


class _Costs:
    """The slots that hold costs, their names, and what was found."""

    def __init__(self, slots: set[int], names: dict[int, str], told: list[Finding]) -> None:
        self.slots = slots
        self.names = names
        self.told = told


def _follow(model: Model, steps: Iterable[Step], costs: _Costs, known: set[int]) -> None:
    """Follow steps in order; `known` gains the costs that every way assigns."""
    for step in steps:
        _read(model, step, costs, known)
        match step.form:
            case "branch":
                sides = [set(known) for _ in step.blocks]
                for block, side in zip(step.blocks, sides, strict=True):
                    _follow(model, block, costs, side)
                if len(sides) > 1:
                    known |= set.intersection(*sides)
            case "while" | "fork":
                _follow(model, step.blocks[0], costs, set(known))
            case _:
                for block in step.blocks:
                    _follow(model, block, costs, known)
        known.update(number for number, _ in assignments(model, step))


def _read(model: Model, step: Step, costs: _Costs, known: set[int]) -> None:
    builder = silent(model)
    for node, scope in expressions(step):
        early = {it.slot for it in walk(builder.build(node, scope)) if isinstance(it, Attr)} & costs.slots - known
        if early:
            name = costs.names.get(min(early), "")
            notes = [Note("the statement", step.scope.path, anchor(step))]
            notes += [Note("used here", it.path, it.span) for it in step.scope.via[:1]]
            message = f"the cost `{name}` is not assigned on every way to here"
            costs.told.append(
                Finding(UNASSIGNED, scope.path, node.span, message, tuple(notes), "assign it first on every way")
            )
            known |= early  # each is told once


def _records(model: Model) -> Iterator[Finding]:
    """A record names each family once, is written alike everywhere, and its name is no attribute."""
    records: dict[str, tuple[Node, tuple[str, ...]]] = {}
    plain: dict[str, tuple[str, Span]] = {}
    for visit in all_steps(model):
        step = visit.step
        name = step.node.child("name")
        record = step.node.child("record") if step.form == "declare" else None
        if name is None or record is None:
            for it in assigned(step) if name is not None and "." not in name.text else ():
                plain.setdefault(it, (step.scope.path, name.span if name is not None else step.node.span))
            continue
        fields = [own for it in record.of_kind("record_field") if (own := it.child("name")) is not None]
        texts = tuple(it.text for it in fields)
        for number, own in enumerate(fields):
            if own.text in texts[:number]:
                span = Span(own.start, record.end)
                yield Finding(RECORD, step.scope.path, span, f"the record names `{own.text}` already")
        first = records.setdefault(name.text, (name, texts))
        if first[1] != texts:
            note = Note("the first", step.scope.path, first[0].span)
            message = f"`{name.text}` is a record of other fields, or in another order, elsewhere"
            yield Finding(RECORD, step.scope.path, name.span, message, (note,))
    for text, (name, _) in records.items():
        if text in plain or text in model.tables.constants:
            notes = (Note("the attribute", *plain[text]),) if text in plain else ()
            message = f"`{text}` is a record of costs, and something else too"
            yield Finding(RECORD, model.path, name.span, message, notes, "give the record its own name")
