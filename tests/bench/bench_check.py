"""What `serq check` of one file costs beside `python -c pass`: run it directly, or through `make bench`.

The children find compiled files in a temporary folder, as those of users do, whatever PYTHONDONTWRITEBYTECODE says here.
The time of the processor tells more than that of the clock where the machine has other work.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.sq"))
ENTRY = "import sys; from serq_lsp.cli.main import run; sys.exit(run())"
ROUNDS = 15


def timed(words: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Run a child; return the milliseconds of the clock and of the processor that it took."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (end - start) * 1000, busy * 1000


def main() -> int:
    """Print the medians in milliseconds, taken in turns so that a busy machine slows all alike."""
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands |= {f"serq check {it.name}": [sys.executable, "-c", ENTRY, "check", str(it)] for it in EXAMPLES}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as compiled:
        environment = {name: it for name, it in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = compiled
        for round_number in range(1 + ROUNDS):
            for name, words in commands.items():
                took = timed(words, environment)
                if round_number:  # the first one compiles
                    times[name].append(took)
    medians = {name: [statistics.median(column) for column in zip(*it, strict=True)] for name, it in times.items()}
    wall, busy = medians["python -c pass"]
    print(f"{'':36} {'clock':>10} {'more':>10} {'processor':>13} {'more':>10}")
    for name, (own_wall, own_busy) in medians.items():
        print(f"{name:36} {own_wall:7.1f} ms {own_wall - wall:+7.1f} ms {own_busy:10.1f} ms {own_busy - busy:+7.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
