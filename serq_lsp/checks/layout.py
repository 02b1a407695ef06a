"""Do declarations stand where the edition wants them, each as often as it may?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.broken import is_broken
from serq_lsp.checks.visits import first, head, of_kind, step_visits, visits_of, word
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.faults import HorizonMissing
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR = Severity.ERROR
ENGINE_ITEM = Rule(
    "engine-item-in-classic", _ERROR, "a classic program has no such declaration", ("classic",), ("top-level-item",)
)
OUTSIDE = Rule("outside-main", _ERROR, "the deployment stands inside `fn main`", ("engine",))
AFTER = Rule("after-main", _ERROR, "something stands after `fn main`", ("engine",))
NO_MAIN = Rule("main-missing", _ERROR, "a program has no `fn main`", ("engine",))
MAINS = Rule("main-duplicate", _ERROR, "a program has two entry points", ("engine",))
RUN_BLOCK = Rule("run-block-in-model", _ERROR, "run settings stand in the program", ("engine",))
SESSION = Rule("session-top-level", _ERROR, "a session stands beside the workload", ("engine",))
TWICE = Rule(
    "duplicate-block",
    _ERROR,
    "a block stands twice of which there is one",
    aliases=("workload-duplicate", "server-duplicate", "session-duplicate"),
)
NEEDS_WORKLOAD = Rule(
    "server-without-session",
    _ERROR,
    "a server that no session calls",
    aliases=("server-needs-workload",),
)
NEEDS_SERVER = Rule(
    "workload-session-alone",
    _ERROR,
    "a workload whose turns nothing serves",
    aliases=("workload-needs-server", "session-needs-server"),
)
NO_TURN = Rule("session-no-turn", _ERROR, "a session never takes a turn", ("engine",))
UNREQUESTED = Rule("server-unrequested", _ERROR, "a server is never requested", ("classic",))
REQUEST = Rule("request-needs-server", _ERROR, "a request has no server", ("classic",))
TWO_SESSIONS = Rule("two-sessions", _ERROR, "a program has two sessions", ("classic",))
HORIZON = Rule("horizon-missing", _ERROR, "a program does not say how long it runs", ("classic",))
RULES = (
    ENGINE_ITEM, OUTSIDE, AFTER, NO_MAIN, MAINS, RUN_BLOCK, SESSION, TWICE, NEEDS_WORKLOAD, NEEDS_SERVER, NO_TURN,
    UNREQUESTED, REQUEST, TWO_SESSIONS, HORIZON,
)  # fmt: skip


def check(model: Model) -> Iterator[Finding]:
    """Yield declarations that are missing, misplaced or there twice."""
    if model.edition is Edition.CLASSIC:
        yield from _classic(model)
    elif model.edition is Edition.ENGINE:
        yield from _engine(model)
    else:
        return
    yield from _twice(model)


def _classic(model: Model) -> Iterator[Finding]:
    root = model.tree.root
    for item in root.children:
        if item.kind in ("main", "device", "engine", "module_call"):
            what = "fn main" if item.kind == "main" else "std/args" if item.kind == "module_call" else item.kind
            message = f"the classic edition has no `{what}`"
            help_text = "everything stands at top level" if item.kind == "main" else None
            yield Finding(ENGINE_ITEM, model.path, first(item), message, help=help_text)
    if is_broken(root):
        return
    for fault in model.faults:
        if isinstance(fault, HorizonMissing):
            yield Finding(
                HORIZON,
                fault.path,
                fault.span,
                "nothing says how long the program runs",
                help="add `run { horizon 20; }`",
            )
    yield from _classic_sides(model)


def _classic_sides(model: Model) -> Iterator[Finding]:
    root = model.tree.root
    servers = root.of_kind("server")
    tops = [it for it in root.of_kind("session") if _statements(it)]
    inner = [session for it in root.of_kind("workload") for session in it.of_kind("session")]
    places = [(model.path, it) for it in inner]
    places += [(it.path, it.node) for it in model.declared.definitions.values() if it.name in model.used]
    requests = [(path, it) for path, place in places for it in of_kind(place, "request")]
    plain = [(path, it) for path, it in requests if it.child("gateway") is None]
    for path, request in plain if not servers else ():
        yield Finding(REQUEST, path, first(request), "nothing serves this request: there is no `server`")
    if inner and not servers and not requests:
        message = "the workload's session has neither a server nor a gateway"
        yield Finding(NEEDS_SERVER, model.path, first(inner[0]), message, help="write `session { … }` at top level")
    for server in servers:
        if not inner:
            message = "no session in the workload requests this server"
            yield Finding(NEEDS_WORKLOAD, model.path, first(server), message)
        elif not plain:
            yield Finding(UNREQUESTED, model.path, first(server), "the workload's session never says `request;`")
    if inner and tops:
        size = len(model.tree.source.text)
        notes = (
            Note("the other one", model.path, first(inner[0])),
            Note("both count to the end", model.path, Span(size, size)),
        )
        yield Finding(TWO_SESSIONS, model.path, first(tops[0]), "there is a session in the workload already", notes)


def _engine(model: Model) -> Iterator[Finding]:
    root = model.tree.root
    mains = root.of_kind("main")
    before = True
    for item in root.children:
        if item.kind == "main":
            before = False
        elif item.named and item.kind not in ("comment", "ERROR"):
            if not before:
                yield Finding(AFTER, model.path, first(item), "nothing follows `fn main`: what it declares is its own")
            elif item.kind not in ("use", "def", "let"):
                yield Finding(OUTSIDE, model.path, first(item), "the deployment stands inside `fn main() { … }`")
    for later in [it.node for it in visits_of(model, "main")][1:]:
        span = Span(later.start, max(word(later, "main").end, first(later).end))
        yield Finding(
            MAINS, model.path, span, "a program has one `fn main`", (Note("the first", model.path, first(mains[0])),)
        )
    if not mains and not is_broken(root) and not model.is_library:
        size = len(model.tree.source.text)
        notes = (Note("the end", model.path, Span(size, size)),)
        yield Finding(NO_MAIN, model.path, Span(0, 0), "a program has a `fn main() { … }`", notes)
    for main in mains[:1]:
        yield from _main(model, main)


def _main(model: Model, main: Node) -> Iterator[Finding]:
    for run in main.of_kind("run_block"):
        message = "horizon, warm-up, seed and arrivals are given when the program runs"
        yield Finding(RUN_BLOCK, model.path, head(run), message, help="write `// serq: run horizon=20`")
    for session in main.of_kind("session"):
        message = "the client's script stands inside `workload`, its handling in `server`"
        yield Finding(SESSION, model.path, first(session), message)
    if not model.tree.sound and is_broken(main):
        return
    workloads, servers = main.of_kind("workload"), main.of_kind("server")
    inner = [session for it in workloads for session in it.of_kind("session")]
    size = len(model.tree.source.text)
    end = Note("here it is missing", model.path, Span(size, size))
    if servers and not workloads:
        yield Finding(
            NEEDS_WORKLOAD, model.path, first(servers[0]), "a server answers the turns of a `workload`", (end,)
        )
    if workloads and not servers:
        at = first(inner[0]) if inner else first(workloads[0])
        yield Finding(
            NEEDS_SERVER, model.path, at, "nothing serves the turns of this workload", (end,), "add a `server { … }`"
        )
    for session in inner[:1] if servers else ():
        if not any(True for _ in of_kind(session, "turn")) and not _turns(model):
            notes = (Note("the server it never calls", model.path, first(servers[0])),)
            yield Finding(NO_TURN, model.path, first(session), "the session never says `turn;`", notes)


def _turns(model: Model) -> bool:
    """Say whether the session takes a turn once its definitions are put in."""
    return any(it.step.form == "turn" for it in step_visits(model.flow.session))


def _twice(model: Model) -> Iterator[Finding]:
    """A second `workload` or `server`; a second `session` in one place (classic: if the first was not empty)."""
    places = [model.tree.root, *model.tree.root.of_kind("main")]
    for place in places:
        for kind in ("workload", "server"):
            yield from _second(model, place.of_kind(kind))
        if model.edition is Edition.CLASSIC:
            sessions = place.of_kind("session")
            yield from _second(model, sessions if sessions and _statements(sessions[0]) else [])
    for visit in visits_of(model, "workload"):
        if visit.node.kind == "workload":
            yield from _second(model, visit.node.of_kind("session"))


def _second(model: Model, blocks: list[Node]) -> Iterator[Finding]:
    for block in blocks[1:]:
        span = Span(block.start, head(block).end if block.child("body") is None else _brace(block))
        notes = (Note("the first", model.path, first(blocks[0])),)
        yield Finding(TWICE, model.path, span, f"there is one `{block.kind}` only", notes)


def _brace(block: Node) -> int:
    body = block.child("body")
    return (body.start if body is not None else block.start) + 1


def _statements(block: Node) -> list[Node]:
    body = block.child("body")
    return [it for it in (body.children if body is not None else ()) if it.named and it.kind != "comment"]
