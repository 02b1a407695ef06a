"""All texts as they were at one moment, and what follows from them: trees, settings, models, findings, programs.

Every answer is computed when first asked for and then kept; the same snapshot gives the same answer. What follows from
the same texts is shared with later snapshots through `Memo`.
"""


# ruff: noqa: PTH100, PTH109, PTH110, PTH117, PTH118, PTH120
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide import config as settings_file
from serq_lsp.ide.config import Config, Given, ProgramEntry
from serq_lsp.ide.directives import Directives, directives
from serq_lsp.ide.findings import findings
from serq_lsp.ide.judged import judge
from serq_lsp.lang.editions import Detection, Edition, detect
from serq_lsp.sema.faults import LibraryProblem
from serq_lsp.sema.libraries import ReadFault
from serq_lsp.sema.model import Model, analyze
from serq_lsp.syntax.tree import Tree, parse
from serq_lsp.text.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.files import Unreadable
    from serq_lsp.ide.host import Document
    from serq_lsp.ide.judged import Judged
    from serq_lsp.lower.program import Lowered
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.syntax.tree import Node

    Answer = Source | Unreadable

PARENTS_MAX = 256
"""So many folders upwards are looked at for a settings file."""
UNTOLD = Edition.ENGINE
"""What a text is read as where nothing tells its edition; no rule of one edition is reported then."""
NOTHING: Mapping[str, str] = MappingProxyType({})
UNSAID = Given()
MEMO_MAX = 512
"""So many trees and models are kept between snapshots."""
_ROOTS = (settings_file.NAME, ".git", "pyproject.toml")
_PROBLEMS = {it.value: it for it in LibraryProblem}


class Known(NamedTuple):
    """A model with what it was made from: texts, the libraries' by path, and new values for constants, as texts.

    It holds for as long as these are the same.
    """

    tree: Tree
    answers: Mapping[str, Answer]
    sets: Mapping[str, str]
    model: Model


@dataclass(eq=False)
class Memo:
    """What later snapshots may take over: the last tree of each file, the last model of each program."""

    trees: dict[str, Tree] = field(default_factory=dict)
    models: dict[tuple[str, Edition | None, bool], Known] = field(default_factory=dict)

    def trim(self) -> None:
        """Forget the oldest entries beyond MEMO_MAX."""
        for path in list(self.trees)[: max(0, len(self.trees) - MEMO_MAX)]:
            del self.trees[path]
        for key in list(self.models)[: max(0, len(self.models) - MEMO_MAX)]:
            del self.models[key]


class Snapshot:
    """A view of all texts at one moment. Paths are strings as the user or client spells them."""

    def __init__(self, documents: Mapping[str, Document], read: Callable[[str], Answer], memo: Memo) -> None:
        self._documents = documents
        self._read = read
        self._memo = memo
        self._answers: dict[str, Answer] = {}
        self._empty: dict[str, Source] = {}
        self._configs: dict[str, Config] = {}
        self._directives: dict[Source, Directives] = {}
        self._detections: dict[Source, Detection] = {}
        self._models: dict[tuple[str, Edition | None, str], Known] = {}
        self._found: dict[tuple[str, str], dict[str, list[Finding]]] = {}
        self._judged: dict[tuple[str, str], Judged] = {}

    def file(self, path: str) -> Answer:
        """Return the text of `path`, an open document's where there is one, or why it cannot be read."""
        if path not in self._answers:
            document = self._documents.get(path)
            self._answers[path] = document.source if document else self._read(path)
        return self._answers[path]

    def source(self, path: str) -> Source:
        """Return the text of `path`; of a file that cannot be read, what can be shown of it (mostly nothing)."""
        answer = self.file(path)
        return answer if isinstance(answer, Source) else answer.shown

    def tree(self, path: str) -> Tree:
        """Return the tree of `path`; of a file that cannot be read, that of an empty text."""
        answer = self.file(path)
        if not isinstance(answer, Source):
            answer = self._empty.setdefault(path, Source(path, ""))
        return self._parsed(answer)

    def detection(self, path: str) -> Detection:
        """Return what the text says of its edition and kind."""
        source = self.source(path)
        if source not in self._detections:
            self._detections[source] = detect(source.text)
        return self._detections[source]

    def edition(self, path: str, asked: Edition | None = None) -> Edition | None:
        """Return the edition to read `path` in; None where nothing tells.

        An option (`asked`) wins over a directive, that over the settings file, and that over what the forms tell.
        """
        found = self.detection(path)
        if asked is not None or found.directed:
            return asked or found.edition
        listed = self.listed(path).edition
        return Edition(listed) if listed is not None else found.edition

    def directives(self, path: str) -> Directives:
        """Return what the `// serq:` comments of `path` say."""
        tree = self.tree(path)
        if tree.source not in self._directives:
            self._directives[tree.source] = directives(tree)
        return self._directives[tree.source]

    def config(self, path: str) -> Config:
        """Return the nearest `serq.toml` upwards of `path`; an empty one where there is none."""
        folder = _folder(path)
        if folder is None:
            return Config()
        if folder not in self._configs:
            self._configs[folder] = self._load_config(folder, relative=not os.path.isabs(path))
        return self._configs[folder]

    def listed(self, path: str) -> Given:
        """Return what the settings file gives for the program `path` in its `[[program]]` entries."""
        given = Given()
        for entry in self.entries(path):
            given = entry.given.over(given)
        if given.trace is not None:  # it is relative to the settings file, elsewhere to the program
            folder = os.path.dirname(os.path.abspath(self.config(path).path or path))
            trace = os.path.relpath(os.path.join(folder, given.trace), os.path.dirname(os.path.abspath(path)))
            given = replace(given, trace=trace)
        return given

    def entries(self, path: str) -> list[ProgramEntry]:
        """Return the `[[program]]` entries of the settings file that name the program `path`; the last wins."""
        config = self.config(path)
        folder = os.path.dirname(os.path.abspath(config.path or path))
        own = os.path.abspath(path)
        return [it for it in config.programs if os.path.normpath(os.path.join(folder, it.path)) == own]

    def root(self, path: str) -> str:
        """Return the folder whose files a program may read: the nearest with a mark of a project, else its own."""
        own = folder = _folder(path) or os.getcwd()
        for _ in range(PARENTS_MAX):
            if any(os.path.exists(os.path.join(folder, it)) for it in _ROOTS):
                return folder
            folder, last = os.path.dirname(folder), folder
            if folder == last:
                break
        return own

    def model(self, path: str, asked: Edition | None = None, sets: Mapping[str, str] = NOTHING) -> Model:
        """Return all that is known of the program `path`, libraries included; never raises.

        `sets` gives constants and inputs other values, as the texts of expressions; what is no expression has no effect.
        """
        return self._known(path, asked, sets).model

    def files(self, path: str, asked: Edition | None = None) -> tuple[str, ...]:
        """Return the paths of all files that the program `path` reads, itself first; also those that are missing."""
        return (path, *(it for it in self._known(path, asked, NOTHING).answers if it != path))

    def findings(self, path: str, given: Given = UNSAID) -> dict[str, list[Finding]]:
        """Return what is found in the program `path`, by the file in which it stands (`ide.findings`)."""
        key = path, repr(given)
        if key not in self._found:
            self._found[key] = findings(self, path, given)
        return self._found[key]

    def judged(self, path: str, given: Given = UNSAID) -> Judged:
        """Return what is wrong with the program `path` as it would run, nothing left out (`ide.judged`)."""
        key = path, repr(given)
        if key not in self._judged:
            self._judged[key] = judge(self, path, given)
        return self._judged[key]

    def lowered(self, path: str, settings: RunSettings, asked: Edition | None = None) -> Lowered:
        """Return the program `path` in the kernel's form; its model must be free of errors."""
        from serq_lsp.lower.program import lower

        sets = {name: str(value) for name, value in settings.sets.items()}
        return lower(self.model(path, asked, sets), settings)

    def _known(self, path: str, asked: Edition | None, sets: Mapping[str, str]) -> Known:
        told = self.edition(path, asked)
        key = path, told, repr(sets) if sets else ""
        if key not in self._models:
            kept = path, told, bool(sets)  # of a program with new values, only the last ones are worth keeping
            known = self._memo.models.get(kept)
            if known is None or not self._holds(path, known, sets):
                reader = _Reader(self, path)
                model = analyze(self.tree(path), told or UNTOLD, reader, self._parsed, _nodes(sets))
                known = Known(self.tree(path), reader.answers, sets, model)
                self._memo.models[kept] = known
                self._memo.trim()
            self._models[key] = known
        return self._models[key]

    def _holds(self, path: str, known: Known, sets: Mapping[str, str]) -> bool:
        same = known.tree is self.tree(path) and known.sets == sets
        return same and all(self.file(it) is was for it, was in known.answers.items())

    def _parsed(self, source: Source) -> Tree:
        """Return the tree of a text on disk, or of an open document."""
        document = self._documents.get(source.path)
        if document is not None and document.source is source:
            return document.tree
        known = self._memo.trees.get(source.path)
        if known is None or known.source is not source:
            known = self._memo.trees[source.path] = parse(source)
            self._memo.trim()
        return known

    def _load_config(self, folder: str, *, relative: bool) -> Config:
        for _ in range(PARENTS_MAX):
            path = os.path.join(folder, settings_file.NAME)
            shown = os.path.relpath(path) if relative else path
            answer = self.file(shown)
            if isinstance(answer, Source):
                return settings_file.parse(answer)
            if answer.problem != "missing":
                return settings_file.unreadable(answer.path, answer.reason, answer.cure)
            folder, last = os.path.dirname(folder), folder
            if folder == last:
                break
        return Config()


class _Reader:
    """Reads the libraries of one program and notes what it answered.

    A file that has two names (a link, another way through folders) is one file: it keeps the name by which it was read
    first, so that it is read once (classic.md 8).
    """

    def __init__(self, snapshot: Snapshot, program: str) -> None:
        self._snapshot = snapshot
        self._names = {os.path.realpath(program): program}
        self.answers: dict[str, Answer] = {}

    def __call__(self, path: str) -> Source | ReadFault:
        name = self._names.setdefault(os.path.realpath(path), path)
        answer = self._snapshot.file(name)
        self.answers[name] = answer
        if isinstance(answer, Source):
            return answer
        problem = _PROBLEMS.get(answer.problem, LibraryProblem.UNREADABLE)
        return ReadFault(problem, f"`{answer.path}` {answer.reason}")


def _nodes(sets: Mapping[str, str]) -> dict[str, Node]:
    """Return new values as trees."""
    if not sets:
        return {}
    from serq_lsp.ide.overrides import expression

    nodes = {name: expression(text) for name, text in sets.items()}
    return {name: node for name, node in nodes.items() if node is not None}


def _folder(path: str) -> str | None:
    """Return the folder of a path; None for a document that was never saved."""
    if path.startswith("untitled:") or path in {"", "-"}:
        return None
    return os.path.dirname(os.path.abspath(path))
