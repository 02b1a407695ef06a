"""Show what serQ's tools do: check and trace the example programs, then a mistake, its message and its cure."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"
SERQ = Path(sys.executable).with_name("serq")
LINES_MAX = 12
"""How many lines of a long output are shown."""

MISTAKE = """\
pool slots { cap 2; admit via engine; }
stage engine : step { budget 4; chunk 4; cost 1; }
workload { arrive batch(1); init { set prompt = 3; } }
session { hold slotz (1) { prefill prompt; decode (1); } end; }
run { horizon 10; warmup 0; seed 1; }
"""


def main() -> int:
    """Run the demonstration.

    Returns:
        0, or 1 where a command did not do what it should: the examples are clean and run, the mistake is found.
    """
    failed = 0
    for example in sorted(EXAMPLES.glob("*.sq")):
        name = str(example.relative_to(ROOT))
        failed += show("check", name, expected=0)
        failed += show("trace", name, expected=0)
    print("\nA mistake, `slotz` for `slots`, and what is said about it:")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "mistake.sq"
        program.write_text(MISTAKE, encoding="utf-8")
        failed += show("check", str(program), expected=1)
    return 1 if failed else 0


def show(*words: str, expected: int) -> int:
    """Run `serq` with these words and print what it prints, shortened.

    Returns:
        0 where it ended with the expected exit code, else 1.
    """
    print(f"\n$ serq {' '.join(words)}", flush=True)
    done = subprocess.run([SERQ, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    for line in lines[:LINES_MAX]:
        print(line)
    if len(lines) > LINES_MAX:
        print(f"… {len(lines) - LINES_MAX} more lines")
    if done.stderr:
        print(done.stderr.rstrip())
    if done.returncode == expected:
        return 0
    print(f"(ended with exit code {done.returncode}; {expected} was expected)")
    return 1


if __name__ == "__main__":
    sys.exit(main())
