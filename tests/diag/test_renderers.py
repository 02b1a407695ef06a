"""The renderers for programs say all that a finding holds, in the shape their readers want."""

from __future__ import annotations

import json
from typing import Any

from serq_lsp.diag import render_concise, render_github, render_json, render_sarif
from serq_lsp.diag.model import Finding
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span
from tests.diag.samples import EARLY, MAIN, UNKNOWN, WRONG, report


def test_concise_is_one_line_a_finding_sorted() -> None:
    """`path:line:col: severity[rule] message`; a line end inside a message cannot make a second line."""
    assert list(render_concise.render(report(WRONG, EARLY))) == [
        "a b.sq:1:1: hint[reserve-below-hold] two␊lines",
        "a b.sq:3:7: error[unknown-pool] no pool is called `slotz`",
    ]


def test_json_is_the_contract() -> None:
    """Every file has an entry; lines and columns from 1, ends exclusive; help is the last note."""
    found = json.loads("\n".join(render_json.render(report(WRONG))))
    slotz = {"start": {"line": 3, "col": 7}, "end": {"line": 3, "col": 12}}
    slots = {"start": {"line": 1, "col": 6}, "end": {"line": 1, "col": 11}}
    assert found == {
        "version": 1,
        "files": [
            {"path": "clean.sq", "edition": None, "findings": []},
            {
                "path": "a b.sq",
                "edition": "classic",
                "findings": [
                    {
                        "rule": "unknown-pool",
                        "severity": "error",
                        "message": "no pool is called `slotz`",
                        "range": slotz,
                        "notes": [
                            {"message": "declared here", "path": "a b.sq", "range": slots},
                            {"message": "100%, twice"},
                            {"message": "did you mean `slots`?"},
                        ],
                        "fixes": [
                            {
                                "title": "Change to `slots`",
                                "edits": [{"path": "a b.sq", "range": slotz, "text": "slots"}],
                            }
                        ],
                        "cites": [
                            {
                                "label": "vLLM at 0c87a197",
                                "path": "vllm/v1/core/kv.py",
                                "start": 5,
                                "end": 31,
                                "url": "https://native.example/kv.py#L5-L31",
                            }
                        ],
                        "page": "docs/rules/unknown-pool.md",
                    }
                ],
            },
        ],
    }


def test_columns_count_code_points() -> None:
    """A character outside the basic plane is one column, and a lone CR ends a line."""
    source = Source("x.sq", "/* 😀 */ a\r😀b")
    finding = Finding(UNKNOWN, "x.sq", Span(11, 12), "m")
    assert next(iter(render_concise.render(report(finding, source=source)))).startswith("x.sq:2:2:")
    log = json.loads("\n".join(render_sarif.render(report(finding, source=source), "0")))
    assert log["runs"][0]["columnKind"] == "unicodeCodePoints"
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 3}


def test_a_place_in_an_unknown_file_is_its_beginning() -> None:
    """A finding whose text is not at hand is still shown."""
    finding = Finding(UNKNOWN, "gone.sq", Span(5, 9), "m")
    assert list(render_concise.render(report(finding))) == ["gone.sq:1:1: error[unknown-pool] m"]


def test_sarif_has_the_required_shape() -> None:
    """Version, tool, rules with their index, places with URIs, related places, fixes."""
    log = json.loads("\n".join(render_sarif.render(report(WRONG, EARLY), "1.2")))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("serq", "1.2")
    assert [it["id"] for it in driver["rules"]] == ["reserve-below-hold", "unknown-pool"]
    assert [it["location"]["uri"] for it in run["artifacts"]] == ["clean.sq", "a%20b.sq"]
    hint, error = run["results"]
    assert (hint["level"], hint["ruleId"], hint["ruleIndex"]) == ("note", "reserve-below-hold", 0)
    assert (error["level"], error["ruleIndex"]) == ("error", 1)
    related = error["relatedLocations"]
    assert related[0]["physicalLocation"]["region"]["startLine"] == 1
    assert "physicalLocation" not in related[1]
    change = error["fixes"][0]["artifactChanges"][0]
    assert change["artifactLocation"] == {"uri": "a%20b.sq"}
    assert change["replacements"][0]["insertedContent"] == {"text": "slots"}
    assert _texts(log), "every message is an object with a text"


def _texts(value: Any) -> bool:
    """Say whether every `message` below is `{"text": non-empty}`."""
    if isinstance(value, list):
        return all(_texts(it) for it in value)
    if not isinstance(value, dict):
        return True
    message = value.get("message", {"text": "x"})
    return isinstance(message, dict) and bool(message["text"]) and all(_texts(it) for it in value.values())


def test_github_commands_are_escaped() -> None:
    """Line ends and percent signs in the text, colons and commas in the properties cannot break a command."""
    lines = list(render_github.render(report(WRONG, EARLY)))
    assert lines[0] == ("::notice file=a b.sq,line=1,endLine=1,col=1,endColumn=5,title=reserve-below-hold::two%0Alines")
    assert lines[1].startswith("::error file=a b.sq,line=3,endLine=3,col=7,endColumn=12,title=unknown-pool::")
    assert "note: 100%25, twice%0Adid you mean" in lines[1]
    odd = Finding(UNKNOWN, "a:b,c.sq", Span(0, 0), "m")
    assert "file=a%3Ab%2Cc.sq," in next(iter(render_github.render(report(odd))))


def test_a_finding_over_lines_has_no_columns_on_github() -> None:
    """GitHub refuses columns where the end lies on another line."""
    finding = Finding(UNKNOWN, MAIN.path, Span(0, len(MAIN.text)), "m")
    assert "col=" not in next(iter(render_github.render(report(finding))))
