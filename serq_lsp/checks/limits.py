"""Does the program stay within the limits of the language and of this tool?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.sema.faults import TooDeep, TooLarge, TooManyStatements, TooManyTerms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model

TERMS = Rule(
    "aggregate-terms",
    Severity.ERROR,
    "the aggregates of a program write out too many terms",
    aliases=("aggregate-count",),
)
STATEMENTS = Rule(
    "call-limit",
    Severity.ERROR,
    "a program unfolds into too many statements",
    aliases=("queue-expansion",),
)
DEFINITIONS = Rule(
    "def-limit",
    Severity.ERROR,
    "definitions unfold into too large a program",
    aliases=("def-expansion", "library-limit"),
)
DEPTH = Rule("nesting-limit", Severity.ERROR, "text nests too deep")
RULES = (TERMS, STATEMENTS, DEFINITIONS, DEPTH)


def check(model: Model) -> Iterator[Finding]:
    """Yield the places at which a limit is passed."""
    for fault in model.faults:
        match fault:
            case TooManyTerms(path, span, limit):
                message = f"the aggregates of a program may write out {limit} terms"
                yield Finding(TERMS, path, span, message)
            case TooManyStatements(path, span, limit):
                yield Finding(STATEMENTS, path, span, f"a program may unfold into {limit} statements")
            case TooLarge(path, span, limit):
                yield Finding(DEFINITIONS, path, span, f"definitions may unfold into {limit} expressions")
            case TooDeep(path, span, limit):
                yield Finding(DEPTH, path, span, f"text may nest {limit} levels deep")
