"""Every request is answered exactly once, with JSON, whatever is sent; the numbers are the faults of pygls."""

from __future__ import annotations

import asyncio
import io
import json
import math
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from serq_lsp.lsp.protocol import Protocol
from serq_lsp.lsp.stream import Malformed, Writer, decoded, frames

OVERRIDDEN = (
    "_handle_response",
    "_send_data",
    "lsp_exit",
    "lsp_workspace__execute_command",
    "lsp_text_document__did_open",
    "lsp_text_document__did_change",
    "lsp_text_document__did_close",
)
USED = (
    "_converter",
    "_request_futures",
    "_result_types",
    "_send_response",
    "_serialize_message",
    "_shutdown",
    "_workspace",
)


class Talk:
    """A conversation with a protocol that has a few made-up features."""

    def __init__(self, *, initialize: bool = True) -> None:
        self.out = io.BytesIO()
        self.server = LanguageServer("test", "0", protocol_cls=Protocol)
        self.protocol: Protocol = self.server.protocol  # type: ignore[assignment]
        self.protocol.set_writer(Writer(self.out))
        self.server.feature(types.TEXT_DOCUMENT_HOVER)(lambda _: types.Hover(contents="here"))
        self.server.feature("test/number")(lambda _: {"value": [math.inf, -math.inf, math.nan, 1.5]})
        self.server.feature("test/thing")(lambda _: {"value": object()})
        if initialize:
            self.request(0, types.INITIALIZE, {"capabilities": {}, "processId": None, "rootUri": None})
            self.out.seek(0)
            self.out.truncate()

    def send(self, message: Any) -> None:
        """Hand over one message."""
        self.protocol.receive(message)

    def request(self, wanted: Any, method: str, params: Any = None, **more: Any) -> list[Any]:
        """Send a request and return all that was said so far."""
        self.send({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params, **more})
        return self.said()

    def said(self) -> list[Any]:
        """Return all messages of the server."""
        return [strictly(body) for body in frames(io.BytesIO(self.out.getvalue()))]


def strictly(body: bytes) -> Any:
    """Decode JSON and nothing but JSON."""
    return json.loads(body, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


PLACE = {"textDocument": {"uri": "file:///a.sq"}, "position": {"line": 0, "character": 0}}


@pytest.mark.parametrize("name", [*OVERRIDDEN, *USED])
def test_pygls_has_each_member_that_is_overridden_or_used(name: str) -> None:
    """A release of pygls that renames one of these fails here, not in a user's editor."""
    server = LanguageServer("test", "0")
    assert hasattr(server.protocol, name)


def test_overridden_members_are_really_those_of_pygls() -> None:
    """What is overridden is defined in pygls's classes."""
    for name in OVERRIDDEN:
        assert name in vars(Protocol)
        assert hasattr(LanguageServerProtocol, name)


def test_parameters_that_do_not_fit_are_refused() -> None:
    """P7: the request is answered with `invalid params`."""
    (answer,) = Talk().request(1, types.TEXT_DOCUMENT_HOVER, {"textDocument": 5})
    assert (answer["id"], answer["error"]["code"]) == (1, -32602)


def test_a_key_called_jsonrpc_inside_the_parameters_is_only_a_key() -> None:
    """P8: the request is answered as any other."""
    (answer,) = Talk().request(1, types.TEXT_DOCUMENT_HOVER, {**PLACE, "jsonrpc": "2.0", "data": {"jsonrpc": {}}})
    assert answer["result"] == {"contents": "here"}


def test_requests_after_shutdown_are_refused() -> None:
    """P9: they are answered, with an error."""
    talk = Talk()
    talk.request(1, types.SHUTDOWN)
    answers = talk.request(2, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert [(it["id"], it.get("error", {}).get("code")) for it in answers] == [(1, None), (2, -32600)]


def test_exit_ends_the_conversation_and_shutdown_is_remembered() -> None:
    """P10: whoever serves can tell a proper end from another."""
    rude, polite = Talk(), Talk()
    polite.request(1, types.SHUTDOWN)
    for talk in (rude, polite):
        talk.send({"jsonrpc": "2.0", "method": "exit"})
        assert talk.protocol.stopped
    assert (rude.protocol.was_shut_down, polite.protocol.was_shut_down) == (False, True)


def test_numbers_that_json_lacks_are_sent_as_strings() -> None:
    """P11: `inf`, `-inf` and `nan` as serQ writes them; other numbers stay numbers."""
    (answer,) = Talk().request(1, "test/number")
    assert answer["result"] == {"value": ["inf", "-inf", "nan", 1.5]}


def test_a_result_that_cannot_be_sent_costs_its_own_answer_only() -> None:
    """The request is answered with an error, the next one as if nothing had happened."""
    talk = Talk()
    talk.request(1, "test/thing")
    answers = talk.request(2, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert [(it["id"], "error" in it) for it in answers] == [(1, True), (2, False)]


def test_requests_before_initialize_are_refused_and_notifications_dropped() -> None:
    """P13: as the protocol demands; a second `initialize` is refused too."""
    talk = Talk(initialize=False)
    talk.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}})
    (answer,) = talk.request(1, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert answer["error"]["code"] == -32002
    (again,) = Talk().request(2, types.INITIALIZE, {"capabilities": {}})
    assert again["error"]["code"] == -32600


def test_an_answer_that_nobody_waits_for_any_more_is_dropped() -> None:
    """P14: the task that asked was cancelled in between; nothing is raised or sent."""

    async def cancel_while_asking() -> list[Any]:
        talk = Talk()
        asked = asyncio.ensure_future(
            talk.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items=[]))
        )
        await asyncio.sleep(0)
        wanted = talk.said()[0]["id"]
        asked.cancel()
        await asyncio.sleep(0)
        talk.send({"jsonrpc": "2.0", "id": wanted, "result": []})
        talk.send({"jsonrpc": "2.0", "id": wanted, "error": {"code": "x"}})
        talk.send({"jsonrpc": "2.0", "id": "unknown", "result": None})
        return talk.said()[1:]

    assert asyncio.run(cancel_while_asking()) == []


def test_answers_to_our_requests_arrive_typed_and_errors_raise() -> None:
    """A result that fits is handed over, an error or a result that does not fit raises where it is awaited."""

    async def ask(answer: dict[str, Any]) -> Any:
        talk = Talk()
        asked = talk.protocol.send_request(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items=[]))
        talk.send({"jsonrpc": "2.0", "id": talk.said()[0]["id"], **answer})
        return asked.exception() or asked.result()

    assert list(asyncio.run(ask({"result": [{"serq": 1}]}))) == [{"serq": 1}]
    assert "no" in str(asyncio.run(ask({"error": {"code": 1, "message": "no"}})))
    assert isinstance(asyncio.run(ask({"result": 5})), Exception)


def test_a_change_of_a_document_that_was_never_opened_reaches_our_handler() -> None:
    """P16: pygls's own text model is never asked."""
    talk = Talk()
    seen: list[Any] = []
    talk.server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(lambda params: seen.append(params))  # noqa: PLW0108 (pygls marks what it gets)
    change = {"textDocument": {"uri": "file:///a.sq", "version": 2}, "contentChanges": [{"text": "x"}]}
    talk.send({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change})
    assert [it.text_document.version for it in seen] == [2]


@pytest.mark.parametrize("header", [b"content-length: 2\r\n\r\n{}", b"X: y\r\nCONTENT-LENGTH:2\r\n\r\n{}"])
def test_header_names_may_be_spelled_in_any_case(header: bytes) -> None:
    """P17."""
    assert list(frames(io.BytesIO(header))) == [b"{}"]


@pytest.mark.parametrize(
    "rubbish", [b"", b"\r\n\r\n", b"hello\r\n", b"Content-Length: x\r\n\r\n{}", b"Content-Length: 9\r\n\r\n{}"]
)
def test_what_is_no_message_yields_none(rubbish: bytes) -> None:
    """Lines without a usable length are passed over; a body that ends early is none."""
    assert list(frames(io.BytesIO(rubbish))) == []


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000, b'{"a": 1e999999999'])
def test_a_body_that_is_not_json_is_answered_as_such(body: bytes) -> None:
    """One parse error, without an id; the conversation goes on."""
    talk = Talk()
    message = decoded(body)
    assert isinstance(message, Malformed)
    talk.send(message)
    answers = talk.request(7, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert [(it["id"], it.get("error", {}).get("code")) for it in answers] == [(None, -32700), (7, None)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"jsonrpc": "2.0", "id": 3, "method": "no/such"}, -32601),
        ({"jsonrpc": "2.0", "id": 3, "method": "no/such", "params": {"jsonrpc": 1}}, -32601),
        ({"jsonrpc": "1.0", "id": 3, "method": "textDocument/hover", "params": PLACE}, -32600),
        ({"id": 3, "method": "textDocument/hover", "params": PLACE}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "textDocument/hover", "params": PLACE}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "textDocument/hover"}, -32600),
        ({"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover"}, -32602),
        ({"jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand", "params": {"command": "no.such"}}, -32602),
        ([], -32600),
        ("text", -32600),
        (None, -32600),
        ({}, -32600),
        ({"jsonrpc": "2.0"}, -32600),
    ],
)
def test_a_malformed_request_is_answered_once(message: Any, code: int) -> None:
    """With the code that says what is wrong (C26)."""

    async def ask() -> list[Any]:
        talk = Talk()
        talk.send(message)
        await asyncio.sleep(0.01)
        return talk.said()

    (answer,) = asyncio.run(ask())
    assert answer["error"]["code"] == code
    assert answer["id"] == (3 if isinstance(message, dict) and message.get("id") == 3 else None)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "no/such"},
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 5},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {}},
        {"jsonrpc": "3.0", "method": "textDocument/didOpen", "params": {}},
    ],
)
def test_a_malformed_notification_is_never_answered(message: Any) -> None:
    """It is dropped, and the next request is answered."""
    talk = Talk()
    talk.send(message)
    assert [it["id"] for it in talk.request(1, types.TEXT_DOCUMENT_HOVER, PLACE)] == [1]


def test_a_handler_that_raises_costs_one_answer() -> None:
    """The request is answered with an error, the next one as usual."""

    def fail(_: Any) -> Any:
        raise ZeroDivisionError

    talk = Talk()
    talk.server.feature("test/fail")(fail)
    talk.request(1, "test/fail")
    answers = talk.request(2, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert [(it["id"], "error" in it) for it in answers] == [(1, True), (2, False)]


def test_a_cancel_reaches_a_running_command() -> None:
    """P6: the command's task is cancelled and the request answered so, once."""
    ended: list[str] = []

    async def wait(_: list[Any]) -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def cancel() -> list[Any]:
        talk = Talk()
        talk.server.command("test.wait")(wait)
        talk.request(1, types.WORKSPACE_EXECUTE_COMMAND, {"command": "test.wait"})
        await asyncio.sleep(0.01)
        talk.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
        await asyncio.sleep(0.01)
        return talk.said()

    (answer,) = asyncio.run(cancel())
    assert (answer["error"]["code"], ended) == (-32800, ["cancelled"])


def test_a_request_whose_cancel_has_arrived_is_not_begun() -> None:
    """C27: whoever reads ahead says so, and the request is answered as cancelled."""
    talk = Talk()
    talk.protocol.is_cancelled = lambda wanted: wanted == 1
    talk.request(1, types.TEXT_DOCUMENT_HOVER, PLACE)
    answers = talk.request(2, types.TEXT_DOCUMENT_HOVER, PLACE)
    assert [(it["id"], it.get("error", {}).get("code")) for it in answers] == [(1, -32800), (2, None)]


def test_a_client_that_does_not_read_any_more_ends_the_conversation() -> None:
    """A broken pipe is no exception for a handler."""
    talk = Talk()
    talk.out.close()
    talk.protocol.receive({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": PLACE})
    assert talk.protocol.stopped
