"""Show what serQ's tools do: check and trace the examples, a mistake and its cure, and a session in an editor."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERQ = Path(sys.executable).with_name("serq")
LINES_MAX = 12
"""How many lines of a long output are shown."""

EXAMPLES = {
    "separate_phases.sq": "`0:0:p2` reads: session 0, turn 0, a prefill of 2 tokens. A prefill never shares an iteration with a "
    "decode: while session 1 is prefilled, session 0 waits.",
    "rbln.sq": "The scheduler of vllm-rbln: one prefill chunk at a time, or decodes only; six requests, four at once.",
    "vllm.sq": "The scheduler of vLLM v1: chunked prefill beside decodes under a token budget, prefix cache, preemption.",
}
"""The programs in docs/examples, and what to see in their iterations."""

MISTAKE = """\
pool slots { cap 2; admit via engine; }
stage engine : step { budget 4; chunk 4; cost 1; }
workload { arrive batch(2); init { set prompt = serial + 3; } }
session { hold slotz (1) { prefill prompt; decode (1); } end; }
run { horizon 10; warmup 0; seed 1; }
"""
"""A program in which `slots` is misspelt once."""


def main() -> int:
    """Run the demonstration.

    Returns:
        0, or 1 where a command did not do what it should: the examples are clean and run, the mistake is found and cured.
    """
    failed = 0
    for number, (name, about) in enumerate(EXAMPLES.items(), 1):
        heading(f"{number}. docs/examples/{name}", about)
        failed += show("check", "--summary", f"docs/examples/{name}", expected=0)
        failed += show("trace", f"docs/examples/{name}", expected=0)
    heading(
        "4. A mistake",
        "The hold names a pool that does not exist. The message says where, and what was meant; --fix cures it.",
    )
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "mistake.sq"
        program.write_text(MISTAKE, encoding="utf-8")
        failed += show("check", "mistake.sq", expected=1, folder=folder)
        failed += show("check", "--fix", "mistake.sq", expected=0, folder=folder)
        failed += show("trace", "mistake.sq", expected=0, folder=folder)
    heading("5. In an editor", "The real server, driven over stdio; « … » stands where an editor shows an inlay hint.")
    print(flush=True)
    failed += subprocess.run([sys.executable, ROOT / "scripts" / "session.py"], check=False).returncode != 0
    heading(
        "Further", "`serq explain reserve` shows a construct with the native lines behind it, `serq --help` the rest."
    )
    return 1 if failed else 0


def heading(title: str, about: str) -> None:
    """Print a title underlined, and what to look at."""
    print(f"\n{title}\n{'─' * len(title)}")
    print(textwrap.fill(about, 100))


def show(*words: str, expected: int, folder: str | Path = ROOT) -> int:
    """Run `serq` with these words in a folder and print what it prints, shortened.

    Returns:
        0 where it ended with the expected exit code, else 1.
    """
    print(f"\n$ serq {' '.join(words)}", flush=True)
    done = subprocess.run([SERQ, *words], cwd=folder, capture_output=True, text=True, check=False)
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    for line in lines[:LINES_MAX]:
        print(f"  {line}")
    if len(lines) > LINES_MAX:
        print(f"  … {len(lines) - LINES_MAX:,} more lines")
    if done.returncode == expected:
        return 0
    print(f"  (ended with exit code {done.returncode}; {expected} was expected)")
    return 1


if __name__ == "__main__":
    sys.exit(main())
