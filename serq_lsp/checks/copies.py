"""Do the relations between queues, and `share`, say each thing once?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.resources import silent
from serq_lsp.checks.visits import first
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.scopes import Scope
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
QUEUE = Rule("relation-queue", _ERROR, "a relation names no queue above", aliases=("copy-queue",))
NIC = Rule("relation-nic", _ERROR, "a queue of a relation has no network card", aliases=("copy-queue",))
SELF = Rule("relation-self", _ERROR, "a queue takes from itself", aliases=("copy-self",))
TWICE = Rule("relation-twice", _ERROR, "a queue takes from two", aliases=("copy-once",))
WAIT = Rule("relation-latency-twice", _ERROR, "one queue posts with two latencies", aliases=("copy-latency-twice",))
LATENCY = Rule("relation-latency", _ERROR, "the latency of a relation is no constant", aliases=("copy-latency",))
POLICY = Rule("relation-share", _ERROR, "a relation does not say how copies divide the cards", aliases=("copy-share",))
ALONE = Rule("relation-share-alone", _ERROR, "a `share` beside a relation that names it", aliases=("share-twice",))
CONFLICT = Rule("relation-share-conflict", _ERROR, "two relations name two policies")
SHARE = Rule("share-twice", _ERROR, "`share` is given twice")
RULES = (QUEUE, NIC, SELF, TWICE, WAIT, LATENCY, POLICY, ALONE, CONFLICT, SHARE)


def check(model: Model) -> Iterator[Finding]:
    """Yield relations and policies that do not fit."""
    if model.edition is Edition.CURRENT:
        return
    relations = model.declared.relations
    readers: dict[str, Node] = {}
    posters: dict[str, Node] = {}
    policy: tuple[str, Node] | None = None
    shares = model.declared.shares
    for relation in relations:
        node = relation.node
        left, right = node.child("left"), node.child("right")
        if left is None or right is None:
            continue
        yield from _queues(model, node, left, right)
        if relation.reader in readers:
            note = Note("the first", model.path, readers[relation.reader].span)
            yield Finding(TWICE, model.path, left.span, f"`{relation.reader}` takes from a queue already", (note,))
        readers.setdefault(relation.reader, left)
        yield from _latency(model, relation.poster, node, posters)
        share = next(iter(node.of_kind("share_policy")), None)
        named = share.child("policy") if share is not None else None
        if named is None:
            end = Span(node.end - 1, node.end)
            yield Finding(
                POLICY, model.path, end, "a relation says how copies divide the cards", help="add `share maxmin`"
            )
            continue
        if policy is not None and policy[0] != named.kind:
            note = Note("the other policy", model.path, policy[1].span)
            yield Finding(
                CONFLICT, model.path, left.span, f"this relation says `{named.kind}`, another `{policy[0]}`", (note,)
            )
        policy = policy or (named.kind, named)
        for outer in shares:
            if outer.start < node.start:
                note = Note("the `share`", model.path, first(outer))
                yield Finding(
                    ALONE, model.path, left.span, "the relation names the policy", (note,), "remove the `share`"
                )
    for later in shares[1:]:
        note = Note("the first", model.path, first(shares[0]))
        yield Finding(SHARE, model.path, first(later), "`share` is given already", (note,))
    for share in shares[:1]:
        if relations and share.start > relations[0].node.start:
            note = Note("the relation", model.path, first(relations[0].node))
            yield Finding(SHARE, model.path, first(share), "a relation gives the policy already", (note,))


def _queues(model: Model, node: Node, left: Node, right: Node) -> Iterator[Finding]:
    for name in (left, right):
        queue = model.declared.queues.get(name.text)
        if queue is None or queue.node.start > node.start:
            yield Finding(QUEUE, model.path, name.span, f"no queue above is called `{name.text}`")
        elif queue.nic is None:
            yield Finding(NIC, model.path, name.span, f"`{name.text}` has no `nic`")
    if left.text == right.text:
        yield Finding(SELF, model.path, right.span, "a relation joins two queues")


def _latency(model: Model, poster: str, node: Node, posters: dict[str, Node]) -> Iterator[Finding]:
    latency = node.child("latency")
    value = latency.child("value") if latency is not None else None
    if value is None:
        return
    if constant(silent(model).build(value, Scope(model.path, at=value.start))) is None:
        yield Finding(LATENCY, model.path, value.span, "a latency is a constant")
    if poster in posters:
        note = Note("the first", model.path, posters[poster].span)
        yield Finding(WAIT, model.path, value.span, f"`{poster}` has a latency already", (note,))
    posters.setdefault(poster, value)
