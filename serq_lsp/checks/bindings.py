"""Are the names bound at admission fit to be read by the body (classic.md 5.2)?

A binding that the body reads becomes an attribute, set again at the top of the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.reading import reads
from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import StepVisit, all_steps
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import supplied_names
from serq_lsp.sema import supplied
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.reads import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
CLASH = Rule(
    "binding-clash",
    _ERROR,
    "a binding that the body reads has a name that is taken",
    aliases=("bind-scheduler-name", "name-clash"),
)
LIVE = Rule("binding-live", _ERROR, "the body reads a binding of what moves", aliases=("bind-live-body",))
SELF = Rule("binding-self", _ERROR, "a binding reads itself")
OUTSIDE = Rule("binding-outside", _ERROR, "a binding is read outside the hold that binds it", aliases=("bind-outside",))
RULES = (CLASH, LIVE, SELF, OUTSIDE)


def check(model: Model) -> Iterator[Finding]:
    """Yield bindings that a body reads and may not."""
    if model.edition is Edition.CURRENT:
        return
    visited = list(all_steps(model))
    taken = _taken(model, visited)
    bound: dict[str, Step] = {}
    for visit in visited:
        if visit.step.form == "bind":
            name = visit.step.node.child("name")
            if name is not None:
                bound.setdefault(name.text, visit.step)
                yield from _binding(model, visit.step, name, taken)
    for visit in visited if bound else ():
        if visit.step.form != "bind":
            yield from _outside(model, visit, bound)


def _taken(model: Model, visited: list[StepVisit]) -> dict[str, str]:
    """Return the names that mean something else, each with what it is."""
    sets = {
        name for visit in visited if visit.step.form in ("set", "choose", "declare") for name in assigned(visit.step)
    }
    taken = dict.fromkeys(sets, "an attribute that the program sets")
    taken |= dict.fromkeys(model.tables.constants, "a constant")
    taken |= dict.fromkeys(model.declared.pools, "a pool")
    taken |= dict.fromkeys(model.declared.stages, "a stage")
    taken |= dict.fromkeys(BUILTIN_ATTRS, "an attribute of every session")
    return taken | dict.fromkeys(supplied_names(model.edition), "a supplied value")


def _binding(model: Model, step: Step, name: Node, taken: dict[str, str]) -> Iterator[Finding]:
    path = step.scope.path
    if name.text in taken:
        message = f"the body reads `{name.text}`, which is {taken[name.text]} too"
        yield Finding(CLASH, path, name.span, message, help="give the binding its own name")
        return
    value = step.node.child("value")
    number = model.tables.attributes.get(name.text)
    if value is None:
        return
    expr = silent(model).build(value, step.header)
    if number is not None and Attr(number) in set(walk(expr)):
        yield Finding(SELF, path, name.span, f"`{name.text}` reads itself")
    elif _moves(model, value, step.header):
        message = f"the body reads `{name.text}`, and what it is bound to moves on"
        yield Finding(LIVE, path, name.span, message, help="a body reads bindings of attributes and constants")


def _moves(model: Model, value: Node, scope: Scope) -> bool:
    """Say whether a binding reads what moves on; what a caller hands over was read by the caller."""
    still = {*model.tables.constants, *model.tables.registers} | (model.tables.attributes.keys() - {"cached"})
    functions = supplied.functions(model.edition)
    for read in reads(model, value, scope):
        if read.scope.station is not scope.station:
            continue
        function = read.node.child("function") if read.node.kind == "call" else None
        known = functions.get(function.text) if function is not None else None
        if known is not None and known.takes[0] in ("pool", "stage") and known.kernel != "BlockSize":
            return True
        moving = read.node.text == "cached" or read.node.text in supplied.CONTEXT
        if read.node.kind == "name" and moving and read.node.text not in still:
            return True
    return False


def _outside(model: Model, visit: StepVisit, bound: dict[str, Step]) -> Iterator[Finding]:
    here = {
        name.text
        for outer in (*visit.around, visit.step)
        for block in outer.blocks
        for it in block
        if it.form == "bind" and (name := it.node.child("name")) is not None
    }
    if here >= bound.keys():
        return
    for node, scope in expressions(visit.step):
        for read in reads(model, node, scope):
            binding = bound.get(read.node.text) if read.node.kind == "name" else None
            name = binding.node.child("name") if binding is not None else None
            if binding is None or name is None or read.node.text in here:
                continue
            notes = (Note("bound here", binding.scope.path, name.span),)
            message = f"`{read.node.text}` is bound inside a hold, and read outside it"
            yield Finding(OUTSIDE, read.scope.path, read.node.span, message, notes, "set an attribute instead")
