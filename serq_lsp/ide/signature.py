"""The parameters of the call around the cursor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.context import spot
from serq_lsp.ide.forms import heads
from serq_lsp.lang.table import named
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node, Tree

_KINDS = ("function", "distribution", "statistic", "aggregate")


class Signature(NamedTuple):
    """How a function is called: the whole form, its parameters as they stand in it, which one is being written."""

    label: str
    parameters: tuple[str, ...]
    active: int
    text: str


def signature(snapshot: Snapshot, path: str, offset: int) -> Signature | None:
    """Return the signature of the innermost call, or part of a statement, whose brackets hold the place; None outside."""
    tree = snapshot.tree(path)
    found = _open_bracket(tree, offset)
    if found is None:
        return None
    return _of_call(snapshot, path, *found) or _of_form(snapshot, path, offset)


def _of_call(snapshot: Snapshot, path: str, name: str, commas: int) -> Signature | None:
    """Return the signature of a definition, a time resource or a function of the language."""
    for symbol in snapshot.model(path).symbols:
        if symbol.kind in {Kind.DEF, Kind.TIME_RESOURCE} and symbol.name == name and symbol.node is not None:
            parameters = next(iter(symbol.node.of_kind("parameters")), None)
            names = tuple(it.text for it in parameters.each("parameter")) if parameters else ()
            return Signature(f"{name}({', '.join(names)})", names, commas, symbol.kind.value)
    edition = snapshot.edition(path)
    known = [it for it in named(name, edition) if it.kind in _KINDS and "(" in it.form_in(edition)]
    if not known:
        return None
    form = known[0].form_in(edition)
    inside = form[form.index("(") + 1 : form.rindex(")")] if ")" in form else ""
    names = tuple(it for part in inside.split(",") if (it := part.strip().strip("[]").strip()))
    return Signature(form, names, min(commas, max(len(names) - 1, 0)), known[0].summary)


def _of_form(snapshot: Snapshot, path: str, offset: int) -> Signature | None:
    """Return the form of a statement whose bracket is open at the place (`hold kv (`), what stands in it as parameter.

    The word before the bracket says which of the form's brackets it is; behind a name it is the first.
    """
    at, edition = spot(snapshot, path, offset), snapshot.edition(path)
    opened = _opened(at.statement)
    if opened is None or (opened and at.statement[opened] == "["):
        return None
    before = at.statement[:opened]
    for it in heads(at.contexts, before, edition):
        form = it.form_in(edition)
        groups: dict[str, str] = {}
        for group in re.finditer(r"(?:(\w+)\s+)?(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", form):
            groups.setdefault(group[1] if group[2].isupper() and group[1] else group[2], group[3])
        if before[-1] not in groups and (
            bare := re.search(rf"\b{re.escape(before[-1])}(?: \[[^\]]*\])? ([a-z])\b", form)
        ):
            return Signature(form, (bare[1],), 0, it.summary)
        word = next((word for word in reversed(before) if word in groups), None)
        if word is not None:
            return Signature(form, (groups[word],), 0, it.summary)
    return None


def _opened(statement: Sequence[str]) -> int | None:
    """Return where the innermost bracket that is still open stands in a statement, None where none is or it begins it."""
    opened: list[int] = []
    for at, word in enumerate(statement):
        if word in {"(", "["}:
            opened.append(at)
        elif word in {")", "]"} and opened:
            opened.pop()
    return opened[-1] if opened and opened[-1] else None


def _open_bracket(tree: Tree, offset: int) -> tuple[str, int] | None:
    """Return the word before the innermost bracket that is open at the place, and how many commas follow it."""
    words = _before(tree.root, offset)
    depth = commas = 0
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        if word in {";", "{", "}"}:
            return None
        if word in {")", "]"}:
            depth += 1
        elif word in {"(", "["}:
            if depth == 0:
                return (words[at - 1], commas) if word == "(" and at else None
            depth -= 1
        elif word == "," and depth == 0:
            commas += 1
    return None


def _before(root: Node, offset: int) -> list[str]:
    """Return the words and signs that end at or before a place."""
    found: list[str] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.start >= offset or node.kind == "comment":
            continue
        if node.children:
            stack.extend(reversed(node.children))
        elif node.end <= offset and node.text:
            found.append(node.text)
    return found
