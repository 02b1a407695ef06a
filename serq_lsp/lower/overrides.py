"""New values for constants, inputs and definitions, given with the call and not in the text (classic.md 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.lang.editions import Edition
from serq_lsp.lower.context import NotLowered, Unsupported
from serq_lsp.sema.constants import fold
from serq_lsp.sema.definitions import Definition
from serq_lsp.sema.tables import tables_of
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Tables
    from serq_lsp.syntax.tree import Node


def overridden(model: Model, settings: RunSettings) -> Tables:
    """Return the model's tables with the values and definitions that `settings` replaces.

    Raises NotLowered for a name that the program does not declare, or a text that is no expression.
    """
    if not settings.sets and not settings.defs:
        return model.tables
    classic = model.edition is Edition.CLASSIC
    known = {let.external if not classic else let.name for let in model.declared.lets}
    for name in settings.sets:
        if name not in known:
            raise _refused(model, f"no constant `{name}` to set")
    definitions = dict(model.declared.definitions)
    for name, text in settings.defs.items():
        old = definitions.get(name)
        if old is None or old.value is None:
            raise _refused(model, f"no expression definition `{name}` to replace")
        value = _expression(model, name, text)
        definitions[name] = Definition(
            name, old.path, old.span, old.node, old.parameters, value, None, old.order, old.at
        )
    sets = {
        name: _expression(model, name, value) if isinstance(value, str) else value
        for name, value in settings.sets.items()
    }
    constants = fold(model.declared.lets, definitions, model.edition, sets)

    def report(fault: Fault) -> None:
        raise NotLowered(Unsupported(fault.path, fault.span, "not a constant"))

    return tables_of(
        model.declared, model.slots, model.edition, constants, definitions=definitions, report=report, path=model.path
    )


def _expression(model: Model, name: str, text: str) -> Node:
    """Return the tree of an expression given as text."""
    tree = parse(Source(f"<{name}>", f"let x = {text};"))
    lets = tree.root.of_kind("let")
    value = lets[0].child("value") if len(lets) == 1 and len(tree.root.children) == 1 else None
    if value is None or any(tree.faults()):
        raise _refused(model, f"`{text}` for `{name}` is no expression")
    return value


def _refused(model: Model, what: str) -> NotLowered:
    return NotLowered(Unsupported(model.path, Span(0, 0), what))
