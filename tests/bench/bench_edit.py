"""What one keystroke costs in process, from the edit to its findings: run it directly, or through `make bench`."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from pathlib import Path

from serq_lsp.ide.host import Host
from serq_lsp.lsp.server import GARBAGE
from serq_lsp.text.edits import Edit
from serq_lsp.text.spans import Span

EXAMPLE = Path(__file__).resolve().parents[2] / "docs/examples/vllm.sq"
LINES = 200
ROUNDS = 40
WARM_UP = 3
PHASES = ("parse", "analyse", "check", "all")


def program() -> str:
    """Return a sound program of so many lines: the example, with more constants, definitions and statements."""
    text = EXAMPLE.read_text(encoding="utf-8")
    more = (1 + LINES - text.count("\n")) // 3
    constants = [f"let k{at} = {f'k{at - 1} + 1' if at else 1};" for at in range(more)]
    definitions = [f"def f{at}(x, y) = min(x, y * k{at}) + ceil(x / {at + 1});" for at in range(more)]
    statements = [f"      observe seen{at} = f{at}(known, c);  // scheduler.py:{at + 600}" for at in range(more)]
    text = text.replace("\nfn main", "\n".join(["", *constants, *definitions]) + "\n\nfn main", 1)
    return text.replace("      prefill (", "\n".join(statements) + "\n      prefill (", 1)


def places(text: str) -> dict[str, Edit]:
    """Return what is typed, by name: one character each, where people type."""

    def typed(before: str, character: str) -> Edit:
        at = text.index(before) + len(before)
        return Edit(Span(at, at), character)

    return {
        "a digit of a constant": typed("let p = 0.9", "5"),
        "a letter of a comment": typed("// What vLLM does", "x"),
        "a blank in a statement": typed("set kept =", " "),
        "a name that nothing sets": typed("observe hit = c", "x"),
        "a bracket that nothing closes": typed("prefill (", "("),
    }


def measure(text: str, typed: Edit) -> dict[str, list[float]]:
    """Return the milliseconds (of the processor) of each phase of typing a character and of taking it back, in turns."""
    path = str(EXAMPLE)
    host = Host()
    host.open(path, text, 0)
    host.snapshot().findings(path)
    gone = Edit(Span(typed.span.start, typed.span.start + 1), "")
    found: dict[str, list[float]] = {phase: [] for phase in PHASES}
    for round_number in range(WARM_UP + ROUNDS):
        marks = [time.process_time()]
        host.change(path, [gone if round_number % 2 else typed], round_number + 1)
        snapshot = host.snapshot()
        for phase in (snapshot.tree, snapshot.model, snapshot.findings):
            phase(path)
            marks.append(time.process_time())
        if round_number >= WARM_UP:
            took = [marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[2], marks[3] - marks[0]]
            for name, seconds in zip(PHASES, took, strict=True):
                found[name].append(seconds * 1000)
    return found


def main() -> int:
    """Print the medians in milliseconds, and the 95th percentile of the whole, garbage collected as in the server."""
    gc.set_threshold(*GARBAGE)
    gc.freeze()
    text = program()
    print(f"{text.count(chr(10))} lines, {len(text)} characters")
    print(f"{'':32}{''.join(f'{phase:>10}' for phase in PHASES)}{'p95':>10}")
    for name, typed in places(text).items():
        found = measure(text, typed)
        medians = "".join(f"{statistics.median(found[phase]):10.2f}" for phase in PHASES)
        print(f"{name:32}{medians}{sorted(found['all'])[int(ROUNDS * 0.95)]:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
