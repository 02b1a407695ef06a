"""The command `serq`: reads the command line, calls the sub-command, and turns whatever happens into an exit code.

0 done and nothing found; 1 findings, or a program that does not load or run, or a limit reached; 2 usage; 3 a fault of
serq itself; 130 interrupted. Nothing is imported before it is needed: `serq check` of a file must feel immediate.
"""

from __future__ import annotations

import sys

RECURSION = 6000
"""Trees are 1000 levels deep at most, and a pass uses four frames a level at most."""
GARBAGE = 100_000
"""So many new objects between two looks for garbage in circles; loading makes many, and hardly any go in circles."""
INTERNAL = 3
INTERRUPTED = 130


def run(arguments: list[str] | None = None) -> int:
    """Run `serq` with these arguments (default: those of the process) and return its exit code; never raises."""
    import gc

    sys.setrecursionlimit(RECURSION)
    if arguments is None:
        gc.set_threshold(GARBAGE)
    try:
        _prepare_streams()
        code = _command(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except SystemExit as exit_:  # argparse: 0 after --help, 2 for usage
        return exit_.code if isinstance(exit_.code, int) else 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return 0
    except BaseException as fault:  # noqa: BLE001 (the one place where a fault of ours is caught)
        return _internal_fault(fault)
    finally:
        if arguments is None:
            gc.freeze()  # the process ends: what it holds need not be searched for garbage once more
    return code


def _command(arguments: list[str]) -> int:
    from serq_lsp.cli.options import parse

    options = parse(arguments)
    match options.command:
        case "check":
            from serq_lsp.cli.check import check

            return check(options)
        case "run":
            from serq_lsp.cli.run import run_program

            return run_program(options)
        case "trace":
            from serq_lsp.cli.trace import trace

            return trace(options)
        case "ir":
            from serq_lsp.cli.ir import ir

            return ir(options)
        case "explain":
            from serq_lsp.cli.explain import explain

            return explain(options)
        case _:
            return lsp(options.rest)


def lsp(arguments: list[str]) -> int:
    """Run the language server; the only place of this room that knows it."""
    from serq_lsp.lsp.main import run as serve

    return int(serve(arguments) or 0)


def _prepare_streams() -> None:
    """Write UTF-8 to pipes and files whatever the locale says, and never fail for a character that cannot be shown."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(**({} if stream.isatty() else {"encoding": "utf-8"}), errors="backslashreplace")


def _close_stdout() -> None:
    """Let the interpreter's last flush go nowhere: the reader of the pipe is gone."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal_fault(fault: BaseException) -> int:
    """Report a fault of serq on stderr: what, where the traceback is, what to do with it."""
    import contextlib
    import os
    import traceback

    words = f"{type(fault).__name__}: {fault}".splitlines()[0][:300]
    lines = [f"serq: a fault of serq itself, not of your program: {words}"]
    text = "".join(traceback.format_exception(type(fault), fault, fault.__traceback__))
    if os.environ.get("SERQ_DEBUG") == "1":
        lines.append(text.rstrip())
    else:
        lines.append(_keep(text))
    lines.append("Please report it, with the traceback and the program, where you have serq from (its issue tracker).")
    with contextlib.suppress(OSError):
        print("\n".join(lines), file=sys.stderr)
    return INTERNAL


def _keep(text: str) -> str:
    """Write the traceback into a file of the user's temporary folder; return the line that says where."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="serq-fault-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
    except OSError as error:
        return f"The traceback could not be kept ({error}); set SERQ_DEBUG=1 to see it."
    return f"The traceback is in {file.name} (SERQ_DEBUG=1 shows it here)."
