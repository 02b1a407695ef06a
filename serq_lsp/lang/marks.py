"""Forms that only some editions have: what `editions.detect` goes by.

A mark is a row of tokens: `^` the start of a statement or item, `NAME` any name, `NUMBER` a number, `FILE` a string
that names no standard module, `()` and `[]` a whole bracketed group; every other word is itself. The editions are those
whose grammar has the form; the weight says how much it counts against the others.
"""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """A form of some editions: `editions` and `words` as the rows below spell them."""

    words: tuple[str, ...]
    editions: str
    weight: float


_STRONG = 2.0
_WEAK = 1.0

_ROWS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    (
        "classic",
        _STRONG,
        (
            "step {",
            "admit via NAME",
            "^ iteration {",
            "^ admit ;",
            "^ admit while (",
            "^ admit only (",
            "^ serve admission",
            "^ serve decode",
            "^ serve by (",
            "^ serve only (",
            "^ serve exclusive",
            "^ serve ;",
            "^ request ;",
            "^ request NAME ;",
            "^ def NAME () =",
        ),
    ),
    (
        "classic",
        _WEAK,
        (
            "^ budget NAME",
            "^ budget NUMBER",
            "^ chunk NAME",
            "^ chunk NUMBER",
            "^ cost NAME",
            "^ cost NUMBER",
            "^ memory NAME ;",
            "^ hold NAME ( NUMBER )",
            "^ run NAME ( NUMBER )",
            "^ prefill NAME ;",
            "^ prefill NAME growing",
            "^ decode NAME ;",
            "^ decode NAME growing",
            "^ prefill on NAME",
            "^ decode on NAME",
        ),
    ),
    (
        "engine",
        _STRONG,
        (
            "^ schedule {",
            "^ execute (",
            "^ request () {",
            "^ engine NAME []",
            "^ device NAME []",
            "^ NAME [] cap",
            "at admission {",
        ),
    ),
    (
        "engine current",
        _STRONG,
        (
            "^ fn NAME (",
            "^ device NAME {",
            "^ engine NAME on",
            "^ engine on NAME",
            "^ advance running",
            "^ admit waiting",
            "^ exclusive prefill",
            "^ tokens cap",
            "each at most",
            "taking NAME (",
            "^ pool NAME on NAME",
            "^ while (",
            "^ Size NAME =",
            "^ Cost NAME =",
            "cost ( NAME ,",
            "cost ( NAME [] ,",
            "cost ( NAME . NAME",
            "running . NAME",
            "waiting . NAME",
            "batch . NAME",
            "args . number",
            'use "std/args"',
        ),
    ),
    (
        "current",
        _STRONG,
        (
            "^ scheduler {",
            "^ worker {",
            "^ forward (",
            "^ server (",
            "^ server reply (",
            ") reply (",
            "^ if (",
            "else if (",
            "kvt . NAME",
            "share . NAME",
            "request . NAME",
            "reply . NAME",
            "^ connector NAME {",
            "^ per_token (",
            "^ save (",
            "^ shrink NAME",
            "agg {",
            "l2 {",
            "preempt leases",
            "^ queue fifo every",
            "^ queue by () every",
            ") prefix (",
            ", share =",
            ", latency =",
            'use "std/kvt"',
            'use "std/share"',
        ),
    ),
    (
        "classic engine",
        _STRONG,
        (
            "^ branch (",
            "^ branch with",
            "^ hidden NAME",
            "^ share maxmin ;",
            "^ share bottleneck ;",
            "^ NAME pull NAME",
            "^ NAME push NAME",
            "use FILE",
            "pow (",
        ),
    ),
)

MARKS: tuple[Mark, ...] = tuple(
    Mark(tuple(words.split()), editions, weight) for editions, weight, forms in _ROWS for words in forms
)
