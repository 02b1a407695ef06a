"""Are the names that a request sets its own (engine-rules-2.md 198 and 199)?

A request keeps what it sets as attributes of the session, so nothing else may set or read them; keys and tests of the
scheduler may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.enclosures import enclosures
from serq_lsp.checks.reading import reads
from serq_lsp.checks.visits import all_steps, step_visits
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.reads import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.enclosures import Enclosure
    from serq_lsp.sema.flow import Step
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.scopes import Station

LEAKS = Rule("req-name-leaks", Severity.ERROR, "a name that a request sets is used outside it", ("engine",))
SHARED = Rule("req-name-shared", Severity.ERROR, "two requests set one name", ("engine",))
RULES = (LEAKS, SHARED)


def check(model: Model) -> Iterator[Finding]:
    """Yield names of requests that others use."""
    if model.edition is not Edition.ENGINE:
        return
    owners: dict[str, Enclosure] = {}
    for it in enclosures(model):
        for name in sorted(it.own) if it.engine is not None else ():
            if name in owners and owners[name].station.name != it.station.name:
                yield from _shared(model, owners[name], it, name)
            owners.setdefault(name, it)
    workload = {name for visit in all_steps(model) if not visit.step.server for name in assigned(visit.step)}
    for name in {*workload, *BUILTIN_ATTRS, *model.tables.constants} & owners.keys():
        del owners[name]  # a rule on sizes or constants speaks of it
    told: set[str] = set()
    for visit in all_steps(model) if owners else ():
        yield from _uses(model, visit.step, owners, told)


def _shared(model: Model, one: Enclosure, other: Enclosure, name: str) -> Iterator[Finding]:
    for visit in step_visits(other.steps):
        node = visit.step.node.child("name")
        if other.holds(visit.step) and name in assigned(visit.step) and node is not None:
            note = Note(f"`{one.title}` sets it too", model.path, one.word)
            message = f"`{name}` is set by `{one.title}` too, and both may run for one session"
            yield Finding(SHARED, visit.step.scope.path, node.span, message, (note,), "give it another name")
            return


def _uses(model: Model, step: Step, owners: dict[str, Enclosure], told: set[str]) -> Iterator[Finding]:
    """Yield the first use of each name in a step that is none of its owner's."""
    own = step.node.child("name")
    used = [(name, step.scope.station, step.scope.path, own) for name in assigned(step) if own is not None]
    for node, scope in expressions(step):
        used += [
            (read.node.text, read.scope.station, read.scope.path, read.node)
            for read in reads(model, node, scope)
            if read.node.kind == "name"
        ]
    for name, station, path, place in used:
        owner = owners.get(name)
        if owner is None or name in told or _is_of(station, owner):
            continue
        told.add(name)
        note = Note(f"`{owner.title}` sets it", model.path, owner.word)
        message = f"`{name}` is set by `{owner.title}`, and is its own"
        yield Finding(LEAKS, path, place.span, message, (note,), "give it another name, or `mark` a moment there")


def _is_of(station: Station | None, owner: Enclosure) -> bool:
    return station is not None and station.request and station.name == owner.station.name
