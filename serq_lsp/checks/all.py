"""All rules, and all that is to be said of a program: every module of this folder in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks import (
    admissions,
    arguments,
    bindings,
    buckets,
    chunks,
    citing,
    clashes,
    commands,
    copies,
    costreads,
    decisions,
    definitions,
    devices,
    drawn,
    duplicates,
    enclosed,
    entries,
    entrynames,
    families,
    guards,
    headers,
    indices,
    inputs,
    layout,
    libraries,
    limits,
    loops,
    misplaced,
    moments,
    names,
    options,
    ownership,
    ownnames,
    places,
    quantities,
    reserves,
    schedules,
    stations,
    statistics,
    syntax,
    transfers,
    types,
    uses,
)
from serq_lsp.checks.broken import broken_stretches

if TYPE_CHECKING:
    from types import ModuleType

    from serq_lsp.diag.model import Finding, Rule
    from serq_lsp.sema.model import Model

MODULES: tuple[ModuleType, ...] = (
    syntax,
    misplaced,
    libraries,
    limits,
    layout,
    places,
    options,
    definitions,
    duplicates,
    clashes,
    names,
    uses,
    arguments,
    drawn,
    quantities,
    commands,
    admissions,
    headers,
    bindings,
    indices,
    loops,
    moments,
    decisions,
    families,
    devices,
    ownership,
    inputs,
    schedules,
    types,
    costreads,
    stations,
    entries,
    enclosed,
    entrynames,
    ownnames,
    copies,
    transfers,
    statistics,
    guards,
    reserves,
    chunks,
    buckets,
    citing,
)
"""Each has `RULES` and `check(model)`."""
LOCAL: tuple[ModuleType, ...] = (
    syntax,
    misplaced,
    libraries,
    limits,
    definitions,
    duplicates,
    clashes,
    names,
    uses,
    drawn,
    citing,
)
"""Their rules need no more than the place they speak of, and know what broken text may hold."""
RULES: tuple[Rule, ...] = tuple(rule for module in MODULES for rule in module.RULES)
FINDINGS_MAX = 1000
"""So many findings of one program are given at most."""


def check(model: Model) -> list[Finding]:
    """Return what is to be said of a program, sorted by file, place and rule; each thing once."""
    found: dict[tuple[str, int, int, str], Finding] = {}
    broken = broken_stretches(model)
    for module in MODULES if not broken.structural else LOCAL:
        for finding in module.check(model):
            if module is not syntax and broken.spoils(finding, local=module in LOCAL):
                continue
            found.setdefault((finding.path, finding.span.start, finding.span.end, finding.rule.id), finding)
            if len(found) >= FINDINGS_MAX:
                break
    model.answers.clear()  # some hold the model: it would be garbage that only a collector finds
    return [found[key] for key in sorted(found, key=lambda it: (it[0] != model.path, it[0], it[1], it[3], it[2]))]


def rule(name: str) -> Rule | None:
    """Return the rule of this id, or that has it as another name; None if there is none."""
    same = (it for it in RULES if it.id == name)
    other = (it for it in RULES if name in it.aliases)
    return next(same, None) or next(other, None)
