"""Texts as they are while they are typed: whatever is left off, there are findings inside the text and no exception."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from serq_lsp.checks.all import check
from serq_lsp.diag.model import Severity
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from tests.sema.programs import CLASSIC, ENGINE, analysed

if TYPE_CHECKING:
    from serq_lsp.lang.editions import Edition

PROGRAMS = {
    CLASSIC: """def half(x) = x / 2; def rest(s) { observe at = queue(s); }
pool kv { cap 8; block 2; preempt by (-position) requeue tail; }
stage gpu : step { cost 1; memory kv; iteration { serve only (decoding); admit while (admitted < 2); } }
workload { arrive batch(1); init { set n = ~exp(2); } }
session { hold kv (n) reserve (8) at admission (m = n) { prefill m growing kv; } cache (n); rest(gpu); end; }
run { horizon 9; }""",
    ENGINE: """use "std/args"; def half(x) { x / 2 }
fn main() {
  device card { pulse (n) = half(n); pages cap args; }
  engine scribe on card { tokens cap 9; request (a) { at admission { k = a; } prefill (k) growing pages; cache (a); }
    schedule { let c = 3; advance running each at most (c); admit waiting each at most (c) taking pages (a); }
    execute (pulse(batch.tokens)); }
  pool pages on card { }
  server { scribe (3); while (now < 3) { fork { mark x; } join; } } }""",
}


@pytest.mark.parametrize("edition", [CLASSIC, ENGINE], ids=lambda it: it.value)
@pytest.mark.parametrize("place", ["begin", "end", "middle"])
def test_a_text_cut_anywhere_is_analysed(edition: Edition, place: str) -> None:
    """The first words of a program, its last ones, and all but one."""
    text = PROGRAMS[edition]
    ends = [match.end() for match in re.finditer(r"\w+|[^\w\s]", text)]
    for before, after in zip([0, *ends], ends, strict=False):
        cut = {"begin": text[:after], "end": text[before:], "middle": text[:before] + text[after:]}[place]
        model = analysed(cut, edition)
        found = check(model)
        assert all(0 <= it.span.start <= it.span.end <= len(cut) for it in found)
        if lower(model, RunSettings(horizon=9.0)).program is None:
            assert any(it.severity is Severity.ERROR for it in found) or model.is_library, cut


def test_a_time_resource_that_leads_back_to_itself_ends() -> None:
    """Resources of a device have no order; a circle of them is a fault and no endless expansion."""
    text = """fn main() {
      device card { pulse (n) = beat(n) + beat(n); beat (n) = max(pulse(n), pulse(n)); pages cap 9; }
      engine scribe on card { tokens cap 9; request (a) { prefill (a); }
        schedule { advance running; admit waiting taking pages (a); } execute (pulse(1)); }
      pool pages on card { }
      workload { arrive batch(1); } server { scribe (3); }
    }"""
    model = analysed(text, ENGINE)
    list(check(model))
    (reason,) = lower(model, RunSettings(horizon=9.0)).unsupported
    assert "DefinitionCycle" in reason.what
