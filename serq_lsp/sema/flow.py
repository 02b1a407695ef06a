"""The statements of a program as they run: definitions, entries, requests and the server put where they are used.

A step is one statement together with the scope it is read in. The order of steps is the order in which the kernel's
statements stand (semantics.md 1.1), whatever the order of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.lang.editions import Edition
from serq_lsp.sema.definitions import unfold
from serq_lsp.sema.faults import TooManyStatements
from serq_lsp.sema.reads import free_names
from serq_lsp.sema.scopes import Pasted, Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.sema.declarations import Declarations
    from serq_lsp.sema.faults import Fault
    from serq_lsp.syntax.tree import Node

MAX_STATEMENTS = 100_000
"""So many statements may a program unfold into (classic.md 13)."""
MAX_LEVELS = 200
"""So deep may statements, definitions and entries nest together."""


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One statement as it runs.

    `form` is the kind of `node`, except: `bind` (the `set` at the top of a body for the binding `node`), `admission`
    (the hold that an engine's request is; `node` is the schedule's `taking`), `arrived` (the load and release after a
    link's entry; `node` is the call), `turn` and `request` (what follows them stands after them).
    `header` is the scope of a hold's header, where the names bound at admission are known; else it is `scope`.
    `blocks` are the nested blocks. `server` is the side: what the deployment does.
    """

    form: str
    node: Node
    scope: Scope
    header: Scope
    server: bool
    blocks: tuple[tuple[Step, ...], ...] = ()
    cache: Node | None = None
    """The `cache` of a request, which stands apart from its `taking`."""


class Flow(NamedTuple):
    """All statements of a program: blocks 0, 1 and 2 of the kernel, and what follows from them."""

    init: tuple[Step, ...]
    turn: tuple[Step, ...]
    session: tuple[Step, ...]
    entered: frozenset[str] = frozenset()
    """The entries (`Q.verb`, `Q.verb from`) and requests (`E.request`) that are called."""

    @property
    def blocks(self) -> tuple[tuple[Step, ...], ...]:
        """Return the three in the kernel's order."""
        return (self.init, self.turn, self.session)


class Unfolder:
    """Unfolds the statements of one program."""

    def __init__(self, declared: Declarations, edition: Edition, path: str, report: Callable[[Fault], None]) -> None:
        self.declared = declared
        self.edition = edition
        self.report = report
        self.root = Scope(path)
        self.calls: list[str] = []
        """The entries and requests being unfolded, outermost first."""
        self.entered: set[str] = set()
        self._count = 0
        self._level = 0
        self._full = False

    def flow(self) -> Flow:
        """Return the statements of the whole program; none where they are too many."""
        flow = self._flow()
        if self._full:
            return Flow((), (), (), frozenset(self.entered))
        return flow._replace(entered=frozenset(self.entered))

    def _flow(self) -> Flow:
        declared = self.declared
        init = self.block(declared.init.child("body") if declared.init else None, self.root, server=False)
        turn = self.block(declared.turn.child("body") if declared.turn else None, self.root, server=False)
        session = declared.session.child("body") if declared.session else None
        if session is not None or self.edition is Edition.CLASSIC:
            return Flow(tuple(init), tuple(turn), tuple(self.block(session, self.root, server=False)))
        holder = declared.workload or declared.server
        if holder is None:
            return Flow(tuple(init), tuple(turn), ())
        once = self._step("turn", holder, self.root, server=False)
        return Flow(tuple(init), tuple(turn), (once, *self.server()))

    def server(self) -> list[Step]:
        """Return a fresh copy of the server's statements."""
        body = self.declared.server.child("body") if self.declared.server is not None else None
        return self.block(body, self.root, server=True)

    def block(self, node: Node | None, scope: Scope, *, server: bool) -> list[Step]:
        """Return the steps of a block."""
        return self.statements(node.children if node is not None else [], scope, server=server)

    def statements(self, nodes: list[Node], scope: Scope, *, server: bool) -> list[Step]:
        """Return the steps of some statements."""
        if self._level >= MAX_LEVELS:
            return []
        self._level += 1
        steps: list[Step] = []
        for node in nodes:
            if node.named and node.kind not in ("comment", "ERROR") and not self._full:
                self._statement(node, scope, steps, server=server)
        self._level -= 1
        return steps

    def _step(self, form: str, node: Node, scope: Scope, *, server: bool, blocks: tuple[list[Step], ...] = ()) -> Step:
        return Step(form, node, scope, scope, server, tuple(tuple(it) for it in blocks))

    def _statement(self, node: Node, scope: Scope, steps: list[Step], *, server: bool) -> None:
        self._count += 1
        if self._count > MAX_STATEMENTS:
            self._full = True
            self.report(TooManyStatements(scope.path, node.span, MAX_STATEMENTS))
            return
        match node.kind:
            case "call_statement":
                self._call(node, scope, steps, server=server)
            case "hold":
                steps.append(self._hold(node, scope, server=server))
            case "branch" | "if":
                then = self.block(node.child("then"), scope, server=server)
                other = node.child("else")
                if other is not None and other.kind == "if":
                    rest = self.statements([other], scope, server=server)
                else:
                    rest = self.block(other, scope, server=server)
                steps.append(self._step("branch", node, scope, server=server, blocks=(then, rest)))
            case "while" | "loop" | "fork":
                body = self.block(node.child("body"), scope, server=server)
                steps.append(self._step(node.kind, node, scope, server=server, blocks=(body,)))
            case "turn":
                steps.append(self._step("turn", node, scope, server=server))
                if self.edition is not Edition.CLASSIC and not server:  # in the server itself it is a fault
                    steps.extend(self.server())
            case "request":
                self._request(node, scope, steps, server=server)
            case "request_admission" | "request_cache":
                return
            case _:
                steps.append(self._step(node.kind, node, scope, server=server))

    def _request(self, node: Node, scope: Scope, steps: list[Step], *, server: bool) -> None:
        """Put the server, or the route of a gateway, where a classic session says `request`."""
        from serq_lsp.sema.calls import route

        gateway = node.child("gateway")
        if gateway is None and not server:
            steps.extend(self.server())
        elif gateway is not None:
            steps.extend(route(self, gateway, scope))

    def _call(self, node: Node, scope: Scope, steps: list[Step], *, server: bool) -> None:
        """Unfold the use of a definition, an engine's request or a queue's entry."""
        from serq_lsp.sema.calls import entry, request

        call = node.child("call")
        function = call.child("function") if call is not None else None
        if call is None or function is None:
            return
        if function.kind != "name":
            steps.extend(entry(self, node, call, function, scope, server=server))
            return
        name, _ = scope.name(function.text)
        definition = self.declared.definitions.get(name)
        if definition is not None:
            inner = unfold(definition, call, scope, wants_statements=True, report=self.report)
            if inner is not None:
                steps.extend(self.block(definition.body, inner, server=server))
            return
        engine = self.declared.engines.get(name)
        if engine is not None:
            steps.extend(request(self, engine, None, call, scope, server=server))

    def _hold(self, node: Node, scope: Scope, *, server: bool) -> Step:
        header = scope
        bindings: list[tuple[str, Node, Scope]] = []
        bound = node.child("bindings")
        for binding in bound.of_kind("binding") if bound is not None else []:
            name, value = binding.child("name"), binding.child("value")
            if name is None or value is None:
                continue
            bindings.append((name.text, binding, header))
            header = header.inner({name.text: Pasted(value, header)})
        body = self.block(node.child("body"), scope, server=server)
        body = self.bound(bindings, body, scope, server=server)
        return Step("hold", node, scope, header, server, (tuple(body),))

    def bound(
        self, bindings: list[tuple[str, Node, Scope]], body: list[Step], scope: Scope, *, server: bool
    ) -> list[Step]:
        """Return the body with a step in front for each binding that it reads (classic.md 5.2)."""
        if not bindings:
            return body
        read = free_names(body, self.declared.definitions)
        steps = [Step("bind", binding, scope, header, server) for name, binding, header in bindings if name in read]
        return steps + body
