"""`serq check`: what is wrong with programs, in the format that is asked for."""


# ruff: noqa: PTH100, PTH112
# (paths are texts here, as users and clients spell them)

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from serq_lsp.cli.options import given as given_by
from serq_lsp.cli.output import coloured, complain, show
from serq_lsp.cli.standard_input import standard_input
from serq_lsp.diag.model import Severity
from serq_lsp.diag.report import FileReport, Report
from serq_lsp.ide import files
from serq_lsp.ide.config import Given, edition
from serq_lsp.ide.host import Host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.cli.options import Options
    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.snapshot import Snapshot


def check(options: Options) -> int:
    """Check files, folders and standard input; return 1 where something is found that `--fail-on` counts, else 0."""
    host = Host()
    paths = list(_paths(options, host))
    given = given_by(options)
    report = survey(host.snapshot(), paths, given)
    if options.fix:
        from serq_lsp.cli.fix import fix

        report = fix(host, report, paths, given)
    problems = _problems(host, paths, given)
    for message in problems:
        complain(message)
    show(_rendered(report, options))
    worst = Severity.ERROR if options.fail_on == "error" else Severity.WARNING
    return int(bool(problems) or any(it.severity <= worst for it in report.findings()))


def survey(snapshot: Snapshot, paths: list[str], given: Given) -> Report:
    """Return what is found in these files and the libraries they use, each file once."""
    shown = {_key(path): path for path in reversed(paths)}
    found: dict[str, dict[Finding, None]] = {_key(path): {} for path in paths}
    asked = edition(given)
    for path in paths:
        for where, findings in snapshot.findings(path, given).items():
            shown.setdefault(_key(where), where)
            found.setdefault(_key(where), {}).update(dict.fromkeys(findings))
    reports = []
    for key, some in found.items():
        path = shown[key]
        told = snapshot.edition(path, asked if path in paths else None)
        reports.append(FileReport(path, told.value if told else None, tuple(some)))
    named = {path for each in reports for it in each.findings for path in _named(it)}
    return Report(tuple(reports), {path: snapshot.source(path) for path in named})


def _named(it: Finding) -> set[str]:
    """Return the paths that a finding points into."""
    notes = {note.path for note in it.notes if note.path is not None}
    return {it.path, *notes, *(edit.path for fix in it.fixes for edit in fix.edits)}


def _problems(host: Host, paths: list[str], given: Given) -> list[str]:
    """Return what the language refuses of the options, each message once; programs with errors do not answer."""
    if given == Given(edition=given.edition):
        return []
    from serq_lsp.ide.runs import Refused, prepare

    snapshot = host.snapshot()
    answers = [prepare(snapshot, path, given) for path in paths]
    return list(dict.fromkeys(it for one in answers if isinstance(one, Refused) for it in one.problems))


def _paths(options: Options, host: Host) -> Iterator[str]:
    """Yield the files to check, as given or walked, each once; standard input becomes an open document."""
    seen: set[str] = set()
    for path in options.paths:
        if path == "-":
            yield standard_input(options.stdin_filename, host)
            continue
        walked = list(files.walk(path)) if os.path.isdir(path) else [path]
        if not walked:
            complain(f"no *.sq files below `{path}`")
        if len(walked) == files.FILES_MAX:
            complain(f"`{path}` holds many programs: only the first {files.FILES_MAX:,} are checked (limit files)")
        for it in walked:
            if _key(it) not in seen:
                seen.add(_key(it))
                yield it


def _key(path: str) -> str:
    """Return what tells whether two paths are the same name."""
    return os.path.abspath(path)


def _rendered(report: Report, options: Options) -> Iterator[str]:
    match options.format:
        case "concise":
            from serq_lsp.diag.render_concise import render as concise

            yield from concise(report)
        case "json":
            from serq_lsp.diag.render_json import render as as_json

            yield from as_json(report)
        case "sarif":
            from importlib.metadata import version

            from serq_lsp.diag.render_sarif import render as sarif

            yield from sarif(report, version("serq-lsp"))
        case "github":
            from serq_lsp.diag.render_github import render as github

            yield from github(report)
        case "text" if any(it.findings for it in report.files):
            from serq_lsp.diag.render_text import render as text

            yield from text(report, colour=coloured(sys.stdout))
    if options.summary and options.format in {"text", "concise"}:
        from serq_lsp.diag.render_text import summary

        yield summary(report)
