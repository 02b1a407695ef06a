"""What the server answers, and in which form, by what the client can and wants."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

from serq_lsp.lsp.uris import to_path
from tests.lsp.asking import run
from tests.lsp.programs import MISTAKE, SEPARATE
from tests.lsp.wire import EVERYTHING, Client, part, whole

ROOT = Path(__file__).resolve().parents[2]
NONE: dict[str, list[object]] = {"diagnostics": []}


def test_typing_a_word_ends_with_the_diagnostics_of_the_last_version(client: Client) -> None:
    """C01: a publish for an older version never follows a newer one."""
    uri = "file:///w/a.sq"
    client.open(uri, SEPARATE)
    choice = random.Random(3)
    typed = "hold"
    for at, char in enumerate(typed):
        client.change(uri, 2 + at, part(24, at, at, char))
        time.sleep(choice.choice((0, 0, 0.01, 0.03)))
    for at in range(len(typed)):
        client.change(uri, 2 + len(typed) + at, part(24, 0, 1, ""))
    last = 1 + 2 * len(typed)
    assert not [it for it in client.found(uri, last) if it["severity"] == 1]
    client.about("foldingRange", uri)
    published = [
        it["params"]["version"] for it in client.received if it.get("method", "").endswith("publishDiagnostics")
    ]
    assert published == sorted(published)
    assert published[-1] == last


def test_cancelled_requests_are_not_worked_off() -> None:
    """C27: of seventy slow requests, sixty-nine cancelled, hardly any is begun."""
    before = """
import time
import serq_lsp.lsp.features as features
right = features.hover
def hover(*words):
    time.sleep(0.1)
    return right(*words)
features.hover = hover
"""
    client = Client(before=before)
    try:
        client.initialize()
        client.open("file:///w/a.sq", SEPARATE)
        client.found("file:///w/a.sq", 1)
        place = {"textDocument": {"uri": "file:///w/a.sq"}, "position": {"line": 1, "character": 1}}
        began = time.monotonic()
        asked = [client.ask("textDocument/hover", place) for _ in range(70)]
        for it in asked[:-1]:
            client.notify("$/cancelRequest", {"id": it})
        assert client.result(asked[-1])
        assert time.monotonic() - began < 1.5
        assert client.end() == 0
    finally:
        client.kill()


def test_a_client_that_can_do_nothing_gets_plain_answers() -> None:
    """C31, C56: no Markdown, no snippets, flat symbols, no requests from the server, UTF-16; all of it without options."""
    client = Client()
    try:
        answer = client.initialize({})
        assert answer["capabilities"]["positionEncoding"] == "utf-16"
        uri = "file:///w/a.sq"
        client.open(uri, MISTAKE)
        assert client.found(uri, 1)
        assert client.about("hover", uri, 1, 1)["contents"]["kind"] == "plaintext"
        items = client.about("completion", uri, 1, 20)["items"]
        assert items
        assert not [it for it in items if it.get("insertTextFormat") == 2 or "${" in it["textEdit"]["newText"]]
        assert all("location" in it for it in client.about("documentSymbol", uri))
        client.change(uri, 2, whole(SEPARATE))
        assert run(client, uri)["iterations"] == 4
        assert not [it for it in client.received if "method" in it and "id" in it]
        assert client.end() == 0
    finally:
        client.kill()


def test_a_client_may_ask_for_diagnostics_instead() -> None:
    """With the option nothing is pushed; the answer holds the same."""
    client = Client()
    try:
        answer = client.initialize(initializationOptions={"diagnostics": {"pull": True}})
        assert answer["capabilities"]["diagnosticProvider"]["interFileDependencies"] is True
        uri = "file:///w/a.sq"
        client.open(uri, MISTAKE)
        report = client.about("diagnostic", uri)
        assert "reqz" in report["items"][0]["message"]
        assert client.diagnostics == {}
        assert client.end() == 0
    finally:
        client.kill()


def test_the_server_finds_what_the_command_line_finds(client: Client, folder: Path) -> None:
    """C45, invariant 5: the same rules at the same places, for a program with a library and for a mistake."""
    (folder / "mistake.sq").write_text(MISTAKE, encoding="utf-8")
    for name in ("user.sq", "mistake.sq"):
        path = folder / name
        command = [sys.executable, "-c", "from serq_lsp.cli.main import run; raise SystemExit(run())"]
        done = subprocess.run(
            [*command, "check", "--format", "json", str(path)], capture_output=True, text=True, check=False, cwd=ROOT
        )
        listed = {it["path"]: it["findings"] for it in json.loads(done.stdout)["files"]}
        expected = sorted(
            (it["rule"], it["range"]["start"]["line"] - 1, it["range"]["start"]["col"] - 1) for it in listed[str(path)]
        )
        client.open(path.as_uri(), path.read_text(encoding="utf-8"))
        found = client.found(path.as_uri(), 1)
        assert sorted((it["code"], *it["range"]["start"].values()) for it in found) == expected


def test_token_deltas_lead_to_the_full_tokens(client: Client) -> None:
    """C54, C55: after random edits a delta applied to the last tokens equals the tokens asked for in full."""
    uri = "file:///w/a.sq"
    client.open(uri, SEPARATE)
    answer = client.about("semanticTokens/full", uri)
    numbers, known = answer["data"], answer["resultId"]
    choice = random.Random(5)
    for version in range(2, 40):
        line, column = choice.randrange(25), choice.randrange(20)
        client.change(
            uri, version, part(line, column, column + choice.randrange(3), choice.choice(("", "x", " kv ", "\n")))
        )
        delta = client.about("semanticTokens/full/delta", uri, previousResultId=known)
        known = delta["resultId"]
        for edit in delta["edits"]:
            numbers[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data", [])
        full = client.about("semanticTokens/full", uri)
        assert numbers == full["data"]
        known = full["resultId"]


def test_a_fix_is_offered_and_mends(client: Client) -> None:
    """The quick fix at a misspelt pool changes it, with the version of the document in the edit."""
    uri = "file:///w/a.sq"
    client.open(uri, MISTAKE)
    (found,) = [it for it in client.found(uri, 1) if it["severity"] == 1]
    actions = client.about("codeAction", uri, range=found["range"], context={"diagnostics": [found]})
    (change,) = actions[0]["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 1}
    edit = change["edits"][0]
    client.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
    assert not [it for it in client.found(uri, 2) if it["severity"] == 1]


def test_a_warning_can_be_ignored_with_a_reason(client: Client) -> None:
    """The action writes an `ignore` behind the line, which removes the warning; an error has no such action."""
    uri = "file:///w/a.sq"
    client.open(uri, MISTAKE.replace("warmup 0", "warmup 30"))
    for version in range(1, 5):
        found = [it for it in client.found(uri, version) if it["severity"] > 1]
        errors = [it for it in client.found(uri, version) if it["severity"] == 1]
        assert errors
        offered = [it for one in errors for it in client.about("codeAction", uri, range=one["range"], context=NONE)]
        assert not any(it["title"].startswith("Ignore") and it["diagnostics"][0]["severity"] == 1 for it in offered)
        if not found:
            break
        actions = client.about("codeAction", uri, range=found[0]["range"], context={"diagnostics": found[:1]})
        titles = {it["title"]: it for it in actions}
        ignore = titles[f"Ignore `{found[0]['code']}` on this line because …"]
        (edit,) = ignore["edit"]["documentChanges"][0]["edits"]
        client.change(uri, version + 1, {"range": edit["range"], "text": edit["newText"]})
        assert found[0]["code"] not in [it["code"] for it in client.found(uri, version + 1)]


def test_a_diagnostic_leads_to_the_page_of_its_rule(client: Client) -> None:
    """`codeDescription` is the file that the package brings."""
    uri = "file:///w/a.sq"
    client.open(uri, MISTAKE)
    (found,) = [it for it in client.found(uri, 1) if it["severity"] == 1]
    assert found["codeDescription"]["href"].endswith("/checks/pages/unknown-pool.md")
    assert Path(to_path(found["codeDescription"]["href"])).is_file()


def test_the_path_of_a_use_is_completed_with_the_files_of_the_folder(client: Client, tmp_path: Path) -> None:
    """Files below the folder of the program, also those that are not open; hidden folders are left out."""
    (tmp_path / "serq.toml").touch()
    for name in ("lib", ".hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.sq").write_text("def one(x) = x;\n", encoding="utf-8")
    uri = (tmp_path / "a.sq").as_uri()
    client.open(uri, 'use "";\n' + SEPARATE)
    listed = client.about("completion", uri, position={"line": 0, "character": 5})
    assert [it["label"] for it in listed["items"]] == ["lib/one.sq"]


def test_deeply_nested_text_leaves_the_server_alive(client: Client) -> None:
    """C22: a hundred thousand brackets, signs or conditionals."""
    uri = "file:///w/a.sq"
    for version, text in enumerate(("(" * 100_000, "-" * 100_000 + "1", "1 ? 1 : " * 50_000), 1):
        document = f"session {{ set x = {text}; end; }}\n"
        if version == 1:
            client.open(uri, document)
        else:
            client.change(uri, version, whole(document))
        assert client.found(uri, version, timeout=60)
        client.about("hover", uri, 0, 3)
        client.about("completion", uri, 0, 20)


def test_capabilities_hold_what_is_promised() -> None:
    """Everything of issue 4 is announced."""
    other = Client()
    try:
        said = other.initialize(EVERYTHING)["capabilities"]
        assert said["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": True}}
        assert said["semanticTokensProvider"]["full"] == {"delta": True}
        assert said["executeCommandProvider"] == {"commands": ["serq.run"]}
        names = (
            "hover",
            "definition",
            "references",
            "completion",
            "documentSymbol",
            "documentLink",
            "inlayHint",
            "codeLens",
        )
        assert all(said[f"{name}Provider"] for name in names)
        other.end()
    finally:
        other.kill()
