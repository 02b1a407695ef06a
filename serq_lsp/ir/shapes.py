"""Building blocks of the JSON codec: a shape reads plain JSON data into a record and writes it back.

A record's fields are listed once, in printing order; reading and writing both follow that list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class IrError(ValueError):
    """The data is no kernel IR; the message says where (a path of fields) and what is wrong."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem = problem
        self.path = path

    def inside(self, step: str) -> IrError:
        """The same fault, seen from the structure around it."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return IrError(self.problem, f"{step}{joint}{self.path}")


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind of value is read from JSON data and written to it."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One entry of a record: JSON name, shape, the attribute it becomes, and its default.

    `omit`: the default is left out of the text; otherwise it is printed. A field without `default` must be there.
    """

    name: str
    shape: Shape
    attr: str = ""
    default: Any = ...
    omit: bool = False

    @property
    def to(self) -> str:
        """The record's attribute."""
        return self.attr or self.name


def _integer(data: Any) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < 0:
        raise IrError(f"expected a whole number, found {_short(data)}")
    return data


def _number(data: Any) -> float:
    if isinstance(data, str) and data in ("inf", "-inf"):
        return float(data)
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        raise IrError(f"expected a number, found {_short(data)}")
    try:
        return float(data)
    except OverflowError:
        raise IrError("the number is too large") from None


def _write_number(value: float) -> float | str:
    if math.isnan(value):
        raise IrError("not-a-number has no form in the IR")
    return repr(value) if math.isinf(value) else value


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise IrError(f"expected a text, found {_short(data)}")
    return data


def _flag(data: Any) -> bool:
    if not isinstance(data, bool):
        raise IrError(f"expected true or false, found {_short(data)}")
    return data


def _same(value: Any) -> Any:
    return value


INTEGER = Shape(_integer, _same)
NUMBER = Shape(_number, _write_number)
TEXT = Shape(_text, _same)
FLAG = Shape(_flag, _same)


def _short(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else text[:37] + "…"


def one_of(names: tuple[str, ...]) -> Shape:
    """A text out of a fixed list."""

    def read(data: Any) -> str:
        if not isinstance(data, str) or data not in names:
            raise IrError(f"expected one of {', '.join(names)}, found {_short(data)}")
        return data

    return Shape(read, _same)


def optional(shape: Shape) -> Shape:
    """The shape, or null for None."""
    return Shape(
        lambda data: None if data is None else shape.read(data),
        lambda value: None if value is None else shape.write(value),
    )


def finite(shape: Shape) -> Shape:
    """The number, or null for None and for an infinite one."""
    return Shape(
        lambda data: None if data is None else shape.read(data),
        lambda value: None if value is None or math.isinf(value) else shape.write(value),
    )


def later(shape: Callable[[], Shape]) -> Shape:
    """A shape that is defined further down, for structures that nest."""
    return Shape(lambda data: shape().read(data), lambda value: shape().write(value))


def many(shape: Shape) -> Shape:
    """A list, read as a tuple."""

    def read(data: Any) -> tuple[Any, ...]:
        found = []
        for at, item in enumerate(_list(data)):
            try:
                found.append(shape.read(item))
            except IrError as error:
                raise error.inside(f"[{at}]") from None
        return tuple(found)

    return Shape(read, lambda value: [shape.write(item) for item in value])


def fixed(*shapes: Shape) -> Shape:
    """A list of exactly these, read as a tuple."""

    def read(data: Any) -> tuple[Any, ...]:
        items = _list(data)
        if len(items) != len(shapes):
            raise IrError(f"expected {len(shapes)} items, found {len(items)}")
        return tuple(shape.read(item) for shape, item in zip(shapes, items, strict=True))

    return Shape(read, lambda value: [shape.write(item) for shape, item in zip(shapes, value, strict=True)])


def positional(cls: type, *parts: tuple[str, Shape]) -> Shape:
    """A record printed as a list of its attributes."""
    inner = fixed(*(shape for _, shape in parts))
    names = [name for name, _ in parts]
    return Shape(
        lambda data: cls(**dict(zip(names, inner.read(data), strict=True))),
        lambda value: inner.write([getattr(value, name) for name in names]),
    )


def record(cls: type, *fields: Field) -> Shape:
    """A record printed as an object; unknown entries are an error."""
    known = {field.name for field in fields}

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise IrError(f"expected an object, found {_short(data)}")
        for name in data:
            if name not in known:
                raise IrError(f"unknown field `{name}`")
        values = {}
        for field in fields:
            if field.name in data:
                try:
                    values[field.to] = field.shape.read(data[field.name])
                except IrError as error:
                    raise error.inside(field.name) from None
            elif field.default is ...:
                raise IrError(f"missing field `{field.name}`")
            else:
                values[field.to] = field.default
        return cls(**values)

    def write(value: Any) -> dict[str, Any]:
        found = {}
        for field in fields:
            part = getattr(value, field.to)
            if not (field.omit and part == field.default):
                found[field.name] = field.shape.write(part)
        return found

    return Shape(read, write)


def single(cls: type, name: str, shape: Shape) -> Shape:
    """A record of one attribute, printed as that attribute alone."""
    return Shape(lambda data: cls(**{name: shape.read(data)}), lambda value: shape.write(getattr(value, name)))


def variants(tagged: Mapping[str, tuple[type, Shape]], plain: Mapping[str, type] | None = None) -> Shape:
    """One of several records: `{"Tag": data}`, or `"Tag"` alone for those without data."""
    units = dict(plain or {})
    tag_of: dict[type, str] = {cls: tag for tag, (cls, _) in tagged.items()}
    unit_of = {cls: tag for tag, cls in units.items()}

    def read(data: Any) -> Any:
        if isinstance(data, str) and data in units:
            return units[data]()
        tag, content = tag_and_content(data)
        if tag not in tagged:
            raise IrError(f"unknown variant `{tag}`")
        try:
            return tagged[tag][1].read(content)
        except IrError as error:
            raise error.inside(tag) from None

    def write(value: Any) -> Any:
        cls = type(value)
        if cls in unit_of:
            return unit_of[cls]
        return {tag_of[cls]: tagged[tag_of[cls]][1].write(value)}

    return Shape(read, write)


def tag_and_content(data: Any) -> tuple[str, Any]:
    """The key and the value of an object with one entry."""
    if not isinstance(data, dict) or len(data) != 1:
        raise IrError(f"expected an object with one entry, found {_short(data)}")
    ((tag, content),) = data.items()
    return str(tag), content


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise IrError(f"expected a list, found {_short(data)}")
    return data
