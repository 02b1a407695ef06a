"""How a layer's fixtures are judged: what a runner answers, and the comparison with what the fixture expects."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tests.harness.markdown import rewrite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.harness.cases import Block, Case

ACCEPT = "SERQ_ACCEPT"
"""With this environment variable set to 1, expected blocks that differ are rewritten; read that diff like code."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a runner answers for a case."""

    blocks: Mapping[str, str] = field(default_factory=dict)
    """The actual text for each kind of block that the layer knows; others in the case are errors."""
    problems: Sequence[str] = ()
    """Whatever else is wrong, such as `mismatches(case.marks, found)`, one line each."""


class Runner(Protocol):
    """The function `run` of `tests/spec/<layer>/runner.py`."""

    def __call__(self, case: Case, /) -> Outcome:
        """Work on the case's files and answer; `case.block(kind)` says what is asked for."""


def judge(case: Case, outcome: Outcome) -> list[str]:
    """Compare a case with its outcome; under SERQ_ACCEPT=1 rewrite the blocks that differ instead.

    Returns:
        What is wrong, one text each; empty where all is as expected.
    """
    wrong = list(outcome.problems)
    for block in case.blocks:
        if block.kind not in outcome.blocks:
            wrong.append(f"no runner of this layer knows `{block.kind}` blocks")
        elif _lines(block.text) != _lines(outcome.blocks[block.kind]):
            if accepting():
                rewrite(case.source, case.name, block.kind, outcome.blocks[block.kind])
            else:
                wrong.append(_difference(block, outcome.blocks[block.kind]))
    return wrong


def accepting() -> bool:
    """Say whether expected blocks are to be rewritten.

    Raises:
        RuntimeError: asked for under several workers, which would overwrite each other's work.
    """
    if os.environ.get(ACCEPT) != "1":
        return False
    if "PYTEST_XDIST_WORKER" in os.environ:
        raise RuntimeError(f"{ACCEPT}=1 works with one process: add `-n 0`")
    return True


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _difference(block: Block, actual: str) -> str:
    diff = difflib.unified_diff(_lines(block.text), _lines(actual), "expected", "actual", lineterm="")
    return "\n".join([f"the `{block.kind}` block differs ({ACCEPT}=1 rewrites it):", *diff])
