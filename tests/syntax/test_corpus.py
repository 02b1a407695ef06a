"""The tree-sitter corpus of grammar/test/corpus: a program and its tree for every construct, run without the tool."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

GRAMMAR = Path(__file__).parents[2] / "grammar"
HEADER = re.compile(r"^=+\n(?P<name>.+)\n=+\n\n", re.MULTILINE)


class Case(NamedTuple):
    """One test of a corpus file: a program and its tree as an s-expression with fields."""

    name: str
    program: str
    tree: str


def cases(path: Path) -> list[Case]:
    """Return the tests of a corpus file."""
    text = path.read_text(encoding="utf-8")
    heads = list(HEADER.finditer(text))
    found = []
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        program, _, tree = text[head.end() : end].rpartition("\n---\n")
        found.append(Case(head["name"], program, tree))
    return found


def shape(tree: str) -> list[str]:
    """Return the parts of an s-expression, so that line breaks do not count."""
    return re.findall(r'"[^"]*"|[()]|[^()\s"]+', tree)


FILES = sorted((GRAMMAR / "test/corpus").glob("*.txt"))
CASES = [pytest.param(case, id=f"{path.stem}: {case.name}") for path in FILES for case in cases(path)]


@pytest.mark.parametrize("case", CASES)
def test_a_program_of_the_corpus_has_the_tree_beside_it(case: Case) -> None:
    """tree-sitter's tree of the program is the one written below it."""
    tree = parse(Source(case.name, case.program))
    assert shape(str(tree.raw.root_node)) == shape(case.tree)


def test_every_kind_of_node_occurs_in_the_corpus() -> None:
    """No construct is without a program in the corpus, and no program of it but those of recovery has an error."""
    kinds = json.loads((GRAMMAR / "src/node-types.json").read_text(encoding="utf-8"))
    named = {kind["type"] for kind in kinds if kind["named"] and "subtypes" not in kind}
    seen: set[str] = set()
    for path in FILES:
        for case in cases(path):
            words = {
                part for before, part in zip(shape(case.tree), shape(case.tree)[1:], strict=False) if before == "("
            }
            assert path.stem == "recovery" or not words & {"ERROR", "MISSING"}, case.name
            seen |= words
    assert named <= seen
