"""Lines of native serving systems that explain constructs: the records of `citations.toml`, and their links.

What the fields mean and how far each entry was checked is told in the specification's citations.md 1 and 2.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.lang.data import load
from serq_lsp.lang.table import constructs

if TYPE_CHECKING:
    from collections.abc import Mapping


class System(NamedTuple):
    """A native system at one version: `ref` goes into links, `short` and `label` are for reading.

    `aliases` maps the file names that citations use to repository paths; `mentions` are words in a comment that select
    this system. `permalink` and `permalink_line` have the placeholders {ref}, {path}, {start} and {end}.
    """

    id: str
    name: str
    label: str
    url: str
    ref: str
    short: str
    permalink: str
    permalink_line: str
    nearby_ref: str | None
    default: bool
    mentions: tuple[str, ...]
    aliases: Mapping[str, str]

    def link(self, path: str, start: int = 0, end: int = 0, ref: str | None = None) -> str:
        """Return the web address of lines `start` to `end` (from 1, both included; 0 for the whole file)."""
        form = self.permalink if start < end else self.permalink_line
        if not start:
            form = form.partition("#")[0]
        return form.format(ref=ref or self.ref, path=path, start=start, end=end)


class Citation(NamedTuple):
    """Lines `start` to `end` (from 1, both included) of a file of a system, and what they show in one sentence.

    `verified` is `exact` (the text at these lines of this version is known), `nearby: …` (read in another version, which
    it names) or `no` (taken over from a document). `digest` is of the lines' text, where it is known.
    """

    id: str
    system: System
    path: str
    start: int
    end: int
    symbol: str
    summary: str
    constructs: tuple[str, ...]
    verified: str
    digest: str | None

    @property
    def url(self) -> str:
        """Return the link to the text that was read: that of `label`."""
        return self.system.link(self.path, self.start, self.end, self._read_ref)

    @property
    def place(self) -> str:
        """Return file name and lines as a citation writes them."""
        lines = str(self.start) if self.start == self.end else f"{self.start}-{self.end}"
        return f"{self.path.rpartition('/')[2]}:{lines}"

    @property
    def label(self) -> str:
        """Return the version that the link leads to, and honestly what was read."""
        if self.verified == "exact":
            return self.system.label
        if self.verified == "no":
            return f"{self.system.label} (not checked)"
        read = self.verified.partition(":")[2].strip()
        if self._read_ref:
            return f"{self.system.name} {self._read_ref} (for {self.system.short}, whose lines may differ)"
        return f"{self.system.label} (read in {read}; its lines may differ)"

    @property
    def _read_ref(self) -> str | None:
        """Return the reference of the version that was read, where it is another one and can be linked."""
        ref = self.system.nearby_ref
        read = self.verified.partition(":")[2].strip()
        return ref if ref and read and read in ref else None


@cache
def systems() -> Mapping[str, System]:
    """Return the native systems by id."""
    keys = ("id", "name", "label", "url", "ref", "short", "permalink", "permalink_line")
    return {
        it["id"]: System(
            **{key: it[key] for key in keys},
            nearby_ref=it.get("nearby_ref"),
            default=it.get("default", False),
            mentions=tuple(it.get("mentions", ())),
            aliases=it.get("aliases", {}),
        )
        for it in load("citations")["systems"]
    }


@cache
def citations() -> Mapping[str, Citation]:
    """Return all citations by id."""
    return {
        it["id"]: Citation(
            id=it["id"],
            system=systems()[it["system"]],
            path=it["path"],
            start=it["start"],
            end=it["end"],
            symbol=it.get("symbol", ""),
            summary=it["summary"],
            constructs=tuple(it["constructs"]),
            verified=it["verified"],
            digest=it.get("digest"),
        )
        for it in load("citations")["citations"]
    }


def for_construct(construct: str) -> list[Citation]:
    """Return the citations of a construct (by its id in the table), those that a hover shows first in front."""
    known = constructs().get(construct)
    hover = load("citations")["hover"]
    found: dict[str, Citation] = {}
    terms = known.cites if known else (construct,)
    for term in terms:
        found.update((it, citations()[it]) for it in hover.get(term, ()))
    for term in terms:
        found.update((it.id, it) for it in citations().values() if term in it.constructs)
    return list(found.values())


@cache
def _of_files() -> Mapping[tuple[str, str], list[Citation]]:
    """Return the citations of each file, by its system's id and its path."""
    found: dict[tuple[str, str], list[Citation]] = {}
    for it in citations().values():
        found.setdefault((it.system.id, it.path), []).append(it)
    return found


def resolve(system: str, path: str, start: int, end: int) -> Citation | None:
    """Return the citation that stands for lines of a file (citations.md 1).

    That is the entry of exactly these lines, else the smallest that contains them, else the largest inside them.
    """
    mine = _of_files().get((system, path), [])
    around = [it for it in mine if it.start <= start and end <= it.end]
    inside = [it for it in mine if start <= it.start and it.end <= end]
    if around:
        return min(around, key=lambda it: it.end - it.start)
    return max(inside, key=lambda it: it.end - it.start, default=None)
