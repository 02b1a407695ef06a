"""Runs every benchmark of tests/bench, one after the other: `python -m serq_lsp.dev.bench [NAME…]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "bench"


def main(names: list[str]) -> int:
    """Run the benchmarks whose file name holds one of `names` (all without any); return the worst exit code."""
    worst = 0
    for script in sorted(FOLDER.glob("bench_*.py")):
        if names and not any(name in script.stem for name in names):
            continue
        sys.stdout.write(f"== {script.stem}\n")
        sys.stdout.flush()
        worst = max(worst, subprocess.run([sys.executable, str(script)], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
