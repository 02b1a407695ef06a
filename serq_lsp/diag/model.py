"""Findings as data: what a rule is, and what it says about one place. Only renderers turn them into text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from serq_lsp.text.spans import Span  # noqa: TC001 (dataclass field)


class Severity(IntEnum):
    """How bad a finding is; the values are LSP's `DiagnosticSeverity`."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class Rule(NamedTuple):
    """One kind of fault.

    `id` is named after the fault, in hyphenated words, and never reused. `editions` are those it speaks of (empty:
    all). `aliases` are the reference documents' other slugs for the same fault. `refuses` says what an error of the
    rule means: the program is refused, that is, neither lowered nor run; it is false for our own errors about programs
    that load and run. The page is `checks/pages/<id>.md`.
    """

    id: str
    severity: Severity
    summary: str
    editions: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    refuses: bool = True


class Note(NamedTuple):
    """A further place or fact that belongs to a finding; `path` and `span` are both given or both None."""

    message: str
    path: str | None = None
    span: Span | None = None


class FileEdit(NamedTuple):
    """Replace the code points of `span` in the file `path` by `text`."""

    path: str
    span: Span
    text: str


class Fix(NamedTuple):
    """A safe change that removes the fault; the title is an imperative sentence without a full stop."""

    title: str
    edits: tuple[FileEdit, ...]


class Cite(NamedTuple):
    """Lines of a native system's source: `start` and `end` count from 1, both included (0: the whole file)."""

    label: str
    path: str
    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about one place.

    `path` is the source's path, `span` its place there. `message` is one line, lower case, no full stop, names in
    backquotes; causes stand in `notes`, the remedy in `help` or in `fixes`. `severity` overrides the rule's.
    """

    rule: Rule
    path: str
    span: Span
    message: str
    notes: tuple[Note, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
    cites: tuple[Cite, ...] = ()
    override: Severity | None = None

    @property
    def severity(self) -> Severity:
        """Return how bad this finding is."""
        return self.override or self.rule.severity
