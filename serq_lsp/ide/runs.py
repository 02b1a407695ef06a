"""Running programs: from a path and settings to iterations with their places in the source, and a report."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from serq_lsp.ide import logs
from serq_lsp.ide.config import edition
from serq_lsp.ide.findings import remarks
from serq_lsp.ide.judged import cannot_lower, errors
from serq_lsp.ide.settings import refuse
from serq_lsp.ir.program import Poisson, Renewal
from serq_lsp.ir.program import Step as StepKind
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.limits import Limits
from serq_lsp.sim.report import report_data, report_json
from serq_lsp.sim.run import Options, Simulation
from serq_lsp.sim.trace import Iteration, iter_data, iter_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.config import Given
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.ir.program import Program
    from serq_lsp.lower.origins import Origins
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.sim.result import Result
    from serq_lsp.text.spans import Span

EDITOR_LIMITS = Limits(events=200_000, seconds=2.0, memory=512 << 20)
"""How far a run goes in an editor (architecture.md, Settings)."""
MEMORY_MAX = 4 << 30


@dataclass(frozen=True)
class Prepared:
    """A program ready to run, and where its parts stand in the sources.

    `trace_allowed`: an option names the trace. `remarks` are errors that do not keep it from running. `clause` is where the
    program names the trace, None where a setting does.
    """

    path: str
    program: Program
    origins: Origins = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    trace_allowed: bool = False
    remarks: tuple[Finding, ...] = ()
    clause: Span | None = None

    @property
    def iterates(self) -> bool:
        """Say whether any stage works in iterations."""
        return any(isinstance(it.kind, StepKind) for it in self.program.stages)

    def ir_text(self) -> str:
        """Return the program in the kernel's form, as JSON."""
        from serq_lsp.ir.codec import to_json

        return to_json(self.program)


@dataclass(frozen=True)
class Refused:
    """Why a program cannot be made ready: findings with their places, and messages about the command line."""

    findings: tuple[Finding, ...] = ()
    problems: tuple[str, ...] = ()


class Stopped(Exception):  # noqa: N818 (a run that stops early is no error of ours)
    """A run that ends before its end: a fault of the program, or a limit. `message` says where, why and what helps."""

    def __init__(self, message: str, path: str, span: Span | None, limit: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.span = span
        self.limit = limit


def prepare(snapshot: Snapshot, path: str, given: Given) -> Prepared | Refused:
    """Return the program of `path` with these settings, or why it does not load; never raises."""
    judged = snapshot.judged(path, given)
    if wrong := errors(judged.found):
        return Refused(tuple(wrong))
    resolved = judged.resolved
    if resolved.findings or resolved.problems:
        return Refused(resolved.findings, resolved.problems)
    model = snapshot.model(path, edition(given))
    lowered = judged.lowered or snapshot.lowered(path, resolved.settings, edition(given))
    if lowered.program is None:
        return Refused(tuple(cannot_lower(it, model.edition) for it in lowered.unsupported))
    for name, reason in _unfit(lowered.program, resolved.settings):
        resolved = refuse(resolved, name, reason)
    if resolved.findings or resolved.problems:
        return Refused(resolved.findings, resolved.problems)
    found = snapshot.findings(path, given) if remarks(judged.found) else {}
    told = tuple(remarks(it for each in found.values() for it in each))
    clause = logs.clause(model) if resolved.settings.trace is None else None
    return Prepared(path, lowered.program, lowered.origins, snapshot, given.trace is not None, told, clause)


def _unfit(program: Program, settings: RunSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings that this program does not take (engine.md 10)."""
    if settings.arrivals is not None and not isinstance(program.arrival, (Poisson, Renewal)):
        yield "arrivals", "a number of arrivals needs `arrive poisson(…)` or `arrive renewal(…)`"
    if not 0 <= program.warmup < program.horizon:
        name = "warmup" if settings.warmup is not None else "horizon"
        yield name, f"the warm-up, {program.warmup:g} s, is not from 0 to below the horizon, {program.horizon:g} s"


def limits(prepared: Prepared, events: int | None = None, seconds: float | None = None) -> Limits:
    """Return the limits of a run on the command line: none but memory, unless an option or `serq.toml` gives them."""
    config = prepared.snapshot.config(prepared.path)
    return Limits(
        events=config.events if events is None else events,
        seconds=config.seconds if seconds is None else seconds,
        memory=MEMORY_MAX,
    )


class Execution:
    """One run: an iterator of steps, to be iterated once; then `results` are there."""

    def __init__(self, prepared: Prepared, bounds: Limits) -> None:
        self._prepared = prepared
        self._places = _Places(prepared)
        self._last: Iteration | None = None
        self._simulation = Simulation(prepared.program, Options(bounds, read_trace=partial(read_log, prepared)))

    def __iter__(self) -> Iterator[Step]:
        """Yield the iterations as they happen.

        Raises:
            Stopped: the run ends early; what came before has been yielded.
        """
        try:
            for it in self._simulation.steps():
                if isinstance(it, Iteration):
                    self._last = it
                    yield Step(it, self._places)
        except RunError as error:
            raise self._stopped(error) from None

    def results(self) -> Results:
        """Return what the finished run has to report."""
        result = self._simulation.result
        assert result is not None, "the run has not come to its end"
        return Results(result)

    def _stopped(self, error: RunError) -> Stopped:
        from serq_lsp.sim.errors import LimitReached

        limit = error.kind if isinstance(error, LimitReached) else None
        chain = self._places.chain(error.place.block, error.place.statement) if error.place is not None else ()
        path, span = chain[0] if chain else (self._prepared.path, None)
        if error.kind in logs.KINDS and span is None:
            span = self._prepared.clause
        lines = [f"{self._places.text(path, span)}: {error.message}"]
        if error.time is not None:
            lines[0] += f" (at {error.time:g} s)"
        lines += [f"  used at {self._places.text(*place)}" for place in chain[1:]]
        if self._last is not None:
            lines.append(f"  the last iteration: {iter_line(self._last)}")
        return Stopped("\n".join(lines), path, span, limit)


def read_log(prepared: Prepared, name: str) -> Sequence[str]:
    """Return the lines of a recorded log; it lies relative to the program's folder, or as an option says.

    Raises:
        RunError: it cannot be read, or lies outside the project and no option names it.
    """
    answer = logs.read(prepared.snapshot, prepared.path, name, anywhere=prepared.trace_allowed)
    if isinstance(answer, logs.Refusal):
        raise RunError(answer.kind, answer.reason)
    return answer.text.split("\n")


class Step:
    """One iteration of an engine, with the places of what it did."""

    def __init__(self, iteration: Iteration, places: _Places) -> None:
        self.iteration = iteration
        self._places = places

    def line(self, *, pools: bool = False) -> str:
        """Return the ITER line (semantics.md 10)."""
        return iter_line(self.iteration, pools=pools)

    def data(self) -> dict[str, Any]:
        """Return the iteration as data: the stage's name and place, each item with the place of its statement.

        `member` is the number of the stage in its family, None where it is no family.
        """
        data = iter_data(self.iteration)
        stage = self.iteration.stage
        record = self._places.program.stages[stage]
        data |= {"stage": record.name, "member": record.index}
        place = self._places.origins.stages.get(stage)
        data["place"] = self._places.place((place.path, place.span) if place is not None else None)
        for item in data["items"]:
            chain = self._places.chain(item.pop("block"), item.pop("statement"))
            item["place"] = self._places.place(chain[0] if chain else None)
        return data


@dataclass(frozen=True)
class Results:
    """What a run has to report."""

    result: Result

    @cached_property
    def report(self) -> dict[str, Any]:
        """Return the report as data (semantics.md 12.9); what is not finite is None."""
        return report_data(self.result, _version())

    def json(self) -> str:
        """Return the report as JSON, the reference's keys in the reference's order."""
        return report_json(self.result, _version())

    def samples(self) -> Mapping[str, Iterator[tuple[float, float, int, int]]]:
        """Return time, value, session and turn of each observation's samples, by name."""
        return {
            name: zip(it.times, it.values, it.sessions, it.turns, strict=True)
            for name, it in self.result.samples.items()
        }

    def gauges(self) -> Mapping[str, Iterator[tuple[float, float]]]:
        """Return time and value of each gauge's points, by name."""
        return {name: zip(it.times, it.values, strict=True) for name, it in self.result.gauge_points.items()}


class _Places:
    """Places of the kernel's parts in the sources, as people count them."""

    def __init__(self, prepared: Prepared) -> None:
        self.program = prepared.program
        self.origins = prepared.origins
        self._snapshot = prepared.snapshot
        self._shown: dict[tuple[str, Span], dict[str, Any]] = {}

    def chain(self, block: int, statement: int) -> tuple[tuple[str, Span], ...]:
        """Return the places of a statement: itself first, then the uses that brought it."""
        return tuple((it.path, it.span) for it in self.origins.of_statement(block, statement))

    def place(self, where: tuple[str, Span] | None) -> dict[str, Any] | None:
        """Return a place as data: path, and lines and columns from 1."""
        if where is None:
            return None
        if where not in self._shown:
            lines = self._snapshot.source(where[0]).lines
            start, end = lines.locate(where[1].start), lines.locate(where[1].end)
            self._shown[where] = {
                "path": where[0],
                "range": {
                    "start": {"line": start.line + 1, "col": start.column + 1},
                    "end": {"line": end.line + 1, "col": end.column + 1},
                },
            }
        return self._shown[where]

    def text(self, path: str, span: Span | None) -> str:
        """Return a place as text, `path:line:col`."""
        if span is None:
            return path
        at = self._snapshot.source(path).lines.locate(span.start)
        return f"{path}:{at.line + 1}:{at.column + 1}"


def _version() -> str:
    from importlib.metadata import version

    return version("serq-lsp")
