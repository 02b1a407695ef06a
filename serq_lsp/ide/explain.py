"""The pages of rules and constructs, for `serq explain` and for links in findings."""

# ruff: noqa: PTH100, PTH113, PTH118, PTH120, PTH123
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

from serq_lsp.checks.all import RULES as PROGRAM_RULES
from serq_lsp.diag.report import NAMES
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.rules import RULES
from serq_lsp.lang.citations import citations, for_construct
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import by_node, by_word, constructs, find, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.diag.model import Rule
    from serq_lsp.lang.citations import Citation
    from serq_lsp.lang.table import Construct

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CITED = re.compile(r"^- `([\w.:-]+)`$", re.MULTILINE)
"""A line of a page that names a citation by its id."""
PAGES_MAX = 2
"""So many pages of one word are shown; more meanings are listed."""
NATIVE_MAX = 3
"""So many native places are shown of a construct, unless all are wanted."""
BLANK = re.compile(r"\$\{(?P<number>\d+)[:|](?P<text>[^}|,]*)[^}]*\}")
"""A blank of a snippet with what it begins with, of several choices the first."""
ROOMS = ("checks", "ide")
"""Where the pages of rules lie, as `pages/<id>.md`."""


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, sorted by id."""
    return tuple(sorted((*PROGRAM_RULES, *RULES), key=lambda it: it.id))


def aliases() -> dict[str, list[str]]:
    """Return the reference documents' other slugs for the same fault, by rule; rules without any are left out."""
    return {it.id: list(it.aliases) for it in all_rules() if it.aliases}


def page(name: str, *, everything: bool = False) -> str | None:
    """Return the page of a rule, of what a word of the language means, or of a kind of constructs; None: there is none.

    A rule goes by its id or an alias, a construct by its id, a word of it or its words (`preempt lifo`). What a word means
    in more than PAGES_MAX ways is listed, unless `everything` is wanted, which also shows all native lines.
    """
    for rule in all_rules():
        if name == rule.id or name in rule.aliases:
            return rule_page(rule)
    found = find(name) or by_node().get(name, ())
    if found and (everything or len(found) <= PAGES_MAX):
        return "\n".join(construct_page(it, everything=everything) for it in found)
    kinds = vocabulary("kinds")
    of = next((kind for kind, said in kinds.items() if name in {kind, said}), None)
    if not found and of is not None:
        return "\n".join(_index(name, [it for it in constructs().values() if it.kind == of]))
    return "\n".join([*_index(name, found), f"`serq explain --all {name}` shows them all."]) if found else None


def index() -> str:
    """Return what there is to ask for: the kinds of constructs, and how to ask."""
    kinds = vocabulary("kinds")
    counts = {kind: sum(it.kind == kind for it in constructs().values()) for kind in kinds}
    width = max(map(len, kinds))
    return "\n".join(
        [
            "serq explain RULE         what a rule means, such as `unknown-pool`; its name stands in brackets in a finding",
            "serq explain WORD …       what a word or form of the language means, such as `hold` or `preempt lifo`",
            "serq explain KIND         the constructs of a kind (below)",
            "serq explain report       the columns of `serq run`",
            "serq explain --aliases    the specification's names for our rules, as JSON",
            "",
            *(f"{kind.ljust(width)}  {said} ({counts[kind]})" for kind, said in kinds.items() if counts[kind]),
        ]
    )


def _index(name: str, found: Sequence[Construct]) -> Iterator[str]:
    """Yield a line for each construct."""
    yield f"# {name}"
    yield ""
    width = max(len(it.id) for it in found)
    for it in found:
        summary, dot, _ = it.summary.partition(". ")
        yield f"{it.id.ljust(width)}  {summary}{dot.strip()}"
    yield ""
    yield f"`serq explain {found[0].id}` shows the first of them."


def suggestion(name: str) -> str | None:
    """Return the rule or construct that `name` was probably meant to be."""
    return nearest(name, [*(it.id for it in all_rules()), *constructs(), *by_word()])


def rule_page(rule: Rule) -> str:
    """Return the page of a rule; its summary alone where nothing more is written yet."""
    editions = ", ".join(rule.editions) or "all editions"
    head = f"{NAMES[rule.severity]}, {editions}"
    path = page_path(rule.id)
    if path is None:
        return f"# {rule.id}\n\n{head}\n\n{rule.summary}.\n"
    with open(path, encoding="utf-8") as file:
        title, _, rest = file.read().partition("\n")
    body = CITED.sub(lambda found: _cited(found.group(1)) or found.group(), rest.strip())
    return f"{title}\n\n{head}\n\n{body}\n"


@cache
def page_path(rule: str) -> str | None:
    """Return the path of the file that holds a rule's page, None where there is none."""
    paths = (os.path.join(PACKAGE, room, "pages", f"{rule}.md") for room in ROOMS)
    return next((it for it in paths if os.path.isfile(it)), None)


def construct_page(it: Construct, *, everything: bool = True) -> str:
    """Return the page of a construct, native lines included: the first NATIVE_MAX unless `everything` is wanted."""
    return "\n".join(_construct(it, everything=everything)).rstrip() + "\n"


def _construct(it: Construct, *, everything: bool) -> Iterator[str]:
    yield f"# {it.id}"
    yield ""
    yield f"{vocabulary('kinds').get(it.kind, it.kind)}, {_editions(it.editions)}"
    yield ""
    forms = {it.form_in(edition): None for edition in it.editions} or {it.form: None}
    for form in forms:
        said = [edition for edition in it.editions if it.form_in(edition) == form]
        yield f"    {form}" + (f"    ({_editions(said)})" if len(forms) > 1 else "")
    yield ""
    yield it.summary
    if it.page:
        yield ""
        yield it.page.strip()
    if example := _example(it):
        yield from ("", "For example:", "", *(f"    {line}" for line in example.split("\n")))
    cites = for_construct(it.id)
    if cites:
        yield ""
        yield "In the native systems:"
        yield ""
        yield from (_native(cite) for cite in (cites if everything else cites[:NATIVE_MAX]))
        if not everything and len(cites) > NATIVE_MAX:
            yield f"- and {len(cites) - NATIVE_MAX} more: `serq explain --all {it.id}`"
    if it.see:
        yield ""
        yield f"See also: {', '.join(it.see)}."


def _example(it: Construct) -> str | None:
    """Return a construct as it may stand in a program: its snippet with the values that it begins with."""
    told = Edition.ENGINE if Edition.ENGINE in it.editions or not it.editions else it.editions[0]
    snippet = it.snippet_in(told)
    if snippet is None:
        return None
    first = {it["number"]: it["text"] for it in BLANK.finditer(snippet)}
    filled = re.sub(r"\$(\d+)", lambda at: first.get(at[1], "…"), BLANK.sub(lambda at: at["text"], snippet))
    return filled if filled != it.form_in(told) else None


def _cited(name: str) -> str | None:
    """Return the native lines that a page names by their id."""
    cite = citations().get(name)
    return None if cite is None else _native(cite)


def _native(cite: Citation) -> str:
    lines = f"{cite.start}-{cite.end}" if cite.end > cite.start else f"{cite.start}"
    return f"- {cite.path}:{lines} ({cite.label}): {cite.summary}\n  {cite.url}"


def _editions(editions: Sequence[Edition]) -> str:
    return ", ".join(it.value for it in editions) or "no edition any more"
