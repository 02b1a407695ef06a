"""When an expression is read, from the words before it: a moment of the construct table."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from serq_lsp.ide.forms import heads
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import constructs, standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serq_lsp.lang.table import Construct

CONSTANT = "constant"
"""The moment of what is worked out before a run: it reads constants only. The construct table has no name for it."""
_BODIES = {"session", "server", "entry", "request", "init"}
_OF_REQUESTS = ("prefix", "reuse", "cache")
"""Clauses of `taking` that are moments of their own in the current edition."""


def moment(
    contexts: Sequence[str], statement: Sequence[str], edition: Edition | None, opened: Sequence[Sequence[str]]
) -> str | None:
    """Return the moment at which an expression in a statement is read, `CONSTANT` too; None where it is not known.

    `opened` are the statements that the blocks around stand in, and the statement itself.
    """
    if any(it[:1] == ["def"] for it in opened):
        return None  # where it is used says it
    context = contexts[0] if len(contexts) == 1 else ""
    if not contexts:
        return "header"  # the names of an admission
    said = _said(contexts, statement, edition)
    if said == "taking" and edition is Edition.CURRENT:
        return next((it for it in reversed(statement) if it in (*_OF_REQUESTS, "taking")), said)
    if said == "statement" and context == "init":
        return "init"
    if said is None and context in _BODIES:
        said = "init" if context == "init" else "statement"
    if said in {"statement", "input"} and context == "request":
        return "request"
    if said == "input":
        return "input" if edition is Edition.CURRENT else "statement"
    return said or CONSTANT


def _said(contexts: Sequence[str], statement: Sequence[str], edition: Edition | None) -> str | None:
    """Return the moment that the last word says which has one: of the statement's own form, or of a clause."""
    found: dict[int, str] = {}
    for head in heads(contexts, statement, edition):
        if head.read:
            found[0] = head.read
        inner = [it for id_ in _parts(head) for it in standing(id_, edition)]
        for it in (*standing(head.id, edition), *inner):
            places = [at for at, word in enumerate(statement) if at and word == it.words[0]] if it.words else []
            if places and (it.read or it.id == "cache"):
                found[places[-1]] = it.read or ("taking" if head.id == "admit-waiting" else "statement")
    return found[max(found)] if found else None


def _parts(head: Construct) -> tuple[str, ...]:
    """Return where the second half of a statement stands: the kind of a stage, the law of arrivals, what is taken."""
    if head.words[:1] in {("stage",), ("serve",), ("nic",)}:
        return ("stage",)
    return ("arrive",) if head.words[:1] == ("arrive",) else ("taking",) if head.id == "admit-waiting" else ()


@cache
def of_sessions(when: str | None) -> bool:
    """Say whether an expression is read for a session that runs, rather than for an engine or a pool."""
    mine = [it for it in constructs().values() if it.read == when]
    return not mine or when in {"taking", "given"} or any(it.kind in _KINDS for it in mine)


_KINDS = {"statement", "workload-clause", "connector-clause"}
"""The kinds of forms whose expressions a session reads; a moment without a form is one of a session, too."""


def readers(when: str, edition: Edition | None) -> tuple[Construct, ...]:
    """Return the constructs whose expressions are read at a moment."""
    return tuple(it for it in constructs().values() if it.read == when and it.is_in(edition))
