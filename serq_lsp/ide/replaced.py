"""Findings about run settings of a program that an option, a comment or the settings file replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ide.config import edition
from serq_lsp.sema.tables import run_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.config import Given
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node

_WINDOW = {"horizon-missing": ("horizon",), "warmup-horizon": ("horizon", "warmup")}
"""Rules about what run settings say together, and the settings they read."""


def without_replaced(snapshot: Snapshot, path: str, given: Given, found: Iterable[Finding]) -> list[Finding]:
    """Return the findings but those about run settings that `given`, a comment or the settings file replaces.

    The language does not look at a setting that is replaced (classic.md 13); a run looks at the one in its place.
    """
    found = list(found)
    settings = list(run_settings(snapshot.model(path, edition(given)).declared))
    if not any(it.rule.id in _WINDOW or (it.path == path and _in(it, settings)) for it in found):
        return found
    from serq_lsp.ide.settings import resolve

    replaces = resolve(snapshot, path, given).settings.replaces
    return [
        it
        for it in found
        if not any(map(replaces, _WINDOW.get(it.rule.id, ())))
        and not (it.path == path and any(map(replaces, _in(it, settings))))
    ]


def _in(it: Finding, settings: list[tuple[str, Node]]) -> list[str]:
    """Return the word of the run setting in which a finding stands, if it stands in one."""
    return [word for word, node in settings if node.start <= it.span.start < node.end]
