"""Distributions (semantics.md 11.4): the draws each takes from a stream, and its value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serq_lsp.ir.arith import divide, logarithm, maximum, square_root
from serq_lsp.sim.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.sim.rng import Stream

ERLANG_MAX = 1_000_000  # draws of one value


def exponential(stream: Stream, mean: float) -> float:
    """`exp(mean)`: one draw."""
    return -mean * math.log(1.0 - stream.f64())


def det(_stream: Stream, value: float) -> float:
    """`det(value)`: no draw."""
    return value


def uniform(stream: Stream, low: float, high: float) -> float:
    """`uniform(low, high)`: one draw."""
    return low + (high - low) * stream.f64()


def erlang(stream: Stream, shape: float, mean: float) -> float:
    """`erlang(k, mean)`: k draws, k cut to a whole number of at least 1."""
    k = maximum(shape, 1.0)
    if k > ERLANG_MAX:
        raise LimitReached("erlang-draws", f"`erlang` of {k:g} stages takes more than {ERLANG_MAX:,} draws")
    scale = mean / int(k)
    total = 0.0
    for _ in range(int(k)):
        total += -scale * math.log(1.0 - stream.f64())
    return total


def h2(stream: Stream, mean: float, cv2: float) -> float:
    """`h2(mean, cv2)`: two draws; one of two exponentials, with balanced means."""
    c = maximum(cv2, 1.0)
    p = 0.5 * (1.0 + square_root(divide(c - 1.0, c + 1.0)))
    share = p if stream.f64() < p else 1.0 - p
    return -divide(mean, 2.0 * share) * logarithm(1.0 - stream.f64())


def bernoulli(stream: Stream, p: float) -> float:
    """`bernoulli(p)`: one draw."""
    return 1.0 if stream.f64() < p else 0.0


DRAWS: dict[str, Callable[..., float]] = {
    "Exp": exponential, "Det": det, "Uniform": uniform, "Erlang": erlang, "H2": h2, "Bernoulli": bernoulli,
}  # fmt: skip
"""The function of each distribution of the IR."""
