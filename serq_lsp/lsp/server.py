"""What is announced to the client, and the conversation: one exception costs one answer, logged with its request.

The features and all that they stand on are loaded behind the answer to `initialize`, which needs none of it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from serq_lsp.ide.tokens import MODIFIERS, TYPES
from serq_lsp.lsp.client import Client
from serq_lsp.lsp.options import Options
from serq_lsp.lsp.protocol import Protocol
from serq_lsp.lsp.stream import Inbox, Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from serq_lsp.lsp.session import Session

LOG = logging.getLogger(__name__)
NAME = "serq-lsp"
RUN_COMMAND = "serq.run"
LEGEND = types.SemanticTokensLegend(token_types=list(TYPES), token_modifiers=list(MODIFIERS))
GARBAGE = (50_000, 20, 100)
"""Thresholds of the garbage collector: trees have no cycles, so it has little to do and must not cost an answer."""

METHODS: dict[str, Any] = {
    types.INITIALIZED: None,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: None,
    types.TEXT_DOCUMENT_DID_OPEN: None,
    types.TEXT_DOCUMENT_DID_CHANGE: None,
    types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(include_text=True),
    types.TEXT_DOCUMENT_DID_CLOSE: None,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: None,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: None,
    types.TEXT_DOCUMENT_HOVER: None,
    types.TEXT_DOCUMENT_DEFINITION: None,
    types.TEXT_DOCUMENT_REFERENCES: None,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: None,
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", "[", '"'], resolve_provider=True),
    types.COMPLETION_ITEM_RESOLVE: None,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(trigger_characters=["(", ","]),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: None,
    types.TEXT_DOCUMENT_FOLDING_RANGE: None,
    types.TEXT_DOCUMENT_SELECTION_RANGE: None,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: None,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: LEGEND,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: LEGEND,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: LEGEND,
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    types.TEXT_DOCUMENT_INLAY_HINT: None,
    types.TEXT_DOCUMENT_CODE_LENS: None,
}
"""The methods that are announced to every client, with their options."""
LATER = {types.INITIALIZED, types.WORKSPACE_DID_CHANGE_CONFIGURATION}
"""The methods whose functions wait for the client, and so are tasks."""


class Server(LanguageServer):
    """pygls's server without its pop-ups: what goes wrong is logged, the answer says the rest."""

    protocol: Protocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error that belongs to no request."""
        LOG.error("%s: %s", getattr(source, "__name__", source), error)


class Conversation:
    """One client: the server it talks to, and the session, which begins with the first message after `initialize`."""

    def __init__(self, inbox: Inbox) -> None:
        from serq_lsp.lsp.main import version

        self._inbox = inbox
        self._session: Session | None = None
        self._client = Client()
        self._options = Options()
        self.server = Server(NAME, version(), protocol_cls=Protocol)
        self.server.protocol.is_cancelled = inbox.is_cancelled
        self.server.feature(types.INITIALIZE)(self._guarded(types.INITIALIZE, self._initialize))
        for method, options in METHODS.items():
            self._announce(method, options)
        self.server.command(RUN_COMMAND)(self._run_command())

    @property
    def session(self) -> Session:
        """Return the session; the first call loads what it stands on."""
        if self._session is None:
            from serq_lsp.lsp.session import Session

            self._session = Session(self.server, lambda: self._inbox.idle, self._client, self._options)
        return self._session

    async def end(self) -> None:
        """End what is still at work."""
        if self._session is not None:
            await self._session.runner.stop()
            await self._session.latest.stop()

    def _initialize(self, params: types.InitializeParams) -> None:
        """Take what the client can and wants; one that wants to ask for diagnostics is offered that."""
        self._client = Client.of(params.capabilities)
        self._options = Options().updated(params.initialization_options)
        if self._options.pull_diagnostics:
            options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False)
            self._announce(types.TEXT_DOCUMENT_DIAGNOSTIC, options)

    def _announce(self, method: str, options: Any) -> None:
        def handle(params: Any) -> Any:
            from serq_lsp.lsp.methods import TABLE

            return TABLE[method](self.session, params)

        guarded = self._guarded_later(method, handle) if method in LATER else self._guarded(method, handle)
        self.server.feature(method, options)(guarded)

    @staticmethod
    def _guarded(method: str, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a handler that logs an exception with its request, and answers empty instead."""

        def handle(params: Any) -> Any:
            try:
                return work(params)
            except Exception:
                LOG.exception("%s failed; parameters: %.1000s", method, params)
                return None

        return handle

    @staticmethod
    def _guarded_later(method: str, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return the same for a function that is a coroutine."""

        async def handle(params: Any) -> Any:
            try:
                return await work(params)
            except Exception:
                LOG.exception("%s failed; parameters: %.1000s", method, params)
                return None

        return handle

    def _run_command(self) -> Callable[[list[Any]], Any]:
        async def run(arguments: list[Any]) -> Any:
            try:
                return await self.session.runner.on_run(arguments)
            except Exception as fault:
                LOG.exception("%s failed; arguments: %.1000s", RUN_COMMAND, arguments)
                return {"error": f"the run failed inside the server: {fault}"}

        return run


async def converse(reader: BinaryIO, writer: BinaryIO, on_hang: Callable[[], None]) -> int:
    """Serve one client until it says `exit` or is gone; return the exit code.

    `on_hang` is called from another thread when the client has been gone for a while and this has not returned.
    """
    inbox = Inbox()
    conversation = Conversation(inbox)
    protocol = conversation.server.protocol
    protocol.set_writer(Writer(writer))
    inbox.listen(reader, on_hang)
    gc.set_threshold(*GARBAGE)
    gc.freeze()
    gc.enable()
    try:
        while not protocol.stopped:
            protocol.receive(await inbox.next())
            await asyncio.sleep(0)
    except EOFError:
        LOG.info("the client is gone")
    finally:
        await conversation.end()
    return 0 if protocol.was_shut_down else 1
