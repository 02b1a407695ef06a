"""What tests ask a server for, in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.lsp.wire import Client

ALL = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}


def errors(client: Client, uri: str) -> list[str]:
    """Return the messages of the errors that stand for a document."""
    found = client.diagnostics.get(uri, {"diagnostics": []})["diagnostics"]
    return [it["message"] for it in found if it["severity"] == 1]


def run(client: Client, uri: str) -> Any:
    """Run a program."""
    return client.call("workspace/executeCommand", {"command": "serq.run", "arguments": [uri]})


def hints(client: Client, uri: str) -> list[str]:
    """Return the labels of a document's hints."""
    return [it["label"] for it in client.about("inlayHint", uri, range=ALL)]
