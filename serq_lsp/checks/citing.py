"""Do the citations of native source in comments lead anywhere (citations.md 5)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.lang.comments import scan
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

RANGE = Rule(
    "citation-range", Severity.WARNING, "a comment cites lines that cannot be: line 0, or an end before the start"
)
FILE = Rule("citation-file", Severity.INFORMATION, "a comment cites a file that no native system is known to have")
RULES = (RANGE, FILE)


def check(model: Model) -> Iterator[Finding]:
    """Yield citations in the program's comments that lead nowhere."""
    spans = [(it.start, it.end) for it in comments(model.tree.root)]
    if not spans:
        return
    for cite in scan(model.tree.source.text, spans):
        span = Span(cite.start, cite.end)
        match cite.problem:
            case "unknown-file":
                yield Finding(FILE, model.path, span, f"no native system is known to have a file `{cite.path}`")
            case "line-zero":
                yield Finding(RANGE, model.path, span, "lines count from 1")
            case "reversed-range":
                yield Finding(
                    RANGE, model.path, span, f"the lines end at {cite.last}, before they begin at {cite.first}"
                )


def comments(root: Node) -> Iterator[Node]:
    """Yield the comments of a file in text order, those in broken text too."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind == "comment":
            yield node
        todo.extend(reversed(node.children))
