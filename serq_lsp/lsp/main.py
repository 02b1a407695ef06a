"""`serq-lsp`: the language server's command. Nothing heavy is loaded before the options are understood."""

from __future__ import annotations

import sys

USAGE = """\
usage: serq-lsp --stdio | --tcp HOST:PORT | --version | --help
  --stdio          speak the Language Server Protocol on standard input and output (what editors start)
  --tcp HOST:PORT  wait for one client on a socket; port 0 takes a free one and says which on standard error
  --log LEVEL      how much is logged on standard error: error, warning (default), info, debug
"""
RECURSION = 6000
"""Python frames: trees are at most 1000 levels deep, and passes take at most four frames a level."""
LEVELS = ("error", "warning", "info", "debug")


def run(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments (default: the process's).

    Returns:
        0 after a proper `shutdown`, 1 where the client left without, 2 for wrong usage.

    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    level = "warning"
    if "--log" in words:
        at = words.index("--log")
        level = words[at + 1] if at + 1 < len(words) else ""
        del words[at : at + 2]
    if level not in LEVELS:
        return _usage()
    match words:
        case ["--version"]:
            print(f"serq-lsp {version()}")  # noqa: T201 (the answer)
            return 0
        case ["--help" | "-h"]:
            print(USAGE, end="")  # noqa: T201 (the answer)
            return 0
        case ["--stdio"]:
            return _stdio(level)
        case ["--tcp", address] if (place := _address(address)) is not None:
            return _tcp(*place, level)
        case _:
            return _usage()


def version() -> str:
    """Return the version of this package."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("serq-lsp")
    except PackageNotFoundError:
        return "0"


def _usage() -> int:
    print(USAGE, end="", file=sys.stderr)  # noqa: T201 (the answer)
    return 2


def _address(text: str) -> tuple[str, int] | None:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not int(port) < 1 << 16:
        return None
    return host.strip("[]") or "127.0.0.1", int(port)


def _start(level: str) -> None:
    import gc
    import logging

    gc.disable()  # until everything is loaded: half a thousand classes are made, and none is garbage
    sys.setrecursionlimit(RECURSION)
    logging.basicConfig(level=level.upper(), stream=sys.stderr, format="serq-lsp: %(levelname)s: %(message)s")
    for noisy in ("pygls", "asyncio"):  # such as a child that was killed and waited for at the same moment
        logging.getLogger(noisy).setLevel(logging.ERROR)


def _stdio(level: str) -> int:
    """Serve on the process's own streams; whatever else prints goes to standard error (P12)."""
    import asyncio
    import os

    # A reader of our own: the thread that waits in it must not hold the lock of sys.stdin when the process ends.
    reader, writer = os.fdopen(sys.stdin.fileno(), "rb", closefd=False), sys.stdout.buffer
    sys.stdout = sys.stderr
    _start(level)
    from serq_lsp.lsp.server import converse

    return asyncio.run(converse(reader, writer, _give_up))


def _tcp(host: str, port: int, level: str) -> int:
    import asyncio
    import socket

    _start(level)
    from serq_lsp.lsp.server import converse

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as fault:
        print(f"serq-lsp: cannot listen on {host}:{port}: {fault.strerror}", file=sys.stderr)  # noqa: T201
        return 1
    with listener:
        print(f"serq-lsp: listening on {host}:{listener.getsockname()[1]}", file=sys.stderr, flush=True)  # noqa: T201
        connection, _ = listener.accept()
    with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        return asyncio.run(converse(reader, writer, _give_up))


def _give_up() -> None:
    """End the process at once."""
    import os

    os._exit(1)
