"""Messages on a byte stream: read ahead by a thread of their own, so that a busy server still sees cancels and the end.

A message is a header of `Name: value` lines, an empty line and as many bytes as `Content-Length` says.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

CONTENT_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n", re.IGNORECASE)
BODY_MAX = 256 * 1024 * 1024
"""Bytes of one message; a longer one ends the conversation, for nobody sends it on purpose."""
HEADER_MAX = 64 * 1024
"""Bytes of one header line."""
GRACE = 1.5
"""Seconds that a busy server gets to end by itself after the client is gone."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message whose body is not JSON."""

    reason: str


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bodies of the messages on a stream until it ends; lines that are no header are skipped."""
    length: int | None = None
    while line := stream.readline(HEADER_MAX):
        if found := CONTENT_LENGTH.fullmatch(line):
            length = int(found[1])
        elif not line.strip() and length is not None:
            if length > BODY_MAX:
                return
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
            length = None


def frame(body: bytes) -> bytes:
    """Return a message's bytes: header and body."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def decoded(body: bytes) -> Any:
    """Return the JSON value of a body, or `Malformed`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as fault:
        return Malformed(f"not JSON: {fault}")


class Inbox:
    """Messages that have arrived and wait to be handled, oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[Any] = deque()
        self._cancelled: set[int | str] = set()
        self._arrived = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def listen(self, stream: BinaryIO, on_hang: Callable[[], None]) -> threading.Thread:
        """Start to read a stream in a thread.

        When the stream has ended the thread waits GRACE seconds for the process to end by itself, then calls
        `on_hang`: a server whose editor is gone must not live on because it is busy.
        """
        thread = threading.Thread(target=self._read, args=(stream, on_hang), name="reader", daemon=True)
        thread.start()
        return thread

    def _read(self, stream: BinaryIO, on_hang: Callable[[], None]) -> None:
        try:
            for body in frames(stream):
                self._put(decoded(body))
        except (OSError, ValueError):
            pass  # the stream was closed under the reader: the same as its end
        self._closed = True
        self._wake()
        time.sleep(GRACE)
        on_hang()

    def _put(self, message: Any) -> None:
        match message:
            case {"method": "$/cancelRequest", "params": {"id": int() | str() as wanted}}:
                self._cancelled.add(wanted)
        self._waiting.append(message)
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._arrived.set)

    @property
    def idle(self) -> bool:
        """Say whether no message waits."""
        return not self._waiting

    def is_cancelled(self, message_id: int | str) -> bool:
        """Say whether a cancel for this request has arrived already, behind the request."""
        return message_id in self._cancelled

    async def next(self) -> Any:
        """Return the oldest message, waiting for one; `EOFError` when the stream has ended.

        Raises:
            EOFError: no message is left and none will come.

        """
        while not self._waiting:
            if self._closed:
                raise EOFError
            self._arrived.clear()
            if not self._waiting and not self._closed:
                await self._arrived.wait()
        message = self._waiting.popleft()
        match message:
            case {"method": "$/cancelRequest", "params": {"id": int() | str() as wanted}}:
                self._cancelled.discard(wanted)
        return message


class Writer:
    """The client's end of the conversation; a message is written whole."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write a message and flush it."""
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
