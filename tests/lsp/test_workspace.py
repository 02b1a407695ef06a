"""Several files, the disk, and what the client is told when they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lsp.asking import errors
from tests.lsp.programs import LIBRARY, MISTAKE, SEPARATE, USER
from tests.lsp.wire import whole

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lsp.wire import Client

BROKEN_LIBRARY = "def twice(x) = 2 * x;\n"


def test_a_library_changed_in_another_buffer_reaches_its_users(client: Client, folder: Path) -> None:
    """C03: renaming the definition breaks the user without its being touched; renaming it back mends it."""
    user, library = (folder / "user.sq").as_uri(), (folder / "lib.sq").as_uri()
    client.open(user, USER)
    assert not [it for it in client.found(user, 1) if it["severity"] == 1]
    client.open(library, LIBRARY)
    client.change(library, 2, whole(BROKEN_LIBRARY))
    client.until(lambda: any("double" in it for it in errors(client, user)), "error in the user")
    client.change(library, 3, whole(LIBRARY))
    client.until(lambda: not errors(client, user), "cure of the user")


@pytest.mark.parametrize("told", [True, False])
def test_a_library_changed_on_disk_reaches_its_users(client: Client, folder: Path, told: bool) -> None:
    """C49: through the client's watcher, or by the file's stamp at the next save or change."""
    user, library = (folder / "user.sq").as_uri(), folder / "lib.sq"
    client.open(user, USER)
    client.found(user, 1)
    library.write_text(BROKEN_LIBRARY, encoding="utf-8")
    if told:
        changes = [{"uri": library.as_uri(), "type": 2}]
        client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    else:
        client.notify("textDocument/didSave", {"textDocument": {"uri": user}, "text": USER})
    client.until(lambda: any("double" in it for it in errors(client, user)), "error in the user")


def test_a_deleted_library_is_missed_and_its_list_is_emptied(client: Client, folder: Path) -> None:
    """C06: the user says that it is missing; nothing stays behind under the library's own name."""
    user, library = (folder / "user.sq").as_uri(), folder / "lib.sq"
    library.write_text(LIBRARY + "def f(x) = ;\n", encoding="utf-8")
    client.open(user, USER)
    client.until(lambda: bool(errors(client, library.as_uri())), "error in the library")
    library.unlink()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": library.as_uri(), "type": 3}]})
    client.until(lambda: any("lib.sq" in it for it in errors(client, user)), "error in the user")
    client.until(lambda: not errors(client, library.as_uri()), "empty list of the library")


def test_a_closed_document_leaves_no_diagnostics(client: Client) -> None:
    """C06: its list is emptied."""
    uri = "file:///w/gone.sq"
    client.open(uri, MISTAKE)
    client.until(lambda: bool(errors(client, uri)), "error")
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.until(lambda: not errors(client, uri), "empty list")


def test_rubbish_in_one_file_leaves_the_others_alone(client: Client) -> None:
    """C20."""
    client.open("file:///w/rubbish.sq", "}}}} \x00 ((( 😀")
    client.open("file:///w/a.sq", SEPARATE)
    assert not [it for it in client.found("file:///w/a.sq", 1) if it["severity"] == 1]
    assert client.found("file:///w/rubbish.sq", 1)


@pytest.mark.parametrize(
    "opened", ["file:///c%3A/w/a.sq", "file:///C:/w/a.sq", "file:///w/a%20b.sq", "untitled:Untitled-1"]
)
def test_diagnostics_come_back_under_the_uri_that_the_client_used(client: Client, opened: str) -> None:
    """C17."""
    client.open(opened, MISTAKE)
    assert client.found(opened, 1)
    assert set(client.diagnostics) == {opened}


def test_a_closed_file_is_answered_from_disk_and_a_missing_one_empty(client: Client, folder: Path) -> None:
    """C18."""
    assert client.about("hover", (folder / "user.sq").as_uri(), 2, 1)
    assert client.about("documentSymbol", (folder / "user.sq").as_uri())
    for method in ("hover", "definition", "completion", "signatureHelp", "documentHighlight"):
        answer = client.about(method, (folder / "missing.sq").as_uri(), 3, 1)
        assert not answer or answer["items"] is not None
    for method in ("documentSymbol", "foldingRange", "documentLink", "codeLens"):
        assert client.about(method, (folder / "missing.sq").as_uri()) == []
