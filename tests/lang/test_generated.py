"""What is made from the table: the committed files, the snippets, the extension's grammar."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from serq_lsp.dev import gen, table
from serq_lsp.lang.editions import Edition, detect
from serq_lsp.lang.table import Construct, constructs, grammar_words, skeletons
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"


@pytest.mark.parametrize("name", list(gen.makers()))
def test_committed_files_are_what_would_be_made(name: str) -> None:
    """`python -m serq_lsp.dev.gen` would change nothing."""
    assert gen.makers()[name].check() == []


def test_an_unknown_name_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The command says what it can make."""
    assert gen.main(["--check", "nothing"]) == 2
    assert "lang" in capsys.readouterr().err


def test_a_field_that_is_not_known_is_refused() -> None:
    """A typing error in the table is not left out silently."""
    with pytest.raises(ValueError, match="`colour` of `x`"):
        table.constructs({"kinds": {}, "contexts": {}, "containers": {}, "moments": {}, "skeleton": [],
                          "construct": [{"id": "x", "colour": "red"}]})  # fmt: skip


def expanded(snippet: str) -> str:
    """Return what a snippet inserts when every placeholder is left as it is."""
    values: dict[str, str] = {}

    def first(found: re.Match[str]) -> str:
        text = found[2][1:-1].split(",")[0] if found[2].startswith("|") else found[2][1:]
        values[found[1]] = text
        return text

    while (text := re.sub(r"\$\{(\d+)(\|[^}]*\||:(?:[^${}]|\$\d)*)\}", first, snippet)) != snippet:
        snippet = text
    return re.sub(r"\$(\d+)", lambda it: values.get(it[1], ""), snippet)


AROUND = {
    "file": "{}",
    "items": "{}",
    "workload-file": "{}",
    "use": "{}",
    "pool": "pool p {{ {} }}",
    "stage": "stage s : {};",
    "step": "stage s : step {{ {} }}",
    "iteration": "stage s : step {{ iteration {{ {} }} }}",
    "device": "device d {{ {} }}",
    "engine": "engine e on d {{ {} }}",
    "connector": "engine e on d {{ connector c {{ {} }} }}",
    "worker": "engine e on d {{ worker {{ {} }} }}",
    "schedule": "engine e on d {{ schedule {{ {} }} }}",
    "queue": "queue q {{ {} }}",
    "roles": "queue q : {} {{ }}",
    "workload": "workload {{ {} }}",
    "run-block": "run {{ {} }}",
    "init": "workload {{ init {{ {} }} }}",
    "session": "session {{ {} }}",
    "server": "server {{ {} }}",
    "entry": "queue q {{ route {{ {} }} }}",
    "request": "engine e on d {{ request () {{ {} }} }}",
    "expression": "let x = {};",
    "draw": "let x = ~{};",
    "claim-every": "claim c {} : at end (1);",
    "share": "share {};",
    "preempt-by": "pool p {{ preempt by (1) {}; }}",
    "preempt-leases": "pool p {{ preempt leases by (1) every (1) {}; }}",
    "queue-fifo": "pool p {{ queue fifo {}; }}",
    "iteration-admit": "engine e on d {{ schedule {{ admit waiting {}; }} }}",
    "serve-only": "engine e on d {{ schedule {{ advance running {}; }} }}",
    "advance-running": "engine e on d {{ schedule {{ advance running {}; }} }}",
    "admit-waiting": "engine e on d {{ schedule {{ admit waiting {}; }} }}",
    "queue-serve": "queue q {{ serve fifo {}; }}",
    "run-prefill": "session {{ run s prefill (1) {}; }}",
    "prefill": "session {{ prefill {} (1); }}",
    "transfer": "session {{ transfer 1 {}; }}",
    "run": "session {{ run s (1, {}); }}",
    "hold": "session {{ hold p (1) {} {{ }} }}",
    "reuse": "{}",
}
"""A program around a snippet, by the first place where its construct stands."""
BEHIND = {"cache": "session {{ hold p (1) {{ }} {} }}", "lease": "session {{ hold p (1) {{ }} {} }}"}
OF_A_UNIT = {"reply": "server {} {{ }}", "server": "{}", "reusable": "{}", "hidden": "server ({}) {{ }}"}
SNIPPETS = [
    (it, edition)
    for it in constructs().values()
    for edition in it.editions
    if it.snippet_in(edition) and (edition in it.snippets or edition is it.editions[0])
]


@pytest.mark.parametrize(("it", "edition"), SNIPPETS, ids=lambda it: str(getattr(it, "id", getattr(it, "value", ""))))
def test_a_snippet_is_sound_where_its_construct_stands(it: Construct, edition: Edition) -> None:
    """What completion inserts parses without an error."""
    snippet = expanded(it.snippet_in(edition) or "")
    around = BEHIND.get(it.id) or AROUND[it.where[0]]
    if it.id == "hidden":
        around = AROUND["workload"] if edition is not Edition.CURRENT else OF_A_UNIT["hidden"]
    elif it.id in OF_A_UNIT:
        around = OF_A_UNIT[it.id]
    text = around.format(snippet)
    assert not list(parse(Source("x.sq", text, 0)).faults()), text


@pytest.mark.parametrize("it", skeletons(), ids=lambda it: str(it.id))
def test_a_skeleton_is_a_program_of_its_edition(it: Any) -> None:
    """A program to begin with parses, and shows its edition and what kind of file it is."""
    text = expanded(it.snippet)
    assert not list(parse(Source("x.sq", text, 0)).faults())
    found = detect(text)
    assert (found.edition, found.kind) == (it.editions[0], it.file)


def test_every_keyword_is_highlighted() -> None:
    """Each word of the grammars is in some pattern of the extension's grammar."""
    grammar = json.loads((EXTENSION / "syntaxes/serq.tmLanguage.json").read_text(encoding="utf-8"))
    patterns = " ".join(
        row["match"] for it in grammar["repository"].values() for row in it["patterns"] if "match" in row
    )
    words = set(re.findall(r"[A-Za-z][A-Za-z0-9_]*", re.sub(r"\\[a-zA-Z]", " ", patterns)))
    assert grammar_words() <= words
    assert {name for it in constructs().values() if it.kind != "retired" for name in it.names} - words <= {
        *("std", "args", "kvt", "number", "nixl_pull", "nixl_push", "share", "latency", "reqs", "reusable", "priority"),
        *("admitted", "first", "reused", "loaded", "saved", "load_done"),
    }


def test_snippets_of_the_extension_have_a_prefix_and_a_body() -> None:
    """VS Code leaves out, without a word, what lacks either."""
    rows = json.loads((EXTENSION / "snippets/serq.json").read_text(encoding="utf-8"))
    assert len(rows) > 50
    for row in rows.values():
        assert row["prefix"]
        assert row["body"]
        assert row["description"]
