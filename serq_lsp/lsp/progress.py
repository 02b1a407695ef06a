"""A run's progress, shown by clients that can, with a button that cancels."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from serq_lsp.lsp.session import Session


class Progress:
    """One piece of work: shown once the client has agreed, until `end`. Nothing here waits for the client (P14)."""

    def __init__(self, board: Board, token: str, title: str) -> None:
        self._board = board
        self._token = token
        self._title = title
        self._begun = self._ended = False

    def agreed(self, answer: Future[Any]) -> None:
        """Begin to show, where the client took the token and the work still goes on."""
        if answer.cancelled() or answer.exception() is not None or self._ended:
            return
        self._begun = True
        self._board.tell(self._token, types.WorkDoneProgressBegin(title=self._title, cancellable=True))

    def end(self) -> None:
        """Show no longer."""
        if not self._ended:
            self._ended = True
            self._board.drop(self._token)
            if self._begun:
                self._board.tell(self._token, types.WorkDoneProgressEnd())


class Board:
    """All progress of one conversation, by token."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cancels: dict[str, Callable[[], None]] = {}
        self._numbers = count(1)

    def begin(self, title: str, cancel: Callable[[], None]) -> Progress:
        """Announce a piece of work; `cancel` is called when the user cancels it."""
        token = f"serq-{next(self._numbers)}"
        progress = Progress(self, token, title)
        if self._session.client.progress:
            self._cancels[token] = cancel
            params = types.WorkDoneProgressCreateParams(token=token)
            answer = self._session.server.protocol.send_request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
            answer.add_done_callback(progress.agreed)
        return progress

    def cancelled(self, token: int | str) -> None:
        """Cancel the work of a token, where it still goes on."""
        if cancel := self._cancels.pop(str(token), None):
            cancel()

    def drop(self, token: str) -> None:
        """Forget a token."""
        self._cancels.pop(token, None)

    def tell(self, token: str, value: Any) -> None:
        """Send one step of progress."""
        self._session.server.protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))
