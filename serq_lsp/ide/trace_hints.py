"""A run shown in the text: ITER items at the ends of the lines that did the work, iterations beside the engines.

A `TraceView` is what a run left behind, tied to places; `carried` moves the places along with edits and marks the view
stale; `hints` says what an editor shows. All of it is data: the run itself happens elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.text.edits import carry
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serq_lsp.text.edits import Edit
    from serq_lsp.text.source import Source

STALE = "stale · "
SEPARATOR = " · "
TOOLTIP_LINES = 20
MEMBERS_MAX = 4
"""So many members of a family are shown with their counts."""


class HintKind(Enum):
    """What a hint shows; each kind can be switched off."""

    ITEMS = "items"
    ITERATIONS = "iterations"


class Moment(NamedTuple):
    """What one statement did in one iteration: the iteration's number from 0, its time as printed, its items."""

    iteration: int
    time: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one statement at one place of the text: its first moments, and how many items there were in all."""

    path: str
    span: Span
    moments: tuple[Moment, ...]
    items: int


@dataclass(frozen=True, slots=True)
class Count:
    """How many iterations an engine made; the place is that of its declaration's name or head.

    `member` is its number in the family `name`, None where it is no family.
    """

    path: str
    span: Span
    iterations: int
    name: str = ""
    member: int | None = None


@dataclass(frozen=True, slots=True)
class TraceView:
    """What a run of one program left behind.

    `iterations` of all engines, `ended` sessions (None: not known, for the run did not come to its end). `note` says
    why not, `partial` that the run still goes on, `stale` that the text has changed since.
    """

    files: frozenset[str] = frozenset()
    """Every file that the run depends on, whether the view has places in it or not."""
    work: tuple[Work, ...] = ()
    counts: tuple[Count, ...] = ()
    iterations: int = 0
    ended: int | None = None
    note: str = ""
    partial: bool = False
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint at the end of a line: `offset` is that end. The tooltip is plain text."""

    offset: int
    label: str
    tooltip: str
    kind: HintKind


def carried(view: TraceView, path: str, edits: Sequence[Edit]) -> TraceView:
    """Return the view after edits of a file (each in the text before it): places moved along, and stale."""

    def moved(span: Span) -> Span:
        # A statement's first character decides where it is; its end follows.
        return Span(carry(span.start, edits), max(carry(span.start, edits), carry(span.end, edits)))

    return replace(
        view,
        work=tuple(replace(it, span=moved(it.span)) if it.path == path else it for it in view.work),
        counts=tuple(replace(it, span=moved(it.span)) if it.path == path else it for it in view.counts),
        stale=True,
    )


def hints(
    views: Iterable[TraceView], source: Source, *, items_max: int, kinds: Iterable[HintKind] = tuple(HintKind)
) -> list[Hint]:
    """Return the hints of a file, by line; at most one of each kind stands at a line's end."""
    wanted = set(kinds)
    found: dict[tuple[int, HintKind], Hint] = {}
    for view in views:
        for hint in (*_item_hints(view, source, items_max), *_count_hints(view, source)):
            if hint.kind in wanted:
                found.setdefault((hint.offset, hint.kind), hint)
    return [found[key] for key in sorted(found, key=lambda it: (it[0], it[1].value))]


def _item_hints(view: TraceView, source: Source, items_max: int) -> list[Hint]:
    by_line: dict[int, list[Work]] = {}
    for work in view.work:
        if work.path == source.path:
            by_line.setdefault(source.lines.locate(work.span.start).line, []).append(work)
    mark = STALE if view.stale else ""
    return [
        Hint(
            source.lines.line_end(line),
            mark + _label(works, items_max),
            _tooltip(works, view),
            HintKind.ITEMS,
        )
        for line, works in sorted(by_line.items())
    ]


def _count_hints(view: TraceView, source: Source) -> list[Hint]:
    by_line: dict[int, list[Count]] = {}
    for count in view.counts:
        if count.path == source.path:
            by_line.setdefault(source.lines.locate(count.span.start).line, []).append(count)
    mark = STALE if view.stale else ""
    found: list[Hint] = []
    for line, counts in by_line.items():
        total = sum(it.iterations for it in counts)
        label = f"{mark}{total:,} {'iteration' if total == 1 else 'iterations'}"
        members = [f"{it.name}[{it.member}] {it.iterations:,}" for it in counts if it.member is not None]
        if len(members) > 1:
            more = ["…"] if len(members) > MEMBERS_MAX else []
            label += SEPARATOR + SEPARATOR.join([*members[:MEMBERS_MAX], *more])
        tooltip = "\n".join([_state(view), *(members if len(members) > MEMBERS_MAX else [])])
        found.append(Hint(source.lines.line_end(line), label, tooltip, HintKind.ITERATIONS))
    return found


def _moments(works: Sequence[Work]) -> list[Moment]:
    """Return the moments of all statements of a line in the order of time."""
    merged: dict[int, Moment] = {}
    for moment in (it for work in works for it in work.moments):
        before = merged.get(moment.iteration)
        merged[moment.iteration] = moment._replace(items=before.items + moment.items) if before else moment
    return [merged[number] for number in sorted(merged)]


def _label(works: Sequence[Work], items_max: int) -> str:
    """Return `ITER 0.0000 0:0:p2 · 1.0000 1:0:p4 … +7`: the first items, and how many more there are."""
    shown: list[str] = []
    left = max(items_max, 1)
    for moment in _moments(works):
        if left <= 0:
            break
        taken = moment.items[:left]
        left -= len(taken)
        shown.append(" ".join((moment.time, *taken)))
    rest = sum(work.items for work in works) - (max(items_max, 1) - left)
    return f"ITER {SEPARATOR.join(shown)}" + (f" … +{rest:,}" if rest > 0 else "")


def _tooltip(works: Sequence[Work], view: TraceView) -> str:
    moments = _moments(works)
    lines = [f"ITER {it.time} {' '.join(it.items)}" for it in moments[:TOOLTIP_LINES]]
    rest = sum(work.items for work in works) - sum(len(it.items) for it in moments[:TOOLTIP_LINES])
    return "\n".join([_state(view), *lines, *([f"… and {rest:,} more items"] if rest > 0 else [])])


def _state(view: TraceView) -> str:
    """Return one line on how far the view can be trusted."""
    words = [f"{view.iterations:,} iterations" + ("" if view.ended is None else f", {view.ended:,} ended")]
    if view.note:
        words.append(view.note)
    if view.partial:
        words.append("still running")
    if view.stale:
        words.append("of the text before the last change")
    return "; ".join(words)
