"""pygls's protocol with its faults repaired: every request is answered exactly once, and only with JSON.

What is repaired, by number of the list that the tests in tests/lsp/test_protocol.py go through: P6 P7 P8 P9 P10 P11
P13 P14 P16 P17. Documents are kept elsewhere (documents.py), so pygls's own text model (P1 P2 P3) is never used.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage
from pygls.protocol.language_server import lsp_method

from serq_lsp.lsp.stream import Malformed, frame

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = logging.getLogger(__name__)
VERSION = "2.0"
PARSE_ERROR, INVALID_REQUEST, NO_SUCH_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, CANCELLED = -32002, -32800
NON_FINITE = {"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}
"""How numbers that JSON does not know are sent: as strings, in serQ's spelling."""


def never_cancelled(message_id: int | str) -> bool:
    """Say no: where messages are not read ahead, no cancel is known in advance."""
    return False


class Protocol(LanguageServerProtocol):
    """The conversation with one client. `receive` takes each message in order of arrival."""

    stopped: bool = False
    """Whether the conversation is over: `exit` was seen, or the client does not read any more."""
    is_cancelled: Callable[[int | str], bool] = staticmethod(never_cancelled)
    """Whether a cancel for a request has arrived behind it; set by whoever reads ahead."""

    @property
    def was_shut_down(self) -> bool:
        """Say whether the client asked for `shutdown`."""
        return self._shutdown

    def receive(self, data: Any) -> None:
        """Handle one decoded message; never raises. What cannot be understood is answered or logged."""
        try:
            self._receive(data)
        except Exception:
            LOG.exception("a message could not be handled: %.300s", data)

    def _receive(self, data: Any) -> None:
        match data:
            case Malformed(reason):
                self._refuse(None, PARSE_ERROR, reason)
            case {"method": str(method), "id": int() | str() as wanted} if not isinstance(wanted, bool):
                self._receive_request(wanted, method, data)
            case {"method": str(), "id": _}:
                self._refuse(None, INVALID_REQUEST, "the id of a request is a number or a string")
            case {"method": str(method)}:
                self._receive_notification(method, data)
            case {"id": int() | str() as wanted}:
                self._receive_response(wanted, data)
            case _:
                self._refuse(None, INVALID_REQUEST, "neither a request, nor a notification, nor a response")

    def _receive_request(self, wanted: int | str, method: str, data: dict[str, Any]) -> None:
        if data.get("jsonrpc") != VERSION:
            self._refuse(wanted, INVALID_REQUEST, 'only `"jsonrpc": "2.0"` is spoken here')
        elif self._shutdown:
            self._refuse(wanted, INVALID_REQUEST, "the server is shutting down")
        elif (self._workspace is None) != (method == types.INITIALIZE):
            was = "not initialized" if self._workspace is None else "initialized already"
            self._refuse(
                wanted, NOT_INITIALIZED if self._workspace is None else INVALID_REQUEST, f"the server is {was}"
            )
        elif self.is_cancelled(wanted):
            self._refuse(wanted, CANCELLED, "cancelled before it was begun")
        elif method not in self.fm.builtin_features and method not in self.fm.features:
            self._refuse(wanted, NO_SUCH_METHOD, f"no method is called {method}")
        else:
            try:
                message = self._structured(method, data)
            except Exception as fault:  # noqa: BLE001 (cattrs raises what the fields' constructors raise)
                self._refuse(wanted, INVALID_PARAMS, f"the parameters do not fit {method}: {_reason(fault)}")
                return
            super().handle_message(message)

    def _receive_notification(self, method: str, data: dict[str, Any]) -> None:
        if data.get("jsonrpc") != VERSION or (method != types.EXIT and (self._shutdown or self._workspace is None)):
            LOG.info("notification %s ignored: wrong version, or the server is not running", method)
            return
        known = method in self.fm.builtin_features or method in self.fm.features or method == types.CANCEL_REQUEST
        if not known:
            LOG.debug("notification %s is not known here", method)
            return
        try:
            message = self._structured(method, data)
        except Exception as fault:  # noqa: BLE001 (cattrs raises what the fields' constructors raise)
            LOG.warning("notification %s dropped: its parameters do not fit: %s", method, _reason(fault))
            return
        super().handle_message(message)

    def _receive_response(self, wanted: int | str, data: dict[str, Any]) -> None:
        result_type = self._result_types.pop(wanted, None) or JsonRPCResponseMessage
        if "error" in data:
            error = data["error"] if isinstance(data["error"], dict) else {}
            code, text = error.get("code"), str(error.get("message", ""))
            self._handle_response(
                wanted, error=types.ResponseError(code=code if isinstance(code, int) else INTERNAL, message=text)
            )
            return
        try:
            message = self._converter.structure({"jsonrpc": VERSION, "result": None, **data}, result_type)
        except Exception as fault:  # noqa: BLE001 (cattrs raises what the fields' constructors raise)
            self._handle_response(wanted, error=types.ResponseError(code=INVALID_PARAMS, message=_reason(fault)))
            return
        self._handle_response(wanted, result=message.result)

    def _structured(self, method: str, data: dict[str, Any]) -> Any:
        """Return the typed message; only the outermost object is a message, whatever keys stand inside (P8)."""
        if kind := self.get_message_type(method):
            return self._converter.structure(data, kind)
        if "id" in data:
            return JsonRPCRequestMessage(id=data["id"], method=method, jsonrpc=VERSION, params=data.get("params"))
        return JsonRPCNotification(method=method, jsonrpc=VERSION, params=data.get("params"))

    def _refuse(self, wanted: int | str | None, code: int, reason: str) -> None:
        LOG.info("request %s refused: %s", wanted, reason)
        self._send_data({"jsonrpc": VERSION, "id": wanted, "error": {"code": code, "message": reason}})

    def _handle_response(
        self, msg_id: int | str, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """Hand an answer to whoever waits for it; one who has given up is not disturbed (P14)."""
        future = self._request_futures.pop(msg_id, None)
        if future is None or future.done():
            LOG.debug("nobody waits for the answer to %s", msg_id)
        elif error is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(result)

    def _send_data(self, data: Any) -> None:
        """Write a message; what cannot be JSON costs this answer only (P11)."""
        if not data or self.writer is None or self.stopped:
            return
        try:
            body = self._encoded(data)
        except (TypeError, ValueError, AttributeError, RecursionError) as fault:
            LOG.exception("a message cannot be sent as JSON")
            wanted = getattr(data, "id", None)
            if wanted is not None and not hasattr(data, "error"):
                self._refuse(wanted, INTERNAL, f"the answer cannot be sent as JSON: {_reason(fault)}")
            return
        try:
            self.writer.write(frame(body))
        except (OSError, ValueError):
            LOG.info("the client does not read any more")
            self.stopped = True

    def _encoded(self, data: Any) -> bytes:
        def dumped(value: Any, *, strict: bool) -> str:
            return json.dumps(value, default=self._serialize_message, allow_nan=not strict, separators=(",", ":"))

        try:
            return dumped(data, strict=True).encode()
        except ValueError:
            plain = json.loads(dumped(data, strict=False), parse_constant=NON_FINITE.__getitem__)
            return dumped(plain, strict=True).encode()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]
        """End the conversation; the exit code is the caller's business (P10)."""
        self.stopped = True

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command as a task of its own, so that a cancel reaches it (P6).

        Handlers take one list: the command's arguments as they came, to be looked at with care.
        """
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcException(message=f"no command is called {params.command}", code=INVALID_PARAMS)
        return await handler(list(params.arguments or ()))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Leave the documents to our own store."""
        self._tell(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Leave the documents to our own store, which takes a change of a document that was never opened (P16)."""
        self._tell(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Leave the documents to our own store."""
        self._tell(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _tell(self, method: str, params: Any) -> None:
        if (handler := self.fm.features.get(method)) is not None:
            handler(params)


def _reason(fault: BaseException) -> str:
    """Return the innermost messages of a converter's error, in one line."""
    inner = getattr(fault, "exceptions", None)
    texts = [_reason(it) for it in inner] if inner else [str(fault) or type(fault).__name__]
    return "; ".join(dict.fromkeys(texts))[:300]
