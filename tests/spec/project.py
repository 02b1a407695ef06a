"""The files of a fixture as a host that reads nothing else."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from serq_lsp.cli.options import given, parse
from serq_lsp.ide.files import Unreadable
from serq_lsp.ide.host import Host
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.cli.options import Options
    from serq_lsp.ide.config import Given
    from tests.harness.cases import Case


def host(case: Case) -> Host:
    """Return a host whose disk holds the files of a case."""

    def read(path: str) -> Source | Unreadable:
        if path in case.files:
            return Source(path, case.files[path])
        return Unreadable(path, "missing", "does not exist", "check the path", Source(path, ""), Span(0, 0))

    return Host(read)


def options(case: Case, command: str, more: str = "") -> Options:
    """Return the options that the info string of the program, and that of a block, give to a command."""
    return parse([command, *shlex.split(case.args), *shlex.split(more), case.main])


def settings(case: Case) -> Given:
    """Return the run settings that the info string of the program gives."""
    return given(options(case, "check"))
