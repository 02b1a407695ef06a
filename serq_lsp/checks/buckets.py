"""Do the buckets a cost charges cover every batch (checks.md 3)?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.checks import bucketlists
from serq_lsp.checks.bucketlists import Refused
from serq_lsp.checks.bucketmaps import Map, recognise
from serq_lsp.checks.bucketuses import Use, uses
from serq_lsp.checks.capacity import of_requests
from serq_lsp.checks.citing import comments
from serq_lsp.checks.native import cites
from serq_lsp.checks.resources import engines
from serq_lsp.checks.shown import amount, text
from serq_lsp.checks.visits import plain, visits_of
from serq_lsp.diag.model import FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.lang.editions import Edition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.capacity import Capacity
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

MISSING = Rule("missing-bucket", Severity.ERROR, "no bucket covers a batch that can occur", refuses=False)
ABOVE = Rule("bucket-above-capacity", Severity.WARNING, "the largest bucket exceeds the largest batch")
FALLING = Rule("bucket-not-rising", Severity.ERROR, "a larger count maps to a smaller bucket", refuses=False)
UNREACHABLE = Rule("bucket-unreachable", Severity.WARNING, "no count maps to a bucket")
PADDING = Rule("padding-as-work", Severity.WARNING, "an amount of work or memory is rounded up to a bucket")
CONFIG = Rule("bucket-config", Severity.ERROR, "a contract on buckets disagrees with the program", refuses=False)
RULES = (MISSING, ABOVE, FALLING, UNREACHABLE, PADDING, CONFIG)

_COUNTS = {
    "Ndec": "decoding requests",
    "Nres": "resident requests",
    "Ntok": "tokens",
    "Npre": "prefill tokens",
}
_WORK = ("prefill", "decode", "run", "grow")
_CAPS = ("unit", "budget", "chunk", "tokens_cap", "each_at_most", "reserve")


def check(model: Model) -> Iterator[Finding]:
    """Yield what is wrong with the buckets in costs, and with the contracts on them."""
    if model.edition is Edition.CURRENT:
        return
    found = list(uses(model))
    for use in found:
        yield from _covering(use)
        yield from _above(use)
        yield from _falling(use)
        yield from _unreachable(model, use)
    yield from _padding(model, found)
    yield from _contracts(model, found)


def _notes(use: Use) -> tuple[Note, ...]:
    notes = [Note(use.capacity.what, use.capacity.path, use.capacity.place)]
    if use.body is not use.node:
        notes.append(Note("the buckets", use.body_path, use.body.span))
    return tuple(notes)


def _counted(map_: Map) -> str:
    return _COUNTS.get(getattr(map_.leaf, "name", ""), "requests")


def _covering(use: Use) -> Iterator[Finding]:
    hole = use.map.uncovered()
    if hole is None or use.map.falls() is not None:
        return
    first, last = hole
    counts = str(first) if first == last else f"{first} to {last}"
    yield Finding(
        MISSING,
        use.path,
        use.node.span,
        f"no bucket covers {counts} {_counted(use.map)}: the largest bucket is {amount(use.map.buckets[-1])}, "
        f"and {use.capacity.what}",
        _notes(use),
        help=f"add a bucket of {last}",
        cites=cites("step cost buckets"),
    )


def _largest(map_: Map) -> float:
    """Return the largest bucket as written, or that some count maps to."""
    return max(it for it in (*map_.rungs, *map_.buckets) if math.isfinite(it))


def _above(use: Use) -> Iterator[Finding]:
    largest = _largest(use.map)
    if largest <= use.capacity.most:
        return
    yield Finding(
        ABOVE,
        use.path,
        use.node.span,
        f"the largest bucket, {amount(largest)}, exceeds the largest batch: {use.capacity.what}",
        _notes(use),
        help="a compiled system refuses to start with it",
        cites=cites("step cost buckets"),
    )


def _falling(use: Use) -> Iterator[Finding]:
    fall = use.map.falls()
    if fall is None:
        return
    first, before, size = fall
    yield Finding(
        FALLING,
        use.path,
        use.node.span,
        f"{first} {_counted(use.map)} map to a bucket of {amount(size)}, one fewer to {amount(before)}",
        _notes(use),
        cites=cites("step cost buckets"),
    )


def _unreachable(model: Model, use: Use) -> Iterator[Finding]:
    """A rung that no count reaches, however many requests there are."""
    if not use.map.rungs:
        return
    rung: Node | None = use.body
    chain: list[tuple[Node, Node, Node]] = []
    while rung is not None and rung.kind == "conditional":
        then, other = rung.child("then"), rung.child("else")
        if then is None or other is None:
            return
        chain.append((rung, then, other))
        rung = plain(other)
    wide = _widest(use)
    if wide is None or len(chain) + 1 != len(use.map.rungs):
        return
    reached = {size for _, size in wide.steps}
    for (node, then, other), size in zip(chain, use.map.rungs, strict=False):
        if size not in reached and math.isfinite(size):
            edit = FileEdit(use.body_path, node.span, text(model, use.body_path, other))
            yield Finding(
                UNREACHABLE,
                use.body_path,
                plain(then).span,
                f"no count maps to the bucket of {amount(size)}",
                fixes=(Fix(f"Remove the bucket of {amount(size)}", (edit,)),),
                cites=cites("step cost buckets"),
            )


def _widest(use: Use) -> Map | None:
    """Return the map for all counts up to its largest bucket, whatever the capacity."""
    return recognise(use.expr, int(max(use.map.most, _largest(use.map))))


def _padding(model: Model, found: list[Use]) -> Iterator[Finding]:
    names = {use.definition.name for use in found if use.definition is not None}
    if not names:
        return
    for visit in visits_of(model, "call"):
        function = visit.node.child("function") if visit.node.kind == "call" else None
        if function is None or function.text not in names:
            continue
        amounts = visit.inside(*_WORK, *_CAPS)
        if amounts is None or visit.inside("cost", "execute", "def", "time_resource") is not None:
            continue
        if amounts.kind == "run" and amounts.child("mode") is None:
            continue
        yield Finding(
            PADDING,
            model.path,
            visit.node.span,
            f"`{function.text}` rounds up to a bucket, and padding is no work: it changes the shape and the cost only",
            help="leave the amount as it is, and charge the bucket in the cost",
            cites=cites("step cost buckets"),
        )


def _contracts(model: Model, found: list[Use]) -> Iterator[Finding]:
    contracts = [it for it in comments(model.tree.root) if bucketlists.is_contract(it.text)]
    if not contracts:
        return
    known = engines(model)
    capacity = next((it for it in (of_requests(model, engine) for engine in known) if it is not None), None)
    for comment in contracts:
        yield from _contract(model, comment, capacity, [use for use in found if _counted(use.map) != "tokens"])


def _contract(model: Model, comment: Node, capacity: Capacity | None, found: list[Use]) -> Iterator[Finding]:
    def finding(message: str, *notes: Note, severity: Severity | None = None) -> Finding:
        lines = cites("step cost buckets")
        return Finding(CONFIG, model.path, comment.span, message, notes, cites=lines, override=severity)

    contract = bucketlists.read(comment.text)
    if isinstance(contract, Refused):
        yield finding(contract.reason)
        return
    if capacity is None:
        yield finding(
            "the program does not say how many requests its engine runs at once", severity=Severity.INFORMATION
        )
        return
    where = Note(capacity.what, capacity.path, capacity.place)
    sizes = bucketlists.sizes(contract, capacity.least)
    if isinstance(sizes, Refused):
        yield finding(f"start-up refuses these buckets: {sizes.reason}", where)
        return
    left = capacity.least % contract.pp
    if left:
        message = f"{left} of {capacity.least} requests can never run: a pipeline of {contract.pp} takes equal parts"
        yield finding(message, where, severity=Severity.WARNING)
    for use in found:
        ours = sorted({int(it) for it in (*use.map.rungs, *use.map.buckets) if math.isfinite(it)})
        if ours != sizes:
            written, compiled = (" ".join(map(str, them)) for them in (ours, sizes))
            note = Note("the buckets", use.body_path, use.body.span)
            yield finding(f"the deployment compiles {compiled}, the program charges {written}", note, where)
