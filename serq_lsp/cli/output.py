"""Writing to standard output, where the reader may go away at any time."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable


def show(lines: Iterable[str]) -> bool:
    """Print lines as they come; say whether anybody still reads. Where the pipe is closed, nothing more is taken."""
    try:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def complain(message: str) -> None:
    """Print a message on stderr, with the name of the command before it."""
    try:
        print(f"serq: {message}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def coloured(stream: TextIO) -> bool:
    """Say whether colours are wanted: on a terminal that has them, unless NO_COLOR is set to something."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
