"""Is everything read at a moment at which it has a value (classic.md 10, engine.md 8)?

What may be read when is a table of the language (`lang/constructs.toml`); here it is compared with every expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.reading import positions, reads
from serq_lsp.checks.resources import pools, silent
from serq_lsp.checks.shown import source
from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import constructs, vocabulary
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from serq_lsp.checks.reading import Position, Read
    from serq_lsp.lang.table import Construct
    from serq_lsp.sema.model import Model

_ERROR = Severity.ERROR
MOMENT = Rule(
    "moment",
    _ERROR,
    "a value is read where it does not exist",
    aliases=("moment-variable", "list-wrong-clause", "list-bare-name", "list-outside-engine"),
)
HIDDEN = Rule("hidden-read", _ERROR, "the scheduler reads a hidden attribute", aliases=("hidden-admission",))
DRAWS = Rule(
    "scheduler-draws",
    _ERROR,
    "a scheduling decision draws",
    aliases=("only-draws", "by-draws", "guard-draws", "queue-key-draws", "preempt-key-draws"),
)
CLOCK = Rule("scheduler-clock", _ERROR, "a plan reads the clock", aliases=("guard-clock", "only-clock"))
COMPUTED = Rule("preempt-computed", _ERROR, "a preempt key reads `computed`", aliases=("preempt-key-computed",))
BUDGET = Rule(
    "budget-left-moment",
    _ERROR,
    "a plan reads the budget that it leaves",
    aliases=("budget-in-plan", "preempt-key-budget"),
)
GAUGE = Rule(
    "gauge-read",
    _ERROR,
    "a gauge reads what does not hold between events",
    aliases=("gauge-now", "gauge-draws", "gauge-cachedin", "gauge-budget", "attribute-no-session"),
)
CLAIM = Rule(
    "claim-read",
    _ERROR,
    "a claim reads what its form does not supply",
    aliases=("claim-draws", "claim-end-state", "claim-given", "claim-iteration-call", "attribute-no-session"),
)
AGGREGATE = Rule(
    "aggregate-moment", _ERROR, "an observation is summed up before the end", aliases=("claim-aggregate-place",)
)
NO_SESSION = Rule(
    "attribute-no-session", _ERROR, "an attribute is read where there is no session", ("engine",), ("ps-attribute",)
)
REGISTER_READ = Rule("register-read", _ERROR, "a session reads a register", aliases=("state-read-session",))
REGISTER_PLACE = Rule(
    "register-place", _ERROR, "a register is read apart from its own stage", aliases=("state-read-apart",)
)
RULES = (
    MOMENT, HIDDEN, DRAWS, CLOCK, COMPUTED, BUDGET, GAUGE, CLAIM, AGGREGATE, NO_SESSION, REGISTER_READ, REGISTER_PLACE,
)  # fmt: skip
_SESSION = ("statement", "init", "request")


def check(model: Model) -> Iterator[Finding]:
    """Yield reads at a moment that does not supply them."""
    if model.edition is Edition.CURRENT:
        return
    table = _Table(model)
    for position in positions(model):
        for read in reads(model, position.node, position.scope):
            yield from _read(model, table, _where(position, read), read)


class _Table:
    """Rows of the construct table by what a program writes, and what it makes of names."""

    def __init__(self, model: Model) -> None:
        rows = constructs()
        self.edition = model.edition
        self.attribute, self.hidden, self.register, self.draw = rows["set"], rows["hidden"], rows["state"], rows["draw"]
        self.by_name: Mapping[str, Construct] = {
            name: it
            for it in rows.values()
            if it.kind in ("variable", "attribute") and it.moments
            for name in it.names[-1:]
            if len(it.names) == 1
        }
        self.functions = {
            name: it
            for it in rows.values()
            if it.kind == "function" and it.moments and it.id != "cost-function"
            for name in (*it.names, *it.words)
        }
        self.statistics = {
            name: it for it in rows.values() if it.kind == "statistic" for name in (*it.names, *it.words)
        }
        self.lists = {it.names: it for it in rows.values() if it.kind == "variable" and len(it.names) > 1}
        self.concealed = {it.text for it in model.declared.hidden}
        self.stages = _register_stages(model)
        self.admits = _admitted(model)

    def may(self, row: Construct, moment: str) -> bool:
        """Say whether the edition lets a row be read at a moment."""
        return not row.moments or row.readable(self.edition, moment)


def _register_stages(model: Model) -> dict[str, str]:
    """Return the stage of each register by name."""
    found = {}
    for visit in visits_of(model, "state"):
        name = visit.node.child("name") if visit.node.kind == "state" else None
        owner = visit.inside("stage", "engine", "queue")
        of = owner.child("name") if owner is not None else None
        if owner is not None and of is None:
            queue = visit.inside("queue")
            of = queue.child("name") if queue is not None else None
        if name is not None and of is not None:
            found[name.text] = of.text
    return found


def _admitted(model: Model) -> dict[str, str | None]:
    """Return the stage that admits each pool."""
    return {name: it.via for name, it in pools(model).items()}


def _where(position: Position, read: Read) -> Position:
    """Return the position as a read sees it: an argument of a request is pasted, and read as its caller may read."""
    station = read.scope.station
    pasted = {"taking": "header", "request": "statement"}.get(position.moment)
    if pasted is None or (station is not None and station.request):
        return position
    return position._replace(moment=pasted)


def _read(model: Model, table: _Table, position: Position, read: Read) -> Iterator[Finding]:
    node, moment = read.node, position.moment
    match node.kind:
        case "draw":
            if moment not in ("header", "taking", "gap") and not table.may(table.draw, moment):
                yield _finding(_rule("draw", "", moment), position, read, "a draw")
        case "call":
            yield from _call(model, table, position, read)
        case "name":
            yield from _name(model, table, position, read)
        case "member":
            name = tuple("".join(_text(model, read).split()).split("."))
            row = table.lists.get(name)
            if row is not None and row.is_in(table.edition) and not table.may(row, moment):
                yield _finding(_rule("variable", ".".join(name), moment), position, read, f"`{'.'.join(name)}`")


def _text(model: Model, read: Read) -> str:
    return source(model, read.scope.path)[read.node.start : read.node.end]


def _call(model: Model, table: _Table, position: Position, read: Read) -> Iterator[Finding]:
    function = read.node.child("function")
    name = function.text if function is not None else ""
    moment = position.moment
    if name in table.statistics and moment != "end":
        yield _finding(AGGREGATE, position, read, f"`{name}(…)`")
        return
    row = table.functions.get(name)
    if row is None or table.may(row, moment) or moment == "gap":
        return
    if name == "budget_left" and moment == "plan" and not _own(model, position, read):
        return
    yield _finding(_rule("function", name, moment), position, read, f"`{name}(…)`")


def _own(model: Model, position: Position, read: Read) -> bool:
    """Say whether a call is about the stage whose expression it stands in."""
    given = arguments(read.node)
    found = silent(model).reference(given[0], read.scope, Kind.STAGE) if given else None
    return found is not None and found.family.name == position.stage


def _name(model: Model, table: _Table, position: Position, read: Read) -> Iterator[Finding]:
    name, moment = read.node.text, position.moment
    if moment == "gap":
        return
    if name in model.tables.attributes:
        row = table.by_name.get(name, table.attribute)
        if name in table.concealed and not table.may(table.hidden, moment):
            yield _finding(HIDDEN, position, read, f"`{name}` is hidden, and")
        elif not table.may(row, moment):
            known = name in model.tables.constants
            if not known and moment not in ("request", "taking"):
                yield _finding(_rule("attribute", name, moment), position, read, f"`{name}`")
    elif name in model.tables.registers:
        yield from _register(table, position, read)
    elif name not in model.tables.constants:
        known_row = table.by_name.get(name)
        if name == "now" and moment == "taking":
            return  # `taking-reads` speaks of it
        if known_row is not None and known_row.kind == "variable" and not table.may(known_row, moment):
            yield _finding(_rule("variable", name, moment), position, read, f"`{name}`")


def _register(table: _Table, position: Position, read: Read) -> Iterator[Finding]:
    name, moment = read.node.text, position.moment
    stage = table.stages.get(name)
    if moment == "taking":
        return  # `taking-reads` speaks of it
    if moment in _SESSION or moment == "given":
        yield _finding(REGISTER_READ, position, read, f"`{name}` is the scheduler's, and")
        return
    fits = table.may(table.register, moment) or moment in ("evict", "victim")
    if position.stage is not None and stage is not None:
        fits = fits and position.stage == stage
    elif moment in ("header", "select", "evict", "victim"):
        fits = fits and table.admits.get(position.pool or "") == stage
    if not fits:
        yield _finding(REGISTER_PLACE, position, read, f"`{name}` belongs to `{stage}`, and")


def _rule(what: str, name: str, moment: str) -> Rule:
    """Return which fault it is: by the moment first, then by what is read."""
    if moment == "gauge":
        return GAUGE
    if moment in ("given", "iteration", "end"):
        return MOMENT if what == "variable" and name != "now" else CLAIM
    if what == "draw":
        return DRAWS
    if name in ("now", "work") and moment in ("only", "plan"):
        return CLOCK
    if name == "budget_left":
        return BUDGET
    if name == "computed" and moment == "victim":
        return COMPUTED
    return NO_SESSION if what == "attribute" else MOMENT


def _finding(rule: Rule, position: Position, read: Read, subject: str) -> Finding:
    when = vocabulary("moments").get(position.moment, position.moment)
    notes = [Note("the statement", position.scope.path, position.anchor)] if position.anchor is not None else []
    notes += [Note("used here", it.path, it.span) for it in read.scope.via[:1]]
    span = read.node.span
    if read.node.kind == "call" and (function := read.node.child("function")) is not None:
        span = function.span
    verb = "cannot be read" if subject.endswith(("`", "draw")) else "is not read"
    return Finding(rule, read.scope.path, span, f"{subject} {verb} here: this is read {when}", tuple(notes))
