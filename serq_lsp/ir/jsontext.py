"""JSON text in the reference's form: two blanks of indentation, numbers as it prints them, any depth."""

from __future__ import annotations

import json
import math
from typing import Any


def double_text(value: float) -> str:
    """The shortest decimal that reads back as `value`, with a point or an exponent: `1.0`, `0.00001`, `1e-7`, `1e+16`.

    `value` is finite. Exponents begin below 1e-5 and at 1e16.
    """
    digits, exponent, sign = decimal_digits(value)
    point = len(digits) + exponent  # digits before the decimal point
    if not value:
        return f"{sign}0.0"
    if 0 < point <= 16:
        whole = (digits + "0" * exponent)[:point]
        return f"{sign}{whole}.{digits[point:] or '0'}"
    if -5 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{point - 1:+d}" if point > 0 else f"{sign}{mantissa}e{point - 1}"


def decimal_digits(value: float) -> tuple[str, int, str]:
    """The shortest decimal of a finite double as (digits without trailing zeros, exponent of ten, sign text)."""
    text = repr(abs(value))
    mantissa, _, power = text.partition("e")
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    exponent = int(power or 0) - len(part)
    bare = digits.rstrip("0")
    exponent += len(digits) - len(bare)
    return bare or "0", exponent if bare else 0, "-" if math.copysign(1.0, value) < 0 else ""


def json_text(data: Any) -> str:
    """The text of plain JSON data (dicts, lists, texts, ints, floats, true, false, null)."""
    out: list[str] = []
    todo: list[tuple[Any, int]] = [(data, 0)]  # texts that begin with a mark are printed as they are
    while todo:
        item, depth = todo.pop()
        if isinstance(item, _Raw):
            out.append(item.text)
        elif isinstance(item, dict) and item:
            todo.extend(reversed(_object_parts(item, depth)))
        elif isinstance(item, list) and item:
            todo.extend(reversed(_list_parts(item, depth)))
        elif isinstance(item, float):
            out.append(double_text(item))
        else:
            out.append(json.dumps(item, ensure_ascii=False))
    return "".join(out)


class _Raw:
    """A piece of finished text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _object_parts(item: dict[str, Any], depth: int) -> list[tuple[Any, int]]:
    pad = "\n" + "  " * (depth + 1)
    parts: list[tuple[Any, int]] = []
    for at, (key, value) in enumerate(item.items()):
        name = json.dumps(key, ensure_ascii=False)
        parts.append((_Raw(f"{'{' if at == 0 else ','}{pad}{name}: "), 0))
        parts.append((value, depth + 1))
    parts.append((_Raw("\n" + "  " * depth + "}"), 0))
    return parts


def _list_parts(item: list[Any], depth: int) -> list[tuple[Any, int]]:
    pad = "\n" + "  " * (depth + 1)
    parts: list[tuple[Any, int]] = []
    for at, value in enumerate(item):
        parts.append((_Raw(f"{'[' if at == 0 else ','}{pad}"), 0))
        parts.append((value, depth + 1))
    parts.append((_Raw("\n" + "  " * depth + "]"), 0))
    return parts
