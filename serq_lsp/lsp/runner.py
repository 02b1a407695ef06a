"""Runs of programs from the editor: one child process a run, killed on cancel, its results tied to the text that ran."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from serq_lsp.ide.trace_hints import HintKind, carried, hints
from serq_lsp.ide.trace_view import job_for, run_findings, view_of
from serq_lsp.lsp.ledger import Layer
from serq_lsp.lsp.worker import command

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from serq_lsp.diag.model import Finding
    from serq_lsp.ide.trace_hints import Hint, TraceView
    from serq_lsp.lsp.session import Session
    from serq_lsp.text.edits import Edit
    from serq_lsp.text.source import Source

LOG = logging.getLogger(__name__)
EVENTS, SECONDS, MEMORY = 200_000, 2.0, 512 << 20
"""Limits of a run in the editor (architecture.md, Settings): events, wall time, bytes."""
GRACE = 1.0
"""Seconds that a child gets beyond its wall time before it is killed."""
START_MAX = 30.0
"""Seconds that a child may take to be ready, on a machine that is busy."""
LINE_MAX = 32 << 20
"""Bytes of one line from a child."""
NOTHING: Mapping[str, Any] = {"iterations": 0, "ended": None, "counts": [], "work": [], "done": False, "fault": None}
"""The message of a run that has not said anything."""
WARM_AFTER = 0.1
"""Seconds that a spare child is put off, so that it does not compete with answers that are waited for now."""
RUNS_MAX = 2
"""So many programs run at once; later ones wait."""


class Worker:
    """One child process, started and waiting for its job."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def spawn(cls) -> Worker:
        """Start a child."""
        process = await asyncio.create_subprocess_exec(
            *command(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE_MAX
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        """Say whether the child can still take a job."""
        return self._process.returncode is None

    async def work(self, job: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Give the child its one job and yield what it says; it is killed when the caller stops listening."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        clock = asyncio.get_running_loop().time
        try:
            stdin.write(json.dumps(job).encode() + b"\n")
            await stdin.drain()
            await asyncio.wait_for(stdout.readline(), START_MAX)  # the child is ready
            until = clock() + job["seconds"] + GRACE
            while line := await asyncio.wait_for(stdout.readline(), until - clock()):
                yield json.loads(line)
        except (asyncio.TimeoutError, TimeoutError):
            yield {"broken": {"kind": "seconds", "message": f"the run takes longer than {job['seconds']:g} s"}}
        except (OSError, ValueError) as fault:
            LOG.warning("a run broke off: %s", fault)
        finally:
            await self.kill()

    async def kill(self) -> None:
        """End the child at once and wait until it is gone."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()


class Ran(NamedTuple):
    """A run that came to its end: what it showed and found, and the texts that it ran."""

    view: TraceView
    found: dict[str, list[Finding]]
    texts: dict[str, str]


class Runner:
    """The runs of one conversation: the last view of each program, and the run that is at work."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._views: dict[str, TraceView] = {}
        self._ran: dict[str, Ran] = {}
        self._spare: asyncio.Task[Worker] | None = None
        self._warming: asyncio.TimerHandle | None = None
        self._turn = asyncio.Semaphore(RUNS_MAX)

    def view(self, path: str) -> TraceView | None:
        """Return what the last run of a program showed."""
        return self._views.get(path)

    def running(self, path: str) -> bool:
        """Say whether a run of this program is at work."""
        return self._session.latest.running(("run", path))

    def hints(self, source: Source) -> list[Hint]:
        """Return the hints of a file: of its own last run first, then of the programs that use it."""
        options = self._session.options
        kinds = [HintKind.ITEMS] * options.hint_items + [HintKind.ITERATIONS] * options.hint_iterations
        own = [view] if (view := self._views.get(source.path)) else []
        others = [it for path, it in self._views.items() if path != source.path]
        return hints([*own, *others], source, items_max=options.items_max, kinds=kinds)

    def edited(self, path: str, edits: Sequence[Edit]) -> bool:
        """Mark every view that looks at a file as stale, move its places along, withdraw the faults of its run.

        Where the texts are again those that ran, the view is as it was after the run. Say whether the client was asked
        to show something else than before.
        """
        again = False
        for program, view in tuple(self._views.items()):
            if path not in view.files:
                continue
            if (ran := self._ran.get(program)) is not None and self._same(ran):
                again |= view.stale
                self._views[program] = ran.view
                self._report(program, ran.found)
                continue
            again |= not view.stale
            self._views[program] = carried(view, path, edits)
            if withdrawn := self._session.ledger.withdraw(program, Layer.RUN):
                self._session.publish(withdrawn)
        if self._session.latest.cancel(("run", path)):
            again = True
        if again:
            self._session.refresh(hints=True, lenses=True)
        return again

    def forget(self, path: str) -> None:
        """Drop the run of a program whose document was closed."""
        self._session.latest.cancel(("run", path))
        self._ran.pop(path, None)
        if self._views.pop(path, None):
            self._session.refresh(hints=True)

    async def stop(self) -> None:
        """End the child that waits, if any."""
        if self._warming is not None:
            self._warming.cancel()
        if self._spare is not None:
            spare, self._spare = self._spare, None
            await (await spare).kill()

    def warm(self) -> None:
        """Have a child wait for the next run, so that it need not be waited for; it is started a moment later."""
        if self._spare is None and self._warming is None:
            self._warming = asyncio.get_running_loop().call_later(WARM_AFTER, self._warm)

    def _warm(self) -> None:
        self._warming = None
        self._spare = asyncio.get_running_loop().create_task(Worker.spawn())

    async def on_run(self, arguments: list[Any]) -> Any:
        """Answer the command `serq.run` with the URI of a program: run it, show the trace, say how it went."""
        if not arguments or not isinstance(arguments[0], str):
            return {"error": "serq.run takes the URI of a program"}
        task = self.start(self._session.documents.path(arguments[0]))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                task.cancel()  # the client took its request back
                raise
            return {"cancelled": True}  # a newer run or an edit came in between

    def start(self, path: str) -> asyncio.Task[Any]:
        """Start to run a program; an older run of it is cancelled."""
        return self._session.latest.start(("run", path), self._run(path))

    async def _run(self, path: str) -> dict[str, Any]:
        progress = self._session.board.begin(f"run {path.rpartition('/')[2]}", lambda: self._cancel(path))
        try:
            async with self._turn:
                return await self._listen(path)
        finally:
            progress.end()
            if self._session.latest.running(("run", path)):
                self._session.refresh(lenses=True)

    async def _listen(self, path: str) -> dict[str, Any]:
        """Give a child the program, take what it says, and show it: in part while it runs, then whole."""
        worker = await self._take()
        snapshot = self._session.snapshot()
        files = frozenset(snapshot.files(path))
        is_open = {it for it in files if self._session.documents.get(it)}
        job = job_for(snapshot, path, is_open, events=EVENTS, seconds=SECONDS, memory=MEMORY)
        last: dict[str, Any] = {**NOTHING}
        broken = {"kind": "broken", "message": "the run broke off"}
        async for message in worker.work(job):
            if "refused" in message:
                self._say(message["refused"])
                return {"error": message["refused"]}
            if "broken" in message:
                broken = message["broken"]
            else:
                last = message
                if not last["done"]:
                    self._show(path, view_of(files, last))
        if not last["done"]:
            last = {**last, "done": True, "fault": {"limit": True, "chain": [], **broken}}
        view = view_of(files, last)
        found = run_findings(path, last)
        self._ran[path] = Ran(view, found, {it: snapshot.source(it).text for it in files})
        self._show(path, view)
        self._report(path, found)
        return {"iterations": view.iterations, "ended": view.ended, "note": view.note}

    def _same(self, ran: Ran) -> bool:
        """Say whether the texts are those that ran."""
        snapshot = self._session.snapshot()
        return all(snapshot.source(path).text == text for path, text in ran.texts.items())

    def _report(self, path: str, found: dict[str, list[Finding]]) -> None:
        """Publish what a run found, if it found anything or the run before did."""
        version = self._session.version(path) or 0
        withdrawn = self._session.ledger.withdraw(path, Layer.RUN)
        versions = {path: version}
        for other in found:
            versions[other] = self._session.version(other) or 0
        if found:
            withdrawn |= self._session.ledger.put(path, Layer.RUN, version, found, versions)
        if withdrawn:
            self._session.publish(withdrawn)

    async def _take(self) -> Worker:
        """Return the child that waits, where there is one, else a new one."""
        if self._warming is not None:
            self._warming.cancel()
            self._warming = None
        spare, self._spare = self._spare, None
        worker = await (asyncio.shield(spare) if spare is not None else Worker.spawn())
        if not worker.alive:
            worker = await Worker.spawn()
        self.warm()
        return worker

    def _show(self, path: str, view: TraceView) -> None:
        self._views[path] = view
        self._session.refresh(hints=True, lenses=True)

    def _cancel(self, path: str) -> None:
        self._session.latest.cancel(("run", path))

    def _say(self, message: str) -> None:
        self._session.server.window_show_message(
            types.ShowMessageParams(type=types.MessageType.Warning, message=message)
        )
