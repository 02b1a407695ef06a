"""May an argument stand where its parameter stands in the body (classic.md 8)?

A use is replaced by the body with every parameter replaced by its argument, so an argument is read wherever and whenever
the body reads the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.reading import reads
from serq_lsp.checks.visits import step_visits, visits, visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.ir.expr import BUILTIN_ATTRS
from serq_lsp.lang.editions import Edition
from serq_lsp.sema import supplied
from serq_lsp.sema.attributes import assigned
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
DRAWS = Rule("def-argument-draws", _ERROR, "an argument would draw several times", aliases=("def-arg-draws",))
CAPTURED = Rule(
    "def-argument-captured", _ERROR, "an argument reads a name that the body assigns", aliases=("def-arg-captured",)
)
TURN = Rule("def-argument-turn", _ERROR, "an argument reads what a turn in the body assigns", aliases=("def-arg-turn",))
LIVE = Rule("def-argument-live", _ERROR, "an argument of statements reads what moves on", aliases=("def-arg-live",))
CALL_DRAWS = Rule("call-draws", _ERROR, "an argument of an entry or request draws", aliases=("req-call-draws",))
RULES = (DRAWS, CAPTURED, TURN, LIVE, CALL_DRAWS)
_ASSIGNING = ("set", "choose", "declare")


def check(model: Model) -> Iterator[Finding]:
    """Yield arguments that would mean something else in the body."""
    if model.edition is Edition.CURRENT:
        return
    calls = {model.path: visits_of(model, "call")}
    calls |= {it.path: [visit for visit in visits(it.tree.root) if visit.node.kind == "call"] for it in model.libraries}
    for path, visited in calls.items():
        for visit in visited:
            function = visit.node.child("function")
            if function is None:
                continue
            made = model.declared.definitions.get(function.text) if function.kind == "name" else None
            if made is not None:
                yield from _use(model, path, visit.node, function, made, inside=visit.inside("def"))
            elif function.kind == "member" or function.text in model.declared.engines:
                yield from _call(model, path, visit.node, function, statement=visit.around[-1].kind == "call_statement")


def _call(model: Model, path: str, call: Node, function: Node, *, statement: bool) -> Iterator[Finding]:
    if statement and any(_draws(model, arg, path) for arg in arguments(call)):
        yield Finding(
            CALL_DRAWS,
            path,
            function.span,
            "an argument is read wherever the parameter stands, so it may not draw",
            help="set it first",
        )


def _use(
    model: Model, path: str, call: Node, function: Node, made: Definition, *, inside: Node | None
) -> Iterator[Finding]:
    given = arguments(call)
    body = made.value or made.body
    if len(given) != len(made.parameters) or body is None:
        return
    own = set(_parameters(inside)) if inside is not None else set()
    counts = _occurrences(body, made.parameters)
    assigned = _assigned(body) if made.body is not None else set()
    for parameter, arg in zip(made.parameters, given, strict=True):
        if counts[parameter] > 1 and _draws(model, arg, path):
            message = f"`{parameter}` stands {counts[parameter]} times in `{made.name}`, and would draw anew each time"
            yield Finding(
                DRAWS, path, function.span, message, (Note("the definition", made.path, made.span),), "set it first"
            )
            return
        if made.body is None:
            continue
        found = [it for it in reads(model, arg, Scope(path, at=call.start)) if it.node.text not in own]
        names = {it.node.text for it in found if it.node.kind == "name"}
        taken = sorted(names & assigned)
        if taken:
            message = f"`{made.name}` assigns `{taken[0]}` itself, and would read its own"
            yield Finding(
                CAPTURED,
                path,
                function.span,
                message,
                (Note("the definition", made.path, made.span),),
                "set another name first",
            )
            return
        new = sorted(names & _new(model, body))
        if new:
            message = f"`{made.name}` takes a turn, and would read the new `{new[0]}`"
            yield Finding(
                TURN,
                path,
                function.span,
                message,
                (Note("the definition", made.path, made.span),),
                "set it under another name first",
            )
            return
        live = _live(model, [it.node for it in found], names)
        if live is not None:
            message = f"`{live}` moves on before `{made.name}` reads it"
            yield Finding(
                LIVE, path, function.span, message, (Note("the definition", made.path, made.span),), "set it first"
            )
            return


def _parameters(definition: Node) -> list[str]:
    return [it.text for part in definition.of_kind("parameters") for it in part.each("parameter")]


def _occurrences(body: Node, parameters: tuple[str, ...]) -> dict[str, int]:
    found = dict.fromkeys(parameters, 0)
    for visit in visits(body):
        if visit.node.kind == "name" and visit.node.text in found:
            found[visit.node.text] += 1
    return found


def _assigned(body: Node) -> set[str]:
    """Return the names a body sets or chooses; a hold sets `cached` and `computed`."""
    found: set[str] = set()
    for visit in visits(body):
        name = visit.node.child("name") if visit.node.kind in _ASSIGNING else None
        if name is not None:
            found.add(name.text)
        if visit.node.kind == "hold":
            found |= {"cached", "computed"}
    return found


def _new(model: Model, body: Node) -> set[str]:
    """Return what a turn or request in a body assigns: what the workload, the server and admissions set."""
    words = {visit.node.kind for visit in visits(body)} & {"turn", "request"}
    if not words:
        return set()
    found = {"cached", "computed"}
    if "turn" in words:
        found |= {*BUILTIN_ATTRS}
        found |= {name for visit in step_visits(model.flow.turn) for name in assigned(visit.step)}
    for visit in step_visits(model.flow.session):
        if visit.step.server:
            found.update(assigned(visit.step))
    return found


def _live(model: Model, nodes: list[Node], names: set[str]) -> str | None:
    """Return a state function or context variable among the reads."""
    functions = supplied.functions(model.edition)
    for node in nodes:
        function = node.child("function") if node.kind == "call" else None
        known = functions.get(function.text) if function is not None else None
        if (
            known is not None
            and function is not None
            and known.takes[0] in ("pool", "stage")
            and known.kernel != "BlockSize"
        ):
            return f"{function.text}(…)"
    declared = {*model.tables.attributes, *model.tables.constants, *model.tables.registers}
    return next((it for it in sorted(names) if it in supplied.CONTEXT and it not in declared), None)


def _draws(model: Model, node: Node, path: str) -> bool:
    return any(it.node.kind == "draw" for it in reads(model, node, Scope(path, at=node.start)))
