"""What `run`, `trace` and `ir` have in common: a program made ready, or the reasons on stderr why it is not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from serq_lsp.cli.options import given
from serq_lsp.cli.output import coloured, complain
from serq_lsp.cli.standard_input import standard_input
from serq_lsp.diag.render_text import render
from serq_lsp.diag.report import FileReport, Report
from serq_lsp.ide.host import Host
from serq_lsp.ide.runs import Refused, prepare

if TYPE_CHECKING:
    from serq_lsp.cli.options import Options
    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.runs import Prepared
    from serq_lsp.ide.snapshot import Snapshot


def prepared(options: Options) -> Prepared | None:
    """Return the program of the command line; None where it is refused.

    The reasons then stand on stderr; so do the errors of a program that loads all the same.
    """
    host = Host()
    path = standard_input(options.stdin_filename, host) if options.file == "-" else options.file
    snapshot = host.snapshot()
    answer = prepare(snapshot, path, given(options))
    if not isinstance(answer, Refused):
        _tell(snapshot, path, answer.remarks)
        return answer
    _tell(snapshot, path, answer.findings)
    for message in answer.problems:
        complain(message)
    return None


def _tell(snapshot: Snapshot, file: str, findings: tuple[Finding, ...]) -> None:
    if not findings:
        return
    paths = {it.path: None for it in findings}
    paths |= {note.path: None for it in findings for note in it.notes if note.path}
    sources = {path: snapshot.source(path) for path in paths}
    report = Report((FileReport(file, None, findings),), sources)
    print("\n".join(render(report, colour=coloured(sys.stderr))), file=sys.stderr)
