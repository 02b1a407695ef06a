"""The command line as data."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serq_lsp.ide.config import Given

EDITIONS = ("auto", "classic", "engine", "current")
HELP_WIDTH = 80
"""Columns of the help. Where argparse has to find out how wide the terminal is, every option costs start-up time."""
FORMATS = ("text", "concise", "json", "sarif", "github")


class Options(argparse.Namespace):
    """The parsed command line; which attributes there are depends on the sub-command (`command`)."""

    command: str
    paths: list[str]
    file: str
    name: list[str]
    rest: list[str]
    edition: str
    seed: int | None
    horizon: float | None
    warmup: float | None
    arrivals: int | None
    set: list[tuple[str, str]]
    define: list[tuple[str, str]]
    trace: str | None
    workload: str | None
    format: str
    fail_on: str
    fix: bool
    summary: bool
    stdin_filename: str | None
    json: bool
    dump: str | None
    max_events: int | None
    max_seconds: float | None
    limit: int | None
    pools: bool
    all: bool
    aliases: bool


class _Version(argparse.Action):
    """Prints the version, looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"serq {version('serq-lsp')}")
        parser.exit()


def parse(arguments: list[str]) -> Options:
    """Return the options of a command line.

    Raises:
        SystemExit: 2 for a command line that is not understood, 0 after `--help` and `--version`.
    """
    if arguments[:1] == ["lsp"]:
        return Options(command="lsp", rest=arguments[1:])
    options = _parser(*arguments[:1]).parse_args(arguments, namespace=Options())
    if options.command == "check" and options.fix and "-" in options.paths:
        _parser().error("--fix cannot rewrite standard input: name a file")
    return options


def given(options: Options) -> Given:
    """Return the run settings that the command line gives."""
    from serq_lsp.ide.config import Given

    return Given(
        edition=None if options.edition == "auto" else options.edition,
        seed=options.seed,
        horizon=options.horizon,
        warmup=options.warmup,
        arrivals=options.arrivals,
        trace=options.trace,
        workload=options.workload,
        sets=dict(options.set),
        defs=dict(options.define),
    )


def _parser(wanted: str = "") -> argparse.ArgumentParser:
    """Return the parser; only the sub-command `wanted` where that is one, for making all costs start-up time."""
    lines = partial(argparse.HelpFormatter, width=HELP_WIDTH)
    usual = "2: not a command line of serq; 3: a fault of serq itself; 130: interrupted."
    top = argparse.ArgumentParser(
        prog="serq", description="Check and run serQ programs.", allow_abbrev=False, formatter_class=lines
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show the version and end")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", prog="serq")
    for name, (about, codes, fill) in COMMANDS.items():
        if wanted not in COMMANDS or name == wanted:
            words = f"{about[0].upper()}{about[1:]}."
            ends = f"Exit code 0: {codes} {usual}"
            fill(
                commands.add_parser(
                    name, help=about, description=words, epilog=ends, allow_abbrev=False, formatter_class=lines
                )
            )
    return top


def _check(it: argparse.ArgumentParser) -> None:
    it.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files, folders (walked for *.sq), or -")
    it.add_argument("--format", choices=FORMATS, default="text", help="how findings are shown (default: text)")
    it.add_argument("--fail-on", choices=("error", "warning"), default="error", help="what makes the exit code 1")
    it.add_argument("--fix", action="store_true", help="make the changes that findings offer, then check again")
    it.add_argument("--summary", action="store_true", help="end with a line that counts")
    _settings(it)


def _run(it: argparse.ArgumentParser) -> None:
    _program(it)
    it.add_argument("--json", action="store_true", help="the report as JSON")
    it.add_argument("--dump", metavar="DIR", help="write report.json and the samples as CSV into a folder")
    _limits(it)


def _trace(it: argparse.ArgumentParser) -> None:
    _program(it)
    it.add_argument("--limit", type=_count, metavar="N", help="stop after N lines")
    it.add_argument("--pools", action="store_true", help="add what is used and cached of the engine's memory")
    it.add_argument("--json", action="store_true", help="one JSON object a line, with places in the source")
    _limits(it)


def _explain(it: argparse.ArgumentParser) -> None:
    it.add_argument("name", nargs="*", metavar="WORD", help="a rule, or the words of a construct (`preempt lifo`)")
    it.add_argument("--all", action="store_true", help="show all native lines, and all constructs of a word")
    it.add_argument("--aliases", action="store_true", help="the reference's names of our rules, as JSON")


def _lsp(it: argparse.ArgumentParser) -> None:
    it.add_argument("rest", nargs="*", metavar="OPTION", help="see `serq-lsp --help`")


def _program(it: argparse.ArgumentParser) -> None:
    it.add_argument("file", metavar="FILE", help="a program, or - for standard input")
    _settings(it)


def _settings(it: argparse.ArgumentParser) -> None:
    it.add_argument("--edition", choices=EDITIONS, default="auto", help="the language's edition (default: auto)")
    it.add_argument("--stdin-filename", metavar="PATH", help="the name of what `-` reads from standard input")
    it.add_argument("--seed", type=int, metavar="N", help="begin the random numbers with N")
    it.add_argument("--horizon", type=float, metavar="SECONDS", help="end the run then")
    it.add_argument("--warmup", type=float, metavar="SECONDS", help="count from then on")
    it.add_argument("--arrivals", type=int, metavar="N", help="let exactly N sessions arrive, then drain")
    it.add_argument("--set", type=_pair, action="append", default=[], metavar="NAME=EXPR", help="replace a constant")
    it.add_argument("--def", type=_pair, action="append", default=[], dest="define", metavar="NAME=EXPR",
                    help="replace the body of a definition")  # fmt: skip
    it.add_argument("--trace", metavar="FILE", help="replay this log of sessions")
    it.add_argument("--workload", metavar="FILE", help="the workload of a deployment (current edition)")


def _limits(it: argparse.ArgumentParser) -> None:
    it.add_argument("--max-events", type=_count, metavar="N", help="give up after N events")
    it.add_argument("--max-seconds", type=_seconds, metavar="S", help="give up after S seconds of real time")


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"`{text}` is not NAME=EXPR")
    return name.strip(), value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number of at least 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value > 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds above 0")
    return value


_RUN_CODES = "it ran to its end; 1: it has errors, or stopped early;"
COMMANDS = {
    "check": (
        "find faults in programs",
        "no errors (nor warnings, with --fail-on warning); 1: some, or an option that a program does not take;",
        _check,
    ),
    "run": ("run a program and show its report", _RUN_CODES, _run),
    "trace": ("run a program and show its iterations", _RUN_CODES, _trace),
    "ir": ("show a program in the kernel's form, as JSON", "shown; 1: the program has errors;", _program),
    "explain": ("show the page of a rule or construct", "shown; 1: there is no such page;", _explain),
    "lsp": ("run the language server", "it was shut down; 1: it was not;", _lsp),
}
"""The sub-commands: what each does, when it ends with 0 and 1, and what fills its parser."""
