"""May a statement stand where it does?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.commands import anchor
from serq_lsp.checks.visits import Visit, all_steps, first, visits_of, word
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
CLIENT = Rule(
    "client-word-in-server",
    _ERROR,
    "a server or entry does what only a session does",
    aliases=("stmt-turn-server", "req-end"),
)
END_HOLD = Rule("stmt-end-hold", _ERROR, "a server ends the session inside a hold", ("engine",))
REQUEST = Rule(
    "request-outside-workload",
    _ERROR,
    "a request outside the session of a workload",
    ("classic",),
)
REQUEST_WORD = Rule("stmt-request-word", _ERROR, "the classic `request;` in an engine program", ("engine",))
MARK = Rule("mark-outside-queue", _ERROR, "a mark outside an entry or request", aliases=("stmt-mark",))
SELF = Rule("self-outside-queue", _ERROR, "`self` outside an entry", aliases=("stmt-self",))
RUN = Rule("run-needs-stage", _ERROR, "a run outside a queue names no stage", aliases=("run-stage-name",))
BLOCK = Rule(
    "workload-block",
    _ERROR,
    "`init` or `turn` does something else than set and observe",
    aliases=("init-turn-only-set", "init-turn-turn"),
)
LEG = Rule("fork-leg", _ERROR, "a leg does what only its session does", aliases=("fork-inner", "stmt-end-fork"))
LATENCY = Rule("latency-place", _ERROR, "only a link has a latency", aliases=("stage-latency",))
SIZE = Rule("size-in-server", _ERROR, "a server declares a size", ("engine",))
STEP = Rule("stage-step", _ERROR, "a classic step stage in an engine program", ("engine",))
ADMIT_VIA = Rule("pool-admit-via", _ERROR, "the classic `admit via` in an engine program", ("engine",))
EQUALS = Rule("def-equals", _ERROR, "the classic `def f(…) = …;` in an engine program", ("engine",))
CLASSIC_ONLY = Rule(
    "newer-statement",
    _ERROR,
    "a statement that the classic edition does not have",
    ("classic",),
    ("unknown-statement",),
)
RULES = (
    CLIENT, END_HOLD, REQUEST, REQUEST_WORD, MARK, SELF, RUN, BLOCK, LEG, LATENCY, SIZE, STEP, ADMIT_VIA, EQUALS,
    CLASSIC_ONLY,
)  # fmt: skip


_OF_SESSIONS = ("turn", "end", "request", "fork", "join")
_WORK = ("run", "mark", "latency")
_OF_ONE_EDITION = ("while", "if", "declare", "shrink", "request_admission")
_DECLARATIONS = ("step", "admit_via", "def")


def check(model: Model) -> Iterator[Finding]:
    """Yield statements and clauses that may not stand where they do."""
    if model.edition is Edition.CURRENT:
        return
    classic = model.edition is Edition.CLASSIC
    yield from _blocks(model)
    yield from _pasted(model)
    for visit in visits_of(model, "name", *_OF_SESSIONS, *_WORK, *_OF_ONE_EDITION, *_DECLARATIONS):
        yield from _both(model, visit)
        yield from _classic(model, visit) if classic else _engine(model, visit)


def _at(model: Model, rule: Rule, span: Span, message: str, help_text: str | None = None) -> Finding:
    return Finding(rule, model.path, span, message, help=help_text)


def _both(model: Model, visit: Visit) -> Iterator[Finding]:
    node = visit.node
    if node.kind == "name" and node.text != "self":
        return
    side = visit.inside("server", "entry", "session", "engine_request", "def", "init", "turn_block")
    outer = side.kind if side is not None else ""
    match node.kind:
        case "turn" | "end" | "request" if outer in ("server", "entry", "engine_request"):
            yield from _client(model, visit, outer)
        case "mark" if outer not in ("entry", "engine_request", "def"):
            yield _at(model, MARK, first(node), "only an entry or a request marks a moment")
        case "name" if outer not in ("entry", "def") and _is_value(visit):
            yield _at(model, SELF, node.span, "only an entry of a queue has a member index")
        case "run" if node.child("stage") is None and outer not in ("entry", "def"):
            yield _at(model, RUN, Span(first(node).end, node.end), "a run names its stage", "write `run STAGE (…);`")
        case "turn" | "end" | "fork" | "join" if visit.inside("fork") is not None:
            yield _at(model, LEG, first(node), f"a leg cannot `{node.kind}`: that is the session's to do")
        case "latency" if visit.around[-1].kind == "stage":
            yield _at(model, LATENCY, first(node), "only a link has a latency")
        case "latency" if visit.around[-1].kind == "queue_stage" and _is_inner(visit.around[-1], node):
            roles = [it.text for part in visit.around[-2].of_kind("roles") for it in part.each("role")]
            if "link" not in roles:
                yield _at(model, LATENCY, first(node), "only a queue that plays `link` has a latency")


def _is_inner(stage: Node, latency: Node) -> bool:
    """Say whether the latency stands before the semicolon that ends the kind (classic.md 6.1)."""
    return not any(it.kind == ";" and it.end <= latency.start for it in stage.children)


def _client(model: Model, visit: Visit, outer: str) -> Iterator[Finding]:
    node = visit.node
    if node.kind == "end" and model.edition is Edition.ENGINE and outer == "server":
        hold = visit.inside("hold")
        if hold is not None:
            yield _at(model, END_HOLD, first(node), "a server refuses before it holds")
        elif visit.inside("fork") is not None:
            yield _at(model, LEG, first(node), "a leg cannot `end`: that is the session's to do")
        return
    if node.kind == "request" and model.edition is Edition.ENGINE:
        return
    where = {"server": "a server", "entry": "an entry"}.get(outer, "a request")
    yield _at(model, CLIENT, first(node), f"`{node.kind}` belongs to the session, not to {where}")


def _is_value(visit: Visit) -> bool:
    return visit.node.field not in ("name", "member", "function", "parameter", "stage", "pool", "distribution")


def _pasted(model: Model) -> Iterator[Finding]:
    """A definition that takes a turn, used by the server."""
    for visit in all_steps(model):
        step = visit.step
        if step.server and step.form == "turn" and step.scope.path == model.path and step.scope.via:
            at = model.tree.path_at(step.node.start)
            if any(it.kind == "def" for it in at):
                notes = (Note("used here", step.scope.via[0].path, step.scope.via[0].span),)
                message = "`turn` belongs to the session, not to a server"
                yield Finding(CLIENT, model.path, first(step.node), message, notes)


def _blocks(model: Model) -> Iterator[Finding]:
    """`init` and `turn`, definitions unfolded, set and observe only."""
    for block in (model.flow.init, model.flow.turn):
        for step in block:
            if step.form in ("set", "observe", "declare", "request"):
                continue
            place = anchor(step)
            span = Span(min(first(step.node).start, place.start), place.end)
            yield Finding(BLOCK, step.scope.path, span, "`init` and `turn` set and observe, and do nothing else")


def _classic(model: Model, visit: Visit) -> Iterator[Finding]:
    node = visit.node
    match node.kind:
        case "request":
            session, workload = visit.inside("session"), visit.inside("workload")
            inside = session is not None and workload is not None
            if not inside and visit.inside("server", "entry", "def") is None:
                yield _at(model, REQUEST, first(node), "only the session of a workload requests")
        case "while" | "if" | "declare" | "shrink" | "request_admission":
            yield _at(model, CLASSIC_ONLY, first(node), f"the classic edition has no `{_word(node)}`", _instead(node))


def _word(node: Node) -> str:
    kind = node.child("type")
    return kind.kind if kind is not None else node.kind.replace("request_admission", "at")


def _instead(node: Node) -> str | None:
    return {"while": "write `loop { branch (…) { … } else { end; } }`", "if": "write `branch (…) { … }`"}.get(node.kind)


def _engine(model: Model, visit: Visit) -> Iterator[Finding]:
    node = visit.node
    match node.kind:
        case "request":
            yield _at(model, REQUEST_WORD, first(node), "a turn is taken with `turn;`, an engine is called by its name")
        case "declare" if visit.inside("server", "engine_request") is not None and word(node, "Size") != node.span:
            if any(child.kind == "Size" for child in node.children):
                name = node.child("name")
                yield _at(model, SIZE, name.span if name is not None else first(node), "sizes are the workload's")
        case "step":
            message = "an engine edition's engine is a `device` and an `engine`"
            yield _at(model, STEP, first(node), message)
        case "admit_via":
            message = "who admits is said by `on`: `pool p on ENGINE`"
            yield _at(model, ADMIT_VIA, first(node), message)
        case "def" if (equals := next((it for it in node.children if it.kind == "="), None)) is not None:
            yield _at(model, EQUALS, equals.span, "a definition's expression stands in braces, without a semicolon")
