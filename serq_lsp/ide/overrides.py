"""What the language refuses of new values for constants and definitions (classic.md 13, engine.md 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.spelling import nearest
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.constants import Let, fold, value_of
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.sema.declarations import Device, Family, Queue
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

LISTED_MAX = 12
"""So many known names are listed where a name is unknown."""


def refused(model: Model, settings: RunSettings) -> Iterator[tuple[str, str]]:
    """Yield `sets.name` or `defs.name` and the reason, for each replacement that the program does not take."""
    wrong = False
    values: dict[str, Node] = {}
    for key, reason in (*_sets(model, settings, values), *_defs(model, settings)):
        wrong = True
        yield key, reason
    if not wrong and values:
        yield from _consequences(model, values)


def _sets(model: Model, settings: RunSettings, values: dict[str, Node]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the new values one by one; the good ones get into `values`."""
    classic = model.edition is Edition.CLASSIC
    lets = {let.name if classic else let.external: let for let in model.declared.lets if classic or let.external}
    what = "constant" if classic else "input"
    for name, text in settings.sets.items():
        let = lets.get(name)
        if let is None:
            known = [it for it in lets if it is not None]
            plain = not classic and any(it.name == name for it in model.declared.lets)
            more = "; a plain `let` is not an input" if plain else ""
            yield f"sets.{name}", f"the program has no {what} `{name}`{more}{_others(name, known)}"
            continue
        node = expression(str(text))
        if node is None:
            yield f"sets.{name}", f"`{text}` is not an expression"
            continue
        above = model.constants if classic else {}
        reason = _not_constant(model, let, node, above)
        if reason is not None:
            yield f"sets.{name}", f"`{text}` {reason}"
            continue
        values[name] = node


def _not_constant(model: Model, let: Let, node: Node, above: Mapping[str, float]) -> str | None:
    earlier = {}
    for it in model.declared.lets:
        if it is let:
            break
        if it.name in above:
            earlier[it.name] = above[it.name]
    faults: list[Fault] = []
    new = Let(let.name, let.path, let.span, let.node, node, None, None)
    if value_of(new, earlier, model.declared.definitions, model.edition, faults.append) is not None:
        return None
    return "is not a constant number: it may hold numbers and constants declared above, no draw, and must have a value"


def _defs(model: Model, settings: RunSettings) -> Iterator[tuple[str, str]]:
    definitions: Mapping[str, Definition] = model.declared.definitions
    for name, text in settings.defs.items():
        old = definitions.get(name)
        if old is None:
            yield f"defs.{name}", f"the program has no definition `{name}`{_others(name, list(definitions))}"
        elif old.value is None:
            yield f"defs.{name}", f"`{name}` is a definition of statements; only expressions can be replaced"
        elif expression(text) is None:
            yield f"defs.{name}", f"`{text}` is not an expression"


def _consequences(model: Model, values: Mapping[str, Node]) -> Iterator[tuple[str, str]]:
    """Yield what good values do elsewhere: a constant computed from one has no value, or an array another size."""
    first = f"sets.{next(iter(values))}"
    declared = model.declared
    constants = fold(declared.lets, declared.definitions, model.edition, values)
    for let in declared.lets:
        if let.name in model.constants and let.name not in constants:
            yield first, f"with it `{let.name}` is not a number"
            return
    sized: list[Family | Device | Queue] = [
        *declared.pools.values(),
        *declared.stages.values(),
        *declared.devices.values(),
        *declared.queues.values(),
    ]
    for it in sized:
        size = it.node.child("size") if it.node is not None else None
        node = size.child("value") if size is not None else None
        if node is None:
            continue
        let = Let("", model.path, node.span, node, node, None, None)
        value = value_of(let, constants, declared.definitions, model.edition, _ignore)
        if value != it.count:
            yield first, f"it sizes `{it.name}`, and sizes are fixed by the text: change it there"
            return


def expression(text: str) -> Node | None:
    """Return the tree of one expression, or None where the text is none."""
    tree = parse(Source("<option>", f"let x = {text};"))
    lets = tree.root.children
    value = lets[0].child("value") if len(lets) == 1 and lets[0].kind == "let" else None
    return value if value is not None and not any(True for _ in tree.faults()) and tree.too_deep is None else None


def _others(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    near = nearest(name, names)
    if near:
        return f"; did you mean `{near}`?"
    shown = ", ".join(f"`{it}`" for it in names[:LISTED_MAX])
    return f"; there are {shown}{', …' if len(names) > LISTED_MAX else ''}" if names else "; it has none"


def _ignore(_fault: Fault) -> None:
    """Take no note: what is wrong with the program itself is found when it is analysed."""
