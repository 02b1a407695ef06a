"""Search for values that show a fault: the witness of a message (checks.md 1).

Every leaf is taken to be free within its interval. The caller sees to it that the values can occur together.
"""

from __future__ import annotations

import math
from itertools import islice, product
from typing import TYPE_CHECKING

from serq_lsp.checks.bounds import interval_of, is_leaf
from serq_lsp.ir import arith
from serq_lsp.ir.eval import evaluate
from serq_lsp.ir.expr import Num, Sample, children, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from serq_lsp.checks.bounds import Facts
    from serq_lsp.checks.intervals import Interval
    from serq_lsp.ir.expr import Expr

TRIALS_MAX = 3000
"""So many combinations of values are tried at most."""
EVALUATIONS_MAX = 60_000
"""So many nodes are evaluated at most in one search."""
CANDIDATES_MAX = 14
"""So many values of one leaf are tried at most."""
LARGE = 1e6
"""What stands for an unbounded end."""


def find(
    exprs: Sequence[Expr], facts: Facts, shows: Callable[[list[float]], bool]
) -> tuple[Mapping[Expr, float], list[float]] | None:
    """Look for values of the leaves for which `shows(values of exprs)`; the leaves' values and those of `exprs`.

    Equal draws get equal values. None where no tried combination shows the fault.
    """
    leaves = leaves_of(exprs)
    nodes = sum(1 for expr in exprs for _ in walk(expr))
    trials = min(TRIALS_MAX, EVALUATIONS_MAX // max(nodes, 1))
    constants = sorted({node.value for expr in exprs for node in walk(expr) if isinstance(node, Num)})[:CANDIDATES_MAX]
    count = _candidates_each(len(leaves), trials)
    choices = [list(islice(candidates(interval_of(leaf, facts), constants), count)) for leaf in leaves]
    for values in islice(product(*choices), trials):
        found = dict(zip(leaves, values, strict=True))
        answers = [value_of(expr, found) for expr in exprs]
        if shows(answers):
            return found, answers
    return None


def leaves_of(exprs: Sequence[Expr]) -> list[Expr]:
    """Return the leaves that `exprs` read, each once, in reading order."""
    return list(dict.fromkeys(node for expr in exprs for node in _outer(expr) if is_leaf(node)))


def value_of(expr: Expr, leaves: Mapping[Expr, float]) -> float:
    """Return the value of `expr` for these values of its leaves; a leaf that is not given reads 0."""

    def read(node: Expr, _values: list[float]) -> float:
        return leaves.get(node, 0.0)

    return evaluate(expr, read)


def candidates(interval: Interval, constants: Sequence[float] = ()) -> Iterator[float]:
    """Yield values of an interval that are likely to show a fault, each once: ends, small whole numbers, constants."""
    seen = set()
    low = interval.low if math.isfinite(interval.low) else -LARGE if interval.low < 0 else LARGE
    high = interval.high if math.isfinite(interval.high) else LARGE
    ends = [low, high, low + 1, (low + high) / 2, high - 1]
    near = [constant + step for constant in constants if math.isfinite(constant) for step in (0.0, 1.0, -1.0)]
    small = [2.0, 1.0, 3.0, 6.0, 0.0, 4.0, 5.0, 17.0]
    for value in (*ends[:2], *small[:4], *near, *ends[2:], *small[4:]):
        tried = arith.floor(value) if interval.whole else value
        if tried not in seen and interval.holds(tried):
            seen.add(tried)
            yield tried
    if not seen and interval.point is not None:
        yield interval.point


def _candidates_each(leaves: int, trials: int) -> int:
    """Return how many values a leaf may have so that all combinations stay within the limit."""
    return max(2, min(CANDIDATES_MAX, int(trials ** (1 / leaves)))) if leaves else 1


def _outer(expr: Expr) -> Iterator[Expr]:
    """Yield the nodes of `expr`; what stands inside a draw or a reference does not count."""
    todo = [expr]
    while todo:
        node = todo.pop()
        yield node
        if not (is_leaf(node) or isinstance(node, Sample)):
            todo.extend(reversed(children(node)))
