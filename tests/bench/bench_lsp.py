"""How fast the server answers over its standard streams, beside its goals: `python tests/bench/bench_lsp.py [--rounds N]`.

The program has about 200 lines. Every figure is taken by a client in another process, from the first byte sent to the
answer decoded. It times nothing when imported.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.lsp.programs import SEPARATE, SLOW  # noqa: E402 (run as a script, the checkout is not on the path)
from tests.lsp.wire import Client, part  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

URI = "file:///bench/a.sq"
SEED = "file:///bench/seed.sq"
PAUSE = 0.02
"""Seconds between two keys of somebody who types fast."""
GOALS = {
    "initialize": 400,
    "change → diagnostics": 10,
    "change → diagnostics, typing": 10,
    "hover": 3,
    "definition": 3,
    "completion": 10,
    "semantic tokens": 10,
    "document symbols": 10,
    "run → trace, seed 003": 150,
    "run → trace, first of all": 400,
    "run → trace, 200 lines": 400,
    "stale mark": 20,
    "cancel of a run": 50,
    "hover while a program runs": 20,
}
"""Milliseconds at the 95th percentile (design/editor.md 4 and issue 4)."""


def program() -> str:
    """Return the seed with separate phases and as much around it as makes 200 lines."""
    lines = [f"let a{at} = {at} + {'a' + str(at - 1) if at else 1};" for at in range(60)]
    lines += [
        f"def f{at}(x, y) = min(x, y * a{at}) + ceil(x / {at + 1});  // scheduler.py:{at + 600}" for at in range(60)
    ]
    lines += [f"pool extra{at} {{ cap {at + 1}; block 1; evict lru; }}" for at in range(25)]
    lines += [f"gauge g{at} = f{at}(used(kv), queued(reqs));" for at in range(25)]
    head, tail = SEPARATE.split("workload {", 1)
    return head + "\n".join(lines) + "\nworkload {" + tail


def timed(rounds: int, work: Callable[[int], object]) -> list[float]:
    """Return how long each of so many rounds took, in milliseconds."""
    found: list[float] = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        found.append((time.perf_counter() - start) * 1000)
    return found


def start() -> float:
    """Return the milliseconds from starting a server to its answer to `initialize`."""
    began = time.perf_counter()
    client = Client()
    client.initialize()
    took = (time.perf_counter() - began) * 1000
    client.end()
    return took


def run(client: Client, uri: str = URI) -> None:
    """Run the program and ask for its hints."""
    answer = client.call("workspace/executeCommand", {"command": "serq.run", "arguments": [uri]})
    assert any(label.startswith("ITER") for label in hints(client, uri)), answer


def hints(client: Client, uri: str = URI) -> list[str]:
    """Return the labels of all hints."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    return [it["label"] for it in client.about("inlayHint", uri, range=whole)]


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each measure."""
    found = {"initialize": [start() for _ in range(max(3, rounds // 20))]}
    text = program()
    client = Client()
    client.initialize()
    client.open(URI, text)
    client.found(URI, 1)
    line = text[: text.index("prefill prompt")].count("\n")
    version = 1

    def change(number: int) -> None:
        nonlocal version
        version += 1
        client.change(URI, version, part(line, 0, number % 2, "" if number % 2 else " "))
        client.found(URI, version)

    found["run → trace, first of all"] = timed(1, lambda _: run(client))
    found["change → diagnostics"] = timed(rounds, change)

    def type_slowly(number: int) -> None:
        change(number)
        time.sleep(PAUSE)

    found["change → diagnostics, typing"] = [it - 1000 * PAUSE for it in timed(rounds, type_slowly)]
    found["hover"] = timed(rounds, lambda _: client.about("hover", URI, line, 6))
    found["definition"] = timed(rounds, lambda _: client.about("definition", URI, line, 14))
    found["completion"] = timed(rounds, lambda _: client.about("completion", URI, line, 4))
    found["semantic tokens"] = timed(rounds, lambda _: client.about("semanticTokens/full", URI))
    found["document symbols"] = timed(rounds, lambda _: client.about("documentSymbol", URI))
    client.open(SEED, SEPARATE)
    client.found(SEED, 1)
    found["run → trace, seed 003"] = []
    found["run → trace, 200 lines"] = []
    found["stale mark"] = []
    for number in range(max(5, rounds // 10)):
        for name, uri in (("run → trace, seed 003", SEED), ("run → trace, 200 lines", URI)):
            time.sleep(0.5)  # an editor is idle between two runs; the next child is started meanwhile
            found[name] += timed(1, lambda _, uri=uri: run(client, uri))  # type: ignore[misc]

        def stale(_: int, number: int = number) -> None:
            nonlocal version
            version += 1
            client.change(URI, version, part(line, 0, number % 2, "" if number % 2 else " "))
            assert all(label.startswith("stale") for label in hints(client))

        found["stale mark"] += timed(1, stale)
    client.open("file:///bench/slow.sq", SLOW)
    client.found("file:///bench/slow.sq", 1)
    found["cancel of a run"] = []
    found["hover while a program runs"] = []
    for _ in range(max(3, rounds // 20)):
        arguments = {"command": "serq.run", "arguments": ["file:///bench/slow.sq"]}
        wanted = client.ask("workspace/executeCommand", arguments)
        time.sleep(0.5)
        found["hover while a program runs"] += timed(20, lambda _: client.about("hover", URI, line, 6))
        began = time.perf_counter()
        client.notify("$/cancelRequest", {"id": wanted})
        client.until(lambda wanted=wanted: client.answered(wanted), "answer")  # type: ignore[misc]
        found["cancel of a run"].append((time.perf_counter() - began) * 1000)
    client.end()
    return found


def main() -> int:
    """Print p50 and p95 of each measure in milliseconds, and whether it meets its goal."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=100)
    rounds = options.parse_args().rounds
    print(f"{program().count(chr(10))} lines\n{'':32} {'p50':>8} {'p95':>8} {'goal':>6}")
    for name, took in measure(rounds).items():
        ordered = sorted(took)
        worst = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        goal = GOALS[name]
        verdict = "" if worst <= goal else "  above"
        print(f"{name:32} {statistics.median(took):8.2f} {worst:8.2f} {goal:6}{verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
