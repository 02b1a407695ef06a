"""Files that are made from others are committed, and fit what they are made from."""

from __future__ import annotations

import subprocess
import sys

from tests.tidy.source import PACKAGE, ROOT


def test_generated_files_are_in_step() -> None:
    """`python -m serq_lsp.dev.gen --check` finds no file that differs from what would be written now."""
    if not (PACKAGE / "dev" / "gen.py").exists():
        return
    command = [sys.executable, "-m", "serq_lsp.dev.gen", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
