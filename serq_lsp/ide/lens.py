"""The run lens: one over the program, at `fn main`, else at `session` (C39, C41)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.ide.trace_hints import TraceView
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

PLACES = ("main", "session", "server", "workload")
"""The items over which a lens may stand, best first."""


class Lens(NamedTuple):
    """A lens over the line of `span`; `hint` is what a client may show when it is pointed at."""

    span: Span
    title: str
    hint: str


def run_lens(snapshot: Snapshot, path: str, view: TraceView | None, *, running: bool = False) -> Lens | None:
    """Return the lens of a program, or None where there is nothing to run.

    None stands on or below a syntax error, for there a word may be anything. `view` is the last run of the program, if
    any; the hint holds the command line that gives the same.
    """
    tree = snapshot.tree(path)
    fault = next(tree.faults(), None)
    limit = fault.start if fault else len(tree.source.text) + 1
    head = next((it for kind in PLACES for node in tree.root.children if (it := _head(node, kind)) is not None), None)
    if head is None or head.end > limit:
        return None
    return Lens(head.span, _title(view, running=running), f"serq trace {_quoted(path)}")


def _head(node: Node, kind: str) -> Node | None:
    """Return the first word of an item of this kind, the word that a reader would call it by."""
    if node.kind != kind or not node.children or node.children[0].missing:
        return None
    return node.children[0]


def _title(view: TraceView | None, *, running: bool) -> str:
    if running:
        return "▶ run · running …"
    if view is None:
        return "▶ run"
    counted = f"{view.iterations:,} {'iteration' if view.iterations == 1 else 'iterations'}"
    stale = "stale · " if view.stale else ""
    ended = "" if view.ended is None else f" · {view.ended:,} ended"
    note = f" · {view.note}" if view.note else ""
    return f"▶ run · {stale}{counted}{ended}{note}"


def _quoted(path: str) -> str:
    plain = all(it.isalnum() or it in "/._-+@%" for it in path)
    return path if plain and path else "'" + path.replace("'", "'\\''") + "'"
