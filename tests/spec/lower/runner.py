"""Lowering: a `blocks` block is the kernel's statements, one a line; `declared` is pools, stages and statistics.

The info string of the first expected block may name the edition and settings: `blocks engine horizon=30 max=4`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from serq_lsp.ir.codec import to_data
from serq_lsp.lang.editions import Edition, detect
from serq_lsp.lower.program import lower
from serq_lsp.lower.settings import RunSettings
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from tests.harness.runners import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.harness.cases import Case

_DECLARED = ("pools", "stages", "registers", "gauges", "claims")
_PROGRAM = ("arrival", "hidden", "share", "trace", "attr_types")


def run(case: Case) -> Outcome:
    """Lower the main file and print what the case asks for."""
    words = [word for block in case.blocks[:1] for word in block.args.split()]
    editions = {it.value: it for it in Edition}
    edition = next((editions[word] for word in words if word in editions), None) or detect(case.text).edition
    sets = dict(word.split("=", 1) for word in words if "=" in word)
    horizon = float(sets.pop("horizon", "20"))

    def read(wanted: str) -> Source | ReadFault:
        text = case.files.get(wanted)
        return Source(wanted, text) if text is not None else ReadFault(LibraryProblem.MISSING)

    model = analyze(parse(Source(case.main, case.text)), edition or Edition.CLASSIC, read)
    lowered = lower(model, RunSettings(horizon=horizon, sets=sets))
    if lowered.program is None:
        return Outcome(problems=[f"not lowered: {it.what}" for it in lowered.unsupported])
    data = to_data(lowered.program)
    return Outcome(
        {"blocks": _text(_blocks(data)), "declared": _text(_declared(data)), "program": _text(_program(data))}
    )


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _blocks(data: dict[str, Any]) -> Iterable[str]:
    yield "attrs " + " ".join(data["attrs"][9:])
    for number, block in enumerate(data["blocks"]):
        yield f"{number}:"
        yield from (f"  {json.dumps(statement)}" for statement in block)


def _declared(data: dict[str, Any]) -> Iterable[str]:
    for what in _DECLARED:
        yield from (f"{what[:-1]} {json.dumps(it)}" for it in data.get(what, ()))


def _program(data: dict[str, Any]) -> Iterable[str]:
    yield from (f"{what} {json.dumps(data[what])}" for what in _PROGRAM if what in data)
