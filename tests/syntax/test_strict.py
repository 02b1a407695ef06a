"""Syntax faults: one for each mistake, at the exact place, with what was expected there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serq_lsp.checks.all import RULES
from serq_lsp.syntax.strict import MAX_FAULTS, SyntaxFault, check, faults
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

ALIASES = {it.id: it.aliases for it in RULES}
CONFORMANCE = Path(__file__).parents[1] / "conformance"
AT_THE_USE = {"def-body-error"}
"""Faults in a definition's body that the reference reports where the definition is used."""
NOT_OURS = {"queue-engine-keyword"}
"""Faults of meaning that show as one of form somewhere else: the checker's own."""


def found(text: str) -> list[SyntaxFault]:
    """Return the faults of a text."""
    return faults(parse(Source("a.sq", text)))


@pytest.mark.parametrize(
    ("text", "rule", "at", "expected"),
    [
        ("let a = 1.5.2;", "lex-number", "1.5.2", ()),
        ("let a = 1 % 2;", "lex-character", "%", ()),
        ("let a = 1; /* never", "lex-comment-open", "/*", ()),
        ('use "lib/a.sq;', "lex-string-open", '"lib/a.sq;', ()),
        ("session { set a = 1 run desk (a); }", "expected-token", "run", ("`;`",)),
        ("let 2 = 1;", "expected-name", "2", ("a name",)),
        ("pool kv { evict fifo; }", "expected-word", "fifo", ("`by`", "`lru`")),
        ("workload { trace chats; }", "expected-string", "chats", ("a quoted text",)),
        ("session { run desk (+1); }", "expected-expression", "+", ("an expression",)),
        ("session { ; }", "expected-statement", ";", ("a statement", "`}`")),
        ("session { whle (a) { end; } }", "unknown-statement", "whle", ("`;`", "`from`", "`to`")),
        ("session { obsrve a = 1; }", "unknown-statement", "obsrve", ("`(`", "`.`", "`[`")),
        ("session { enter kv (8) { end; } }", "retired-statement", "enter", ("`(`", "`.`", "`[`")),
        (
            "session { hold kv (8) fits (16) { } }",
            "renamed-clause",
            "fits",
            ("`,`", "`at`", "`prefix`", "`reserve`", "`reuse`", "`{`"),
        ),
        ("x = 1;", "top-level-item", "x", ("`.`", "`:`", "`pull`", "`push`")),
        ("; let a = 1;", "top-level-item", ";", ("an item", "the end of the file")),
        ("workload { arrivals 3; }", "workload-item", "arrivals", ("a workload clause", "`}`")),
        ("pool kv { capacity 8; }", "unknown-pool-option", "capacity", ("a pool option", "`}`")),
        ("stage lab : lifo;", "unknown-stage-kind", "lifo", ("`delay`", "`fifo`", "`ps`", "`step`")),
        ("stage gpu : step { batch 8; cost 1; }", "unknown-step-option", "batch", ("a step option", "`}`")),
        ("run { horizon 40; threads 4; }", "unknown-run-option", "threads", ("a run setting", "`}`")),
        ("let a = 1 < 2 < 3;", "expected-token", "<", None),
        ("def area(w, h);", "def-body-missing", ";", ("`=`", "`{`")),
        ("def area(w, h) = w * h", "def-not-closed", "area", ("`;`",)),
        ("def area(w) = w); let b = 1;", "def-unmatched-bracket", ")", ("`;`",)),
        ("def f(x) { set y = x; y / 2 }", "def-mixed-body", "f", None),
        ("fn main() { session { end;", "expected-statement", "", None),
        ("fn main() { stage a : fifo;", "main-unclosed", "", None),
    ],
)
def test_a_mistake_is_one_fault_at_its_place(text: str, rule: str, at: str, expected: tuple[str, ...] | None) -> None:
    """Each text has exactly one fault: its rule, the text it marks, and what was expected."""
    (fault,) = found(text)
    assert (fault.rule, text[fault.span.start : fault.span.end]) == (rule, at)
    if expected is not None and rule != "top-level-item":
        assert fault.expected == expected


def test_all_mistakes_of_a_file_are_found_at_once() -> None:
    """Mistakes in different statements and items are faults of their own, in text order."""
    text = "pool kv { cap ; }\nsession {\n  set a 1;\n  loop { run (; }\n  end\n}\nstage x : fast;\n"
    assert [text[it.span.start : it.span.end] for it in found(text)] == [";", "1", ";", "", "fast"]


def test_one_mistake_that_breaks_the_braces_is_one_fault() -> None:
    """What only follows from a fault before it is not reported."""
    assert len(found("stage gpu : step { cost 1; iteration { loop { serve; } } }\nlet a = 1;")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "fn main() {\n  engine e on g {\n    schedule { admit waiting while (run",
        "fn main() {\n  engine e on g {\n    request (a, b) {\n      at admission { known = max(kept,",
    ],
)
def test_a_text_that_is_cut_off_has_one_fault_at_its_end(text: str) -> None:
    """What is open there is named, the innermost brace first; nothing is reported at the begin of a line or program."""
    (fault,) = found(text)
    assert fault.span.start == fault.span.end == len(text)
    braces = [index for index, sign in enumerate(text) if sign == "{"]
    assert [it.start for it in fault.opened] == braces[::-1]


def test_a_missing_brace_is_expected_where_the_indentation_wants_it() -> None:
    """The fault stands at the first token that is indented too little, and names the brace; two in one place are one."""
    (fault,) = found("session {\n  loop {\n    hold kv (1) {\n      end;\n\n  mark x;\n}\n")
    assert (fault.found, fault.expected) == ("mark", ("`}`",))
    assert [it.start for it in fault.opened] == [35, 17]


def test_a_missing_semicolon_is_a_fault_at_its_line_s_end() -> None:
    """Also where something else could follow; `next` is what follows instead."""
    text = "session {\n  run desk (1)\n  end\n}\n"
    first, second = found(text)
    assert [text[: it.span.start].rsplit("\n", 1)[-1] for it in (first, second)] == ["  run desk (1)", "  end"]
    assert [text[it.next.start : it.next.end] for it in (first, second) if it.next] == ["end", "}"]


def test_what_stands_in_a_block_of_an_unknown_word_is_not_judged() -> None:
    """The word is the only fault, and the block is what is left out."""
    text = "sesion {\n  nonsense; more nonsense here;\n}\nlet a = 1;\n"
    (fault,) = found(text)
    assert text[fault.span.start : fault.span.end] == "sesion"
    assert fault.unread is not None
    assert text[fault.unread.end - 1] == "}"


def test_a_fault_says_where_something_missing_belongs() -> None:
    """`after` is the end of the token before the fault."""
    (fault,) = found("session {\n  set a = 1\n\n  end;\n}")
    assert fault.after == len("session {\n  set a = 1")


def test_a_fault_in_a_definition_names_the_definition() -> None:
    """The checker can tell whether the definition is used."""
    (fault,) = found("def f(x) { x + }\nlet a = 1;")
    assert fault.definition is not None
    assert fault.definition.kind == "def"
    assert fault.container == "source_file"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("pool kv { capp 8; }", "cap"),
        ("session { obsrve a = 1; }", "observe"),
        ("stage a : fifa;", "fifo"),
        ("run { horizn 3; }", "horizon"),
        ("sesion { end; }", "session"),
    ],
)
def test_a_fault_knows_the_words_that_could_be_meant(text: str, meant: str) -> None:
    """`words` holds what the marked word may be a misspelling of."""
    (fault,) = found(text)
    assert meant in fault.words


def test_nothing_is_reported_behind_an_unclosed_comment() -> None:
    """The text behind `/*` is no program: only the comment is at fault."""
    assert [it.rule for it in found("let a = 1; /* { ; } let")] == ["lex-comment-open"]


def test_the_number_of_faults_is_limited() -> None:
    """A file of rubbish gives no more than MAX_FAULTS faults."""
    assert len(found("session { set a 1; } " * 1000)) == MAX_FAULTS


@pytest.mark.parametrize("text", ["", "// a", "let a = 1;", "session { set max = max(max, 1); }"])
def test_a_sound_text_has_no_fault(text: str) -> None:
    """Neither check finds anything."""
    assert found(text) == []
    assert check(text) is None


def test_a_part_of_a_program_can_be_checked_alone() -> None:
    """`check` takes a start symbol: a list of statements, of options, and the like."""
    assert check("set a = 1; end;", "in_block") is None
    assert check("cap 8; block 4;", "in_pool") is None
    assert check("a + 1", "expression_alone") is None
    assert check("a +", "expression_alone") is not None


def refused(edition: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the programs of an edition with a syntax fault: name, text and what the reference said."""
    folder = CONFORMANCE / edition
    rows = []
    for name, told in json.loads((folder / "reject.json").read_text(encoding="utf-8")).items():
        path = folder / "reject" / name
        if path.is_dir():
            path /= told.get("file") or "deployment.sq"
        elif told.get("file") or told.get("in_file"):
            continue
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        if found(text):
            rows.append((name, text, told))
    return rows


@pytest.mark.parametrize("edition", ["classic", "engine", "current"])
def test_the_reference_reports_one_of_our_faults(edition: str) -> None:
    """The recorded place of a refused program is that of a fault or of what it notes, or close by with the same rule."""
    missed = []
    for name, text, told in refused(edition):
        lines = Source("", text).lines
        place = (told["line"], told["col"]) if told.get("line") is not None else tuple(told.get("anchor") or ())
        for fault in found(text):
            start, end = lines.locate(fault.span.start), lines.locate(fault.span.end)
            same = told["rule"] in (fault.rule, *ALIASES.get(fault.rule, ()))
            marked = (start.line + 1, start.column + 1), (end.line + 1, end.column + 1)
            if place == marked[0] or marked[0] <= place < marked[1]:
                break
            noted = [lines.locate(it.start) for it in (*fault.opened, *((fault.next,) if fault.next else ()))]
            if any(place == (it.line + 1, it.column + 1) for it in noted):
                break
            if same and place and place[0] - 1 <= start.line + 1 <= place[0]:
                break
        else:
            if told["rule"] not in AT_THE_USE | NOT_OURS:
                missed.append(name)
    assert not missed


@pytest.mark.parametrize("edition", ["classic", "engine", "current"])
def test_the_rule_of_a_syntax_fault_is_the_recorded_one(edition: str) -> None:
    """One of the faults has the slug that the reference's list gives the program, or an alias of it."""
    missed = [
        name
        for name, text, told in refused(edition)
        if told["rule"] not in AT_THE_USE | NOT_OURS
        and not any(told["rule"] in (it.rule, *ALIASES.get(it.rule, ())) for it in found(text))
    ]
    assert not missed
