"""Does one word mean one thing in an engine program (engine.md 2, engine-rules-1.md 75 and 76)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import supplied_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

CLASH = Rule("name-clash", Severity.ERROR, "one word names two things", ("engine",))
SUPPLIED = Rule("name-supplied", Severity.ERROR, "a declaration takes a name that the language supplies", ("engine",))
RULES = (CLASH, SUPPLIED)
_ATTRIBUTES = ("set", "choose", "declare")
_OTHERS = {"let": "constant", "def": "definition", "observe": "observation", "binding": "binding"}
_ITEMS = ("pool", "stage", "engine", "device", "queue")
_STATISTICS = ("gauge", "claim")
_TOLD_ELSEWHERE = (*_ATTRIBUTES, "let")
"""What `supplied-name` speaks of."""


def check(model: Model) -> Iterator[Finding]:
    """Yield names that mean two things, or something that the language supplies."""
    if model.edition is not Edition.ENGINE:
        return
    supplied = supplied_names(model.edition)
    seen: dict[str, tuple[str, Node]] = {}
    attributes: dict[str, Node] = {}
    for parameter in (it for visit in visits_of(model, "parameters") for it in visit.node.each("parameter")):
        if parameter.text in supplied:
            yield _supplied(model, parameter)
    for visit in visits_of(model, *_ATTRIBUTES, *_OTHERS, *_ITEMS, *_STATISTICS):
        name = visit.node.child("name")
        kind = _kind(visit)
        if name is None or kind is None:
            continue
        if name.text in supplied:
            if visit.node.kind not in _TOLD_ELSEWHERE:
                yield _supplied(model, name)
        elif (inside := visit.inside("def")) is not None and (own := inside.child("name")) is not None:
            if own.text in model.used and kind == "attribute":
                attributes.setdefault(name.text, name)
        elif kind == "attribute":
            attributes.setdefault(name.text, name)
        elif name.text in BUILTIN_ATTRS:
            if kind not in ("binding", "constant"):
                yield Finding(CLASH, model.path, name.span, f"`{name.text}` is an attribute of every session")
        elif name.text in seen and seen[name.text][0] != kind:
            first = seen[name.text]
            note = Note(f"the {first[0]}", model.path, first[1].span)
            yield Finding(CLASH, model.path, name.span, f"`{name.text}` is {_a(first[0])} already", (note,))
        else:
            seen.setdefault(name.text, (kind, name))
    for text, (kind, name) in seen.items():
        if text in attributes and kind not in ("binding", "constant"):
            note = Note("set here", model.path, attributes[text].span)
            yield Finding(CLASH, model.path, name.span, f"`{text}` is an attribute too", (note,))


def _supplied(model: Model, name: Node) -> Finding:
    return Finding(SUPPLIED, model.path, name.span, f"`{name.text}` is a value that the language supplies")


def _kind(visit: Visit) -> str | None:
    """Return what a node declares, as a word for messages; None where its name is no name of its own."""
    node = visit.node
    if node.kind in _ATTRIBUTES:
        local = visit.inside("entry", "schedule", "iteration")
        return None if local is not None else "attribute"
    if visit.inside("queue") is not None or (node.kind == "let" and visit.inside("schedule") is not None):
        return None
    if node.kind in _OTHERS:
        return _OTHERS[node.kind]
    return node.kind if node.kind in (*_ITEMS, *_STATISTICS) else None


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"
