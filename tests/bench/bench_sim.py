"""How fast the interpreter runs: iterations a second on seed 002 at horizon 300, beside the reference if it is given.

Run as a script: `python tests/bench/bench_sim.py [--oracle DIR] [--horizon S] [--repeat N]`. It times nothing when imported.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from serq_lsp.ir.codec import from_data
from serq_lsp.sim.run import Options, run

PROGRAM = Path(__file__).parents[1] / "conformance/engine/run/vllm.ir.json"
ORACLE = """
import sys, time
sys.path.insert(0, sys.argv[1])
import pyserq
program = pyserq.Program.from_json(sys.stdin.read())
best = None
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    report = pyserq.run(program)
    took = time.perf_counter() - start
    best = took if best is None else min(best, took)
print(best, sum(stage.iterations for stage in report.stages))
"""


def ours(data: dict[str, object], repeat: int, *, traced: bool) -> tuple[float, int]:
    """The best time in seconds of `repeat` runs, and the number of iterations."""
    best = float("inf")
    iterations = 0
    for _ in range(repeat):
        start = time.perf_counter()
        result = run(from_data(data), Options(), (lambda _: None) if traced else None)
        best = min(best, time.perf_counter() - start)
        iterations = result.iterations
    return best, iterations


def oracle(data: dict[str, object], folder: str, repeat: int) -> tuple[float, int]:
    """The same for the reference, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", ORACLE, folder, str(repeat)],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        check=True,
    )
    took, iterations = done.stdout.split()
    return float(took), int(iterations)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oracle", metavar="DIR", help="folder that holds the reference's Python package")
    parser.add_argument("--horizon", type=float, default=300.0, help="seconds to simulate")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    chosen = parser.parse_args()
    data = json.loads(PROGRAM.read_text(encoding="utf-8"))
    data["horizon"] = chosen.horizon
    rates = {}
    for name, traced in (("ours", False), ("ours, traced", True)):
        took, iterations = ours(data, chosen.repeat, traced=traced)
        rates[name] = iterations / took
        print(f"{name:13} {iterations:>9,} iterations {took:8.3f} s {rates[name]:>12,.0f} iterations/s")
    if chosen.oracle:
        took, iterations = oracle(data, chosen.oracle, chosen.repeat)
        rate = iterations / took
        print(f"{'reference':13} {iterations:>9,} iterations {took:8.3f} s {rate:>12,.0f} iterations/s")
        print(f"ours / reference: {rates['ours'] / rate:.3f}")


if __name__ == "__main__":
    main()
