"""A small client that speaks to the real server over its standard streams, for tests, measurements and the demo."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

ANSWERS: dict[str, Any] = {
    "workspace/configuration": [None],
    "client/registerCapability": None,
    "window/workDoneProgress/create": None,
    "workspace/inlayHint/refresh": None,
    "workspace/codeLens/refresh": None,
    "workspace/semanticTokens/refresh": None,
}
"""What the client answers to the server's requests."""
EVERYTHING: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True, "versionSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "definition": {"linkSupport": True},
        "documentLink": {"tooltipSupport": True},
        "inlayHint": {},
        "codeLens": {},
    },
    "workspace": {
        "workspaceEdit": {"documentChanges": True},
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "configuration": True,
    },
    "window": {"workDoneProgress": True},
}
"""The capabilities of an editor that can do what the server can."""


class ServerError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.code: int = error["code"]


class Client:
    """A started server and the conversation with it. Everything received is kept in `received`."""

    def __init__(self, *words: str, folder: Path | None = None, before: str = "") -> None:
        """Start a server with these words (default `--stdio`), in a folder; `before` is Python that runs first."""
        code = f"{before}\nfrom serq_lsp.lsp.main import run; raise SystemExit(run())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *(words or ("--stdio",))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        self.received: list[dict[str, Any]] = []
        self.diagnostics: dict[str, dict[str, Any]] = {}
        self.log: list[str] = []
        self._arrived: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._answers: dict[int, dict[str, Any]] = {}
        self._next = 0
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=it, daemon=True) for it in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()

    # -- sending ------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        stdin: BinaryIO = self.process.stdin  # type: ignore[assignment]
        with self._lock:
            stdin.write(data)
            stdin.flush()

    def send(self, message: Any) -> None:
        """Send one message."""
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def call(self, method: str, params: Any = None, timeout: float = 20) -> Any:
        """Send a request and return its result.

        Raises:
            ServerError: the answer is an error.
        """
        return self.result(self.ask(method, params), timeout)

    # -- receiving ----------------------------------------------------------------------------

    def result(self, wanted: int, timeout: float = 20) -> Any:
        """Return the result of a request sent before."""
        self.until(lambda: wanted in self._answers, f"an answer to {wanted}", timeout)
        answer = self._answers[wanted]
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer["result"]

    def answered(self, wanted: int) -> bool:
        """Say whether a request has been answered among what was received."""
        return wanted in self._answers

    def until(self, is_true: Callable[[], bool], what: str, timeout: float = 20) -> None:
        """Take messages until something is true."""
        limit = time.monotonic() + timeout
        while not is_true():
            try:
                message = self._arrived.get(timeout=max(0.0, limit - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {what} within {timeout} s\n" + "".join(self.log[-20:])) from None
            if message is None:
                raise AssertionError(f"the server ended before {what}\n" + "".join(self.log[-20:]))
            self._take(message)

    def drain(self) -> None:
        """Take what has arrived already."""
        while not self._arrived.empty():
            message = self._arrived.get()
            if message is not None:
                self._take(message)

    def found(self, uri: str, version: int | None, timeout: float = 20) -> list[dict[str, Any]]:
        """Return the diagnostics of a document as published for a version."""
        self.until(
            lambda: uri in self.diagnostics and self.diagnostics[uri].get("version") == version,
            f"diagnostics of {uri} version {version}",
            timeout,
        )
        found: list[dict[str, Any]] = self.diagnostics[uri]["diagnostics"]
        return found

    def _take(self, message: dict[str, Any]) -> None:
        self.received.append(message)
        if "method" in message and "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": ANSWERS[message["method"]]})
        elif "id" in message:
            assert message["id"] not in self._answers, f"answered twice: {message}"
            self._answers[message["id"]] = message
        elif message["method"] == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]

    def _read(self) -> None:
        stdout: BinaryIO = self.process.stdout  # type: ignore[assignment]
        while line := stdout.readline():
            name, _, length = line.partition(b":")
            assert name.lower() == b"content-length", f"not a header: {line!r}"
            assert stdout.readline() == b"\r\n"
            self._arrived.put(json.loads(stdout.read(int(length)), parse_constant=float.fromhex))
        self._arrived.put(None)

    def _read_log(self) -> None:
        stderr: BinaryIO = self.process.stderr  # type: ignore[assignment]
        for line in stderr:
            self.log.append(line.decode("utf-8", "replace"))

    # -- a conversation -----------------------------------------------------------------------

    def initialize(self, capabilities: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Go through the greeting and return the server's answer."""
        params = {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": EVERYTHING if capabilities is None else capabilities,
            **more,
        }
        answer: dict[str, Any] = self.call("initialize", params)
        self.notify("initialized", {})
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Open a document."""
        document = {"uri": uri, "languageId": "serq", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a document."""
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    def about(self, method: str, uri: str, line: int | None = None, character: int = 0, **more: Any) -> Any:
        """Ask about a document, or a place in it."""
        params: dict[str, Any] = {"textDocument": {"uri": uri}, **more}
        if line is not None:
            params["position"] = {"line": line, "character": character}
        return self.call(f"textDocument/{method}", params)

    def end(self) -> int:
        """Shut the server down properly and return its exit code."""
        self.call("shutdown")
        self.notify("exit")
        return self.gone()

    def gone(self, timeout: float = 10) -> int:
        """Wait until the process is gone and return its exit code."""
        code = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(timeout)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def kill(self) -> None:
        """End the process whatever it does; for the end of a failing test."""
        if self.process.poll() is None:
            self.process.kill()
        if self.process.stdout is not None and not self.process.stdout.closed:
            self.gone()


def whole(text: str) -> dict[str, Any]:
    """Return the change that replaces a whole text."""
    return {"text": text}


def part(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    """Return the change of a part of one line."""
    return {
        "range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}},
        "text": text,
    }
