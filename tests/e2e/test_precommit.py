"""The hook `serq-check`, run by pre-commit itself on a repository of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOUND = """\
stage desk : fifo;
workload { arrive batch(2); }
session { run desk (1); }
run { horizon 5; }
"""

pytestmark = pytest.mark.slow


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, away from this user's and this repository's git settings."""
    hidden = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@localhost",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@localhost",
        "PRE_COMMIT_HOME": str(folder.parent / "cache"),
        "NO_COLOR": "1",
    }
    return subprocess.run(command, cwd=folder, env={**hidden, **settings}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a git repository with one sound program."""
    folder = tmp_path_factory.mktemp("precommit") / "project"
    folder.mkdir()
    assert _run(folder, "git", "init", "--quiet").returncode == 0
    (folder / "desk.sq").write_text(SOUND, encoding="utf-8")
    (folder / "notes.txt").write_text("session { not a program", encoding="utf-8")
    assert _run(folder, "git", "add", ".").returncode == 0
    return folder


def _hook(project: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "serq-check", "--all-files")
    return _run(project, *command)


def test_the_hook_passes_a_sound_program_and_refuses_a_faulty_one(project: Path) -> None:
    """A sound program passes, other files are left alone, and a fault stops the commit with its place."""
    done = _hook(project)
    assert done.returncode == 0, done.stdout + done.stderr
    (project / "desk.sq").write_text(SOUND.replace("run desk", "run dask"), encoding="utf-8")
    assert _run(project, "git", "add", ".").returncode == 0
    done = _hook(project)
    assert done.returncode == 1
    assert "desk.sq:3:" in done.stdout
    assert "dask" in done.stdout
    assert "notes.txt" not in done.stdout
