"""The text form shows the source line with the place underlined, whatever stands in it."""

from __future__ import annotations

import pytest

from serq_lsp.diag import render_text
from serq_lsp.diag.model import Finding
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span
from tests.diag.samples import EARLY, UNKNOWN, WRONG, report


def test_everything_of_a_finding_is_shown() -> None:
    """Message, line, notes with their lines, help, fix, native lines with their link."""
    assert "\n".join(render_text.render(report(WRONG))) == (
        "a b.sq:3:7: error[unknown-pool] no pool is called `slotz`\n"
        "3 |     hold slotz (1) { }\n"
        "  |          ^^^^^\n"
        "  = note: declared here (a b.sq:1:6)\n"
        "1 | pool slots { cap 2; }\n"
        "  |      -----\n"
        "  = note: 100%, twice\n"
        "  = help: did you mean `slots`?\n"
        "  = fix: Change to `slots` (serq check --fix)\n"
        "  = native: vLLM at 0c87a197, vllm/v1/core/kv.py:5-31\n"
        "    https://native.example/kv.py#L5-L31"
    )


def test_nothing_is_shown_for_clean_files() -> None:
    """A clean check prints nothing; a blank line stands between two findings."""
    assert list(render_text.render(report())) == []
    assert list(render_text.render(report(WRONG, EARLY))).count("") == 1


def test_colours_only_when_asked() -> None:
    """Without colour there is no escape in the output, not even one from the input."""
    source = Source("x\x1b[2J.sq", "a \x1b[31m b")
    finding = Finding(UNKNOWN, source.path, Span(2, 8), "evil \x1b[0m \u202e text")
    shown = "\n".join(render_text.render(report(finding, source=source)))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    coloured = "\n".join(render_text.render(report(WRONG), colour=True))
    assert "\x1b[1;31merror[unknown-pool]\x1b[0m" in coloured


def underline(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the excerpt's two lines, without the gutter, for a place in a one-line text."""
    finding = Finding(UNKNOWN, "x.sq", Span(start, end), "m")
    _, line, under = render_text.render(report(finding, source=Source("x.sq", text)))
    return line[4:], under[4:]


@pytest.mark.parametrize(
    ("text", "start", "end", "shown", "under"),
    [
        ("/* 漢字 */ bad;", 9, 12, "/* 漢字 */ bad;", " " * 11 + "^^^"),
        ("漢字", 0, 1, "漢字", "^^"),
        ("e\u0301 bad", 3, 6, "e\u0301 bad", "  ^^^"),
        ("\tbad", 1, 4, "    bad", "    ^^^"),
        ("ab\tbad", 3, 6, "ab  bad", "    ^^^"),
        ("a\tb", 0, 3, "a   b", "^^^^^"),
        ("bad", 3, 3, "bad", "   ^"),
        ("a\x00b", 1, 2, "a␀b", " ^"),
    ],
)
def test_the_underline_stands_below_the_place(text: str, start: int, end: int, shown: str, under: str) -> None:
    """Wide, combining and control characters and tabs do not shift it; an empty place gets one sign."""
    assert underline(text, start, end) == (shown, under)


def test_a_very_long_line_is_cut() -> None:
    """A line of a million characters is shown around the place only."""
    line, under = underline("a" * 500_000 + "bad" + "c" * 500_000, 500_000, 500_003)
    assert len(line) < 200
    assert line[under.index("^") : under.index("^") + 3] == "bad"
    assert line.startswith("…")
    assert line.endswith("…")


def test_a_place_over_several_lines_says_so() -> None:
    """The first line is underlined to its end, and the last line is named."""
    finding = Finding(UNKNOWN, "x.sq", Span(2, 9), "m")
    lines = list(render_text.render(report(finding, source=Source("x.sq", "ab cd\nef gh"))))
    assert lines[1:] == ["1 | ab cd", "  |   ^^^ … to line 2"]


def test_the_summary_counts() -> None:
    """Files and findings by severity, worst first."""
    assert render_text.summary(report(WRONG, EARLY)) == "2 files checked: 1 error, 1 hint"
    assert render_text.summary(report()) == "2 files checked: nothing found"
