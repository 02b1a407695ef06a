"""`serq ir`: a program in the kernel's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.cli.output import show
from serq_lsp.cli.program import prepared

if TYPE_CHECKING:
    from serq_lsp.cli.options import Options


def ir(options: Options) -> int:
    """Print the program as JSON; return 1 where it has errors, else 0."""
    program = prepared(options)
    if program is None:
        return 1
    show([program.ir_text()])
    return 0
