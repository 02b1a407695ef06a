"""Is every name that is used declared, and of the kind that is wanted there?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from serq_lsp.checks.broken import broken_stretches, is_broken
from serq_lsp.checks.commands import ROLE_STAGE
from serq_lsp.checks.syntax import RETIRED_STATEMENT, UNKNOWN_STATEMENT
from serq_lsp.checks.visits import all_steps, first, visits_of
from serq_lsp.diag.model import FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.diag.spelling import nearest
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import retired_names
from serq_lsp.sema import supplied
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.faults import LibraryFault, UnknownName
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

NAME = Rule(
    "unknown-name",
    Severity.ERROR,
    "a name is read that nothing declares or sets",
    aliases=("req-reads-unknown",),
)
DOTTED = Rule("dotted-unknown", Severity.ERROR, "`a.b` is read, but nothing makes `b` of `a`", aliases=("cost-field",))
POOL = Rule(
    "unknown-pool",
    Severity.ERROR,
    "a pool is wanted, and no pool has this name",
    aliases=("taking-unknown",),
)
STAGE = Rule("unknown-stage", Severity.ERROR, "a stage is wanted, and no stage has this name")
FUNCTION = Rule(
    "unknown-function",
    Severity.ERROR,
    "nothing that can be called has this name",
    aliases=("req-as-value",),
)
DISTRIBUTION = Rule("unknown-distribution", Severity.ERROR, "no distribution has this name")
OBSERVATION = Rule("claim-observe", Severity.ERROR, "a claim reads an observation that nothing records")
QUEUE = Rule(
    "call-unknown-queue",
    Severity.ERROR,
    "a queue or engine is called that nothing declares",
    aliases=("request-gateway-unknown",),
)
ENTRY = Rule(
    "call-unknown-entry",
    Severity.ERROR,
    "a queue or engine has no such entry",
    aliases=("req-none", "call-link-served"),
)
RENAMED = Rule(
    "renamed-variable", Severity.ERROR, "a value is read by a name it had in older editions", editions=("classic",)
)
HIDDEN = Rule("hidden-unset", Severity.ERROR, "an attribute is hidden that nothing sets")
TIME = Rule("time-outside-execute", Severity.ERROR, "a time of a device is read outside `execute`", ("engine",))
INDEXED = Rule("indexed-mark", Severity.ERROR, "a value of a member is read", aliases=("index-dot",))
FIELD = Rule("list-field", Severity.ERROR, "a list of an engine has no such field", ("engine",))
RESOURCE = Rule("cost-unknown-resource", Severity.ERROR, "a cost is of no pool or stage", ("engine",))
_OPERANDS = ("value", "left", "right", "test", "then", "else", "operand", "work", "units")
_SERVING = ("tool", "transfer", "prefill", "decode")
RULES = (
    HIDDEN,
    INDEXED,
    FIELD,
    RESOURCE,
    TIME,
    NAME,
    DOTTED,
    POOL,
    STAGE,
    FUNCTION,
    DISTRIBUTION,
    OBSERVATION,
    QUEUE,
    ENTRY,
    RENAMED,
)

_RENAMED = {
    "n": "present", "queued": "waiting", "ntok": "tokens", "ndec": "decoders", "npre": "prefilled", "nres": "residents",
    "kvb": "kv_decode", "kvp": "kv_prefill", "attn": "attention",
}  # fmt: skip
"""Old spellings of context variables and what they are called now (classic.md 11.2)."""
_ELSEWHERE = {"log": "ln", "ceiling": "ceil", "fabs": "abs", "power": "pow", "minimum": "min", "maximum": "max"}
"""Functions as other languages call them."""
_BY_KIND = {
    Kind.POOL: (POOL, "no pool is called `{}`"),
    Kind.STAGE: (STAGE, "no stage is called `{}`"),
    Kind.FUNCTION: (FUNCTION, "no function or definition is called `{}`"),
    Kind.DEF: (FUNCTION, "no definition is called `{}`"),
    Kind.DISTRIBUTION: (DISTRIBUTION, "no distribution is called `{}`"),
    Kind.OBSERVATION: (OBSERVATION, "nothing observes `{}`"),
    Kind.QUEUE: (QUEUE, "no queue or engine is called `{}`"),
    Kind.ENTRY: (ENTRY, "there is no entry `{}`"),
}


def check(model: Model) -> Iterator[Finding]:
    """Yield the names that nothing declares, each with a near name where there is one."""
    broken = broken_stretches(model)
    if broken.structural or broken.lacks_name:
        return
    bound = {name.text for it in all_steps(model) if it.step.form == "bind" and (name := it.step.node.child("name"))}
    unread = any(isinstance(it, LibraryFault) for it in model.faults)
    yield from _indexed(model)
    lets = {it.name for it in model.declared.lets}
    times = {name for it in model.declared.devices.values() for name in it.resources}
    for fault in model.faults:
        if not isinstance(fault, UnknownName):
            continue
        if fault.name == "self" or broken.hides(fault.name) or broken.touches(fault.path, fault.span):
            continue
        if fault.name in bound or fault.name in lets:
            continue  # a rule on bindings, or on what is wrong with the constant, speaks of it
        if unread and fault.kind in (Kind.FUNCTION, Kind.DEF):
            continue
        place = model.tree.path_at(fault.span.start) if fault.path == model.path else []
        if fault.name in times and fault.kind in (Kind.FUNCTION, Kind.DEF):
            if fault.path == model.path and not any(it.kind in ("def", "execute", "time_resource") for it in place):
                message = f"`{fault.name}` is a time, and is read in `execute` only"
                yield Finding(TIME, fault.path, fault.span, message)
            continue
        if fault.kind is Kind.OBSERVATION and fault.name in model.tables.observations:
            continue  # it is handed to a definition that sums it up
        if fault.kind is Kind.QUEUE and any(it.kind == "arguments" for it in place):
            continue  # something handed to a definition that reads a member of it
        if any(it.kind == "time_resource" and not _called(model, it) for it in place):
            continue  # nothing looks into it
        if len(place) > 1 and place[-1].field == "name" and place[-2].kind == "hidden":
            yield Finding(HIDDEN, fault.path, fault.span, f"nothing sets `{fault.name}`, so there is nothing to hide")
        elif not (_declares(place, fault.name) or _told_elsewhere(model, fault, place)):
            yield _precise(model, _finding(fault), fault, place)


def _indexed(model: Model) -> Iterator[Finding]:
    """Yield values read of a member: what is marked or set belongs to the request, whichever member it went through."""
    for visit in visits_of(model, "member"):
        owner, around = visit.node.child("object"), visit.around[-1]
        called = around.kind in ("call", "call_statement", "reference", "from", "to")
        if owner is not None and owner.kind == "subscript" and visit.node.field in _OPERANDS and not called:
            yield Finding(INDEXED, model.path, visit.node.span, "a member has no values of its own, but its queue has")


def _precise(model: Model, finding: Finding, fault: UnknownName, place: list[Node]) -> Finding:
    """Return the finding under the rule that the place of the name tells."""
    if fault.path != model.path or not place:
        return finding
    node, above = place[-1], place[-2] if len(place) > 1 else place[-1]
    statement = next((it for it in reversed(place) if it.kind == "call_statement"), None)
    called = next((it for it in place if it.kind == "engine_request"), None)
    if statement is not None and fault.kind in (Kind.FUNCTION, Kind.DEF) and node.field == "function":
        rule = RETIRED_STATEMENT if fault.name in retired_names(model.edition) else UNKNOWN_STATEMENT
        return replace(finding, rule=rule, message=f"no statement begins with `{fault.name}`")
    if fault.kind is Kind.STAGE and above.kind == "reference" and len(place) > 2 and place[-3].kind in _SERVING:
        return replace(finding, rule=ROLE_STAGE)
    member = next((it for it in reversed(place) if it.kind == "member"), None)
    if finding.rule is DOTTED and member is not None and (owner := member.child("object")) is not None:
        field = member.child("member")
        if owner.kind == "subscript":
            return replace(finding, rule=INDEXED)
        if owner.text in supplied.ENGINE_LISTS and field is not None and model.edition is Edition.ENGINE:
            message = f"`{owner.text}` has no `{field.text}`"
            return replace(finding, rule=FIELD, span=field.span, message=message)
    function = next((it.child("function") for it in reversed(place) if it.kind == "call"), None)
    if function is not None and function.text == "cost" and fault.kind not in _BY_KIND and _names_resource(place):
        return replace(finding, rule=RESOURCE, message=f"no pool or stage is called `{fault.name}`")
    if called is not None:
        return replace(finding, notes=(*finding.notes, Note("in this request", model.path, first(called))))
    return finding


def _names_resource(place: list[Node]) -> bool:
    """Say whether a name is directly one of the resources of a `cost(…)`: any argument but the last."""
    if len(place) < 2 or place[-2].kind != "arguments":
        return False
    given = [it for it in place[-2].children if it.named and it.kind != "comment"]
    return len(given) > 1 and given[-1] is not place[-1]


def _declares(place: list[Node], name: str) -> bool:
    """Say whether the name is that of a declaration, or is bound later in the same header: other rules speak of these."""
    if len(place) > 1 and place[-1].field == "name" and place[-2].kind != "reference":
        return True
    headers = [it for it in place if it.kind in ("at_admission", "request_admission")]
    bound = [it.child("name") for header in headers for it in header.of_kind("binding")]
    return any(it is not None and it.text == name for it in bound)


def _told_elsewhere(model: Model, fault: UnknownName, place: list[Node]) -> bool:
    """Say whether a rule on devices, relations or arguments speaks of the same place with more knowledge."""
    if fault.kind in (Kind.DEVICE, Kind.ENGINE) or any(it.kind == "relation" for it in place):
        return True
    if any(it.kind in ("entry", "engine_request", "taking") for it in place) and _enclosed(model, fault):
        return True
    verb = fault.name.rsplit(".", 1)[-1].removesuffix(" from")
    if fault.kind is Kind.ENTRY and verb == "transfer" and verb in fault.candidates:
        return True
    engine = model.declared.engines.get(fault.name.partition(".")[0])
    if fault.kind is Kind.ENTRY and verb == "request" and engine is not None and is_broken(engine.node):
        return True
    functions = supplied.functions(model.edition)
    call = next((it for it in reversed(place) if it.kind == "call"), None)
    made = call.child("function") if call is not None else None
    lone = call is not None and made is not None and made.text == "cost" and len(arguments(call)) == 1
    if lone and fault.name in {**model.declared.pools, **model.declared.stages}:
        return True  # an amount is missing
    calls = [it.child("function") for it in place if it.kind == "call"]
    known = [functions.get(it.text) for it in calls if it is not None]
    states = any(it is not None and it.takes[0] in ("pool", "stage") for it in known)
    plain = len(place) > 1 and place[-2].kind in ("arguments", "subscript", "member")
    return states and not plain and fault.name in {**model.declared.pools, **model.declared.stages}


def _called(model: Model, resource: Node) -> bool:
    """Say whether anything calls a time resource; the reference does not look into one that nothing calls."""
    name = resource.child("name")
    calls = [it.node.child("function") for it in visits_of(model, "call")]
    return name is None or any(it is not None and it.text == name.text for it in calls)


def _enclosed(model: Model, fault: UnknownName) -> bool:
    """Say whether a rule on entries and requests tells what a resource of others is that is read or acted on there."""
    declared = model.declared
    if fault.kind is Kind.POOL:
        return any(fault.name in it.pools for it in declared.queues.values())
    if fault.kind in _BY_KIND or model.edition is not Edition.ENGINE:
        return False
    own = {name for it in declared.queues.values() for name in it.pools}
    return fault.name in {*declared.pools, *declared.stages, *declared.devices, *own}


def _finding(fault: UnknownName) -> Finding:
    severity = Severity.WARNING if fault.in_unused_def else None
    now = _RENAMED.get(fault.name)
    if now is not None and fault.kind not in _BY_KIND:
        fix = Fix(f"Change to `{now}`", (FileEdit(fault.path, fault.span, now),))
        message = f"`{fault.name}` is called `{now}`"
        return Finding(RENAMED, fault.path, fault.span, message, fixes=(fix,), override=severity)
    rule, wording = _BY_KIND.get(fault.kind, (DOTTED if "." in fault.name else NAME, "nothing declares or sets `{}`"))
    native = _ELSEWHERE.get(fault.name) if fault.kind is Kind.FUNCTION else None
    near = native if native in fault.candidates else nearest(fault.name, fault.candidates)
    fixes = (Fix(f"Change to `{near}`", (FileEdit(fault.path, fault.span, near),)),) if near is not None else ()
    if fault.declared_below:
        message = f"`{fault.name}` is declared below its use"
        return Finding(rule, fault.path, fault.span, message, help="move the declaration up", override=severity)
    return Finding(
        rule,
        fault.path,
        fault.span,
        wording.format(fault.name),
        help=f"did you mean `{near}`?" if near is not None else None,
        fixes=fixes,
        override=severity,
    )
