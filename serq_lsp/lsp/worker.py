"""The child process that runs a program: one job on standard input, JSON lines on standard output, then the end.

The job is one line. The server keeps the pipe open as long as it wants the answer; when it closes, or the server is
gone, the child ends at once.
"""

from __future__ import annotations

import sys

RECURSION = 6000
"""Python frames, as in the server (architecture.md, recursion)."""


def command() -> list[str]:
    """Return the words that start a worker: with this package, this process's import path and nothing else.

    Neither the working directory (which is a user's project) nor environment variables nor site packages that this
    process does not use can put another module in the place of ours.
    """
    from pathlib import Path

    package = str(Path(__file__).resolve().parents[2])
    paths = [package, *(it for it in sys.path if it and it != package)]
    code = f"import sys; sys.path[:] = {paths!r}; from serq_lsp.lsp.worker import run; run()"
    return [sys.executable, "-I", "-S", "-c", code]


def run() -> None:
    """Work off the one job of this process."""
    import json
    import os
    import threading

    sys.setrecursionlimit(RECURSION)
    out, sys.stdout = sys.stdout, sys.stderr
    from serq_lsp.ide.trace_run import execute

    out.write("\n")  # ready
    out.flush()
    reader = os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    line = reader.readline()
    if not line.strip():
        return
    job = json.loads(line)

    def watch() -> None:
        reader.read()  # returns when the server closes the pipe or is gone
        os._exit(0)

    threading.Thread(target=watch, name="watch", daemon=True).start()
    _limit(job["memory"], job["seconds"])

    def say(message: object) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        for message in execute(job):
            say(message)
    except MemoryError:
        reason = f"the run needs more than {job['memory'] >> 20} MiB of memory"
        say({"broken": {"kind": "memory", "message": reason}})
    except RecursionError:
        say({"broken": {"kind": "too-deep", "message": "the program is nested too deeply to be run"}})
    except BrokenPipeError:
        os._exit(0)
    os._exit(0)  # the watching thread is of no use any more


def _limit(memory: int, seconds: float) -> None:
    """Limit the process: address space in bytes, processor time in seconds; where the system cannot, the server kills."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds) + 2)):
        try:
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (OSError, ValueError):
            pass
