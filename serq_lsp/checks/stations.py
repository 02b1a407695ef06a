"""Is a queue made of the parts its roles need, in their order?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.resources import value
from serq_lsp.checks.visits import first, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
NAME = Rule("queue-name", _ERROR, "a queue is named like a serving word")
ROLE = Rule(
    "queue-role", _ERROR, "a queue plays a part that does not exist, or one twice", aliases=("queue-role-twice",)
)
FAMILY = Rule("queue-gateway-family", _ERROR, "a gateway with members")
ORDER = Rule("queue-item-order", _ERROR, "a queue's parts are out of order", aliases=("queue-order",))
ARRAY = Rule("queue-pool-array", _ERROR, "a family of pools inside a queue", aliases=("queue-pool",))
POOL = Rule("queue-pool-twice", _ERROR, "two pools of one name inside a queue", aliases=("queue-pool",))
STAGE = Rule("queue-stage-twice", _ERROR, "a queue has two stages or two network cards", aliases=("queue-one-stage",))
MISSING = Rule(
    "queue-entry-missing", _ERROR, "a role lacks its entry", aliases=("queue-missing-entry", "queue-link-cost")
)
UNPLAYED = Rule("queue-entry-role", _ERROR, "an entry of a role that the queue does not play")
UNKNOWN = Rule("queue-entry-unknown", _ERROR, "an entry of no role", aliases=("queue-entry-role",))
TWICE = Rule("queue-entry-twice", _ERROR, "an entry stands twice")
PARAMETERS = Rule("queue-entry-parameters", _ERROR, "an entry has another number of parameters than its role")
LATENCY = Rule(
    "queue-latency-transfer", _ERROR, "a link has both a latency and a transfer entry", aliases=("link-latency",)
)
RUN = Rule("queue-run-without-stage", _ERROR, "an entry runs on a stage that its queue does not have")
GATEWAY = Rule("request-not-gateway", _ERROR, "a request names a queue that is no gateway", ("classic",))
FOREIGN = Rule("foreign-queue-pool", _ERROR, "a statement acts on a queue's pool from outside", aliases=("own-pool",))
RULES = (
    NAME, ROLE, FAMILY, ORDER, ARRAY, POOL, STAGE, MISSING, UNPLAYED, UNKNOWN, TWICE, PARAMETERS, LATENCY, RUN, GATEWAY,
    FOREIGN,
)  # fmt: skip
_ENTRIES = {"gateway": ("route", 0), "prefill": ("prefill", 1), "decode": ("decode", 1), "link": ("transfer", 1)}
"""By role: the entry it has, and how many parameters that takes (classic.md 6.1)."""
_VERBS = {verb: role for role, (verb, _) in _ENTRIES.items()}
_RANKS = {"pool": 0, "device": 1, "queue_stage": 2, "engine": 2, "nic": 3, "entry": 4}
_CLASSIC_RANKS = {"pool": 0, "queue_stage": 1, "nic": 1, "entry": 2}


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with the makeup of queues."""
    if model.edition is Edition.CURRENT:
        return
    for visit in visits_of(model, "queue", "request", "reference"):
        node = visit.node
        if node.kind == "queue":
            yield from _queue(model, node)
        elif node.kind == "request" and (gateway := node.child("gateway")) is not None:
            queue = model.declared.queues.get(gateway.text)
            if queue is not None and "gateway" not in queue.roles:
                yield _at(model, GATEWAY, gateway.span, f"`{gateway.text}` does not play `gateway`")
        elif node.kind == "reference" and (member := node.child("member")) is not None:
            yield from _foreign(model, node, member, visit.around[-1])


def _at(model: Model, rule: Rule, span: Span, message: str, *notes: Note) -> Finding:
    return Finding(rule, model.path, span, message, notes)


def _foreign(model: Model, node: Node, member: Node, around: Node) -> Iterator[Finding]:
    """A statement names `Q.p`: only entries of `Q` hold, grow and give back its pools."""
    name = node.child("name")
    queue = model.declared.queues.get(name.text) if name is not None else None
    if queue is None or member.text not in queue.pools or around.kind in ("to", "from", "call_statement"):
        return
    if around.kind in ("arguments", "call", "claim") or node.field == "stage":
        return
    yield _at(model, FOREIGN, node.span, f"only entries of `{queue.name}` act on its pools")


def _queue(model: Model, queue: Node) -> Iterator[Finding]:
    name = queue.child("name")
    roles = [role for part in queue.of_kind("roles") for role in part.each("role")]
    played = [role.text for role in roles]
    if name is not None and (name.text in _ENTRIES or name.text in ("transfer", "tool")):
        yield _at(model, NAME, name.span, f"`{name.text}` is a serving word")
    for number, role in enumerate(roles):
        if role.text not in _ENTRIES:
            yield _at(
                model,
                ROLE,
                role.span,
                f"a queue plays no `{role.text}`: there are " + ", ".join(f"`{it}`" for it in _ENTRIES),
            )
        elif role.text in played[:number]:
            yield _at(model, ROLE, role.span, f"`{role.text}` is played already")
    if "gateway" in played and queue.child("size") is not None:
        yield _at(model, FAMILY, first(queue), "there is one gateway, not a family")
    if not is_broken(queue):
        yield from _needs(model, queue, played)
    yield from _order(model, queue)
    yield from _parts(model, queue)
    entries = queue.of_kind("entry")
    yield from _entries(model, entries, played)
    if not queue.of_kind("queue_stage", "engine"):
        for entry in entries:
            yield from _runs(model, entry)


def _needs(model: Model, queue: Node, played: list[str]) -> Iterator[Finding]:
    verbs = {(name.text, it.child("source") is not None) for it in queue.of_kind("entry") if (name := it.child("name"))}
    stages = queue.of_kind("queue_stage")
    for role in dict.fromkeys(played):
        verb, _ = _ENTRIES.get(role, ("", 0))
        taken = model.edition is Edition.ENGINE and (verb, True) in verbs  # `decode (n) from src` alone will do
        if verb and (verb, False) not in verbs and not taken and not (role == "link" and stages):
            message = (
                f"a `{role}` needs its entry `{verb}`"
                if role != "link"
                else "a link says its cost: `serve …` or `transfer (n) { … }`"
            )
            yield _at(model, MISSING, first(queue), message)
    if any(it.child("latency") is not None for it in stages) and ("transfer", False) in verbs:
        yield _at(model, LATENCY, first(queue), "the wait stands in the entry, or in `latency`, not in both")


def _order(model: Model, queue: Node) -> Iterator[Finding]:
    ranks = _CLASSIC_RANKS if model.edition is Edition.CLASSIC else _RANKS
    highest = -1
    for part in queue.children:
        rank = ranks.get(part.kind, -1)
        on = part.child("on") if part.kind == "pool" else None
        stage_after_card = (
            model.edition is Edition.CLASSIC
            and part.kind == "pool"
            and highest == 1
            and not queue.of_kind("queue_stage")
        )
        if rank < 0 or on is not None or stage_after_card:
            continue
        if rank < highest:
            what = {"pool": "pools", "entry": "entries"}.get(part.kind, "stages")
            yield _at(model, ORDER, first(part), f"{what} stand above: pools, then the stage, then entries")
        highest = max(highest, rank)


def _parts(model: Model, queue: Node) -> Iterator[Finding]:
    seen: dict[str, Node] = {}
    for pool in queue.of_kind("pool"):
        name = pool.child("name")
        if name is None:
            continue
        size = pool.child("size")
        if size is not None and value(model, size.child("value")) != 1:
            yield _at(model, ARRAY, name.span, "each member of a queue has one pool of this name already")
        if name.text in seen:
            note = Note("the first", model.path, seen[name.text].span)
            yield _at(model, POOL, Span(name.start, pool.end), f"`{name.text}` is declared already", note)
        seen.setdefault(name.text, name)
    for group in (queue.of_kind("queue_stage", "engine"), queue.of_kind("nic")):
        for later in group[1:]:
            note = Note("the first", model.path, first(group[0]))
            yield _at(model, STAGE, first(later), "a queue has one of these", note)


def _entries(model: Model, entries: list[Node], played: list[str]) -> Iterator[Finding]:
    seen: dict[tuple[str, bool], Node] = {}
    for entry in entries:
        verb = entry.child("name")
        if verb is None:
            continue
        key = (verb.text, entry.child("source") is not None)
        role = _VERBS.get(verb.text)
        count = sum(len(part.each("parameter")) for part in entry.of_kind("parameters"))
        if role is None or (key[1] and verb.text != "decode"):
            yield _at(model, UNKNOWN, verb.span, f"no role has an entry `{verb.text}{' … from' if key[1] else ''}`")
        elif role not in played:
            yield _at(model, UNPLAYED, verb.span, f"the queue does not play `{role}`")
        elif key in seen:
            yield _at(
                model, TWICE, verb.span, f"`{verb.text}` stands twice", Note("the first", model.path, seen[key].span)
            )
        elif count != _ENTRIES[role][1]:
            yield _at(
                model, PARAMETERS, verb.span, f"`{verb.text}` takes {_ENTRIES[role][1] or 'no'} parameter, not {count}"
            )
        seen.setdefault(key, verb)


def _runs(model: Model, entry: Node) -> Iterator[Finding]:
    for visit in visits(entry):
        if visit.node.kind == "run" and visit.node.child("stage") is None:
            span = Span(first(visit.node).end, visit.node.end)
            yield _at(model, RUN, span, "the queue has no stage to run on")
