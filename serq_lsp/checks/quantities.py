"""Are constants constant, and do they lie in the range of their place?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.broken import broken_stretches
from serq_lsp.checks.resources import silent
from serq_lsp.checks.shown import amount
from serq_lsp.checks.visits import first, plain, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.eval import constant
from serq_lsp.ir.expr import ARITHMETIC, Attr, Call, Ctx, walk
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.faults import FamilySize, NotConstant
from serq_lsp.sema.scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
NOT_CONSTANT = Rule("unknown-constant", _ERROR, "a constant is wanted", aliases=("const-required",))
DRAW = Rule("constant-draws", _ERROR, "a constant draws", aliases=("const-draw",))
FUNCTION = Rule("constant-function", _ERROR, "a constant calls a function that is not constant")
NAN = Rule("constant-nan", _ERROR, "a constant is not a number", aliases=("const-nan",))
BLOCKSIZE_CONSTANT = Rule("blocksize-constant", _ERROR, "a constant reads a `blocksize`")
LATENCY = Rule("queue-latency-constant", _ERROR, "the latency of a link is no constant", aliases=("link-latency",))
BLOCKSIZE = Rule("blocksize-none", _ERROR, "`blocksize` of a pool without blocks")
SIZE = Rule(
    "array-size", _ERROR, "a family has no whole number of members", aliases=("family-size", "array-size-limit")
)
BLOCK = Rule("block-positive", _ERROR, "a block is not above 0")
SERVERS = Rule("fifo-servers", _ERROR, "a stage has no whole number of servers")
GRANULE = Rule("granule-positive", _ERROR, "a granule is not above 0")
COUNT = Rule(
    "count-range", _ERROR, "a count is no whole number in its range", aliases=("arrival-count", "arrivals-positive")
)
RATE = Rule("arrival-rate", _ERROR, "an arrival rate is not positive and finite", aliases=("poisson-rate",))
GAP = Rule("arrival-gap", _ERROR, "a gap between arrivals is not positive", aliases=("renewal-gap",))
GAP_READS = Rule("arrival-pure", _ERROR, "a gap reads more than constants and draws", aliases=("renewal-reads",))
WINDOW = Rule("run-window", _ERROR, "a warm-up or horizon is out of range", aliases=("horizon-range",))
WARMUP = Rule("warmup-horizon", _ERROR, "the warm-up reaches the horizon", aliases=("horizon-warmup",))
REGISTER = Rule("register-finite", _ERROR, "a register begins infinite", aliases=("state-finite",))
BUDGET = Rule("tokens-cap-positive", _ERROR, "an engine may compute no token", ("engine",))
CHUNK = Rule("granule-chunk", _ERROR, "a granule exceeds the cap of one run", aliases=("granule-over-cap",))
OPEN = Rule("arrivals-open", _ERROR, "a number of arrivals beside closed arrivals", aliases=("arrivals-open-only",))
RULES = (
    NOT_CONSTANT, DRAW, FUNCTION, NAN, BLOCKSIZE_CONSTANT, LATENCY, BLOCKSIZE, SIZE, BLOCK, SERVERS, GRANULE, COUNT, RATE, GAP, GAP_READS, WINDOW, WARMUP, REGISTER, BUDGET,
    CHUNK, OPEN,
)  # fmt: skip
MEMBERS_MAX = 10_000
SESSIONS_MAX = 1_000_000
WHOLE_MAX = 2.0**53


class _Range(NamedTuple):
    """What the constant at a place must be."""

    rule: Rule
    fits: Callable[[float], bool]
    wanted: str


def _whole(least: float, most: float) -> Callable[[float], bool]:
    return lambda it: math.isfinite(it) and it == math.floor(it) and least <= it <= most


_VALUES = {
    "block_size": _Range(BLOCK, lambda it: it > 0, "a block is above 0"),
    "granule": _Range(GRANULE, lambda it: it > 0, "a granule is above 0, `inf` included"),
    "tokens_cap": _Range(BUDGET, lambda it: it > 0, "a budget is above 0"),
    "state": _Range(REGISTER, math.isfinite, "a register begins with a finite number"),
}
_SERVERS = _Range(SERVERS, _whole(1, math.inf), "servers are a whole number from 1")
_ARRIVE = {
    "poisson": _Range(RATE, lambda it: 0 < it < math.inf, "a rate is positive and finite"),
    "renewal": _Range(GAP, lambda it: 0 < it < math.inf, "a gap is positive"),
    "closed": _Range(COUNT, _whole(1, SESSIONS_MAX), "sessions are a whole number from 1 to 1,000,000"),
    "batch": _Range(COUNT, _whole(1, SESSIONS_MAX), "sessions are a whole number from 1 to 1,000,000"),
}
_SETTINGS = {
    "seed": _Range(COUNT, _whole(0, WHOLE_MAX), "a seed is a whole number from 0"),
    "arrivals": _Range(COUNT, _whole(1, WHOLE_MAX), "arrivals are a whole number from 1"),
    "horizon": _Range(WINDOW, math.isfinite, "a horizon is finite"),
    "warmup": _Range(WINDOW, lambda it: it >= 0, "a warm-up is not negative"),
}


def check(model: Model) -> Iterator[Finding]:
    """Yield constants that are none, or out of range."""
    if model.edition is Edition.CURRENT:
        return
    yield from _facts(model)
    settings: dict[str, Node] = {}
    for visit in visits_of(model, "fifo", "arrive", "setting", "step", *_VALUES):
        node = visit.node
        value = node.child("value")
        match node.kind:
            case "fifo" if (servers := node.child("servers")) is not None:
                yield from _within(model, servers, _SERVERS)
            case "arrive" if value is not None:
                law = next((it for it in node.children if it.kind in _ARRIVE), None)
                if law is not None and visit.around[-1].of_kind("arrive")[-1] is node:  # the last one counts
                    yield from _within(model, value, _ARRIVE[law.kind])
                    if law.kind == "renewal":
                        yield from _pure(model, value)
            case "setting" if value is not None:
                word = node.children[0].kind
                if word in _SETTINGS:
                    settings[word] = node
            case "block_size" if visit.around[-1].of_kind("block_size")[-1] is not node:
                continue  # the last one counts
            case kind if value is not None and kind in _VALUES:
                yield from _within(model, value, _VALUES[kind])
            case "step":
                yield from _chunk(model, node)
    for word, node in settings.items():  # the last of each counts
        if (value := node.child("value")) is not None:
            yield from _within(model, value, _SETTINGS[word])
    yield from _run(model, settings)


def _facts(model: Model) -> Iterator[Finding]:
    broken = broken_stretches(model)
    for fault in model.faults:
        match fault:
            case NotConstant(path, span, "blocksize"):
                if not broken.touches(path, span):
                    yield Finding(BLOCKSIZE, path, span, "this pool has no `block`")
            case NotConstant(path, span, what):
                around = model.tree.path_at(span.start) if path == model.path else []
                if not broken.touches(path, span) and not any(it.kind == "relation" for it in around):
                    yield Finding(_constant_rule(model, around, what), path, span, _needs(what))
            case FamilySize(path, span, name, value):
                limit = "" if value <= MEMBERS_MAX else f", {MEMBERS_MAX} at most"
                message = f"`{name}` has a whole number of members{limit}, not {amount(value)}"
                yield Finding(SIZE, path, span, message)


def _constant_rule(model: Model, around: list[Node], what: str) -> Rule:
    """Return which fault it is, by what stands where the constant is wanted."""
    if what == "size":
        return SIZE
    if what == "latency":
        return LATENCY
    expr = next((it for it in reversed(around) if it.field == "value"), None)
    value = _value(model, expr) if expr is not None else None
    if value is not None and math.isnan(value):
        return NAN
    if any(it.kind == "draw" for it in around):
        return DRAW
    called = next((it.child("function") for it in around if it.kind == "call"), None)
    if called is None:
        return NOT_CONSTANT
    return BLOCKSIZE_CONSTANT if called.text == "blocksize" else FUNCTION


def _needs(what: str) -> str:
    return f"`{what}` needs a constant: numbers, and constants declared above" if what else "a constant is wanted here"


def _value(model: Model, node: Node) -> float | None:
    return constant(silent(model).build(node, Scope(model.path, at=node.start)))


def _within(model: Model, node: Node, wanted: _Range) -> Iterator[Finding]:
    value = _value(model, node)
    if value is not None and not wanted.fits(value):
        message = f"{wanted.wanted}, not {'not-a-number' if math.isnan(value) else amount(value)}"
        yield Finding(wanted.rule, model.path, node.span, message)


def _pure(model: Model, node: Node) -> Iterator[Finding]:
    builder, scope = silent(model), Scope(model.path, at=node.start)
    if builder.known(node, scope) is not None:
        return
    expr = builder.build(node, scope)
    reads = any(
        isinstance(it, (Attr, Ctx)) or (isinstance(it, Call) and it.function not in ARITHMETIC) for it in walk(expr)
    )
    if reads:
        yield Finding(GAP_READS, model.path, plain(node).span, "a gap reads constants and draws only")


def _chunk(model: Model, step: Node) -> Iterator[Finding]:
    granules = [it.child("value") for it in step.of_kind("granule")][-1:]
    chunks = [it.child("value") for it in step.of_kind("chunk")][-1:]
    for granule, chunk in zip(granules, chunks, strict=False):
        if granule is None or chunk is None:
            continue
        size, cap = _value(model, granule), _value(model, chunk)
        if size is not None and cap is not None and 0 < cap < size < math.inf:
            note = Note("the cap", model.path, chunk.span)
            message = f"a granule of {amount(size)} exceeds the chunk of {amount(cap)}: no prompt could advance"
            yield Finding(CHUNK, model.path, granule.span, message, (note,))


def _run(model: Model, settings: dict[str, Node]) -> Iterator[Finding]:
    """What the settings of a run say together."""
    horizon, warmup, arrivals = (settings.get(word) for word in ("horizon", "warmup", "arrivals"))
    end = horizon.child("value") if horizon is not None else None
    start = warmup.child("value") if warmup is not None else None
    if end is not None and start is not None:
        last, begins = _value(model, end), _value(model, start)
        if last is not None and begins is not None and math.isfinite(last) and begins >= last:
            note = Note("the horizon", model.path, end.span)
            message = f"statistics begin at {amount(begins)}, but the run ends at {amount(last)}"
            yield Finding(WARMUP, model.path, start.span, message, (note,))
    if end is not None and start is None:
        last = _value(model, end)
        if last is not None and last <= 0:
            yield Finding(WARMUP, model.path, end.span, f"a run lasts some time, not {amount(last)}")
    if arrivals is not None:
        law = _law(model)
        if law is None or law in ("closed", "batch", "none"):
            message = "a number of arrivals goes with `poisson` and `renewal` only"
            yield Finding(OPEN, model.path, first(arrivals), message)


def _law(model: Model) -> str | None:
    workload = model.declared.workload
    arrive = workload.of_kind("arrive")[-1:] if workload is not None else []
    return next(
        (child.kind for it in arrive for child in it.children[1:] if not child.named and child.kind.isalpha()), None
    )
