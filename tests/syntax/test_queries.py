"""The queries that editors use: each compiles, and captures what it should in the example programs."""

from __future__ import annotations

from pathlib import Path

import pytest
import tree_sitter

from serq_lsp.lang.table import constructs
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

ROOT = Path(__file__).parents[2]
QUERIES = sorted((ROOT / "grammar/queries").glob("*.scm"))
EXAMPLES = sorted((ROOT / "docs/examples").glob("*.sq"))


def captured(query: str, program: str) -> dict[str, set[str]]:
    """Return the texts that a query captures in a program, by capture name."""
    raw = parse(Source("", program)).raw
    assert raw.language is not None
    text = (ROOT / f"grammar/queries/{query}.scm").read_text(encoding="utf-8")
    found = tree_sitter.QueryCursor(tree_sitter.Query(raw.language, text)).captures(raw.root_node)
    return {name: {(node.text or b"").decode() for node in nodes} for name, nodes in found.items()}


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_query_compiles_and_captures_something_in_each_example(path: Path, example: Path) -> None:
    """No query names a node that is not there, and none is without effect."""
    assert captured(path.stem, example.read_text(encoding="utf-8"))


def test_highlighting_tells_words_by_where_they_stand() -> None:
    """A stage called `engine` is a name, and the word `engine` elsewhere a keyword."""
    program = "stage engine : step { cost max(1, f(2)); }\nfn main() { engine scribe on card { tokens cap 3; } }\n"
    found = captured("highlights", program)
    assert {"stage", "cost", "engine", "tokens", "cap", "fn"} <= found["keyword"]
    assert {"engine", "scribe"} <= found["type.definition"]
    assert found["function.call"] == {"max", "f"}
    assert found["number"] == {"1", "2", "3"}


def test_blocks_fold_and_indent() -> None:
    """Every block of a program folds, and its lines are indented."""
    program = "session {\n  loop {\n    end;\n  }\n}\n"
    assert captured("folds", program)["fold"] == {"{\n    end;\n  }", "{\n  loop {\n    end;\n  }\n}"}
    assert captured("indents", program)["indent.end"] == {"}"}


def test_names_are_defined_and_used() -> None:
    """Declarations, parameters and assignments define a name; every name is a reference."""
    found = captured("locals", "let a = 1;\ndef f(x) { x + a }\nsession { set b = f(a); }\n")
    assert found["local.definition.constant"] == {"a"}
    assert found["local.definition.parameter"] == {"x"}
    assert found["local.definition.var"] == {"b"}
    assert found["local.reference"] == {"a", "f", "x", "b"}


def test_every_word_of_the_grammar_is_highlighted() -> None:
    """No word that the grammar knows is left without a colour."""
    query = (ROOT / "grammar/queries/highlights.scm").read_text(encoding="utf-8")
    words = {word for it in constructs().values() for word in it.words}
    language = parse(Source("", "")).raw.language
    assert language is not None
    anonymous = {
        language.node_kind_for_id(number) or ""
        for number in range(language.node_kind_count)
        if not language.node_kind_is_named(number)
    }
    plain = {word for word in words & anonymous if word.isidentifier()} - {"max", "min", "sum"}
    assert {word for word in plain if f'"{word}"' not in query} == set()
