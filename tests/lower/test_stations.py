"""Queues: what definitions do inside their entries, the order of their stages; arrivals (classic.md 6, engine.md 11.1)."""

from __future__ import annotations

import pytest

from serq_lsp.ir.expr import Num, Ref, Sample
from serq_lsp.ir.program import Renewal
from serq_lsp.ir.stmt import Release
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from tests.sema.programs import analysed

SOURCE = """
queue P : prefill {{ pool kv {{ cap 9; }} prefill (n) {{ {entry} }} }}
queue D : decode {{ decode (n) {{ }} decode (n) from src {{ release src; }} }}
workload {{ arrive batch(1); }}
session {{ P.prefill (2); D.decode (2) from P; end; }}
run {{ horizon 9; }}
"""


@pytest.mark.parametrize(
    ("definitions", "entry"),
    [
        ("", "hold kv (n) { } lease kv (inf);"),
        ("def keep() { hold kv (3) { } lease kv (inf); }", "keep();"),
        ("def keep(p, t) { hold p (3) { } lease p (t); }", "keep(kv, inf);"),
        ("def keep(p) { hold p (3) { } lease p (inf); } def again(q, p) { keep(q); }", "again(kv, n);"),
    ],
)
def test_a_queue_leases_by_definitions_too(definitions: str, entry: str) -> None:
    """`from P` takes the pool that P's entries lease, wherever the lease is written."""
    program = lower(analysed(definitions + SOURCE.format(entry=entry)), RunSettings()).program
    assert program is not None
    assert Release(Ref(0)) in program.blocks[2]


@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ("serve ps(2) latency 0.5; nic ps(5);", ["road", "road.nic", "road.latency"]),
        ("nic ps(5); serve ps(2) latency 0.5;", ["road.nic", "road", "road.latency"]),
        ("serve ps(2) latency 0.5;", ["road", "road.latency"]),
    ],
)
def test_the_wait_of_a_link_is_its_last_stage(parts: str, names: list[str]) -> None:
    """Stages of a queue stand in the order of the text, but for the wait."""
    text = f"queue road : link {{ {parts} }} stage last : fifo; run {{ horizon 9; }}"
    program = lower(analysed(text), RunSettings()).program
    assert program is not None
    assert [stage.name for stage in program.stages] == [*names, "last"]


def test_a_constant_gap_is_one_number() -> None:
    """A gap between arrivals that draws stays as written."""
    found = []
    for gap in ("max(1, 2) * 3", "~exp(1 + 1)"):
        program = lower(analysed(f"workload {{ arrive renewal({gap}); }} run {{ horizon 9; }}"), RunSettings()).program
        assert program is not None
        found.append(program.arrival)
    assert found[0] == Renewal(Num(6.0))
    assert isinstance(found[1], Renewal)
    assert isinstance(found[1].gap, Sample)
