"""Completion inside quotes and comments: the path of a `use`, and what is said behind `// serq:`."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.checks.all import RULES
from serq_lsp.ide.directives import EDITIONS, OTHERS, OURS, RUN_NAMES
from serq_lsp.ide.rules import RULES as OF_FILES
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import of_kind
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ide.snapshot import Snapshot

    Text = tuple[str, str, str]

FILES_MAX = 500
"""So many files are offered."""
_DIRECTIVE = re.compile(r"//\s*serq:\s*(?P<said>[^\n]*)$")
_USE = re.compile(r"^\s*use\s*\"(?P<path>[^\"\n]*)$")
_WORDS = {
    "run": "How this program is run: `horizon=20 seed=1`, and values of constants.",
    "ignore": "Findings of a rule that do not count on this line, with the reason.",
    "edition": "The edition of the file: classic, engine or current.",
    "expect": "The trace that a run of this program gives.",
}

_CONTRACT = "A contract that the program is checked by."


class Written(NamedTuple):
    """Texts that replace `span`, each with what is said about it and what is inserted."""

    span: Span
    texts: list[Text]


def written(snapshot: Snapshot, path: str, offset: int, files: Iterable[str]) -> Written | None:
    """Return what can be written in a directive or in the path of a `use`; None where the place is in neither.

    `files` are the paths of the libraries that there are.
    """
    text = snapshot.source(path).text
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    if (it := _USE.search(line)) is not None:
        begun = it["path"]
        return Written(Span(offset - len(begun), offset), list(_paths(snapshot, path, files)))
    if (it := _DIRECTIVE.search(line)) is None or snapshot.tree(path).path_at(offset)[-1].kind == "string":
        return None
    word = re.search(r"[\w-]*$", it["said"])
    begun = word[0] if word else ""
    before = it["said"][: len(it["said"]) - len(begun)].split()
    return Written(Span(offset - len(begun), offset), list(_said(before)))


def _said(before: list[str]) -> Iterator[Text]:
    """Yield the words that may come behind those of a directive."""
    if not before:
        yield from ((it, _WORDS.get(it, _CONTRACT), f"{it} ") for it in (*OURS, *OTHERS))
    elif before[0] == "ignore" and (len(before) == 1 or before[-1].endswith(",")):
        known = {it.id: it.summary for it in (*RULES, *OF_FILES)}
        yield from ((it, known[it], f"{it} because ") for it in sorted(known))
    elif before[0] == "ignore" and "because" not in before:
        yield "because", "The reason, for the next reader.", "because "
    elif before == ["edition"]:
        yield from ((it, f"The {it} edition.", it) for it in EDITIONS)
    elif before[0] == "run":
        yield from ((it, "A setting of the run.", f"{it}=") for it in RUN_NAMES)


def _paths(snapshot: Snapshot, path: str, files: Iterable[str]) -> Iterator[Text]:
    """Yield the paths of the libraries as seen from a file, nearest first, and the standard modules."""
    edition = snapshot.edition(path)
    if edition is not Edition.CLASSIC:
        for module in of_kind("module", edition):
            for name in re.findall(r"std/\w+", module.form)[:1]:
                yield name, module.summary, name
    if edition is Edition.CURRENT:
        return
    folder = posixpath.dirname(path)
    others = [posixpath.relpath(it, folder or ".") for it in files if it != path and it.endswith(".sq")]
    for it in sorted(others, key=lambda it: (it.count("/"), it.count(".."), it))[:FILES_MAX]:
        yield it, "A library of this folder.", it
