"""What a keystroke costs until there is a tree, beside a parse from scratch: run it directly, or through `make bench`."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from serq_lsp.syntax.strict import check, faults
from serq_lsp.syntax.tree import parse
from serq_lsp.text.edits import Edit
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = Path(__file__).resolve().parents[2] / "docs/examples/vllm.sq"
LINES = 200
ROUNDS = 100


def program(lines: int) -> str:
    """Return a sound program of so many lines: the example, with its session's statements repeated."""
    text = EXAMPLE.read_text(encoding="utf-8")
    mark = "      observe hit = "
    line = text[text.index(mark) : text.index("\n", text.index(mark)) + 1]
    return text.replace(line, line * (1 + lines - text.count("\n")))


def cost(run: Callable[[], object]) -> float:
    """Return the median time of a call in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def main() -> int:
    """Print the medians in milliseconds."""
    source = Source("bench.sq", program(LINES))
    tree = parse(source)
    at = source.text.index("execute (") + len("execute (")
    typed, gone = Edit(Span(at, at), "x"), Edit(Span(at - 1, at), "")
    sound, broken = source.edited(typed, 1), source.edited(gone, 1)
    broken_tree = parse(broken)
    measured = {
        "parse from scratch": lambda: parse(source),
        "one character typed": lambda: parse(sound, tree, [typed]),
        "one bracket deleted": lambda: parse(broken, tree, [gone]),
        "its faults": lambda: faults(broken_tree),
        "strict check of all": lambda: check(source.text),
    }
    print(f"{source.text.count(chr(10))} lines, {len(source.text)} characters")
    for name, run in measured.items():
        print(f"{name:24} {cost(run):7.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
