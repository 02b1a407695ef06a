"""The grammar's generated files: grammar/src/, made from grammar/grammar.js by the tree-sitter tool.

The tool (`cargo install --locked tree-sitter-cli --version 0.26.12 --no-default-features`) and Node are needed to write
them, not to check or to compile them.
"""

from __future__ import annotations

import os
import subprocess
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2] / "grammar"
ABI = 14
"""The version of the parse tables: the newest that all editors in use load."""


def write() -> list[Path]:
    """Generate the parse tables and the hash of what they were made from; return the files.

    The tool is `tree-sitter` on PATH, or what the variable TREE_SITTER names.

    Raises:
        FileNotFoundError: there is no such tool.
        CalledProcessError: the grammar has a fault; the tool has said so on stderr.

    """
    tool = os.environ.get("TREE_SITTER", "tree-sitter")
    subprocess.run([tool, "generate", "--abi", str(ABI)], cwd=ROOT, check=True)
    (ROOT / "src/grammar.sha256").write_text(_sums(), encoding="ascii")
    return sorted(path for path in (ROOT / "src").rglob("*") if path.is_file())


def check() -> list[str]:
    """Return what is wrong, one sentence each: files that do not fit the hash written when they were generated."""
    path = ROOT / "src/grammar.sha256"
    if path.is_file() and path.read_text(encoding="ascii") == _sums():
        return []
    return ["grammar/src does not fit grammar/grammar.js: run `python -m serq_lsp.dev.gen grammar`"]


def _sums() -> str:
    """Return the hashes of the source and of what is generated, in the form of the `sha256sum` command."""
    files = [ROOT / name for name in ("grammar.js", "src/grammar.json", "src/node-types.json", "src/parser.c")]
    return "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.relative_to(ROOT)}\n" for file in files)
