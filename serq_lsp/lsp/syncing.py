"""Documents opened, changed, saved, closed; files changed on disk; folders and options changed."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serq_lsp.lsp.documents import Document
    from serq_lsp.lsp.session import Session
    from serq_lsp.text.edits import Edit

LOG = logging.getLogger(__name__)
WATCHED = ("**/*.sq", "**/serq.toml")
REGISTRATION = "serq-watched-files"
MARKS_FIRST = 0.003
"""Seconds in which a client may ask for the hints that have become stale, before the check of the same edit begins (C37)."""


def set_options(session: Session, sent: Any) -> None:
    """Take options as a client sent them."""
    session.options = session.options.updated(sent)
    session.pace.delay = session.options.delay


async def on_initialized(session: Session, params: types.InitializedParams) -> None:
    """Ask the client to watch files, and for its configuration, where it can; wait for neither before working (C31)."""
    if session.client.watch_files:
        options = types.DidChangeWatchedFilesRegistrationOptions(
            watchers=[types.FileSystemWatcher(glob_pattern=it) for it in WATCHED]
        )
        registration = types.Registration(
            id=REGISTRATION, method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options
        )
        params_ = types.RegistrationParams(registrations=[registration])
        session.server.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, params_)
    await _pull_options(session)


async def on_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """Take changed options: sent along, or to be asked for."""
    if isinstance(params.settings, dict) and params.settings:
        set_options(session, params.settings)
    else:
        await _pull_options(session)
    session.refresh(hints=True, lenses=True)


async def _pull_options(session: Session) -> None:
    if not session.client.configuration:
        return
    wanted = types.ConfigurationParams(items=[types.ConfigurationItem(section="serq")])
    answer = session.server.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, wanted)
    try:
        found = await asyncio.wait_for(answer, timeout=10)
    except Exception:  # noqa: BLE001 (a client that cannot answer keeps the defaults)
        LOG.info("the client did not send its configuration")
        return
    if found:
        set_options(session, found[0])


def on_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Take the text of a document from the client from now on."""
    it = params.text_document
    document = session.documents.open(it.uri, it.text, it.version)
    session.host.open(document.source.path, it.text, it.version)
    session.changed()
    session.check_soon(document.source.path)


def on_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Make the changes, mark what a run showed as stale, check soon."""
    it = params.text_document
    _changed(session, session.documents.change(it.uri, it.version, params.content_changes, session.client.unit))


def _changed(session: Session, done: tuple[Document, Sequence[Edit]] | None) -> None:
    if done is None:
        return
    document, edits = done
    path = document.source.path
    session.host.change(path, edits, document.source.version)
    session.changed()
    marked = session.runner.edited(path, edits)
    session.check_soon(path, after=MARKS_FIRST if marked else 0)


def on_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """Compare the saved text with ours, and look at the libraries on disk again; run where that is wanted."""
    if params.text is not None:
        _changed(session, session.documents.saved(params.text_document.uri, params.text))
    path = session.documents.path(params.text_document.uri)
    session.host.changed_on_disk(path)
    session.changed()
    if session.documents.get(path) is not None:
        session.check_soon(path)
        if session.options.run_on_save:
            session.runner.start(path)


def on_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """Read the file from disk again; its list is emptied, its users are checked again."""
    path = session.documents.close(params.text_document.uri)
    if path is not None:
        session.host.close(path)
        session.changed()
        users = session.ledger.owners(path) - {path}
        session.forget(path)
        for user in sorted(users):
            session.check_soon(user)


def on_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel the run whose progress the user cancelled."""
    session.board.cancelled(params.token)


def on_watched(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Check again what looks at the files that changed on disk; lists of deleted files are emptied (C06, C49)."""
    again: set[str] = set()
    for change in params.changes:
        path = session.documents.path(change.uri)
        session.host.changed_on_disk(path)
        session.changed()
        if path.endswith(".toml"):
            again.update(it.source.path for it in session.documents)
        again |= session.ledger.owners(path)
        session.runner.edited(path, ())
        if change.type == types.FileChangeType.Deleted and session.documents.get(path) is None:
            session.forget(path)
    for path in sorted(again):
        if session.documents.get(path) is not None:
            session.check_soon(path)
