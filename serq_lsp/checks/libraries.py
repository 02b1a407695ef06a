"""Can every library be read, and does it hold only what a library may?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import broken_stretches
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.sema.faults import LibraryFault, LibraryItem, LibraryProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model

UNREADABLE = Rule(
    "use-cannot-read",
    Severity.ERROR,
    "a library cannot be read",
    aliases=("use-unreadable", "use-as-text", "use-from-text"),
)
ITEM = Rule(
    "library-item",
    Severity.ERROR,
    "a library holds something else than definitions",
    aliases=("lib-definitions-only",),
)
RULES = (UNREADABLE, ITEM)
_WORDS = {
    LibraryProblem.MISSING: "there is no file `{}`",
    LibraryProblem.DIRECTORY: "`{}` is a directory",
    LibraryProblem.UNREADABLE: "`{}` cannot be read",
    LibraryProblem.NOT_UTF8: "`{}` is not UTF-8 text",
    LibraryProblem.TOO_LARGE: "`{}` is too large",
    LibraryProblem.NOT_REGULAR: "`{}` is no regular file",
}


def check(model: Model) -> Iterator[Finding]:
    """Yield libraries that cannot be read, and what a library may not hold."""
    broken = broken_stretches(model)
    for fault in model.faults:
        if broken.touches(fault.path, fault.span):
            continue
        match fault:
            case LibraryFault(path, span, named, problem, detail):
                notes = (Note(detail),) if detail else ()
                yield Finding(UNREADABLE, path, span, _WORDS[problem].format(named), notes)
            case LibraryItem(path, span, item):
                uses = [Note("used here", it.by, it.use.span) for it in model.libraries if it.path == path]
                noun = item.replace("_", " ")
                yield Finding(ITEM, path, span, f"a library holds `def` and `use` only, no {noun}", tuple(uses[:1]))
