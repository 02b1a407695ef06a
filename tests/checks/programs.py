"""What the rules say of programs given as texts: for the fixtures and the rules' pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.all import check
from serq_lsp.lang.editions import Edition, detect
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import analyze
from serq_lsp.syntax.tree import parse
from serq_lsp.text.source import Source
from tests.harness.marks import Found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serq_lsp.diag.model import Finding
    from serq_lsp.sema.model import Model


def model_of(files: Mapping[str, str], args: str = "") -> Model:
    """Return the model of the first of these files; `args` may say `--edition NAME`, else the text tells."""
    path = next(iter(files))

    def read(wanted: str) -> Source | ReadFault:
        text = files.get(wanted)
        return Source(wanted, text) if text is not None else ReadFault(LibraryProblem.MISSING)

    words = args.split()
    said = words[words.index("--edition") + 1] if "--edition" in words else None
    edition = Edition(said) if said else detect(files[path]).edition or Edition.CLASSIC
    return analyze(parse(Source(path, files[path])), edition, read)


def findings_of(files: Mapping[str, str], args: str = "") -> list[Finding]:
    """Return what the rules say of the first file, everything about its libraries included."""
    return check(model_of(files, args))


def found(files: Mapping[str, str], finding: Finding) -> Found:
    """Return a finding as marks name it."""
    lines = Source(finding.path, files.get(finding.path, "")).lines
    start, end = lines.locate(finding.span.start), lines.locate(finding.span.end)
    column = end.column if end.line == start.line else None
    return Found(finding.path, start.line, start.column, column, finding.rule.id, shown(finding))


def shown(finding: Finding) -> str:
    """Return message and help as one text, for marks that quote a part of either."""
    return finding.message if finding.help is None else f"{finding.message}; {finding.help}"
