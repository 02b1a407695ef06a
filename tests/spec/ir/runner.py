"""Layer `ir`: an `ir` block holds what `serq ir` prints, or the reasons why a program has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.cli.options import given
from serq_lsp.ide.runs import Refused, prepare
from tests.harness.runners import Outcome
from tests.spec.project import host, options

if TYPE_CHECKING:
    from tests.harness.cases import Case


def run(case: Case) -> Outcome:
    """Lower the main file as the info string of the program says."""
    prepared = prepare(host(case).snapshot(), case.main, given(options(case, "ir")))
    if isinstance(prepared, Refused):
        return Outcome({"ir": "\n".join([*prepared.problems, *(it.message for it in prepared.findings)])})
    return Outcome({"ir": prepared.ir_text()})
