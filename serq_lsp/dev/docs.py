"""Makes the generated pages of docs/: the index of the rules and the reference of the language's forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.dev.table import ROOT
from serq_lsp.diag.report import NAMES, PAGES
from serq_lsp.ide.explain import all_rules, rule_page
from serq_lsp.lang.citations import for_construct
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import Construct, constructs, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.diag.model import Rule

_MADE = "<!-- Made by `python -m serq_lsp.dev.gen docs`; do not edit. -->"
_CITES = 4


def files() -> dict[str, str]:
    """Make the pages: path from the project's root to text."""
    pages = {f"{PAGES}/{it.id}.md": _page(it) for it in all_rules()}
    return {f"{PAGES}/README.md": _text(_rules()), **pages, "docs/reference/constructs.md": _text(_reference())}


def stray() -> list[str]:
    """Return the pages of rules that no longer exist."""
    made = files()
    return [path for it in (ROOT / PAGES).glob("*.md") if (path := it.relative_to(ROOT).as_posix()) not in made]


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _page(rule: Rule) -> str:
    """Return the page of a rule as `serq explain` prints it, the mark that it is made after the title."""
    title, _, rest = rule_page(rule).partition("\n")
    others = f"\nOther names in the specification: {_names(rule)}.\n" if rule.aliases else ""
    return f"{title}\n\n{_MADE}\n{rest}{others}"


def _names(rule: Rule) -> str:
    return ", ".join(f"`{it}`" for it in rule.aliases)


def _rules() -> Iterator[str]:
    """Yield the index of the rules."""
    yield from ("# Rules", "", _MADE, "")
    yield "`serq explain RULE` prints the same pages; `serq explain --aliases` lists the specification's names for our rules."
    yield from ("", "| rule | severity | editions | what it says |", "|---|---|---|---|")
    for rule in all_rules():
        editions = ", ".join(rule.editions) or "all"
        yield f"| [`{rule.id}`]({rule.id}.md) | {NAMES[rule.severity]} | {editions} | {_cell(rule.summary)} |"


def _reference() -> Iterator[str]:
    """Yield the forms of the language by kind, with the native lines that they stand for."""
    yield from ("# The forms of serQ", "", _MADE, "")
    yield "`serq explain ID` prints the same for one form, with all native lines. Forms without an edition hold for all three."
    for kind, meaning in vocabulary("kinds").items():
        mine = [it for it in constructs().values() if it.kind == kind]
        if not mine:
            continue
        yield from ("", f"## {meaning[0].upper()}{meaning[1:]}")
        for it in mine:
            yield from ("", f"### {it.id}", "", *_forms(it), "", f"{it.summary} {it.page}".strip())
            yield from _native(it)


def _forms(it: Construct) -> Iterator[str]:
    """Yield the form, and those of the editions that write it otherwise, as code."""
    yield "```text"
    rest = [edition for edition in it.editions if edition not in it.forms]
    if rest or not it.forms:
        whole = not it.forms and len(it.editions) in {0, len(Edition)}
        yield it.form + ("" if whole else f"    // {', '.join(edition.value for edition in rest)}")
    for edition, form in it.forms.items():
        yield f"{form}    // {edition.value}"
    yield "```"


def _native(it: Construct) -> Iterator[str]:
    cites = for_construct(it.id)
    if cites:
        yield ""
    for cite in cites[:_CITES]:
        yield f"- [{cite.place}]({cite.url}), {cite.label}: {cite.summary}"
    if len(cites) > _CITES:
        yield f"- and {len(cites) - _CITES} more"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
