"""What the server knows of one conversation: documents, host, findings, the client, its options, and the jobs at work."""

from __future__ import annotations

import asyncio
import logging
import time
from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types

from serq_lsp.ide.host import Host
from serq_lsp.lsp.conversions import Border
from serq_lsp.lsp.documents import Documents
from serq_lsp.lsp.ledger import Layer, Ledger
from serq_lsp.lsp.listing import Listing
from serq_lsp.lsp.progress import Board
from serq_lsp.lsp.runner import Runner
from serq_lsp.lsp.schedule import Latest, Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pygls.lsp.server import LanguageServer

    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lsp.client import Client
    from serq_lsp.lsp.options import Options

LOG = logging.getLogger(__name__)
SNAPSHOT_MAX = 1.0
"""Seconds for which requests without a change in between share a snapshot and all that was found from it."""


class Session:
    """The state of one conversation. Only handlers of notifications and the jobs they start change it."""

    def __init__(self, server: LanguageServer, is_idle: Callable[[], bool], client: Client, options: Options) -> None:
        self.server = server
        self.client = client
        self.options = options
        self.documents = Documents()
        self.host = Host()
        self._snapshot: Snapshot | None = None
        self._taken = 0.0
        self.ledger = Ledger()
        self.latest = Latest()
        self.pace = Pace(is_idle)
        self.pace.delay = options.delay
        self.board = Board(self)
        self.runner = Runner(self)
        self.tokens: dict[str, tuple[str, list[int]]] = {}
        """The semantic tokens last sent, by path: result id and numbers (C54)."""
        self.token_ids = count(1)
        self._listing = Listing()

    def snapshot(self) -> Snapshot:
        """Return the files as they are now; files on disk may be as they were up to SNAPSHOT_MAX seconds ago."""
        now = time.monotonic()
        if self._snapshot is None or now - self._taken > SNAPSHOT_MAX:
            self._snapshot, self._taken = self.host.snapshot(), now
        return self._snapshot

    def libraries(self, root: str) -> list[str]:
        """Return the paths of the programs and libraries below a root, and of the open documents."""
        opened = [it.source.path for it in self.documents]
        return list(dict.fromkeys((*opened, *self._listing.below(root))))

    def changed(self) -> None:
        """Say that a document or a file has changed: the next snapshot is a new one."""
        self._snapshot = None

    def border(self, snapshot: Snapshot) -> Border:
        """Return the means to speak of a snapshot's files to the client."""
        return Border(self.client, snapshot.source, self.documents.uri, self.version)

    def version(self, path: str) -> int | None:
        """Return the version of an open document, None for any other file."""
        document = self.documents.get(path)
        return document.source.version if document else None

    def check_soon(self, path: str, after: float = 0) -> None:
        """Start the check of an open document, and of the open ones that look at it, after so many seconds.

        The latest start wins.
        """
        self.latest.start(("check", path), self._check(path, after))

    async def _check(self, path: str, after: float) -> None:
        if after:
            await asyncio.sleep(after)
        await self.pace.quiet(path)
        changed: set[str] = set()
        for owner in [path, *sorted(self.ledger.owners(path) - {path})]:
            if self.documents.get(owner) is not None:
                changed |= self._check_one(owner)
        self.publish(changed | {path})

    def _check_one(self, owner: str) -> set[str]:
        """Check one open document now; return the paths whose lists may differ."""
        began = time.perf_counter()
        snapshot = self.snapshot()
        found = snapshot.findings(owner)
        files = {owner, *snapshot.files(owner), *found}
        versions = {it: version for it in files if (version := self.version(it)) is not None}
        changed = self.ledger.put(
            owner, Layer.STATIC, self.version(owner) or 0, found, dict.fromkeys(files, 0) | versions
        )
        self.pace.measured(owner, time.perf_counter() - began)
        return changed

    def publish(self, paths: Iterable[str]) -> None:
        """Send the client the lists of these files as they stand."""
        if self.options.pull_diagnostics:
            return
        snapshot = self.snapshot()
        border = self.border(snapshot)
        for path in sorted(paths):
            version = self.version(path)
            source = snapshot.source(path)
            found = self.ledger.list(path, version)
            self.server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri=self.documents.uri(path),
                    version=version,
                    diagnostics=[border.diagnostic(source, it) for it in found],
                )
            )

    def forget(self, path: str) -> None:
        """Drop everything about a document that was closed, and empty the lists that it alone filled."""
        self.latest.cancel(("check", path))
        self.runner.forget(path)
        self.tokens.pop(path, None)
        self.publish(self.ledger.withdraw(path) | {path})

    def refresh(self, *, hints: bool = False, lenses: bool = False, tokens: bool = False) -> None:
        """Ask the client to ask again, for what it can."""
        asks = []
        if hints and self.client.hint_refresh:
            asks.append(types.WORKSPACE_INLAY_HINT_REFRESH)
        if lenses and self.client.lens_refresh:
            asks.append(types.WORKSPACE_CODE_LENS_REFRESH)
        if tokens and self.client.token_refresh:
            asks.append(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH)
        for method in asks:
            self.server.protocol.send_request(method, None)
