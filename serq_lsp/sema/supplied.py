"""What the language supplies by name, and what the kernel calls it (classic.md 9 and 10, engine.md 7 and 8)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from serq_lsp.lang.editions import Edition

Takes = Literal["pool", "stage", "value", "observation", "resources"]


class Function(NamedTuple):
    """A function: its name in the kernel, what its arguments are, and how many it takes (all that are possible)."""

    kernel: str
    takes: tuple[Takes, ...]
    counts: tuple[int, ...]


def _values(kernel: str, count: int) -> Function:
    one: Takes = "value"
    return Function(kernel, (one,) * count, (count,))


def _pool(kernel: str) -> Function:
    return Function(kernel, ("pool",), (1,))


def _stage(kernel: str) -> Function:
    return Function(kernel, ("stage",), (1,))


def _observation(kernel: str) -> Function:
    return Function(kernel, ("observation",), (1,))


FUNCTIONS = {
    "min": _values("Min", 2), "max": _values("Max", 2), "pow": _values("Pow", 2), "abs": _values("Abs", 1),
    "floor": _values("Floor", 1), "ceil": _values("Ceil", 1), "sqrt": _values("Sqrt", 1), "exp": _values("Exp", 1),
    "ln": _values("Ln", 1),
    "queue": _stage("Queue"), "busy": _stage("Busy"), "work": _stage("Work"), "budget_left": _stage("BudgetLeft"),
    "est_lambda": _stage("EstLambda"), "est_rho": _stage("EstRho"), "est_wait": _stage("EstWait"),
    "price": Function("Price", ("stage", "value", "value"), (3,)),
    "used": _pool("Used"), "free": _pool("Free"), "cachedin": _pool("CachedIn"), "holders": _pool("Holders"),
    "queued": _pool("Queued"), "blocksize": _pool("BlockSize"),
    "total": _observation("Total"), "count": _observation("Count"), "largest": _observation("Largest"),
    "smallest": _observation("Smallest"), "prefix_total": _observation("PrefixTotal"),
}  # fmt: skip
"""The functions of the classic edition. `BlockSize` and the observations' functions are no kernel calls."""

ENGINE_FUNCTIONS = {
    **FUNCTIONS,
    "floor": Function("Floor", ("value", "value"), (1, 2)),
    "cost": Function("Cost", ("resources",), tuple(range(2, 65))),
}
"""The functions of the engine edition: `floor` takes a step, `cost` resources and an amount."""

DISTRIBUTIONS = {
    "exp": ("Exp", 1), "det": ("Det", 1), "uniform": ("Uniform", 2), "erlang": ("Erlang", 2), "h2": ("H2", 2),
    "bernoulli": ("Bernoulli", 1),
}  # fmt: skip
"""The distributions: their name in the kernel and how many parameters they take."""

INFINITY = "inf"

CONTEXT = {
    "now": "Now", "waited": "Waited", "size": "Size", "age": "Age", "last": "Last", "waiting": "Queued",
    "present": "N", "residents": "Nres", "decoders": "Ndec", "kv_decode": "Kvb", "kv_prefill": "Kvp",
    "tokens": "Ntok", "prefilled": "Npre", "attention": "Attn", "decoding": "Decoding", "admission": "Admission",
    "remaining": "Remaining", "position": "Position", "admitted": "Admitted", "preempted": "Preempted",
    "demand": "Demand", "served": "Served", "arrived": "Arrived",
}  # fmt: skip
"""The values a place of reading supplies, and what the kernel calls them."""

ENGINE_CONTEXT = {
    ("running", "count"): "Nres", ("running", "decoding"): "Ndec", ("running", "kv_decode"): "Kvb",
    ("running", "kv_prefill"): "Kvp", ("running", "preempted"): "Preempted", ("waiting", "admitted"): "Admitted",
    ("batch", "tokens"): "Ntok", ("batch", "prefilled"): "Npre", ("batch", "decoding"): "Ndec",
    ("batch", "kv_decode"): "Kvb", ("batch", "kv_prefill"): "Kvp", ("batch", "attention"): "Attn",
}  # fmt: skip
"""The dotted values an engine's clauses read; `waiting.count` is a sum over the engine's pools and stands apart."""

ENGINE_LISTS = ("running", "waiting", "batch")

BINARY = {
    "||": "Or", "&&": "And", "<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne", "+": "Add",
    "-": "Sub", "*": "Mul", "/": "Div", "^": "Pow",
}  # fmt: skip
UNARY = {"-": "Neg", "!": "Not"}


def functions(edition: Edition) -> dict[str, Function]:
    """Return the functions of an edition."""
    return FUNCTIONS if edition is Edition.CLASSIC else ENGINE_FUNCTIONS
