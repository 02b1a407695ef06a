"""The server as a process: how it ends, and that nothing is left of it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lsp.programs import EDITOR, SEPARATE, SLOW
from tests.lsp.wire import Client, ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PROC = Path("/proc")
URI = "file:///w/a.sq"
only_linux = pytest.mark.skipif(not PROC.is_dir(), reason="processes are looked up in /proc")


@contextmanager
def server(*words: str, before: str = "") -> Iterator[Client]:
    """Start a server; end it whatever happens."""
    client = Client(*words, before=before)
    try:
        yield client
    finally:
        client.kill()


def children(parent: int) -> set[int]:
    """Return the processes that a process has started."""
    found: set[int] = set()
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == parent and after_name[0] != "Z":
            found.add(int(stat.parent.name))
    return found


def gone(processes: set[int], within: float) -> bool:
    """Say whether all these processes end within so many seconds."""
    until = time.monotonic() + within
    while any((PROC / str(it)).exists() and not _is_zombie(it) for it in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _is_zombie(process: int) -> bool:
    try:
        return (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_proper_end_has_code_0() -> None:
    """`shutdown`, then `exit`."""
    with server() as client:
        client.initialize()
        assert client.end() == 0


def test_exit_without_shutdown_has_code_1() -> None:
    """P10."""
    with server() as client:
        client.initialize()
        client.notify("exit")
        assert client.gone() == 1


@pytest.mark.parametrize("initialized", [False, True])
def test_the_end_of_standard_input_ends_the_process(initialized: bool) -> None:
    """C29: also before `initialize` was sent."""
    with server() as client:
        if initialized:
            client.initialize()
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(5) == 1


def test_wrong_usage_has_code_2_and_says_what_is_right() -> None:
    """Nothing heavy is loaded for it."""
    for words in ([], ["--stdin"], ["--tcp", "nowhere"], ["--stdio", "--log", "loud"]):
        command = [sys.executable, "-c", "from serq_lsp.lsp.main import run; raise SystemExit(run())", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert (done.returncode, done.stdout) == (2, "")
        assert "usage: serq-lsp --stdio" in done.stderr


def test_version_and_help_are_printed() -> None:
    """On standard output, code 0."""
    for word, part in (("--version", "serq-lsp "), ("--help", "usage:")):
        command = [sys.executable, "-c", "from serq_lsp.lsp.main import run; raise SystemExit(run())", word]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
        assert done.stdout.startswith(part)


def test_prints_and_faults_of_a_feature_leave_the_stream_well_formed() -> None:
    """P12, C25, C19: a `print` goes to standard error; an exception costs one answer and is logged with its request."""
    before = """
import serq_lsp.lsp.features as features
def hover(*_):
    print("a stray line", flush=True)
    raise ZeroDivisionError("on purpose")
features.hover = hover
"""
    with server(before=before) as client:
        client.initialize()
        client.open(URI, SEPARATE)
        assert client.about("hover", URI, 1, 1) is None
        assert client.about("foldingRange", URI)
        assert client.end() == 0
        log = "".join(client.log)
        assert "a stray line" in log
        assert "textDocument/hover failed" in log
        assert URI in log


def test_a_fault_of_one_check_leaves_the_server_alive() -> None:
    """A check that raises publishes nothing and is logged; the next one is as usual."""
    before = """
import serq_lsp.ide.snapshot as snapshot
right = snapshot.Snapshot.findings
def findings(self, path, *given):
    if "BANG" in self.source(path).text:
        raise ZeroDivisionError("on purpose")
    return right(self, path, *given)
snapshot.Snapshot.findings = findings
"""
    with server(before=before) as client:
        client.initialize()
        client.open(URI, "// BANG\n")
        client.change(URI, 2, {"text": SEPARATE})
        client.found(URI, 2)
        assert client.end() == 0


@only_linux
@pytest.mark.parametrize(("initialized", "running"), [(False, False), (True, False), (True, True)])
def test_a_killed_editor_leaves_no_process(initialized: bool, running: bool) -> None:
    """C29: killed hard, at any time, also in the middle of a run: server and children are gone within two seconds."""
    code = EDITOR.format(root=str(ROOT), initialized=initialized, running=running, slow=SLOW)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as editor:
        assert editor.stdout is not None
        server_id = int(editor.stdout.readline())
        assert editor.stdout.readline() == "ready\n"
        processes = {server_id, *children(server_id)}
        assert len(processes) >= 1 + running
        editor.kill()
        editor.wait()
        assert gone(processes, within=2)


@only_linux
def test_a_server_that_is_busy_dies_with_its_editor_too() -> None:
    """C29: a check that never ends does not keep the process alive."""
    before = """
import serq_lsp.ide.snapshot as snapshot
def findings(self, path, *given):
    while True:
        pass
snapshot.Snapshot.findings = findings
"""
    with server(before=before) as client:
        client.initialize()
        client.open(URI, SEPARATE)
        time.sleep(0.2)
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(4) == 1


@only_linux
def test_cancelling_a_run_kills_its_child_at_once() -> None:
    """The request is answered as cancelled, and the process is gone."""
    with server() as client:
        client.initialize()
        client.open(URI, SLOW)
        client.found(URI, 1)
        before = children(client.process.pid)
        wanted = client.ask("workspace/executeCommand", {"command": "serq.run", "arguments": [URI]})
        until = time.monotonic() + 5
        while not (working := children(client.process.pid) - before) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.3)
        working = children(client.process.pid) - before
        assert working
        began = time.monotonic()
        client.notify("$/cancelRequest", {"id": wanted})
        with pytest.raises(ServerError) as error:
            client.result(wanted)
        assert error.value.code == -32800
        assert time.monotonic() - began < 0.5
        assert client.end() == 0
        assert gone(working, within=1)


@only_linux
def test_a_proper_end_leaves_no_child() -> None:
    """Neither a run at work nor the child that waits for the next run."""
    with server() as client:
        client.initialize()
        client.open(URI, SLOW)
        client.found(URI, 1)
        client.ask("workspace/executeCommand", {"command": "serq.run", "arguments": [URI]})
        time.sleep(0.6)
        processes = children(client.process.pid)
        assert processes
        client.end()
        assert gone(processes, within=1)


def test_the_server_speaks_on_a_socket_too() -> None:
    """`--tcp HOST:0` takes a free port and says which; the process ends with its client."""
    command = [
        sys.executable,
        "-c",
        "from serq_lsp.lsp.main import run; raise SystemExit(run())",
        "--tcp",
        "127.0.0.1:0",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
            connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            assert connection.recv(64).startswith(b"Content-Length: ")
        assert process.wait(10) == 1


def test_a_worker_imports_nothing_from_the_working_directory(tmp_path: Path) -> None:
    """A project with a folder called `serq_lsp` or a `json.py` does not run in our place."""
    (tmp_path / "serq_lsp").mkdir()
    for name in ("serq_lsp/__init__.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')\n")
    before = f"import os, serq_lsp.lsp.server; os.chdir({str(tmp_path)!r})"
    with server(before=before) as client:
        client.initialize()
        client.open(URI, SEPARATE)
        answer = client.call("workspace/executeCommand", {"command": "serq.run", "arguments": [URI]})
        assert answer == {"iterations": 4, "ended": 2, "note": ""}
