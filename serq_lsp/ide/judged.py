"""What is wrong with a program as it would run: its text read with the settings that apply, then put into kernel form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serq_lsp.checks.all import check
from serq_lsp.diag.model import Finding, Note, Severity
from serq_lsp.ide.config import edition
from serq_lsp.ide.files import Unreadable
from serq_lsp.ide.replaced import without_replaced
from serq_lsp.ide.rules import CANNOT_LOWER, FILE, TRACE, UNSUPPORTED
from serq_lsp.ide.settings import refuse, resolve, sources
from serq_lsp.lang.editions import Edition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.ide.config import Given
    from serq_lsp.ide.settings import Resolved
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lower.context import Unsupported
    from serq_lsp.lower.program import Lowered
    from serq_lsp.sema.libraries import Library
    from serq_lsp.sema.model import Model


@dataclass(frozen=True)
class Judged:
    """What is found in a program, nothing left out, with the settings of a run and what they are refused for.

    `lowered` is its kernel form, or why it has none; None where that was not tried.
    """

    found: tuple[Finding, ...]
    resolved: Resolved
    lowered: Lowered | None = None


def judge(snapshot: Snapshot, path: str, given: Given) -> Judged:
    """Return what is wrong with the program `path`, run with the settings `given`; never raises.

    Findings that only the new values of constants bring about have a note that says who gives them.
    """
    asked = edition(given)
    resolved = resolve(snapshot, path, given)
    file = snapshot.file(path)
    if isinstance(file, Unreadable):
        return Judged((unreadable(file),), resolved)
    model = snapshot.model(path, asked)
    found = _checked(path, model)
    resolved = _overrides(model, resolved)
    sound = not resolved.findings and not resolved.problems
    if resolved.settings.sets and sound:
        sets = {name: str(value) for name, value in resolved.settings.sets.items()}
        found = _noted(_checked(path, snapshot.model(path, asked, sets)), found, tuple(sources(resolved)))
    found = without_replaced(snapshot, path, given, found)
    if errors(found) or not sound or model.is_library or not _has_kernel_form(snapshot.edition(path, asked)):
        return Judged(tuple(found), resolved)
    lowered = snapshot.lowered(path, resolved.settings, asked)
    found += [cannot_lower(it, model.edition) for it in lowered.unsupported]
    if lowered.program is not None and lowered.program.trace is not None:
        resolved, more = _log(snapshot, model, given, resolved, lowered.program.trace)
        found += more
    return Judged(tuple(found), resolved, lowered)


def unreadable(file: Unreadable) -> Finding:
    """Return the finding about a file that cannot be read."""
    return Finding(FILE, file.path, file.span, f"`{file.path}` {file.reason}", help=file.cure)


def errors(found: Iterable[Finding]) -> list[Finding]:
    """Return the errors for which a program is refused, whatever the settings file makes of them."""
    return [it for it in found if it.severity is Severity.ERROR and it.rule.refuses]


def cannot_lower(it: Unsupported, told: Edition) -> Finding:
    """Return the finding about what has no kernel form; of the current edition nothing has one yet."""
    if told is Edition.CURRENT:
        return Finding(
            UNSUPPORTED, it.path, it.span, f"this cannot be run yet: {it.what}", help="`serq check` works on it"
        )
    hint = "compare it with `serq explain` of the word; that no rule says it better is a fault of the tools, please report it"
    return Finding(CANNOT_LOWER, it.path, it.span, f"this has no kernel form: {it.what}", help=hint)


def _has_kernel_form(told: Edition | None) -> bool:
    return told in {Edition.CLASSIC, Edition.ENGINE}


def _checked(path: str, model: Model) -> list[Finding]:
    """Return what the rules say of a program, with notes at the uses of the libraries in which it stands."""
    uses = {it.path: it for it in model.libraries}
    return [_with_uses(it, path, uses) for it in check(model)]


def _overrides(model: Model, resolved: Resolved) -> Resolved:
    """Return the settings with what the program refuses of new values and bodies."""
    if resolved.settings.sets or resolved.settings.defs:
        from serq_lsp.ide.overrides import refused

        for name, reason in refused(model, resolved.settings):
            resolved = refuse(resolved, name, reason)
    return resolved


def _noted(found: list[Finding], before: list[Finding], notes: tuple[Note, ...]) -> list[Finding]:
    """Return findings, those that were not there `before` with these notes."""
    known = {(it.rule.id, it.path, it.span, it.message) for it in before}
    return [
        it if (it.rule.id, it.path, it.span, it.message) in known else replace(it, notes=(*it.notes, *notes))
        for it in found
    ]


def _with_uses(it: Finding, program: str, uses: dict[str, Library]) -> Finding:
    """Return a finding with notes at each `use` on the way from the program to the library it stands in."""
    notes = list(it.notes)
    path = it.path
    for _ in uses:
        library = uses.get(path)
        if library is None or path == program:
            break
        if not any(note.path == library.by and note.span == library.use.span for note in notes):
            notes.append(Note("used here", library.by, library.use.span))
        path = library.by
    return replace(it, notes=tuple(notes)) if len(notes) > len(it.notes) else it


def _log(
    snapshot: Snapshot, model: Model, given: Given, resolved: Resolved, name: str
) -> tuple[Resolved, list[Finding]]:
    """Return what is wrong with the recorded log that the program replays: at the setting or the clause that names it."""
    from serq_lsp.ide import logs

    wrong = logs.refusal(snapshot, model.path, name, anywhere=given.trace is not None)
    if wrong is None:
        return resolved, []
    if resolved.settings.trace is not None:
        return refuse(resolved, "trace", wrong.reason), []
    return resolved, [Finding(TRACE, model.path, logs.clause(model) or model.tree.root.span, wrong.reason)]
