"""Citations in comments: the table of citations.md 5, and where their links stand."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.lang.comments import CommentCite, scan


def cites(text: str) -> list[CommentCite]:
    """Scan the comments of a text; strings have none here."""
    return scan(text, [it.span() for it in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL)])


def places(text: str) -> list[str]:
    """Return what each link leads to, as file name and lines."""
    found = []
    for it in cites(text):
        lines = "" if not it.first else f":{it.first}" if it.first == it.last else f":{it.first}-{it.last}"
        found.append(it.path.rpartition("/")[2] + lines)
    return found


TABLE = {
    "(scheduler.py:606-616)": ["scheduler.py:606-616"],
    "lifted, scheduler.py:606-616: the first": ["scheduler.py:606-616"],
    "at scheduler.py:869.": ["scheduler.py:869"],
    "(scheduler.py:1078-1128, 1214-1226), but admits": ["scheduler.py:1078-1128", "scheduler.py:1214-1226"],
    "scheduler.py:1263, 1296, 1316-1317)": ["scheduler.py:1263", "scheduler.py:1296", "scheduler.py:1316-1317"],
    "config/scheduler.py:191, kv_cache_manager.py:515-531): the": ["scheduler.py:191", "kv_cache_manager.py:515-531"],
    "kv_cache_utils.py:864-900, called at kv_cache_utils.py:2742": [
        "kv_cache_utils.py:864-900",
        "kv_cache_utils.py:2742",
    ],
    "`scheduler.py:3032-3092`, `2383-2385`": ["scheduler.py:3032-3092", "scheduler.py:2383-2385"],
    "scheduler.py:869, 16 blocks": ["scheduler.py:869"],
    "scheduler.py: 12": [],
    "scheduler.pyc:12": [],
    "a.scheduler.py:3": [],
    # the forms of citations.md 4
    "scheduler.py:606-616; kv_cache_manager.py:517": ["scheduler.py:606-616", "kv_cache_manager.py:517"],
    "scheduler.py:606-616; 517": ["scheduler.py:606-616"],
    "nixl/push_worker.py:254-264, 308-313, 714-722": [
        "push_worker.py:254-264",
        "push_worker.py:308-313",
        "push_worker.py:714-722",
    ],
    "vllm/v1/core/sched/scheduler.py:869": ["scheduler.py:869"],
    "ref/vllm/vllm/v1/core/sched/scheduler.py": ["scheduler.py"],
    "`kv_cache_manager.py`": ["kv_cache_manager.py"],
    "rbln_scheduler.py#L180 and scheduler.py#L606-L616": ["rbln_scheduler.py:180", "scheduler.py:606-616"],
    "`_free_request`, `scheduler.py:2628-2657`": ["scheduler.py:2628-2657"],
    "docs/language.md §7, examples/x.sq, lib/vllm.sq, tools/a.json at 12:30": [],
    "scheduler.py:12abc": [],
    "unknown_name.py": [],
}


@pytest.mark.parametrize(("text", "expected"), TABLE.items(), ids=list(TABLE))
def test_a_form_is_read_as_the_specification_says(text: str, expected: list[str]) -> None:
    """One link for each range; what only looks like a citation is none."""
    assert places(f"// {text}") == expected


PROGRAM = """\
// A vLLM-like engine (ref/vllm at 0c87a197, `vllm/v1/core/sched/
// scheduler.py`, `kv_cache_manager.py`).
let a = 1;
// kept tokens (scheduler.py:1560-1561)
let b = 2;
// The cap is lifted, scheduler.py:606-616: the first that
// fits (scheduler.py:932-939). A chunk (scheduler.py:1078-1128, 1214-1226), but
// admits only what fits as a whole (config/scheduler.py:191,
// kv_cache_manager.py:515-531): the rest waits.
let c = 3;   // stops (sched/utils.py:98-119)
"""


def test_a_program_has_its_citations_in_order() -> None:
    """Paths and lists broken by a line end go on in the next comment line."""
    assert places(PROGRAM) == [
        "scheduler.py",
        "kv_cache_manager.py",
        "scheduler.py:1560-1561",
        "scheduler.py:606-616",
        "scheduler.py:932-939",
        "scheduler.py:1078-1128",
        "scheduler.py:1214-1226",
        "scheduler.py:191",
        "kv_cache_manager.py:515-531",
        "utils.py:98-119",
    ]
    assert [it.citation.id for it in cites(PROGRAM) if it.citation] == [
        "vllm-pin:preempt.keep-tokens",
        "vllm-pin:schedule.alone-threshold",
        "vllm-pin:waiting.prefix-lookup",
        "vllm-pin:waiting.chunk-size",
        "vllm-pin:waiting.allocate",
        "vllm-pin:config.reserve-full-isl",
        "vllm-pin:kv.full-sequence-test",
        "vllm-pin:stop.check",
    ]


def test_spans_are_those_of_the_text() -> None:
    """A head's span is file and range, a continued one's the range alone, a broken path's both lines."""
    assert [PROGRAM[it.start : it.end] for it in cites(PROGRAM)][:7] == [
        "vllm/v1/core/sched/\n// scheduler.py",
        "kv_cache_manager.py",
        "scheduler.py:1560-1561",
        "scheduler.py:606-616",
        "scheduler.py:932-939",
        "scheduler.py:1078-1128",
        "1214-1226",
    ]


def test_a_comment_behind_code_is_its_own_block() -> None:
    """Only a comma or a slash at its end makes it go on in the comment line below."""
    assert places("a; // (scheduler.py:1,\n// 2)") == ["scheduler.py:1", "scheduler.py:2"]
    assert places("a; // at tag v0.11.3a21\n// scheduler.py:1") == ["scheduler.py:1"]
    assert places("// (scheduler.py:1,\n\n// 2)") == ["scheduler.py:1"]


@pytest.mark.parametrize(
    ("text", "systems"),
    [
        ("// scheduler.py:570", ["vllm-pin"]),
        ("// vLLM v0.31.0rc2, scheduler.py:570", ["vllm-tag"]),
        ("// at tag v0.11.3a21: rbln_scheduler.py:638, scheduler.py:5", ["vllm-rbln", "vllm-dep"]),
        ("// rbln_scheduler.py:638", ["vllm-rbln"]),
        ("// connector_nixlv2.go:12", ["llm-d-scheduler"]),
        ("// vLLM v0.31.0rc2\na;\n// scheduler.py:570", ["vllm-tag"]),
        ("// none\na;\n// vLLM v0.31.0rc2\nb;\n// scheduler.py:570", ["vllm-pin"]),
    ],
)
def test_a_version_selects_the_system(text: str, systems: list[str]) -> None:
    """A mention in the block counts, else one in the file's first block, else vLLM's pinned commit."""
    assert [it.system and it.system.id for it in cites(text)] == systems


@pytest.mark.parametrize(
    ("text", "problem"),
    [("scheduler.py:9-3", "reversed-range"), ("scheduler.py:0", "line-zero"), ("somewhere.py:3", "unknown-file")],
)
def test_what_cannot_be_linked_says_why(text: str, problem: str) -> None:
    """Such a citation has a place and a problem, and no link."""
    (found,) = cites(f"// {text}")
    assert (found.problem, found.url, found.citation) == (problem, None, None)


def test_lines_without_an_entry_are_linked_themselves() -> None:
    """A range that no citation stands for has its link and no summary."""
    (found,) = cites("// scheduler.py:3-4")
    assert found.citation is None
    assert found.url is not None
    assert found.url.endswith("/vllm/v1/core/sched/scheduler.py#L3-L4")


def test_block_comments_are_read_too() -> None:
    """Signs at the beginning of their lines are left out."""
    assert places("/* (scheduler.py:1,\n * 2, vllm/v1/core/\n * sched/utils.py:98) */") == [
        "scheduler.py:1",
        "scheduler.py:2",
        "utils.py:98",
    ]


PIECES = ["scheduler.py", ":", "12", "-", ",", "/", "vllm", "`", "\n//", "//", "/*", "*/", " ", "#L1", ".", "0"]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.text(max_size=40))
def test_any_comment_can_be_read(pieces: list[str], rest: str) -> None:
    """No text raises; every span lies in the text and in its order."""
    text = "//" + "".join(pieces) + rest
    found = cites(text)
    assert all(0 <= it.start < it.end <= len(text) for it in found)
    assert [it.start for it in found] == sorted(it.start for it in found)
