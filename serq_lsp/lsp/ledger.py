"""The one owner of which file has which diagnostics: by owner, layer and version (C01, C02, C03, C06, C07)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serq_lsp.diag.model import Finding
    from serq_lsp.text.spans import Span


class Layer(Enum):
    """Where findings come from: from the text alone, or from a run of the program."""

    STATIC = "static"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class _Entry:
    version: int
    findings: Mapping[str, tuple[Finding, ...]]
    versions: Mapping[str, int]


class Ledger:
    """Findings as they stand. An owner is the file whose check found them; it may find some in its libraries too."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, Layer], _Entry] = {}

    def put(
        self,
        owner: str,
        layer: Layer,
        version: int,
        findings: Mapping[str, Sequence[Finding]],
        versions: Mapping[str, int],
    ) -> set[str]:
        """Replace what `owner` found in one layer.

        `versions` are those of all files that were looked at. A result that is older than the one that stands is
        refused.

        Returns:
            The paths whose lists may differ now.

        """
        before = self._entries.get((owner, layer))
        if before is not None and version < before.version:
            return set()
        kept = {path: tuple(found) for path, found in findings.items() if found}
        self._entries[owner, layer] = _Entry(version, kept, dict(versions))
        return {owner, *kept, *(before.findings if before else ())}

    def withdraw(self, owner: str, *layers: Layer) -> set[str]:
        """Drop what `owner` found in these layers (none named: in all); return the paths whose lists may differ."""
        gone = [self._entries.pop((owner, layer), None) for layer in layers or Layer]
        return {path for entry in gone if entry for path in entry.findings}

    def list(self, path: str, version: int | None) -> list[Finding]:
        """Return the findings in a file, without doubles, by place.

        `version` is that of the open document (None: not open); what was found in another version of it is left out.
        """
        found: dict[tuple[str, Span, str], Finding] = {}
        for entry in self._entries.values():
            if version is not None and entry.versions.get(path, version) != version:
                continue
            for finding in entry.findings.get(path, ()):
                what = finding.rule.id, finding.span, finding.message
                # the file's own check says the same as its users' checks, but without their notes
                if what not in found or len(finding.notes) < len(found[what].notes):
                    found[what] = finding
        return sorted(found.values(), key=lambda it: (it.span, it.severity, it.rule.id, it.message))

    def owners(self, path: str) -> set[str]:
        """Return the files whose last check looked at `path` (as a library, or as itself)."""
        return {owner for (owner, _), entry in self._entries.items() if path in entry.versions}
