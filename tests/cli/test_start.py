"""`serq check` starts quickly, for it loads little."""

from __future__ import annotations

import subprocess
import sys

from tests.cli.programs import CLEAN

ENTRY = "import sys; from serq_lsp.cli.main import run; code = run(); print(*sorted(sys.modules), file=sys.stderr); sys.exit(code)"
NEVER = {
    "pygls",
    "lsprotocol",
    "attrs",
    "cattrs",
    "asyncio",
    "numba",
    "lark",
    "multiprocessing",
    "unittest",
    "importlib.metadata",
}
NEVER_ROOMS = ("serq_lsp.lsp", "serq_lsp.sim", "serq_lsp.dev", "serq_lsp.trials")
NOT_FOR_A_SOUND_FILE = {"serq_lsp.syntax.strict", "serq_lsp.ide.overrides", "serq_lsp.ide.logs", "pathlib", "shutil"}
"""What costs time to load and is needed for faults, runs and settings only."""


def test_check_loads_neither_server_nor_interpreter() -> None:
    """No module of the protocol, no asyncio, no lark for a sound file, and nothing that runs programs."""
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, "check", "-"], input=CLEAN, capture_output=True, text=True, check=False
    )
    loaded = set(done.stderr.split())
    assert (done.returncode, done.stdout) == (0, "")
    assert "serq_lsp.sema.model" in loaded
    assert not loaded & (NEVER | NOT_FOR_A_SOUND_FILE)
    assert not {it for it in loaded if it.startswith(NEVER_ROOMS)}
