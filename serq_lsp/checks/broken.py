"""What broken text makes uncertain, so that one slip of the keyboard does not give a second finding.

Three things follow from a syntax fault. What touches the broken statement, option or declaration is not judged at all.
The declaration around it (the session, the engine) is judged by the rules alone that need no more than the place they
speak of. If braces do not match, a declaration has lost its name or its word, or the text stops half-way, then the
whole program is: anything may be declared, and stand, in what could not be read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serq_lsp.sema.once import once
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serq_lsp.diag.model import Finding
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.strict import SyntaxFault
    from serq_lsp.syntax.tree import Node, Tree

_NAME = re.compile(r"[^\W\d]\w*")
_SHOWN = 80
"""So many characters of what a finding marks are searched for the names of broken declarations."""
_STATEMENTS = frozenset(("block", "schedule_block", "iteration_block", "pool", "step", "run_block"))
"""Lists of forms that declare nothing for the rest of the program but attributes."""
_WOVEN = frozenset(("engine", "queue"))
"""Declarations whose parts hang together: what a request may do is told by the schedule, an entry's by the role."""


class Broken:
    """The broken stretches of a program: where they are, which names stand in them, and how far the doubt goes."""

    def __init__(self, model: Model) -> None:
        self._spans: dict[str, list[Span]] = {}
        self._items: dict[str, list[Span]] = {}
        self._names: set[str] = set()
        self._declared: set[str] = set()
        self._texts: dict[str, str] = {}
        self.structural = any(it.kind == "engine" and it.child("name") is None for it in _items(model.tree.root))
        self.lacks_name = any(map(_lists_no_name, _items(model.tree.root)))
        for item in filter(_lists_no_name, _items(model.tree.root)):
            self._spans.setdefault(model.path, []).append(item.span)
            self._texts[model.path] = model.tree.source.text
            self._declared.update(it.text for it in item.each("name"))
        for tree, faults in syntax_faults(model):
            self._read(tree, faults)

    def _read(self, tree: Tree, faults: Sequence[SyntaxFault]) -> None:
        from serq_lsp.syntax.strict import place_of
        from serq_lsp.syntax.walk import paths

        text = self._texts[tree.source.path] = tree.source.text
        spans = self._spans.setdefault(tree.source.path, [])
        items = self._items.setdefault(tree.source.path, [])
        spans.extend(Span(it.after, max(it.after, it.span.end)) for it in faults)
        for unread in [it.unread for it in faults if it.unread is not None]:
            spans.append(unread)
            self._names.update(_NAME.findall(text[unread.start : unread.end]))
        self.lacks_name = self.lacks_name or any("a name" in it.expected for it in faults)
        for path in paths(tree, tree.faults()):
            container, element = place_of(path)
            spans.append(element.span)
            item = path[2 if len(path) > 2 and path[1].kind == "main" else min(1, len(path) - 1)]
            (spans if item.kind in _WOVEN else items).append(item.span)
            if container.kind not in _STATEMENTS or container.kind in ("pool", "step"):
                self._declared.update(name.text for it in path if (name := it.child("name")) is not None)
            self.lacks_name = self.lacks_name or _lacks_name(path, element)
            for node in (element, path[-1]):
                self._names.update(_NAME.findall(text[node.start : node.end]))
            self.structural = self.structural or _reaches(text, container, element, path[-1])

    def anywhere(self) -> bool:
        """Say whether anything is broken, so that nothing is certain to be missing from the program."""
        return any(self._spans.values())

    def hides(self, name: str) -> bool:
        """Say whether a name stands in broken text, where it may be declared."""
        return name.split(".", 1)[0] in self._names

    def touches(self, path: str, span: Span) -> bool:
        """Say whether a place lies in broken text or borders on it."""
        return _meets(self._spans.get(path, ()), span)

    def spoils(self, finding: Finding, *, local: bool) -> bool:
        """Say whether a finding may only follow from a syntax fault; `local` rules need nothing but their place."""
        if self.touches(finding.path, finding.span):
            return True
        start, end = finding.span
        shown = self._texts.get(finding.path, "")[start : min(end, start + _SHOWN)]
        if not self._declared.isdisjoint(_NAME.findall(shown)):
            return True
        if local:
            return False
        places = [(finding.path, finding.span)]
        places += [(it.path, it.span) for it in finding.notes if it.path is not None and it.span is not None]
        return any(_meets(self._items.get(path, ()), span) for path, span in places)


def _meets(spans: Sequence[Span], span: Span) -> bool:
    return any(it.start <= span.end and span.start <= it.end for it in spans)


def _reaches(text: str, container: Node, element: Node, node: Node) -> bool:
    """Say whether a fault may have taken a declaration, or the braces, away from the program."""
    if node.missing and (node.kind in ("{", "}") or not text[node.end :].strip()):
        return True
    if node.kind == "ERROR" and any(sign in text[node.start : node.end] for sign in "{}"):
        return True
    if container.kind in _STATEMENTS:
        return False
    if node.missing and (node is element or node is element.children[0]):
        return True
    if "ERROR" in (element.kind, *(it.kind for it in element.children[:1])):
        return True
    if node.missing and node.kind == "name":
        return True
    name = element.child("name")
    return name is None and node in element.children[1:2]


def _lacks_name(path: Sequence[Node], element: Node) -> bool:
    """Say whether a name may have been set or bound that cannot be read: also by a form that is but its first word."""
    node = path[-1]
    if node.missing and node.kind == "name":
        return True
    if any(it.kind in ("at_admission", "request_admission") for it in path):
        return True
    return element.kind == "ERROR" and element.text.isidentifier()


def _lists_no_name(item: Node) -> bool:
    """Say whether the parameters of an engine's request end with a comma."""
    listed = [it for request in item.of_kind("engine_request") for it in request.of_kind("parameters")]
    return any(it.children and it.children[-1].kind == "," for it in listed)


def _items(root: Node) -> list[Node]:
    """Return the declarations of a program, those in `fn main` too."""
    return [*root.children, *(it for main in root.of_kind("main") for it in main.children)]


@once
def broken_stretches(model: Model) -> Broken:
    """Return the broken stretches of a program."""
    return Broken(model)


@once
def syntax_faults(model: Model) -> list[tuple[Tree, list[SyntaxFault]]]:
    """Return the syntax faults of the program and its libraries; a sound file is left out."""
    trees = [it for it in (model.tree, *(library.tree for library in model.libraries)) if not it.sound]
    if not trees:
        return []
    from serq_lsp.syntax.strict import faults

    return [(it, faults(it)) for it in trees]


def is_broken(node: Node) -> bool:
    """Say whether text inside `node` could not be read."""
    todo = [node]
    while todo:
        here = todo.pop()
        if here.kind == "ERROR" or here.missing:
            return True
        todo.extend(here.children)
    return False
