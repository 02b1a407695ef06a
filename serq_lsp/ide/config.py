"""`serq.toml`: run settings, settings per program, and which rules count. Same for the command line and the server.

```toml
[run]
horizon = 60
seed = 1
[[program]]
path = "engines/vllm.sq"
sets = { Lambda = 0.5 }
[lint]
select = ["reserve-below-hold"]
ignore = ["unused-constant"]
severity = { missing-bucket = "warning" }
```
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from serq_lsp.diag.model import Finding, Severity
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.rules import SETTINGS
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.text.source import Source

NAME = "serq.toml"
SEVERITIES = {it.name.lower(): it for it in Severity}

_NUMBERS = {"seed": int, "horizon": float, "warmup": float, "arrivals": int}
_LIMITS = {"events": int, "seconds": float}
_PROGRAM = ("path", "edition", "sets", "defs", "trace", "workload", *_NUMBERS)
_TABLES = ("run", "program", "lint", "native")
_EDITIONS = ("classic", "engine", "current")
_Missing = object()


@dataclass(frozen=True, slots=True)
class Given:
    """Run settings that one place gives; None and empty: it does not say. `sets` and `defs` are expressions as text."""

    edition: str | None = None
    seed: int | None = None
    horizon: float | None = None
    warmup: float | None = None
    arrivals: int | None = None
    trace: str | None = None
    workload: str | None = None
    sets: Mapping[str, str] = field(default_factory=dict)
    defs: Mapping[str, str] = field(default_factory=dict)

    def over(self, other: Given) -> Given:
        """Return both together; where both say something, this one wins."""

        def first(name: str) -> Any:
            mine = getattr(self, name)
            return getattr(other, name) if mine is None else mine

        names = ("edition", "seed", "horizon", "warmup", "arrivals", "trace", "workload")
        return Given(
            **{it: first(it) for it in names}, sets={**other.sets, **self.sets}, defs={**other.defs, **self.defs}
        )


@dataclass(frozen=True, slots=True)
class ProgramEntry:
    """A `[[program]]`: its path relative to the file, and what it gives."""

    path: str
    given: Given


@dataclass(frozen=True, slots=True)
class Config:
    """A settings file. `path` is None where there is none; `findings` say what in it is not understood."""

    path: str | None = None
    run: Given = field(default_factory=Given)
    events: int | None = None
    seconds: float | None = None
    programs: tuple[ProgramEntry, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def parse(source: Source) -> Config:
    """Return what a settings file says; never raises. What is not understood has a finding and counts as not said."""
    table = _load(source)
    if isinstance(table, Finding):
        return Config(source.path, findings=(table,))
    it = _Reader(source)
    it.known(table, _TABLES, "")
    run = it.table(table, "run")
    it.known(run, (*_NUMBERS, "limits"), "run")
    limits = it.table(run, "limits")
    it.known(limits, tuple(_LIMITS), "run.limits")
    lint = it.table(table, "lint")
    it.known(lint, ("select", "ignore", "severity"), "lint")
    select = it.names(lint, "select")
    return Config(
        path=source.path,
        run=Given(**it.numbers(run, _NUMBERS)),
        **it.numbers(limits, _LIMITS),
        programs=it.programs(table),
        select=select,
        ignore=it.names(lint, "ignore") or (),
        severity=it.severities(lint),
        findings=tuple(it.findings),
    )


def _load(source: Source) -> dict[str, Any] | Finding:
    """Return the TOML as data, or the finding that says why it is none."""
    loads, fault = _parser()
    try:
        return loads(source.text)
    except fault as error:
        at = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        offset = source.lines.offset(int(at[1]) - 1, int(at[2]) - 1) if at else len(source.text)
        offset = min(offset, max(len(source.text) - 1, 0))
        message = re.sub(r"\s*\(at .*\)$", "", str(error))
        message = message[:1].lower() + message[1:]
        return _finding(
            source,
            Span(offset, offset + 1),
            f"this is not TOML: {message}",
            "correct it; until then the file counts as empty",
        )
    except RecursionError:
        return _finding(source, Span(0, 0), "this nests too deep", "use fewer brackets")


def _parser() -> tuple[Callable[[str], dict[str, Any]], type[Exception]]:
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    return tomllib.loads, tomllib.TOMLDecodeError


def _finding(source: Source, span: Span, message: str, hint: str) -> Finding:
    return Finding(SETTINGS, source.path, span, message, help=hint)


class _Reader:
    """Takes values out of tables, and collects findings about those that do not fit."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.findings: list[Finding] = []

    def known(self, table: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
        """Report keys that are not among `names`."""
        for key in table:
            if key not in names:
                near = nearest(key, names)
                hint = f"did you mean `{near}`?" if near else f"known are {', '.join(names)}"
                self._fault(key, f"`{f'{where}.' if where else ''}{key}` is not known here", hint)

    def table(self, table: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Return a table of `table`; an empty one where there is none."""
        return self._typed(table, key, dict, "a table") or {}

    def numbers(self, table: Mapping[str, Any], kinds: Mapping[str, type]) -> dict[str, Any]:
        """Return the numbers that `table` gives under these names."""
        found: dict[str, Any] = {}
        for name, kind in kinds.items():
            value = table.get(name, _Missing)
            if value is _Missing:
                continue
            if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
                what = "a whole number" if kind is int else "a number"
                self._fault(name, f"`{name}` is {_shown(value)}, not {what}", f"write for example `{name} = 20`")
            else:
                found[name] = kind(value)
        return found

    def names(self, table: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        """Return a list of texts, or None where there is none."""
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(it, str) for it in value):
            self._fault(key, f"`{key}` is not a list of rules", f'write for example `{key} = ["missing-bucket"]`')
            return None
        return tuple(value)

    def severities(self, lint: Mapping[str, Any]) -> dict[str, Severity]:
        """Return the severities that the table gives to rules."""
        found: dict[str, Severity] = {}
        for rule, name in self.table(lint, "severity").items():
            severity = SEVERITIES.get(name) if isinstance(name, str) else None
            if severity is None:
                self._fault(rule, f"{_shown(name)} is no severity", f"the severities are {', '.join(SEVERITIES)}")
            else:
                found[rule] = severity
        return found

    def programs(self, table: Mapping[str, Any]) -> tuple[ProgramEntry, ...]:
        """Return the `[[program]]` entries that name a path."""
        found: list[ProgramEntry] = []
        for entry in self._typed(table, "program", list, "written as `[[program]]`") or []:
            path = entry.get("path") if isinstance(entry, dict) else None
            if not isinstance(path, str):
                self._fault("program", "a `[[program]]` names no path", 'write for example `path = "engine.sq"`')
                continue
            self.known(entry, _PROGRAM, "program")
            found.append(ProgramEntry(path, self._given(entry)))
        return tuple(found)

    def _given(self, entry: Mapping[str, Any]) -> Given:
        edition = self._typed(entry, "edition", str, "a text")
        if edition is not None and edition not in _EDITIONS:
            self._fault("edition", f"no edition is called `{edition}`", f"the editions are {', '.join(_EDITIONS)}")
            edition = None
        return Given(
            edition=edition,
            trace=self._typed(entry, "trace", str, "a text"),
            workload=self._typed(entry, "workload", str, "a text"),
            sets=self._texts(entry, "sets"),
            defs=self._texts(entry, "defs"),
            **self.numbers(entry, _NUMBERS),
        )

    def _texts(self, entry: Mapping[str, Any], key: str) -> dict[str, str]:
        """Return expressions by name; numbers are written as expressions."""
        found: dict[str, str] = {}
        for name, value in self.table(entry, key).items():
            if isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
                found[name] = str(value)
            else:
                self._fault(name, f"`{name}` is {_shown(value)}, not an expression", "give a number, or a text")
        return found

    def _typed(self, table: Mapping[str, Any], key: str, kind: type, what: str) -> Any:
        value = table.get(key)
        if value is None or isinstance(value, kind):
            return value
        self._fault(key, f"`{key}` is {_shown(value)}, not {what}", "see the guide, “Settings”")
        return None

    def _fault(self, key: str, message: str, hint: str) -> None:
        """Add a finding at the first place where `key` is written: TOML's data know no places."""
        at = re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", self._source.text)
        span = Span(*at.span()) if at else Span(0, 0)
        self.findings.append(_finding(self._source, span, message, hint))


def _shown(value: Any) -> str:
    text = str(value)
    return f"`{text[:40]}{'…' if len(text) > 40 else ''}`"
