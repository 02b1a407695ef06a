"""What is generated fits what it was made from; none of this needs the tools."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from serq_lsp.dev import grammar, lark_tables
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from tests.tidy.source import PACKAGE, modules, parsed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
NODE_TYPES = json.loads((ROOT / "grammar/src/node-types.json").read_text(encoding="utf-8"))
KINDS = {kind["type"] for kind in NODE_TYPES} | {"ERROR"}
FIELDS = {field for kind in NODE_TYPES for field in kind.get("fields", {})}
NODE_ATTRIBUTE = "kind"


def test_the_parser_was_made_from_this_grammar() -> None:
    """The hashes written by the generating step are those of the files that lie there."""
    assert grammar.check() == []


def test_the_parse_tables_have_the_abi_that_all_editors_load() -> None:
    """The parser says ABI 14, in its source and when loaded."""
    source = (ROOT / "grammar/src/parser.c").read_text(encoding="utf-8")
    assert f"#define LANGUAGE_VERSION {grammar.ABI}\n" in source
    assert parse(Source("", "")).raw.language.abi_version == grammar.ABI == 14


def test_the_grammar_evaluates_to_the_committed_json() -> None:
    """Evaluating grammar.js with a stand-in for tree-sitter's functions gives the rules of grammar.json."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("evaluating grammar.js needs Node; the hash test still holds the files together")
    shim = ROOT / "tests/syntax/shim.js"
    told = subprocess.run([node, shim, ROOT / "grammar/grammar.js"], check=True, capture_output=True, text=True)
    committed = json.loads((ROOT / "grammar/src/grammar.json").read_text(encoding="utf-8"))
    evaluated = json.loads(told.stdout)
    assert evaluated == {key: committed[key] for key in evaluated}
    assert list(evaluated["rules"]) == list(committed["rules"])


def test_the_strict_tables_are_those_of_the_lark_grammar() -> None:
    """The committed tables are those that lark makes from serq.lark, whatever the order of its sets."""
    assert lark_tables.check() == []


def test_a_conflict_of_the_lark_grammar_is_one_that_is_meant(caplog: pytest.LogCaptureFixture) -> None:
    """Both are settled as in tree-sitter's grammar: `cache` behind a hold is its clause, `-` after `prefill` its work."""
    with caplog.at_level("DEBUG", logger="lark"):
        lark_tables.grammar(debug=True)
    conflicts = {record.getMessage() for record in caplog.records if "conflict" in record.getMessage()}
    assert {text.split("terminal ")[1].split(":")[0] for text in conflicts} == {"CACHE", "MINUS"}


def test_running_the_strict_grammar_does_not_need_lark() -> None:
    """The product reads the tables without importing lark."""
    code = "import sys; from serq_lsp.syntax.strict import check; check('let = 1;'); print('lark' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert told.stdout == "False\n"


def named_in(tree: ast.Module) -> Iterator[tuple[int, str, set[str]]]:
    """Yield each kind or field of a node that code names as a literal: its line, the name, and where it must be known."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            known = {"child": FIELDS, "each": FIELDS, "of_kind": KINDS}.get(node.func.attr)
            if known is not None:
                yield from ((node.lineno, text, known) for text in literals(node.args))
        elif isinstance(node, ast.Compare) and is_kind(node.left):
            named = [it for op, it in zip(node.ops, node.comparators, strict=True) if not is_in_text(op, it)]
            yield from ((node.lineno, text, KINDS) for text in literals(named))
        elif isinstance(node, ast.Match) and is_kind(node.subject):
            patterns = [value for case in node.cases for value in ast.walk(case.pattern)]
            yield from (
                (node.lineno, text, KINDS)
                for text in literals([value.value for value in patterns if isinstance(value, ast.MatchValue)])
            )


def is_in_text(operator: ast.cmpop, node: ast.expr) -> bool:
    """Say whether a comparison asks if something is part of a text, as in `kind in "()"`."""
    return isinstance(operator, ast.In | ast.NotIn) and isinstance(node, ast.Constant)


def is_kind(node: Any) -> bool:
    """Say whether an expression is the kind of a tree's node: `….kind` of something that is called a node."""
    if not (isinstance(node, ast.Attribute) and node.attr == NODE_ATTRIBUTE):
        return False
    owner = node.value
    name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return name in ("node", "child", "parent", "root", "element", "container")


def literals(nodes: list[ast.expr]) -> Iterator[str]:
    """Yield the texts written out in expressions, those in tuples and sets too."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Tuple | ast.Set | ast.List):
            yield from literals(node.elts)


@pytest.mark.parametrize("path", modules(PACKAGE), ids=shown)
def test_every_kind_and_field_that_code_names_exists(path: Path) -> None:
    """What `.child(…)`, `.each(…)`, `.of_kind(…)` and comparisons of a node's kind name is in node-types.json."""
    unknown = [f"line {line}: {text}" for line, text, known in named_in(parsed(path)) if text not in known]
    assert not unknown
