"""Numbers as the language writes them."""

from __future__ import annotations


def number(text: str) -> float:
    """Return the value of a number as written; 0 for one that is none (`1..2`)."""
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return 0.0


def whole(value: float) -> bool:
    """Say whether a value is a whole, finite number."""
    return value == value // 1 and abs(value) != float("inf")
