"""Runs from the editor: their results, their end, and what an edit does to them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.lsp.asking import hints, run
from tests.lsp.programs import LIBRARY, MISTAKE, SEPARATE, SLOW
from tests.lsp.wire import Client, part, whole

if TYPE_CHECKING:
    from pathlib import Path


def test_results_of_a_run_are_marked_at_the_next_edit_and_its_faults_withdrawn(client: Client) -> None:
    """C07, C37, C38: hints stay, marked, and move with their lines; the run's diagnostics go."""
    uri = "file:///w/a.sq"
    endless = SEPARATE.replace("prefill prompt growing kv;", "prefill prompt growing kv; branch (prompt) { }")
    client.open(uri, endless)
    assert run(client, uri)["note"] == "stopped by an error"
    client.until(
        lambda: "run-stopped" in [it["code"] for it in client.diagnostics[uri]["diagnostics"]], "fault of the run"
    )
    assert "ITER 0.0000 0:0:p2" in hints(client, uri)
    client.change(uri, 2, part(0, 0, 0, "// new line\n"))
    assert "stale · ITER 0.0000 0:0:p2" in hints(client, uri)
    (lens,) = client.about("codeLens", uri)
    assert lens["command"]["title"].startswith("▶ run · stale · 1 iteration")
    assert "run-stopped" not in [it["code"] for it in client.found(uri, 2)]


def test_the_text_of_the_run_is_fresh_again_after_undo(client: Client) -> None:
    """Hints, lens and diagnostics of a run are what they were once the text is, whatever was typed in between."""
    uri = "file:///w/a.sq"
    endless = SEPARATE.replace("prefill prompt growing kv;", "prefill prompt growing kv; branch (prompt) { }")
    client.open(uri, endless)
    run(client, uri)
    fresh, lens = hints(client, uri), client.about("codeLens", uri)
    assert fresh
    client.change(uri, 2, whole("// nothing is left"))
    assert not any(it in fresh for it in hints(client, uri))
    client.change(uri, 3, whole(endless))
    assert hints(client, uri) == fresh
    assert client.about("codeLens", uri) == lens
    assert "run-stopped" in [it["code"] for it in client.found(uri, 3)]


def test_a_run_that_comes_to_a_limit_says_so_in_words(client: Client) -> None:
    """The lens names no internal word."""
    uri = "file:///w/a.sq"
    client.open(uri, SLOW)
    note = run(client, uri)["note"]
    assert note in {"stopped at the time limit", "stopped at the limit of events"}


def test_hints_are_refreshed_once_for_many_edits(client: Client) -> None:
    """C44: only the edit that makes them stale asks the client to ask again."""
    uri = "file:///w/a.sq"
    client.open(uri, SEPARATE)
    run(client, uri)
    client.about("foldingRange", uri)
    client.received.clear()
    for version in range(2, 12):
        client.change(uri, version, part(0, 0, 0, "/"))
    client.found(uri, 11)
    asked = [it["method"] for it in client.received if it.get("method", "").endswith("/refresh")]
    assert asked.count("workspace/inlayHint/refresh") == 1


def test_a_program_with_errors_is_not_run_and_says_so(client: Client) -> None:
    """A plain sentence with the first place, as a message and as the command's answer."""
    uri = "file:///w/a.sq"
    client.open(uri, MISTAKE)
    answer = run(client, uri)
    assert answer["error"].startswith("the program is not run, for it has errors: line 19: ")
    shown = [it["params"]["message"] for it in client.received if it.get("method") == "window/showMessage"]
    assert shown == [answer["error"]]


def test_a_run_works_on_the_open_library_and_shows_its_work_there(client: Client, folder: Path) -> None:
    """The text of the buffer counts, and an edit of the library makes the program's hints stale."""
    user, library = (folder / "user.sq").as_uri(), (folder / "lib.sq").as_uri()
    text = 'use "lib.sq";\n' + SEPARATE.replace("prefill prompt growing kv;", "phase(prompt);")
    changed = "def phase(n) { prefill n growing kv; }\n"
    client.open(library, LIBRARY)
    client.change(library, 2, whole(changed))
    client.open(user, text)
    assert run(client, user) == {"iterations": 4, "ended": 2, "note": ""}
    assert hints(client, library) == ["ITER 0.0000 0:0:p2 · 1.0000 1:0:p4"]
    assert "ITER 0.0000 0:0:p2 · 1.0000 1:0:p4" in hints(client, user)
    client.change(library, 3, part(0, 0, 0, "// x\n"))
    assert all(it.startswith("stale · ") for it in [*hints(client, library), *hints(client, user)])


def test_edits_get_fresh_diagnostics_while_a_program_runs(client: Client) -> None:
    """C04, C33: a run of seconds does not hold them up; the edit cancels it, for its text is gone."""
    uri = "file:///w/a.sq"
    client.open(uri, SLOW)
    client.found(uri, 1)
    wanted = client.ask("workspace/executeCommand", {"command": "serq.run", "arguments": [uri]})
    time.sleep(0.5)
    other = "file:///w/b.sq"
    client.open(other, MISTAKE)
    assert client.found(other, 1, timeout=2)
    assert not client.answered(wanted)
    client.change(uri, 2, part(0, 0, 0, "// x\n"))
    assert client.result(wanted, timeout=2) == {"cancelled": True}


def test_a_second_run_replaces_the_first(client: Client) -> None:
    """C35: the latest wins; the first is answered, not queued."""
    uri = "file:///w/a.sq"
    client.open(uri, SLOW)
    client.found(uri, 1)
    began = time.monotonic()
    asked = [client.ask("workspace/executeCommand", {"command": "serq.run", "arguments": [uri]}) for _ in range(20)]
    answers = [client.result(it) for it in asked]
    assert answers[:-1] == [{"cancelled": True}] * 19
    assert answers[-1]["note"] in {"stopped at the time limit", "stopped at the limit of events"}
    assert time.monotonic() - began < 8


def test_kinds_of_hints_can_be_switched_off() -> None:
    """C44: at the start by initialization options, later by configuration."""
    client = Client()
    try:
        client.initialize(initializationOptions={"inlayHints": {"iterations": False, "itemsMax": 1}})
        uri = "file:///w/a.sq"
        client.open(uri, SEPARATE)
        run(client, uri)
        assert hints(client, uri) == ["ITER 0.0000 0:0:p2 … +1", "ITER 2.0000 0:0:d1 … +1"]
        settings = {"serq": {"inlayHints": {"trace": False, "iterations": True}}}
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        assert hints(client, uri) == ["4 iterations"]
        assert client.end() == 0
    finally:
        client.kill()


@pytest.mark.parametrize(
    ("arrivals", "limit"),
    [
        ("poisson(1000)", ("the limit of events", "the time limit")),
        ("batch(1000000)", ("the memory limit", "the time limit", "the limit of events")),
    ],
)
def test_a_run_that_goes_on_is_stopped_by_a_limit_that_is_named(
    client: Client, arrivals: str, limit: tuple[str, ...]
) -> None:
    """C34: too many events, too much memory or time; the server says which, as information, and goes on."""
    uri = "file:///w/a.sq"
    text = f"stage g : delay;\nworkload {{ arrive {arrivals}; }}\nsession {{ run g (1); end; }}\n"
    client.open(uri, text + "run { horizon 1000000; warmup 0; seed 1; }\n")
    assert run(client, uri)["note"].removeprefix("stopped at ") in limit
    client.until(lambda: "run-stopped" in [it["code"] for it in client.diagnostics[uri]["diagnostics"]], "the limit")
    (found,) = [it for it in client.diagnostics[uri]["diagnostics"] if it["code"] == "run-stopped"]
    assert found["severity"] == 3
    assert run(client, uri)["note"].startswith("stopped at ")
