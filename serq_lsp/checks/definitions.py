"""Are definitions, parameters and bindings named and made as they may be?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import all_steps, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import distribution_names, function_names, replacement, reserved, retired_names, supplied_names
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.symbols import Kind
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
RESERVED = Rule(
    "def-reserved-name",
    _ERROR,
    "a definition or resource is named like a word of the language",
    aliases=("def-reserved", "dev-name", "engine-capacity-keyword", "sched-let-name"),
)
PARAMETER = Rule(
    "def-parameter-reserved",
    _ERROR,
    "a parameter is named like a word of the language",
    aliases=("def-param-reserved", "dev-resource-param"),
)
PARAMETER_TWICE = Rule(
    "def-parameter-twice",
    _ERROR,
    "two parameters have one name",
    aliases=("def-param-twice", "dev-resource-param", "req-param-twice", "queue-parameter-twice"),
)
ASSIGNS = Rule("def-assigns-parameter", _ERROR, "a body assigns or binds a parameter", aliases=("def-param-assigned",))
ENTRY_ASSIGNS = Rule(
    "queue-entry-assigns",
    _ERROR,
    "an entry or request sets its parameter or a constant",
    aliases=("req-sets-parameter", "entry-sets-parameter", "req-sets-constant"),
)
RETIRED = Rule("retired-name", _ERROR, "a retired word names something", aliases=("name-retired",))
SUPPLIED = Rule("supplied-name", _ERROR, "a name is taken that the language supplies", aliases=("name-supplied",))
CLASH = Rule(
    "def-name-clash",
    _ERROR,
    "a definition shares its name with something else",
    aliases=("name-clash",),
)
LET_CLASH = Rule(
    "let-attribute-clash",
    _ERROR,
    "one name is a constant and an attribute",
    aliases=("let-and-attribute", "name-clash"),
)
STATE = Rule("state-name", _ERROR, "a register has a name that is taken")
BOUND_TWICE = Rule("binding-twice", _ERROR, "one name is bound twice at admission", aliases=("bind-twice",))
BOUND_LATER = Rule("binding-order", _ERROR, "a binding reads one that stands after it", aliases=("bind-later",))
BOUND_DRAWS = Rule("binding-draws", _ERROR, "a binding draws", aliases=("bind-draws",))
RULES = (
    RESERVED, PARAMETER, PARAMETER_TWICE, ASSIGNS, ENTRY_ASSIGNS, RETIRED, SUPPLIED, CLASH, LET_CLASH, STATE, BOUND_TWICE,
    BOUND_LATER, BOUND_DRAWS,
)  # fmt: skip
_ASSIGNING = ("set", "choose", "binding", "declare")
_BINDING = (*_ASSIGNING, "observe", "mark")
_NAMING = (*_ASSIGNING, "let", "def", "claim")


def check(model: Model) -> Iterator[Finding]:
    """Yield names that may not be given, and definitions that assign what they may not."""
    if model.edition is Edition.CURRENT:
        return
    for definition in model.declared.definitions.values():
        yield from _definition(model, definition)
    for visit in visits_of(
        model,
        "time_resource",
        "engine_request",
        "entry",
        "capacity",
        "device",
        "engine",
        "at_admission",
        "request_admission",
        *_NAMING,
    ):
        node = visit.node
        match node.kind:
            case "time_resource" | "engine_request" | "entry":
                yield from _parameters(model, node, model.path, strict=node.kind == "time_resource")
                if node.kind != "time_resource":
                    yield from _entry(model, node)
            case "device" | "engine":
                yield from _engine_name(model, node)
            case "capacity" if visit.around[-1].kind != "device":
                yield from _engine_name(model, node)
            case "let" if visit.inside("schedule") is not None:
                yield from _engine_name(model, node)
            case "at_admission" | "request_admission":
                yield from _bindings(model, node)
        yield from _names(model, node)
    yield from _clashes(model)


def _definition(model: Model, definition: Definition) -> Iterator[Finding]:
    edition = model.edition
    taken = reserved(edition) | function_names(edition) | distribution_names(edition)
    if definition.name in taken:
        yield Finding(RESERVED, definition.path, definition.span, f"`{definition.name}` is a word of the language")
    yield from _parameters(model, definition.node, definition.path, strict=True)
    own = set(definition.parameters)
    for visit in visits(definition.node):
        binds = visit.node.kind in _BINDING and visit.node.kind != "mark"  # a mark may be handed in
        name = visit.node.child("name") if binds else None
        index = visit.node.child("index") if visit.node.kind == "aggregate" else None
        for target in (name, index):
            if target is not None and target.text in own:
                note = Note("assigned here", definition.path, target.span)
                message = f"`{target.text}` is a parameter: it is replaced, and cannot be assigned"
                yield Finding(ASSIGNS, definition.path, definition.span, message, (note,))
                return


def _parameters(model: Model, node: Node, path: str, *, strict: bool) -> Iterator[Finding]:
    taken = reserved(model.edition) | function_names(model.edition)
    seen: dict[str, Node] = {}
    for part in node.of_kind("parameters"):
        names = part.each("parameter")
        for name in names:
            if name.text in seen:
                note = Note("the first", path, seen[name.text].span)
                span = name.span if strict else Span(name.start, name.end + 1)
                yield Finding(PARAMETER_TWICE, path, span, f"two parameters are called `{name.text}`", (note,))
            elif strict and name.text in taken:
                yield Finding(PARAMETER, path, name.span, f"`{name.text}` is a word of the language")
            seen.setdefault(name.text, name)


def _entry(model: Model, node: Node) -> Iterator[Finding]:
    """An entry's or request's own parameters, and constants, may not be set in it."""
    own = {it.text for part in node.of_kind("parameters") for it in part.each("parameter")}
    constants = {it.name for it in model.declared.lets}
    verb = node.child("name")
    span = verb.span if verb is not None else Span(node.start, node.start + len("request"))
    for visit in visits(node):
        name = visit.node.child("name") if visit.node.kind in ("set", "choose") else None
        if name is not None and name.text in own | constants:
            what = "a parameter: it is replaced" if name.text in own else "a constant"
            note = Note("set here", model.path, name.span)
            yield Finding(ENTRY_ASSIGNS, model.path, span, f"`{name.text}` is {what}, and cannot be set", (note,))
            return


def _engine_name(model: Model, node: Node) -> Iterator[Finding]:
    name = node.child("name")
    if model.edition is Edition.ENGINE and name is not None and name.text in reserved(model.edition):
        yield Finding(RESERVED, model.path, name.span, f"`{name.text}` is a word of the language")


def _bindings(model: Model, node: Node) -> Iterator[Finding]:
    bindings = [
        (name, value) for it in node.of_kind("binding") if (name := it.child("name")) and (value := it.child("value"))
    ]
    names = [name.text for name, _ in bindings]
    seen: dict[str, Node] = {}
    for number, (name, value) in enumerate(bindings):
        if name.text in seen:
            note = Note("the first", model.path, seen[name.text].span)
            yield Finding(
                BOUND_TWICE, model.path, Span(name.start, value.start), f"`{name.text}` is bound twice", (note,)
            )
        seen.setdefault(name.text, name)
        later = set(names[number + 1 :]) - set(names[: number + 1])
        read = next(
            (
                it.node
                for it in visits(value)
                if it.node.kind == "name" and it.node.text in later and not _called(it.around, it.node)
            ),
            None,
        )
        if read is not None:
            note = Note("read here", model.path, read.span)
            yield Finding(
                BOUND_LATER,
                model.path,
                name.span,
                f"`{name.text}` reads `{read.text}`, which is bound after it",
                (note,),
            )
        if _draws(model, value):
            span = Span(value.start, value.end + 1) if node.kind == "at_admission" else Span(node.start, value.end)
            message = f"`{name.text}` draws, and a binding is read anew at each use"
            yield Finding(BOUND_DRAWS, model.path, span, message, help="set an attribute first")


def _called(around: tuple[Node, ...], node: Node) -> bool:
    return bool(around) and around[-1].kind == "call" and node.field == "function"


def _draws(model: Model, value: Node) -> bool:
    """Say whether an expression draws, itself or through a definition."""
    todo, seen = [value], set()
    while todo:
        here = todo.pop()
        if here.kind == "draw":
            return True
        function = here.child("function") if here.kind == "call" else None
        made = model.declared.definitions.get(function.text) if function is not None else None
        if made is not None and made.value is not None and made.name not in seen:
            seen.add(made.name)
            todo.append(made.value)
        todo.extend(here.children)
    return False


def _names(model: Model, node: Node) -> Iterator[Finding]:
    """Yield retired and supplied words that name a constant, an attribute, a binding."""
    name = node.child("name") if node.kind in _NAMING else None
    if name is None:
        return
    if name.text in retired_names(model.edition):
        now = replacement(name.text, model.edition)
        help_text = f"it was replaced by `{now.form_in(model.edition)}`" if now is not None else None
        yield Finding(
            RETIRED, model.path, name.span, f"`{name.text}` is a retired word, and names nothing", help=help_text
        )
    elif node.kind in ("let", "set", "choose", "declare") and name.text in _supplied(model.edition):
        yield Finding(SUPPLIED, model.path, name.span, f"`{name.text}` is a value that the language supplies")


def _supplied(edition: Edition) -> frozenset[str]:
    return supplied_names(edition)


def _clashes(model: Model) -> Iterator[Finding]:
    declared = model.declared
    others = {**dict.fromkeys(declared.pools, "pool"), **dict.fromkeys(declared.stages, "stage")}
    others |= dict.fromkeys((it.name for it in declared.lets), "constant")
    for definition in declared.definitions.values():
        what = others.get(definition.name)
        if what is not None:
            yield Finding(CLASH, definition.path, definition.span, f"`{definition.name}` is a {what} too")
    attributes = {name for visit in all_steps(model) if visit.step.form != "bind" for name in assigned(visit.step)}
    attributes |= set(BUILTIN_ATTRS)
    for let in declared.lets:
        if let.name in attributes:
            message = f"`{let.name}` is a constant and an attribute"
            notes = tuple(
                Note("set here", it.path, it.span)
                for it in model.symbols
                if it.kind is Kind.ATTRIBUTE and it.name == let.name and it.path and it.span
            )[:1]
            yield Finding(LET_CLASH, let.path, let.span, message, notes)
    taken = {
        **others,
        **dict.fromkeys(attributes, "attribute"),
        **dict.fromkeys(_supplied(model.edition), "supplied value"),
    }
    seen: set[str] = set()
    for visit in visits_of(model, "state"):
        name = visit.node.child("name") if visit.node.kind == "state" else None
        if name is None:
            continue
        what = taken.get(name.text, "register" if name.text in seen else None)
        seen.add(name.text)
        if what is not None:
            yield Finding(STATE, model.path, name.span, f"`{name.text}` is a {what} already")
