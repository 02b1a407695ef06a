"""Where the editors of the end-to-end tests are, and the surroundings they are started in."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def beside_python(name: str) -> str | None:
    """Return the program of this name in the environment of the running Python, else on PATH; None where there is none."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


def surroundings(home: Path) -> dict[str, str]:
    """Return environment variables with an empty home, and our `serq-lsp` first on PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    folders = {name: str(home / name.lower()) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    return {**os.environ, **folders, "HOME": str(home), "PATH": path}
