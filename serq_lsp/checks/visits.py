"""Walks over trees and steps, with what encloses each node. What stands inside broken text is left out."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.sema.once import once
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node


class Visit(NamedTuple):
    """A node and what encloses it, the root first."""

    node: Node
    around: tuple[Node, ...]

    def inside(self, *kinds: str) -> Node | None:
        """Return the innermost enclosing node of these kinds, or None."""
        return next((it for it in reversed(self.around) if it.kind in kinds), None)


class StepVisit(NamedTuple):
    """A step and the steps whose blocks enclose it, the outermost first."""

    step: Step
    around: tuple[Step, ...]


def visits(root: Node) -> Iterator[Visit]:
    """Yield every named node in text order; broken stretches and their insides are passed over."""
    todo: list[Visit] = [Visit(root, ())]
    while todo:
        visit = todo.pop()
        node = visit.node
        if node.kind in ("ERROR", "comment"):
            continue
        if node.named:
            yield visit
        if node.children:
            inner = (*visit.around, node)
            todo += [Visit(child, inner) for child in reversed(node.children) if child.named]


def of_kind(root: Node, *kinds: str) -> Iterator[Node]:
    """Yield the nodes of these kinds below `root`, itself included, in text order."""
    return (visit.node for visit in visits(root) if visit.node.kind in kinds)


@once
def _by_kind(model: Model) -> dict[str, list[tuple[int, Visit]]]:
    """Return the visits of the program, numbered in text order, by the kind of their nodes."""
    found: dict[str, list[tuple[int, Visit]]] = {}
    for number, visit in enumerate(visits(model.tree.root)):
        found.setdefault(visit.node.kind, []).append((number, visit))
    return found


def visits_of(model: Model, *kinds: str) -> list[Visit]:
    """Return the visits of the program's nodes of these kinds, in text order; its libraries are left out."""
    by_kind = _by_kind(model)
    numbered = [it for kind in dict.fromkeys(kinds) for it in by_kind.get(kind, ())]
    return [visit for _, visit in sorted(numbered, key=itemgetter(0))]


def step_visits(steps: Iterable[Step]) -> Iterator[StepVisit]:
    """Yield steps in order, each before those of its blocks."""
    todo = [StepVisit(step, ()) for step in steps]
    todo.reverse()
    while todo:
        visit = todo.pop()
        yield visit
        inner = (*visit.around, visit.step)
        for block in reversed(visit.step.blocks):
            todo.extend(StepVisit(step, inner) for step in reversed(block))


@once
def all_steps(model: Model) -> list[StepVisit]:
    """Return the steps of the whole program, each before those of its blocks."""
    return [visit for block in model.flow.blocks for visit in step_visits(block)]


def word(node: Node, text: str) -> Span:
    """Return the place of a word that stands directly in `node`; the node's first token where it is missing."""
    for child in node.children:
        if not child.named and child.kind == text and not child.missing:
            return child.span
    return first(node)


def first(node: Node) -> Span:
    """Return the place of a node's first token."""
    while node.children:
        node = next((child for child in node.children if child.kind != "comment"), node.children[0])
    return node.span


def head(node: Node) -> Span:
    """Return the place of a declaration or statement without its block: from its first token to its `{` or `;`."""
    end = next((child for child in node.children if child.kind in ("{", "block", "iteration_block")), None)
    return Span(node.start, max(end.start + 1, node.start + 1) if end is not None else node.end)


def plain(node: Node) -> Node:
    """Return the expression inside any parentheses."""
    while node.kind == "parenthesized" and (inner := node.child("value")) is not None:
        node = inner
    return node


def tokens(node: Node) -> tuple[str, ...]:
    """Return the texts of a node's tokens, comments left out: what is written, however it is laid out."""
    found: list[str] = []
    todo = [node]
    while todo:
        here = todo.pop()
        if here.kind == "comment":
            continue
        if here.children:
            todo.extend(reversed(here.children))
        else:
            found.append(here.text or here.kind)
    return tuple(found)
