"""A real Emacs in batch, with eglot and the mode in editors/emacs."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.editors import ROOT, surroundings
from tests.lsp.programs import MISTAKE

if TYPE_CHECKING:
    from pathlib import Path

EMACS = shutil.which("emacs")


@pytest.mark.editor
@pytest.mark.slow
@pytest.mark.skipif(EMACS is None, reason="no Emacs: apt-get install emacs-nox elpa-eglot")
def test_emacs_shows_diagnostics_and_hover_and_runs_a_program(tmp_path: Path) -> None:
    """It connects, flymake shows the mistake and drops it when it is mended, hover and the run command answer."""
    assert EMACS is not None
    has_eglot = subprocess.run(
        [EMACS, "--batch", "--eval", "(progn (require 'package) (package-initialize) (require 'eglot))"],
        capture_output=True,
        check=False,
        timeout=60,
    )
    if has_eglot.returncode:
        pytest.skip("this Emacs has no eglot (Debian: elpa-eglot)")
    program = tmp_path / "a.sq"
    program.write_text(MISTAKE, encoding="utf-8")
    words = ["--batch", "--eval", "(progn (require 'package) (package-initialize))"]
    done = subprocess.run(
        [EMACS, *words, "-L", "editors/emacs", "-l", "tests/e2e/emacs.el", str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
        env=surroundings(tmp_path),
    )
    said = done.stderr.splitlines()
    assert done.returncode == 0, done.stderr
    assert "diagnostic line 19" in said
    assert "hover right" in said
    assert any(line.startswith('run "the program is not run') for line in said)
    assert "iterations 4" in said
    assert "ok end" in said
