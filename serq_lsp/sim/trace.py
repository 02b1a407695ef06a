"""The iteration trace: records of iterations, and their text (semantics.md 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serq_lsp.ir.jsontext import decimal_digits

if TYPE_CHECKING:
    from serq_lsp.sim.cache import Eviction
    from serq_lsp.sim.errors import Place


@dataclass(frozen=True, slots=True)
class Item:
    """One resident's share of an iteration.

    `serial` of its session, `turn` (the attribute `turn_no`), `kind` `p`refill or `d`ecode, `tokens` served, and the place
    of the Run statement that asked for the work.
    """

    serial: int
    turn: float
    kind: str
    tokens: float
    place: Place


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration: start (s), stage number, items in batch order, blocks (or units) used and cached in its memory."""

    time: float
    stage: int
    items: tuple[Item, ...]
    used: float
    cached: float


def plain_number(x: float) -> str:
    """The shortest decimal that reads back, without exponent, without `.0`; `-0` keeps its sign. `x` is finite."""
    digits, exponent, sign = decimal_digits(x)
    if digits == "0":
        return f"{sign}0"
    point = len(digits) + exponent
    if exponent >= 0:
        return f"{sign}{digits}{'0' * exponent}"
    if point > 0:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    return f"{sign}0.{'0' * -point}{digits}"


def _shown(x: float) -> str:
    if x - x == 0:
        return plain_number(x)
    return "NaN" if x != x else "inf" if x > 0 else "-inf"  # noqa: PLR0124


def iter_line(it: Iteration, *, pools: bool = False) -> str:
    """`ITER <time> <items>`; with `pools` also ` | used <blocks> cached <blocks>`."""
    items = " ".join(f"{item.serial}:{_shown(item.turn)}:{item.kind}{_shown(item.tokens)}" for item in it.items)
    line = f"ITER {it.time:.4f} {items}"
    if not pools:
        return line.rstrip()
    return f"{line} | used {_shown(it.used)} cached {_shown(it.cached)}"


def evict_line(it: Eviction) -> str:
    """`EVICT <time> <entry> <units>`."""
    return f"EVICT {it.time:.4f} {it.key} {_shown(it.units)}"


def _number(x: float) -> float:
    """The number as JSON shows it: a whole one without a point."""
    return int(x) if x - x == 0 and x == int(x) else x


def iter_data(it: Iteration) -> dict[str, Any]:
    """An iteration as plain data for JSON: the stage by number, each item with its IR place."""
    return {
        "time": it.time,
        "stage": it.stage,
        "items": [
            {
                "session": item.serial,
                "turn": _number(item.turn),
                "kind": "prefill" if item.kind == "p" else "decode",
                "tokens": _number(item.tokens),
                "block": item.place.block,
                "statement": item.place.statement,
            }
            for item in it.items
        ],
        "used": _number(it.used),
        "cached": _number(it.cached),
    }
