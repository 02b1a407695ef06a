"""A program on standard input, which the path `-` stands for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from serq_lsp.ide import files

if TYPE_CHECKING:
    from serq_lsp.ide.host import Host

STDIN = "<stdin>"
"""The name of standard input where no other is given."""


def standard_input(name: str | None, host: Host) -> str:
    """Read standard input into `host`, as the file of this name; return the name."""
    named = name or STDIN
    host.put(named, files.decode(named, sys.stdin.buffer.read(files.BYTES_MAX + 1)))
    return named
