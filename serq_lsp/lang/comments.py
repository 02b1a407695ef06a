"""Citations of native source in comments: `// … (scheduler.py:606-616)` (the forms of citations.md 3 to 5)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from serq_lsp.lang.citations import Citation, System, citations, resolve, systems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Problem = Literal["reversed-range", "line-zero", "unknown-file"]
"""Why a citation has no link: it ends before it begins, names line 0, or a file that no system is known to have."""


class CommentCite(NamedTuple):
    """One link of a comment: the code points `start` to `end` of the text, and where it leads.

    `first` and `last` are lines from 1, both included; both are 0 for a file as a whole. `citation` is the entry that
    stands for them, None where there is none. With a `problem` there is no `url`.
    """

    start: int
    end: int
    path: str
    first: int
    last: int
    system: System | None
    citation: Citation | None
    url: str | None
    problem: Problem | None = None


class _Block(NamedTuple):
    """A comment block as one text, and for each of its characters the place in the source."""

    text: str
    places: list[int]


_FILE = r"(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_-]+\.(?:py|go|toml)"
_RANGE = r"[0-9]{1,7}(?:-[0-9]{1,7})?"
_BEFORE, _AFTER = r"(?<![\w/.\-#])", r"(?![^\W_])"
_HEAD = re.compile(
    rf"{_BEFORE}(?P<file>{_FILE})(?::(?P<lines>{_RANGE}){_AFTER}"
    rf"|#L(?P<first>[0-9]{{1,7}})(?:-L(?P<last>[0-9]{{1,7}}))?{_AFTER}|(?![\w:/#-]|\.\w))"
)
_MORE = re.compile(rf"`?[ \t]*,[ \t]*`?(?P<lines>{_RANGE})(?=[,;)\]`:]|\.(?=[\s\"')\]]|$)|$)")
_SIGN, _INNER = re.compile(r"(?://+|/\*+) ?"), re.compile(r"\s*(?:\*+ ?)?")
"""What is dropped in front of a comment's first line and of further lines of a block comment."""
_CHECKOUT = "ref/vllm/"
_BESIDE = {"vllm-rbln": "vllm-dep"}
"""The vLLM that a plug-in depends on: its files are meant where the plug-in has none of that name."""
_CONTINUED = (",", "/")


def scan(text: str, comments: Sequence[tuple[int, int]]) -> list[CommentCite]:
    """Return the citations in the comments of a text, in their order.

    `comments` are the spans of all its comments, in order: start and end in code points, the comment's own signs
    included. Positions of the answer are code points of `text`.
    """
    found: list[CommentCite] = []
    first_mention: System | None = None
    for number, spans in enumerate(_blocks(text, comments)):
        block = _unwrap(text, spans)
        mention = _mention(block.text)
        if number == 0:
            first_mention = mention
        found += _cites(block, mention or first_mention)
    return found


def _blocks(text: str, comments: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the comments in blocks: runs of lines that hold a comment only; a comment behind code is its own block.

    One behind code that ends in a comma or a slash goes on in the comment line below it.
    """
    blocks: list[list[tuple[int, int]]] = []
    was_alone = False
    for start, end in comments:
        alone = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        joins = False
        if blocks and alone:
            before = blocks[-1][-1]
            between = text[before[1] : start]
            goes_on = was_alone or text[before[0] : before[1]].rstrip().endswith(_CONTINUED)
            joins = goes_on and not between.strip() and between.count("\n") == 1
        if joins:
            blocks[-1].append((start, end))
        else:
            blocks.append([(start, end)])
            was_alone = alone
    return blocks


def _unwrap(text: str, spans: list[tuple[int, int]]) -> _Block:
    """Join the lines of a block: without their signs and outer blanks, a blank between, or nothing behind a `/`."""
    parts: list[str] = []
    places: list[int] = []
    for start, end in spans:
        closed = (
            end - 2 if end - start >= 4 and text.startswith("/*", start) and text.endswith("*/", start, end) else end
        )
        at = start
        for line in text[start:closed].split("\n"):
            sign = (_SIGN if at == start else _INNER).match(line)
            skip = sign.end() if sign else 0
            kept = line[skip:].rstrip()
            if kept and parts and not parts[-1].endswith("/"):
                parts.append(" ")
                places.append(at + skip)
            if kept:
                parts.append(kept)
                places += range(at + skip, at + skip + len(kept))
            at += len(line) + 1
    return _Block("".join(parts), places)


def _mention(text: str) -> System | None:
    """Return the system whose version a block names, the first where there are several."""
    places = [(text.find(word), -len(word), it.id) for it in systems().values() for word in it.mentions if word in text]
    return systems()[min(places)[2]] if places else None


def _cites(block: _Block, mention: System | None) -> Iterator[CommentCite]:
    for head in _HEAD.finditer(block.text):
        name = head.group("file").removeprefix(_CHECKOUT)
        lines = _lines(head)
        span = _span(block, head.start(), head.end())
        target = _file(name, mention, known_only=lines is None)
        if target is None:
            if lines and name.endswith(".py"):
                yield CommentCite(*span, name, *lines, None, None, None, "unknown-file")
            continue
        yield _cite(span, target, lines)
        end = head.end()
        while head.group("lines") and (more := _MORE.match(block.text, end)):
            end = more.end("lines")
            yield _cite(_span(block, more.start("lines"), end), target, _lines(more))


def _span(block: _Block, start: int, end: int) -> tuple[int, int]:
    return block.places[start], block.places[end - 1] + 1


def _lines(said: re.Match[str]) -> tuple[int, int] | None:
    """Return the lines that a head or a continued range names; None where it names a file only."""
    groups = said.groupdict()
    if groups["lines"]:
        first, _, last = groups["lines"].partition("-")
    else:
        first, last = groups.get("first"), groups.get("last")
    return (int(first), int(last or first)) if first else None


def _cite(span: tuple[int, int], target: tuple[System, str], lines: tuple[int, int] | None) -> CommentCite:
    system, path = target
    if lines is None:
        return CommentCite(*span, path, 0, 0, system, None, system.link(path))
    first, last = lines
    if first > last or first == 0:
        problem: Problem = "reversed-range" if first > last else "line-zero"
        return CommentCite(*span, path, first, last, system, None, None, problem)
    citation = resolve(system.id, path, first, last)
    return CommentCite(*span, path, first, last, system, citation, system.link(path, first, last))


def _file(name: str, mention: System | None, *, known_only: bool) -> tuple[System, str] | None:
    """Return the system and the repository path of a file name (citations.md 5, steps 4 and 5).

    The mentioned system is asked first, then the vLLM that a plug-in depends on, then the default, then all.
    """
    default = next(it for it in systems().values() if it.default)
    beside = [systems()[_BESIDE[mention.id]]] if mention and mention.id in _BESIDE else []
    order = [mention or default, *beside, default, *systems().values()]
    for system in order:
        if path := _known(system, name):
            return system, path
    for system in order if "/" in name and not known_only else ():
        if name.partition("/")[0] in {path.partition("/")[0] for path in _paths(system.id)}:
            return system, name
    return None


def _known(system: System, name: str) -> str | None:
    """Return the path that a name stands for in a system: an alias, a known path, or the end of exactly one."""
    if name in system.aliases:
        return system.aliases[name]
    if name in _paths(system.id):
        return name
    ends = [path for path in _paths(system.id) if path.endswith(f"/{name}")] if "/" in name else []
    return ends[0] if len(ends) == 1 else None


@cache
def _paths(system: str) -> frozenset[str]:
    """Return the paths of a system that aliases and citations name."""
    cited = (it.path for it in citations().values() if it.system.id == system)
    return frozenset([*systems()[system].aliases.values(), *cited])
