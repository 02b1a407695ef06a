"""A random walk: edits, requests, cancels, in any order and without waiting; the server answers all and stays right."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from tests.lsp.model import replaced, rows, width
from tests.lsp.programs import LIBRARY, SEPARATE, USER
from tests.lsp.wire import EVERYTHING, Client

STEPS = int(os.environ.get("SERQ_WALK", "2000"))
"""Messages of one walk; `SERQ_WALK=2000` is the size of the measure in the issue."""
USER_URI, LIBRARY_URI, OTHER_URI = "file:///walk/user.sq", "file:///walk/lib.sq", "file:///walk/%C3%A9%20b.sq"
PIECES = (
    "", " ", "\n", "\r\n", "\r", ";", "{", "}", "(", ")", "~", "kv", "é", "漢字", "😀", "👩\u200d🚀", "\u2028", "\t", '"', "//", "/*",
    "hold kv (1) { end; }\r\n", "prefill prompt growing kv;", "def f(x) = x;\n", 'use "lib.sq";\n', "1e309", "inf",
    "fn main() {", "branch (serial == 0) {", "// scheduler.py:1078-1128, 1214-1226\n", "// serq: run horizon=3\n",
)  # fmt: skip
PLACED = ("hover", "definition", "completion", "documentHighlight", "signatureHelp", "references", "selectionRange")
WHOLE = ("documentSymbol", "foldingRange", "documentLink", "codeLens", "semanticTokens/full")
RANGED = ("inlayHint", "codeAction", "semanticTokens/range")
CANCELLED = -32800


class Walk:
    """One walk: the client, the texts as the client has them, and what was asked about which text."""

    def __init__(self, encoding: str, seed: int) -> None:
        self.encoding = encoding
        self.random = random.Random(seed)
        capabilities = {**EVERYTHING, "general": {"positionEncodings": [encoding]}}
        self.client = Client()
        answer = self.client.initialize(capabilities)
        assert answer["capabilities"]["positionEncoding"] == encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.asked: dict[int, tuple[str, dict[str, str]]] = {}
        self.previous = "0"
        for uri, text in ((USER_URI, USER), (LIBRARY_URI, LIBRARY), (OTHER_URI, mixed(SEPARATE))):
            self.open(uri, text)

    def open(self, uri: str, text: str) -> None:
        """Open a document, with the next version."""
        self.texts[uri] = text
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.client.open(uri, text, self.versions[uri])

    def step(self) -> None:
        """Send one message."""
        uri = self.random.choice(list(self.texts))
        kind = self.random.choices(
            ("edit", "placed", "whole", "ranged", "cancel", "whole text", "save", "reopen", "delta", "stranger", "run"),
            (38, 25, 10, 8, 6, 5, 2, 1, 3, 1, 1),
        )[0]
        match kind:
            case "edit":
                self.edit(uri)
            case "placed":
                self.placed(uri, self.random.choice(PLACED))
            case "whole":
                self.ask(uri, self.random.choice(WHOLE))
            case "ranged":
                start, end = sorted((self.position(uri), self.position(uri)), key=lambda it: tuple(it.values()))
                context: dict[str, Any] = {"diagnostics": []}
                self.ask(uri, self.random.choice(RANGED), range={"start": start, "end": end}, context=context)
            case "cancel" if self.asked:
                self.client.notify("$/cancelRequest", {"id": self.random.choice(list(self.asked)[-5:])})
            case "whole text":
                self.change(uri, {"text": mixed(self.random.choice((SEPARATE, USER, LIBRARY, "", "😀")))})
            case "save":
                document = {"textDocument": {"uri": uri}, "text": self.texts[uri]}
                self.client.notify("textDocument/didSave", document)
            case "reopen":
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                self.open(uri, self.texts[uri])
            case "delta":
                self.ask(uri, "semanticTokens/full/delta", previousResultId=str(self.random.randrange(9)))
            case "stranger":
                self.placed("file:///walk/never-opened.sq", "hover")
                self.client.change("file:///walk/never-opened.sq", 3, {"text": "x"})
            case "run":
                wanted = self.client.ask("workspace/executeCommand", {"command": "serq.run", "arguments": [uri]})
                self.asked[wanted] = (uri, {})

    def position(self, uri: str) -> dict[str, int]:
        """Return a place in a document, sometimes past the end of its line or of the text."""
        lines = rows(self.texts.get(uri, ""))
        line = self.random.randrange(len(lines) + (self.random.random() < 0.05))
        length = width(lines[line][0], self.encoding) if line < len(lines) else 0
        return {"line": line, "character": self.random.randrange(length + 1 + 5 * (self.random.random() < 0.05))}

    def edit(self, uri: str) -> None:
        """Replace a small or, now and then, a large range."""
        start = self.position(uri)
        if self.random.random() < 0.97:
            end = {"line": start["line"], "character": start["character"] + self.random.randrange(4)}
        else:
            end = self.position(uri)
        self.change(uri, {"range": {"start": start, "end": end}, "text": self.random.choice(PIECES)})

    def change(self, uri: str, change: dict[str, Any]) -> None:
        """Change a document, here and there."""
        self.versions[uri] += 1
        self.client.change(uri, self.versions[uri], change)
        if "range" not in change:
            self.texts[uri] = change["text"]
            return
        start, end = ((it["line"], it["character"]) for it in (change["range"]["start"], change["range"]["end"]))
        self.texts[uri] = replaced(self.texts[uri], start, end, change["text"], self.encoding)

    def placed(self, uri: str, method: str) -> None:
        """Ask about a place."""
        if method == "selectionRange":
            self.ask(uri, method, positions=[self.position(uri)])
            return
        more: dict[str, Any] = {"context": {"includeDeclaration": True}} if method == "references" else {}
        self.ask(uri, method, position=self.position(uri), **more)

    def ask(self, uri: str, method: str, **more: Any) -> None:
        """Ask about a document as it is now."""
        wanted = self.client.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})
        self.asked[wanted] = (uri, dict(self.texts))

    def check_answers(self) -> None:
        """Each request has one answer, none but a cancel is an error, and every range lies inside its text."""
        for wanted in self.asked:
            self.client.until(lambda wanted=wanted: self.client.answered(wanted), f"an answer to {wanted}")  # type: ignore[misc]
        for message in self.client.received:
            if "method" in message or message["id"] not in self.asked:
                continue
            uri, texts = self.asked[message["id"]]
            if "error" in message:
                assert message["error"]["code"] == CANCELLED, message
            elif texts:
                self.check_ranges(message["result"], uri, texts)

    def check_ranges(self, value: Any, uri: str, texts: dict[str, str]) -> None:
        """Look for ranges in an answer, and at token numbers."""
        if isinstance(value, dict):
            there = value.get("uri") or uri
            if isinstance(value.get("data"), list) and "deleteCount" not in value:
                self.check_tokens(value["data"], texts.get(uri, ""))
            for key, inner in value.items():
                if key in {"targetRange", "targetSelectionRange"}:
                    self.check_range(inner, texts.get(value["targetUri"], ""))
                elif isinstance(inner, dict) and set(inner) == {"start", "end"}:
                    self.check_range(inner, texts.get(there, ""))
                else:
                    self.check_ranges(inner, uri, texts)
        elif isinstance(value, list):
            for inner in value:
                self.check_ranges(inner, uri, texts)

    def check_range(self, place: Any, text: str) -> None:
        """Both ends lie in the text."""
        lines = rows(text)
        for end in (place["start"], place["end"]):
            assert end["line"] < len(lines), (place, text)
            assert end["character"] <= width(lines[end["line"]][0], self.encoding), (place, text)

    def check_tokens(self, numbers: list[int], text: str) -> None:
        """Every token lies on its line."""
        lines = rows(text)
        line = column = 0
        for at in range(0, len(numbers), 5):
            line, column = line + numbers[at], numbers[at + 1] + (0 if numbers[at] else column)
            assert column + numbers[at + 2] <= width(lines[line][0], self.encoding)


def mixed(text: str) -> str:
    """Return a text whose lines end in all three ways."""
    ends = ("\n", "\r\n", "\r")
    return "".join(line + ends[at % 3] for at, line in enumerate(text.split("\n")))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_random_walk_leaves_the_server_right(encoding: str) -> None:
    """C11, C13, C15, C19, C26: no error answer, one answer each, ranges inside, and diagnostics as of a fresh server."""
    walk = Walk(encoding, seed=len(encoding) + STEPS)
    fresh = Client()
    try:
        for number in range(STEPS):
            walk.step()
            if number % 40 == 0:
                walk.client.drain()
        walk.check_answers()
        fresh.initialize({**EVERYTHING, "general": {"positionEncodings": [encoding]}})
        for uri, text in walk.texts.items():
            walk.change(uri, {"text": text})
            fresh.open(uri, text, 1)
        for uri in walk.texts:
            old = walk.client.found(uri, walk.versions[uri])
            new = fresh.found(uri, 1)
            walk.client.call("textDocument/foldingRange", {"textDocument": {"uri": uri}})
            fresh.call("textDocument/foldingRange", {"textDocument": {"uri": uri}})
            old, new = walk.client.diagnostics[uri]["diagnostics"], fresh.diagnostics[uri]["diagnostics"]
            assert [it for it in old if it["code"] != "run-stopped"] == new
        assert walk.client.end() == 0
        assert fresh.end() == 0
        assert not [line for line in walk.client.log if "Traceback" in line], "".join(walk.client.log)
    finally:
        walk.client.kill()
        fresh.kill()
