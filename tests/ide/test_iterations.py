"""Iterations as data, for `serq trace --json`."""

from __future__ import annotations

import json
from itertools import islice

from serq_lsp.ide import runs
from serq_lsp.ide.config import Given
from serq_lsp.ide.host import Host

FAMILY = """\
pool reqs[2] { cap 2; admit via rep; }
stage rep[2] : step { budget 4; chunk 4; cost 1; }
workload { arrive batch(2); init { set prompt = 3; } }
session { hold reqs[serial] (1) { run rep[serial] prefill (prompt); } end; }
run { horizon 30; warmup 0; seed 1; }
"""


def test_an_iteration_names_the_member_and_shows_whole_numbers_without_a_point() -> None:
    """Both members of a family are told apart; turn and tokens are integers."""
    host = Host()
    host.open("/w/a.sq", FAMILY)
    prepared = runs.prepare(host.snapshot(), "/w/a.sq", Given())
    assert isinstance(prepared, runs.Prepared)
    steps = islice(runs.Execution(prepared, runs.EDITOR_LIMITS), 2)
    shown = [json.loads(json.dumps(it.data())) for it in steps]
    assert [(it["stage"], it["member"]) for it in shown] == [("rep", 0), ("rep", 1)]
    items = [item for it in shown for item in it["items"]]
    assert [(json.dumps(it["turn"]), json.dumps(it["tokens"])) for it in items] == [("0", "3"), ("0", "3")]
