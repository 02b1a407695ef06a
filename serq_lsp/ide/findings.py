"""All findings of a program, for the command line and the server alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from serq_lsp.checks.all import RULES as PROGRAM_RULES
from serq_lsp.diag.model import Finding, Severity
from serq_lsp.diag.report import in_order
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.config import edition
from serq_lsp.ide.judged import errors
from serq_lsp.ide.rules import RULE_NAME, RULES, UNUSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serq_lsp.ide.config import Config, Given
    from serq_lsp.ide.directives import Ignore
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.text.spans import Span

IDS = frozenset(it.id for it in (*PROGRAM_RULES, *RULES))


def findings(snapshot: Snapshot, path: str, given: Given) -> dict[str, list[Finding]]:
    """Return what is found in the program `path`, by the file in which it stands, sorted; `path` has an entry always.

    The program is read with the options in `given` and what comments and the settings file set. A finding inside a
    library that the program uses has a note at the `use`. `ignore` comments and the settings file decide what is left
    out. What is refused of the options themselves is no finding: they stand in no file.
    """
    config = snapshot.config(path)
    judged = snapshot.judged(path, given)
    program = list(judged.found)
    if snapshot.edition(path, edition(given)) is None:
        program = [it for it in program if not it.rule.editions]
    settings = [it for it in judged.resolved.findings if it not in config.stops]
    found = [*program, *config.findings, *_unknown_rules(snapshot, path, config), *settings]
    found += [it for it in snapshot.directives(path).findings if it not in settings]
    if not errors(program) and not snapshot.model(path, edition(given)).is_library:
        found += _unused(path, snapshot.directives(path).ignores, found)
    grouped: dict[str, list[Finding]] = {path: []}
    for it in in_order(_selected(snapshot, found, config)):
        grouped.setdefault(it.path, []).append(it)
    return grouped


def remarks(found: Iterable[Finding]) -> list[Finding]:
    """Return the errors about a program that loads and runs all the same."""
    return [it for it in found if it.severity is Severity.ERROR and not it.rule.refuses]


def _unused(path: str, ignores: Iterable[Ignore], found: list[Finding]) -> Iterator[Finding]:
    """Yield a finding for each `ignore` of a program without errors that no finding matches."""
    mine = [it for it in found if it.path == path]
    for one in ignores:
        if one.rule in IDS and one.rule != UNUSED.id and not any(_ignored(it, (one,)) for it in mine):
            where = "in this file" if one.where is None else "on the line that it is for"
            hint = "take it away, or put it on the line of the finding (`serq explain unused-ignore`)"
            yield Finding(UNUSED, path, one.span, f"`{one.rule}` finds nothing {where}", help=hint)


def _selected(snapshot: Snapshot, found: Iterable[Finding], config: Config) -> Iterator[Finding]:
    """Yield the findings that the settings file and `ignore` comments leave, with the severity that the file gives."""
    for it in found:
        rule = it.rule.id
        wanted = config.select is None or rule in config.select or it.severity is Severity.ERROR
        if not wanted or rule in config.ignore or _ignored(it, snapshot.directives(it.path).ignores):
            continue
        severity = config.severity.get(rule)
        yield replace(it, override=severity) if severity is not None else it


def _ignored(it: Finding, ignores: Iterable[Ignore]) -> bool:
    return any(
        one.rule == it.rule.id and (one.where is None or one.where.start <= it.span.start <= one.where.end)
        for one in ignores
    )


def _unknown_rules(snapshot: Snapshot, path: str, config: Config) -> Iterator[Finding]:
    """Yield a finding for each name that is no rule, in `ignore` comments and in the settings file."""
    for it in snapshot.directives(path).ignores:
        if it.rule not in IDS:
            yield _unknown(path, it.span, it.rule)
    if config.path is None:
        return
    for key, rules in (("select", config.select or ()), ("ignore", config.ignore)):
        for number, rule in enumerate(rules):
            if rule not in IDS:
                yield _unknown(config.path, config.value_at("lint", key, number), rule)
    for rule in config.severity:
        if rule not in IDS:
            yield _unknown(config.path, config.key_at("lint", "severity", rule), rule)


def _unknown(path: str, span: Span, rule: str) -> Finding:
    near = nearest(rule, sorted(IDS))
    hint = f"did you mean `{near}`?" if near else "`serq explain` shows the page of a rule"
    return Finding(RULE_NAME, path, span, f"no rule is called `{rule}`", help=hint)
