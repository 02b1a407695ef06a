"""Writes every generated file of the project: `python -m serq_lsp.dev.gen [--check] [what …]`.

`--check` writes nothing and exits with 1 when a committed file is not what would be written; `what` limits both to
some of the makers below.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.dev import grammar, table, textmate

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
Files = dict[str, str]
"""What a maker makes: paths from the project's root, and the texts that belong there."""


class Maker(NamedTuple):
    """Something that is generated: how to write it (returns the files), how to check it (returns complaints)."""

    write: Callable[[], list[Path]]
    check: Callable[[], list[str]]


def made(name: str, make: Callable[[], Files]) -> Maker:
    """Return the maker of files that are made in one go and compared with what lies there."""

    def write() -> list[Path]:
        written = []
        for path, text in make().items():
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
            written.append(ROOT / path)
        return written

    def check() -> list[str]:
        stale = (path for path, text in make().items() if not _is(ROOT / path, text))
        return [f"{path} is stale: run `python -m serq_lsp.dev.gen {name}`" for path in stale]

    return Maker(write, check)


def makers() -> dict[str, Maker]:
    """Return everything that is generated, by name, in the order in which it is made."""
    return {
        "lang": made("lang", table.files),
        "textmate": made("textmate", textmate.files),
        "grammar": Maker(grammar.write, grammar.check),
        "strict": Maker(lambda: _strict().write(), lambda: _strict().check()),
        "docs": _docs(),
    }


def _docs() -> Maker:
    """Return the maker of the pages; they need the whole product, which needs what is made before them."""

    def make() -> Files:
        from serq_lsp.dev import docs

        return docs.files()

    def stray() -> list[str]:
        from serq_lsp.dev import docs

        return docs.stray()

    def write() -> list[Path]:
        for path in stray():
            (ROOT / path).unlink()
        return pages.write()

    def check() -> list[str]:
        return pages.check() + [f"{path} is of no rule: run `python -m serq_lsp.dev.gen docs`" for path in stray()]

    pages = made("docs", make)
    return Maker(write, check)


def _strict() -> ModuleType:
    from serq_lsp.dev import lark_tables

    return lark_tables


def main(words: list[str]) -> int:
    """Write, or with `--check` only compare, what is named (everything without a name); return the exit code."""
    names = [it for it in words if it != "--check"]
    known = makers()
    if unknown := [it for it in names if it not in known]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    stale = 0
    for name, maker in known.items():
        if names and name not in names:
            continue
        complaints = maker.check()
        if "--check" in words:
            stale += len(complaints)
            print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
        elif complaints or names:
            print(*(f"wrote {path.relative_to(ROOT).as_posix()}" for path in maker.write()), sep="\n")
    return 1 if stale else 0


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode("utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
