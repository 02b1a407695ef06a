"""`serq check --fix`: make the changes that findings offer, and check again."""


# ruff: noqa: PTH123
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.cli import check
from serq_lsp.cli.output import complain
from serq_lsp.text.edits import Edit, apply_edits

if TYPE_CHECKING:
    from serq_lsp.diag.model import Fix
    from serq_lsp.diag.report import Report
    from serq_lsp.ide.config import Given
    from serq_lsp.ide.host import Host

ROUNDS_MAX = 10
"""So often are fixes made and the result checked again; a fix may uncover the next fault."""


def fix(host: Host, report: Report, paths: list[str], given: Given) -> Report:
    """Make the fixes of a report in the files on disk and return what is found then.

    A finding that offers several fixes is left: choosing is for people. So is a fix in a file that was not asked for,
    and one that overlaps another of the same round (it is made in the next).
    """
    changed: set[str] = set()
    for _ in range(ROUNDS_MAX):
        edits = _edits(report, set(paths))
        if not edits:
            break
        for path, some in edits.items():
            if not _write(path, apply_edits(report.sources[path].text, some)):
                return report
            host.changed_on_disk(path)
        changed |= set(edits)
        report = check.survey(host.snapshot(), paths, given)
    for path in sorted(changed):
        complain(f"fixed {path}")
    return report


def _edits(report: Report, paths: set[str]) -> dict[str, list[Edit]]:
    """Return the edits of all fixes that may be made together, by file."""
    made: dict[str, list[Edit]] = {}
    for it in report.findings():
        if len(it.fixes) == 1 and _fits(it.fixes[0], made, paths):
            for edit in it.fixes[0].edits:
                made.setdefault(edit.path, []).append(Edit(edit.span, edit.text))
    return made


def _fits(one: Fix, made: dict[str, list[Edit]], paths: set[str]) -> bool:
    """Say whether a fix stays in these files and away from the edits that are made already."""
    return all(
        it.path in paths
        and not any(
            it.span.start <= other.span.end and other.span.start <= it.span.end for other in made.get(it.path, ())
        )
        for it in one.edits
    )


def _write(path: str, text: str) -> bool:
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        complain(f"`{path}` cannot be written ({(error.strerror or 'unknown error').lower()}): its fixes are not made")
        return False
    return True
