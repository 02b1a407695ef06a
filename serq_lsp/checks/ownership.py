"""Do the names of devices, engines and queues leave one another room (engine-rules 119 to 125, 155, 259, 307 and 340)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import all_steps, first, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import distribution_names, function_names, reserved
from serq_lsp.sema.roles import role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.model import Model

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
NAME = Rule("dev-resource-name", _ERROR, "a device's resource has the name of a word or definition", _ENGINE)
DEFINITION = Rule("time-def-clash", _ERROR, "a definition has the name of a device's time", _ENGINE)
FAMILY = Rule("dev-resource-family", _ERROR, "a capacity of a device states a size", _ENGINE, ("dev-resource-form",))
DEVICE = Rule("queue-device", _ERROR, "a queue's device is a family, or has a name that is taken", _ENGINE)
KEYWORD = Rule("queue-engine-keyword", _ERROR, "a queue with an engine is named like a word of the language", _ENGINE)
WAITING = Rule("waiting-count-family", _ERROR, "a family of engines reads `waiting.count`", _ENGINE)
TOOL = Rule("tool-implicit-clash", _ERROR, "the stage `tool` that the language supplies has its name taken", _ENGINE)
RULES = (NAME, DEFINITION, FAMILY, DEVICE, KEYWORD, WAITING, TOOL)


def check(model: Model) -> Iterator[Finding]:
    """Yield names that are taken."""
    if model.edition is not Edition.ENGINE:
        return
    for visit in visits_of(model, "time_resource", "capacity", "def", "queue", "member"):
        match visit.node.kind:
            case "time_resource" | "capacity" if visit.around[-1].kind == "device":
                yield from _resource(model, visit)
            case "def":
                yield from _definition(model, visit)
            case "queue":
                yield from _queue(model, visit)
            case "member":
                yield from _waiting(model, visit)
    yield from _tool(model)


def _resource(model: Model, visit: Visit) -> Iterator[Finding]:
    node, name = visit.node, visit.node.child("name")
    if name is None:
        return
    edition = model.edition
    made = model.declared.definitions.get(name.text)
    above = made is not None and (made.path != model.path or made.node.start < node.start)
    if above or name.text in reserved(edition) | function_names(edition) | distribution_names(edition):
        yield Finding(NAME, model.path, name.span, f"`{name.text}` is a word or a definition already")
    if node.kind == "capacity" and node.child("size") is not None:
        yield Finding(FAMILY, model.path, name.span, "each member of a device's family has its own already")


def _definition(model: Model, visit: Visit) -> Iterator[Finding]:
    name = visit.node.child("name")
    for device in model.declared.devices.values() if name is not None else ():
        if name is not None and name.text in device.resources and device.node.start < visit.node.start:
            note = Note("the device", model.path, device.span)
            yield Finding(DEFINITION, model.path, name.span, f"`{name.text}` is a time of `{device.name}`", (note,))
            return


def _queue(model: Model, visit: Visit) -> Iterator[Finding]:
    name = visit.node.child("name")
    if name is not None and visit.node.of_kind("engine") and name.text in reserved(model.edition):
        message = f"`{name.text}` is a word of the language, and the queue's engine would have this name"
        yield Finding(KEYWORD, model.path, name.span, message)
    for device in visit.node.of_kind("device"):
        own = device.child("name")
        if own is None:
            continue
        if device.child("size") is not None:
            yield Finding(DEVICE, model.path, device.span, "each member of a queue has its own device already")
        elif name is not None and own.text == name.text:
            yield Finding(DEVICE, model.path, own.span, f"`{own.text}` is the queue's name")


def _waiting(model: Model, visit: Visit) -> Iterator[Finding]:
    owner, member = visit.node.child("object"), visit.node.child("member")
    engine = visit.inside("engine")
    if owner is None or member is None or engine is None or (owner.text, member.text) != ("waiting", "count"):
        return
    name = engine.child("name")
    if name is not None and engine.child("size") is not None:
        notes = (Note("the engine", model.path, name.span),)
        message = "which member's queues would this count?"
        yield Finding(WAITING, model.path, visit.node.span, message, notes, "count a member's: `queued(POOL[…])`")


def _tool(model: Model) -> Iterator[Finding]:
    """The client's `tool` without a stage runs on a stage `tool`, which the language supplies where none stands above."""
    declared = model.declared
    taken = {it.name: it.span for it in (*declared.pools.values(), *declared.stages.values())}
    taken |= {it.name: it.span for it in declared.lets}
    for node in (*declared.gauges, *declared.claims):
        if (name := node.child("name")) is not None:
            taken.setdefault(name.text, name.span)
    place = taken.get("tool")
    for visit in all_steps(model) if place is not None else ():
        step = visit.step
        client = step.form == "tool" and not step.server and not step.node.each("stage")
        if client and place is not None and not role(declared, "tool", step.scope, step.node):
            note = Note("the other `tool`", model.path, place)
            message = "this runs on a stage `tool` that the language supplies, and the name is taken"
            yield Finding(TOOL, step.scope.path, first(step.node), message, (note,), "declare the stage above")
            return
