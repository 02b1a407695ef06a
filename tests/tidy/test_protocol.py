"""Protocol objects are built by keyword: lsprotocol inserts fields between versions."""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from tests.tidy.source import PACKAGE, ROOT, modules, parsed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def constructed(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Yield each call of a class of lsprotocol.types, with the class's name."""
    whole: set[str] = set()
    single: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="lsprotocol", names=names):
                whole |= {it.asname or it.name for it in names if it.name == "types"}
            case ast.ImportFrom(module="lsprotocol.types", names=names):
                single |= {it.asname or it.name: it.name for it in names}
            case ast.Import(names=names):
                whole |= {it.asname for it in names if it.name == "lsprotocol.types" and it.asname}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if module in whole:
                yield node, name
            case ast.Call(func=ast.Name(id=alias)) if alias in single:
                yield node, single[alias]


def positional(tree: ast.Module) -> list[str]:
    """Return the places where a protocol object, not an enumeration, is built with a positional argument."""
    found = [(call, name, getattr(types, name, None)) for call, name in constructed(tree)]
    return [
        f"line {call.lineno}: {name}"
        for call, name, made in found
        if call.args and isinstance(made, type) and not issubclass(made, Enum)
    ]


@pytest.mark.parametrize("path", modules(PACKAGE / "lsp", ROOT / "tests"), ids=shown)
def test_protocol_objects_are_built_by_keyword(path: Path) -> None:
    """No class of lsprotocol.types is called with a positional argument."""
    assert not positional(parsed(path))


def test_a_positional_argument_is_seen() -> None:
    """The lint sees aliases of the module and of the class, and lets enumerations be."""
    text = """
from lsprotocol import types as T
from lsprotocol.types import Command as C
C("Run", "serq.run")
T.Position(1, character=2)
T.Position(line=1, character=2)
T.DiagnosticSeverity(1)
"""
    assert positional(ast.parse(text)) == ["line 4: Command", "line 5: Position"]
