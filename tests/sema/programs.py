"""Programs for tests: analysed from texts in memory or from the conformance data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from serq_lsp.lang.editions import Edition
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.model import Model
    from serq_lsp.text.spans import Span

CONFORMANCE = Path(__file__).parent.parent / "conformance"
CLASSIC, ENGINE, CURRENT = Edition.CLASSIC, Edition.ENGINE, Edition.CURRENT


def analysed(text: str, edition: Edition = CLASSIC, path: str = "main.sq", **files: str) -> Model:
    """Analyse a text; `files` are libraries by path, `/` and `.sq` written as `__` and left out (`lib__a` is lib/a.sq)."""
    others = {f"{name.replace('__', '/')}.sq": content for name, content in files.items()}

    def read(wanted: str) -> Source | ReadFault:
        content = others.get(wanted, text if wanted == path else None)
        return ReadFault(LibraryProblem.MISSING) if content is None else Source(wanted, content)

    return analyze(parse(Source(path, text)), edition, read)


def from_disk(wanted: str) -> Source | ReadFault:
    """Read a file as the product does."""
    try:
        return Source(str(Path(wanted).resolve()), Path(wanted).read_text(encoding="utf-8"))
    except OSError as error:
        return ReadFault(LibraryProblem.MISSING, str(error))


def of_file(path: Path, edition: Edition) -> Model:
    """Analyse a program of the conformance data."""
    source = from_disk(str(path))
    assert isinstance(source, Source)
    return analyze(parse(source), edition, from_disk)


def faults(model: Model, kind: type[Fault]) -> list[Fault]:
    """Return the faults of one kind, those in unused bodies left out."""
    return [it for it in model.faults if isinstance(it, kind) and not getattr(it, "in_unused_def", False)]


def quoted(model: Model, span: Span) -> str:
    """Return the text of a place in the program's file."""
    return model.tree.source.text[span.start : span.end]
