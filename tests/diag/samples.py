"""A report to be rendered: two files, findings with everything that a finding can have."""

from __future__ import annotations

from serq_lsp.diag.model import Cite, FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.diag.report import FileReport, Report
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

UNKNOWN = Rule("unknown-pool", Severity.ERROR, "a pool is used that nothing declares")
RESERVE = Rule("reserve-below-hold", Severity.WARNING, "a reserve demands less than the hold takes")
MAIN = Source("a b.sq", "pool slots { cap 2; }\nsession {\n\thold slotz (1) { }\n}\n")
CLEAN = Source("clean.sq", "")


def place(source: Source, word: str) -> Span:
    """Return where `word` first stands in the text."""
    start = source.text.index(word)
    return Span(start, start + len(word))


WRONG = Finding(
    UNKNOWN,
    MAIN.path,
    place(MAIN, "slotz"),
    "no pool is called `slotz`",
    notes=(Note("declared here", MAIN.path, place(MAIN, "slots")), Note("100%, twice")),
    help="did you mean `slots`?",
    fixes=(Fix("Change to `slots`", (FileEdit(MAIN.path, place(MAIN, "slotz"), "slots"),)),),
    cites=(Cite("vLLM at 0c87a197", "vllm/v1/core/kv.py", 5, 31, "https://native.example/kv.py#L5-L31"),),
)
EARLY = Finding(RESERVE, MAIN.path, place(MAIN, "pool"), "two\nlines", override=Severity.HINT)


def report(*findings: Finding, source: Source = MAIN) -> Report:
    """Return a report of a clean file and of `source` with these findings."""
    files = (FileReport(CLEAN.path, None, ()), FileReport(source.path, "classic", findings))
    return Report(files, {CLEAN.path: CLEAN, source.path: source})
