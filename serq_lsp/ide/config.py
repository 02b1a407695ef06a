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
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from serq_lsp.diag.model import Finding, Severity
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.rules import SETTINGS
from serq_lsp.ide.tomlplaces import places
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serq_lsp.ide.tomlplaces import Place, Steps
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
        both: dict[str, Any] = {}
        for it in fields(self):
            mine, theirs = getattr(self, it.name), getattr(other, it.name)
            both[it.name] = {**theirs, **mine} if isinstance(mine, dict) else theirs if mine is None else mine
        return Given(**both)


def edition(given: Given) -> Edition | None:
    """Return the edition that an option asks for."""
    return Edition(given.edition) if given.edition is not None else None


class ProgramEntry(NamedTuple):
    """A `[[program]]`: its path relative to the file, what it gives, and the way to it in the file."""

    path: str
    given: Given
    steps: Steps


@dataclass(frozen=True, slots=True)
class Config:
    """A settings file. `path` is None where there is none; `places` say where its keys and values stand.

    `findings` say what in it is not understood; for those in `stops` no program is run.
    """

    path: str | None = None
    run: Given = field(default_factory=Given)
    events: int | None = None
    seconds: float | None = None
    programs: tuple[ProgramEntry, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    stops: tuple[Finding, ...] = ()
    places: Mapping[Steps, Place] = field(default_factory=dict, repr=False)

    def key_at(self, *steps: str | int) -> Span:
        """Return where a key stands, the beginning of the file where it has no place."""
        place = self.places.get(steps)
        return place.key if place is not None else Span(0, 0)

    def value_at(self, *steps: str | int) -> Span:
        """Return where a value stands, the beginning of the file where it has no place."""
        place = self.places.get(steps)
        return place.value if place is not None else Span(0, 0)


def parse(source: Source) -> Config:
    """Return what a settings file says; never raises. What is not understood has a finding and counts as not said."""
    loaded = _load(source)
    if isinstance(loaded, Finding):
        return Config(source.path, findings=(loaded,), stops=(loaded,))
    table, where = loaded
    it = _Reader(source, where)
    it.known(table, _TABLES, ())
    run = it.table(table, ("run",))
    it.known(run, (*_NUMBERS, "limits"), ("run",))
    limits = it.table(run, ("run", "limits"))
    it.known(limits, tuple(_LIMITS), ("run", "limits"))
    lint = it.table(table, ("lint",))
    it.known(lint, ("select", "ignore", "severity"), ("lint",))
    return Config(
        path=source.path,
        run=Given(**it.numbers(run, _NUMBERS, ("run",))),
        **it.numbers(limits, _LIMITS, ("run", "limits")),
        programs=it.programs(table),
        select=it.names(lint, ("lint", "select")),
        ignore=it.names(lint, ("lint", "ignore")) or (),
        severity=it.severities(lint),
        findings=tuple(it.findings),
        stops=tuple(it.stops),
        places=where,
    )


def _load(source: Source) -> tuple[dict[str, Any], dict[Steps, Place]] | Finding:
    """Return the TOML as data and where it stands, or the finding that says why it is none."""
    loads, fault = _parser()
    try:
        return loads(source.text), places(source.text)
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
            "correct it; until then nothing runs, and the rest of the file does not count",
        )
    except RecursionError:
        return _finding(source, Span(0, 0), "this nests too deep", "use fewer brackets")


def _parser() -> tuple[Callable[[str], dict[str, Any]], type[Exception]]:
    try:
        import tomllib  # type: ignore[import-not-found,unused-ignore]
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    return tomllib.loads, tomllib.TOMLDecodeError


def _finding(source: Source, span: Span, message: str, hint: str) -> Finding:
    return Finding(SETTINGS, source.path, span, message, help=hint)


class _Reader:
    """Takes values out of tables, and collects findings about those that do not fit.

    A way (`Steps`) says where something stands: its last step is the key.
    """

    def __init__(self, source: Source, where: Mapping[Steps, Place]) -> None:
        self._source = source
        self._places = where
        self.findings: list[Finding] = []
        self.stops: list[Finding] = []

    def known(self, table: Mapping[str, Any], names: tuple[str, ...], where: Steps) -> None:
        """Report keys that are not among `names`."""
        for key in table:
            if key not in names:
                near = nearest(key, names)
                hint = f"did you mean `{near}`?" if near else f"known are {', '.join(names)}"
                shown = ".".join(str(it) for it in (*where, key) if isinstance(it, str))
                self._fault((*where, key), f"`{shown}` is not known here", hint, at_key=True)

    def table(self, table: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        """Return a table of `table`; an empty one where there is none."""
        return self._typed(table, steps, dict, "a table") or {}

    def numbers(self, table: Mapping[str, Any], kinds: Mapping[str, type], where: Steps) -> dict[str, Any]:
        """Return the numbers that `table` gives under these names."""
        found: dict[str, Any] = {}
        for name, kind in kinds.items():
            value = table.get(name, _Missing)
            if value is _Missing:
                continue
            if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
                what = "a whole number" if kind is int else "a number"
                hint = f"write for example `{name} = 20`"
                self._fault((*where, name), f"`{name}` is {_shown(value)}, not {what}", hint)
            else:
                found[name] = kind(value)
        return found

    def names(self, table: Mapping[str, Any], steps: Steps) -> tuple[str, ...] | None:
        """Return a list of texts, or None where there is none."""
        key = steps[-1]
        value = table.get(str(key))
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(it, str) for it in value):
            self._fault(steps, f"`{key}` is not a list of rules", f'write for example `{key} = ["missing-bucket"]`')
            return None
        return tuple(value)

    def severities(self, lint: Mapping[str, Any]) -> dict[str, Severity]:
        """Return the severities that the table gives to rules."""
        found: dict[str, Severity] = {}
        for rule, name in self.table(lint, ("lint", "severity")).items():
            severity = SEVERITIES.get(name) if isinstance(name, str) else None
            if severity is None:
                near = nearest(name, SEVERITIES) if isinstance(name, str) else None
                hint = f"did you mean `{near}`?" if near else f"the severities are {', '.join(SEVERITIES)}"
                self._fault(("lint", "severity", rule), f"{_shown(name)} is no severity", hint)
            else:
                found[rule] = severity
        return found

    def programs(self, table: Mapping[str, Any]) -> tuple[ProgramEntry, ...]:
        """Return the `[[program]]` entries that name a path."""
        found: list[ProgramEntry] = []
        for number, entry in enumerate(self._typed(table, ("program",), list, "written as `[[program]]`") or []):
            steps: Steps = ("program", number)
            path = entry.get("path") if isinstance(entry, dict) else None
            if not isinstance(path, str):
                self._fault(steps, "a `[[program]]` names no path", 'write for example `path = "engine.sq"`')
                continue
            self.known(entry, _PROGRAM, steps)
            found.append(ProgramEntry(path, self._given(entry, steps), steps))
        return tuple(found)

    def _given(self, entry: Mapping[str, Any], steps: Steps) -> Given:
        edition = self._typed(entry, (*steps, "edition"), str, "a text")
        if edition is not None and edition not in _EDITIONS:
            hint = f"the editions are {', '.join(_EDITIONS)}"
            self._fault((*steps, "edition"), f"no edition is called `{edition}`", hint)
            edition = None
        return Given(
            edition=edition,
            trace=self._typed(entry, (*steps, "trace"), str, "a text"),
            workload=self._typed(entry, (*steps, "workload"), str, "a text"),
            sets=self._texts(entry, (*steps, "sets")),
            defs=self._texts(entry, (*steps, "defs")),
            **self.numbers(entry, _NUMBERS, steps),
        )

    def _texts(self, entry: Mapping[str, Any], steps: Steps) -> dict[str, str]:
        """Return expressions by name; numbers are written as expressions."""
        found: dict[str, str] = {}
        for name, value in self.table(entry, steps).items():
            if isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
                found[name] = str(value)
            else:
                hint = "give a number, or a text"
                self._fault((*steps, name), f"`{name}` is {_shown(value)}, not an expression", hint)
        return found

    def _typed(self, table: Mapping[str, Any], steps: Steps, kind: type, what: str) -> Any:
        key = str(steps[-1])
        value = table.get(key)
        if value is None or isinstance(value, kind):
            return value
        hint = "`serq explain bad-settings` shows what may stand there"
        self._fault(steps, f"`{key}` is {_shown(value)}, not {what}", hint)
        return None

    def _fault(self, steps: Steps, message: str, hint: str, *, at_key: bool = False) -> None:
        """Add a finding at the value that `steps` lead to, or at its key; what `[lint]` says stops no run."""
        place = self._places.get(steps)
        span = Span(0, 0) if place is None else place.key if at_key else place.value
        found = _finding(self._source, span, message, hint)
        self.findings.append(found)
        if steps[0] != "lint":
            self.stops.append(found)


def _shown(value: Any) -> str:
    text = str(value)
    return f"`{text[:40]}{'…' if len(text) > 40 else ''}`"


def unreadable(path: str, reason: str, cure: str) -> Config:
    """Return the settings of a file that cannot be read: none, and a finding that says why."""
    from serq_lsp.text.source import Source as Text

    found = (_finding(Text(path, ""), Span(0, 0), f"`{path}` {reason}", cure),)
    return Config(path, findings=found, stops=found)
