"""The page of a construct as an editor shows it: how it is written, what it does, when it reads, the native lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serq_lsp.ide.forms import leading
from serq_lsp.ide.moments import readers
from serq_lsp.lang.citations import for_construct
from serq_lsp.lang.table import constructs, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.lang.editions import Edition
    from serq_lsp.lang.table import Construct

CITES_MAX = 4
"""So many native places are shown; `serq explain` shows all."""
_PLACES = {
    "statement": "statements",
    "init": "`init` and `turn`",
    "header": "the header of `hold`",
    "hold-prefix": "`prefix` of a `hold`",
    "request": "an engine's `request`",
    "input": "calls of an engine",
    "reuse": "`reuse`",
    "prefix": "`prefix`",
    "cache": "`cache`",
}
"""Where moments are that have no form of their own, or many."""
_WIDE = {"schedule-let", "set-register", "engine-call"}
"""Forms that a list of places does not name."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")


def page(construct: Construct, edition: Edition | None) -> str:
    """Return the page in Markdown, for an edition where it is known."""
    form = construct.form_in(edition)
    kind = vocabulary("kinds").get(construct.kind, construct.kind)
    parts = [f"```serq\n{form}\n```", f"*{kind}* — {' '.join(filter(None, (construct.summary, construct.page)))}"]
    parts += [it for it in (_editions(construct, edition), _reads(construct, edition), _native(construct)) if it]
    return "\n\n".join(parts)


def plain(markdown: str) -> str:
    """Return Markdown of ours as plain text: links as `text (address)`, no fences, no stars (C56)."""
    lines = [line for line in markdown.split("\n") if not line.startswith("```")]
    text = _LINK.sub(lambda it: f"{it[1]} ({it[2]})", "\n".join(lines))
    return re.sub(r"(?<![\w*])\*{1,2}(\S(?:[^*]*\S)?)\*{1,2}(?![\w*])", r"\1", text)


def _editions(construct: Construct, edition: Edition | None) -> str:
    """Return a warning where the edition of the file does not have the construct."""
    if edition is None or construct.is_in(edition):
        return ""
    others = " and ".join(it.value for it in construct.editions)
    return f"Not in the {edition.value} edition" + (f", but in {others}." if others else ".")


def _reads(construct: Construct, edition: Edition | None) -> str:
    """Return when the construct's expressions are read, and where it may be read itself."""
    said = vocabulary("moments")
    lines = [f"Its expressions are read {said[construct.read]}."] if construct.read else []
    moments = construct.moments.get(edition, ()) if edition else ()
    if moments and len(moments) < len(said) // 2:
        lines.append(f"May be read in {_listed(places(moments, edition))}.")
    return " ".join(lines)


def places(moments: Iterable[str], edition: Edition | None) -> list[str]:
    """Return where expressions of these moments stand, as programs write it: in `cost`, in `serve by`."""
    found: list[str] = []
    for moment in moments:
        if moment in _PLACES:
            found.append(_PLACES[moment])
            continue
        forms = [it for it in readers(moment, edition) if it.words and it.id not in _WIDE]
        found += [_spelt(it, edition) for it in forms]
    return list(dict.fromkeys(found))


def _spelt(it: Construct, edition: Edition | None) -> str:
    """Return what a reader calls a form by: its first words, the one that tells it from others, and where it stands.

    The place is said where there is one, and the words alone might be those of a statement.
    """
    first = leading(it)
    more = [word for word in it.words if word in it.select and word not in first]
    words = f"`{' … '.join([' '.join(first), *more])}`"
    owners = [own for name in it.where if (own := constructs().get(name)) is not None and own.is_in(edition)]
    owned = dict.fromkeys(f"`{' '.join(leading(own))}`" for own in owners)
    if it.kind == "clause" and len(owned) == 1:
        return f"{words} of {next(iter(owned))}"
    return f"{words} in `{it.where[0]}`" if it.where[0] in {"iteration", "schedule"} else words


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else "no expression"


def _native(construct: Construct) -> str:
    """Return the native lines that the construct stands for, as links."""
    found = for_construct(construct.id)
    lines = [f"- [{it.place}]({it.url}), {it.label} — {it.summary}" for it in found[:CITES_MAX]]
    if len(found) > CITES_MAX:
        lines.append(f"- … and {len(found) - CITES_MAX} more: `serq explain {construct.id}`")
    return "\n".join(["Native:", *lines]) if lines else ""
