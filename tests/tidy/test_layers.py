"""Who may import whom: the rooms of docs/architecture.md, and the packages from outside."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

import pytest

from tests.tidy.source import PACKAGE, modules, parsed, room, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOWER = {"text", "lang", "ir", "diag", "syntax", "sema", "checks", "lower", "sim", "trials"}
MAY_IMPORT: dict[str, set[str]] = {
    "text": set(),
    "lang": set(),
    "ir": set(),
    "diag": {"text"},
    "syntax": {"text", "lang", "diag"},
    "sema": {"text", "lang", "syntax", "ir"},
    "checks": {"text", "lang", "diag", "syntax", "sema", "ir"},
    "lower": {"text", "lang", "syntax", "sema", "ir"},
    "sim": {"ir"},
    "trials": {"text", "lang", "diag", "sema", "checks", "lower", "ir", "sim"},
    "ide": LOWER,
    "lsp": {"text", "diag", "ide"},
    "cli": {"text", "diag", "ide"},
    "dev": LOWER | {"ide", "lsp", "cli"},
}
FROM_OUTSIDE: dict[str, set[str]] = {
    "syntax": {"tree_sitter"},
    "sim": {"numba"},
    "ide": {"tomli"},
    "lsp": {"pygls", "lsprotocol", "asyncio"},
    "dev": {"tree_sitter", "lark", "tomli", "pygls", "lsprotocol", "asyncio"},
}
"""What a room may import besides the standard library without asyncio. numba is optional."""
ONE_DOOR = {"tree_sitter": "serq_lsp/syntax/tree.py"}
"""Packages that one module alone imports."""
LSP_COMMAND = "lsp"
"""How the name of the function of `cli` ends that imports the server when `serq lsp` is called."""

PRODUCT = modules(PACKAGE)


def imported(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield every import anywhere in a module, with the dotted name of what is imported.

    `from serq_lsp import x` yields `serq_lsp.x`; an import by string counts where the string is written out.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node, it.name) for it in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from ((node, f"{module}.{it.name}") for it in names)
            case ast.Call(func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module")):
                argument = node.args[0] if node.args else None
                is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                yield node, str(ast.literal_eval(argument)) if argument is not None and is_text else "?"


@pytest.mark.parametrize("path", PRODUCT, ids=shown)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    """A room imports itself and the rooms that its line names, wherever in the module the import stands."""
    here = room(path)
    allowed = MAY_IMPORT.get(here, set()) | {here}
    in_lsp_command = _inside(parsed(path), LSP_COMMAND) if here == "cli" else set()
    for node, name in imported(parsed(path)):
        if not name.startswith("serq_lsp"):
            continue
        there = [*name.split("."), ""][1]
        may = allowed | {"lsp"} if node in in_lsp_command else allowed
        is_grammar = there == "_grammar" and here == "syntax"
        assert there in may or is_grammar, f"line {_line(node)}: `{here}` may not import `{name}`"


@pytest.mark.parametrize("path", PRODUCT, ids=shown)
def test_a_module_imports_only_packages_that_its_room_may(path: Path) -> None:
    """Beside the standard library a room imports what FROM_OUTSIDE names; asyncio is for the server alone."""
    allowed = FROM_OUTSIDE.get(room(path), set())
    for node, name in imported(parsed(path)):
        top = name.split(".")[0]
        standard = top in sys.stdlib_module_names and top != "asyncio"
        assert standard or top in allowed | {"serq_lsp"}, f"line {_line(node)}: `{name}` is not for this room"
        assert ONE_DOOR.get(top, shown(path)) == shown(path) or room(path) == "dev", f"`{top}` has one door"


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_imports_are_absolute_and_named(path: Path) -> None:
    """No relative import, no star import, no import by a computed string in the package."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            assert node.names[0].name != "*", f"line {node.lineno}: star import"
    if PACKAGE in path.parents:
        assert "?" not in {name for _, name in imported(parsed(path))}, "imports by a computed name"


@pytest.mark.parametrize("path", [it for it in PRODUCT if it.name == "__init__.py"], ids=shown)
def test_a_package_file_holds_a_docstring_only(path: Path) -> None:
    """`__init__.py` says what the room is for; it re-exports nothing."""
    body = parsed(path).body
    assert len(body) == 1
    assert ast.get_docstring(parsed(path))


@pytest.mark.parametrize("name", ["cli", "lsp"])
def test_an_entry_point_imports_only_sys_at_its_top(name: str) -> None:
    """`serq` and `serq-lsp` reach their usage message before anything heavy is loaded."""
    path = PACKAGE / name / "main.py"
    tops = [it for it in parsed(path).body if isinstance(it, (ast.Import, ast.ImportFrom))]
    assert {item for node in tops for _, item in imported(node)} <= {
        "sys",
        "__future__.annotations",
        "typing.TYPE_CHECKING",
    }


def test_the_rooms_are_those_of_the_table() -> None:
    """Every folder of the package has its line here, and every line its folder."""
    assert {it.parent.name for it in PACKAGE.glob("*/__init__.py")} == set(MAY_IMPORT)


def _inside(tree: ast.AST, ending: str) -> set[ast.AST]:
    """Return every node inside the functions whose names end like this."""
    return {
        node
        for it in ast.walk(tree)
        if isinstance(it, ast.FunctionDef) and it.name.endswith(ending)
        for node in ast.walk(it)
    }


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))
