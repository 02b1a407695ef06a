"""Latest wins, waiting messages go first, and messages are read ahead."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from serq_lsp.lsp.options import Options
from serq_lsp.lsp.schedule import Latest, Pace
from serq_lsp.lsp.stream import Inbox, frame


def test_a_newer_job_cancels_the_older_of_its_key() -> None:
    """Only the last job of a key ends; other keys are left alone."""
    ended: list[str] = []

    async def job(name: str) -> None:
        await asyncio.sleep(0.01)
        ended.append(name)

    async def start_three() -> None:
        latest = Latest()
        for name in ("a1", "a2", "b1"):
            latest.start(name[0], job(name))
        assert latest.running("a")
        await asyncio.sleep(0.05)
        assert not latest.running("a")

    asyncio.run(start_three())
    assert ended == ["a2", "b1"]


def test_a_check_waits_until_no_message_waits_but_not_for_ever() -> None:
    """A stream of messages puts a check off for a moment only."""

    async def wait(idle_after: int) -> int:
        asked = 0

        def idle() -> bool:
            nonlocal asked
            asked += 1
            return asked > idle_after

        await Pace(idle).quiet("a")
        return asked

    assert asyncio.run(wait(3)) == 4
    assert asyncio.run(asyncio.wait_for(wait(10**9), timeout=5)) > 10


def test_dear_checks_are_put_off_in_proportion() -> None:
    """C33: a cheap check never waits, a dear one waits a bounded while, none after a rest."""
    pace = Pace(lambda: True)
    pace.measured("cheap", 0.005, now=10)
    pace.measured("dear", 0.125, now=10)
    pace.measured("dearest", 10, now=10)
    assert [pace.pause(it, now=10) for it in ("unknown", "cheap", "dear", "dearest")] == [0, 0, 0.125, 0.3]
    assert [pace.pause(it, now=11) for it in ("unknown", "cheap", "dear", "dearest")] == [0, 0, 0, 0]


def test_a_cancel_is_seen_before_its_request_is_handled() -> None:
    """C27: the inbox knows of cancels behind a request, and forgets them when they are handled."""

    async def read() -> list[Any]:
        receiver, sender = os.pipe()
        with os.fdopen(receiver, "rb") as reader:
            inbox = Inbox()
            thread = inbox.listen(reader, lambda: None)
            with os.fdopen(sender, "wb") as writer:
                writer.write(frame(b'{"id":1,"method":"m"}') + frame(b'{"method":"$/cancelRequest","params":{"id":1}}'))
            await asyncio.sleep(0.1)
            first = await inbox.next(), inbox.is_cancelled(1), inbox.idle
            second = await inbox.next(), inbox.is_cancelled(1), inbox.idle
            with pytest.raises(EOFError):
                await inbox.next()
            thread.join(5)
            return [first, second]

    first, second = asyncio.run(read())
    assert first == ({"id": 1, "method": "m"}, True, False)
    assert second[1:] == (False, True)


def test_options_that_do_not_fit_are_left_out() -> None:
    """C31: every option has a default; a client may send anything."""
    assert Options().updated(None) == Options()
    odd = {"inlayHints": {"trace": False, "itemsMax": 7}, "check": {"delay": True}, "codeLens": 5, "x": {"y": 1}}
    assert Options().updated({"serq": odd}) == Options(hint_items=False, items_max=7)
    assert Options().updated(odd) == Options(hint_items=False, items_max=7)
    late = {"inlayHints": {"itemsMax": float("nan")}, "run": {"onSave": True}}
    assert Options().updated(late) == Options(run_on_save=True)
