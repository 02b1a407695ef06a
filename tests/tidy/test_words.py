"""The words of the language stand in one table; no module keeps a second list of them."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

import pytest

from tests.tidy.source import PACKAGE, ROOT, modules, parsed, room, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS_MAX = 5
HAS_WORDS_OF_ITS_OWN = {
    "lang": "the table and its loader",
    "ir": "the kernel IR names its operations and functions itself; it imports nothing",
}
NODE_TYPES = json.loads((ROOT / "grammar/src/node-types.json").read_text(encoding="utf-8"))
LANGUAGE = {it["type"] for it in NODE_TYPES if not it["named"] and it["type"].isidentifier()}
"""Every keyword; a test of the syntax holds the grammar to lang/constructs.toml."""


def lists(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Yield every literal collection of strings: its line and the strings; a text that is split counts as one."""
    for node in ast.walk(tree):
        match node:
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                yield node.lineno, _texts(items)
            case ast.Dict(keys=keys):
                yield node.lineno, _texts([key for key in keys if key is not None])
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
                yield node.lineno, set(text.replace(",", " ").split())
            case ast.Compare() | ast.MatchOr():
                yield node.lineno, _texts(list(ast.walk(node)))


def _texts(nodes: list[ast.expr] | list[ast.AST]) -> set[str]:
    return {it.value for it in nodes if isinstance(it, ast.Constant) and isinstance(it.value, str)}


def test_the_language_has_words() -> None:
    """The comparison below has something to compare with."""
    assert len(LANGUAGE) > 50


@pytest.mark.parametrize("path", [it for it in modules(PACKAGE) if room(it) not in HAS_WORDS_OF_ITS_OWN], ids=shown)
def test_no_module_lists_words_of_the_language(path: Path) -> None:
    """A literal collection holds five words of the language at most; more are read from the table."""
    found = [(line, sorted(texts & LANGUAGE)) for line, texts in lists(parsed(path))]
    assert not [(line, words) for line, words in found if len(words) > WORDS_MAX]
