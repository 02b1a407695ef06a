"""What `serq check` loads: nothing of the server, and no compiler of grammars."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tidy.source import PACKAGE, ROOT

FORBIDDEN = {"pygls", "lsprotocol", "asyncio", "attr", "attrs", "cattrs", "numba", "numpy", "lark.load_grammar"}
START = "import sys; sys.argv = ['serq', 'check', *sys.argv[1:]]; from serq_lsp.cli.main import run; sys.exit(run())"
BROKEN = "pool slots { cap 2 admit via engine; }\n"


def loaded(*arguments: str, text: str = "") -> set[str]:
    """Run `serq check` with these arguments and standard input; return the names of all modules that it loaded."""
    command = [sys.executable, "-X", "importtime", "-c", START, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, input=text)
    assert done.returncode in {0, 1}, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rsplit("|", 1)[1].strip() for line in lines}


@pytest.mark.parametrize("program", sorted((ROOT / "docs/examples").glob("*.sq")), ids=lambda it: it.name)
def test_checking_a_sound_program_loads_nothing_heavy(program: object) -> None:
    """A sound program is checked without the server's packages, numba or lark's grammar compiler."""
    names = loaded(str(program))
    assert "serq_lsp.cli.main" in names
    assert not {name for name in names for heavy in FORBIDDEN if name == heavy or name.startswith(heavy + ".")}


def test_checking_a_broken_program_loads_no_grammar_compiler() -> None:
    """A syntax error is explained with the prebuilt tables."""
    if not (PACKAGE / "cli" / "main.py").exists():
        return
    names = loaded("-", text=BROKEN)
    assert not {name for name in names for heavy in FORBIDDEN if name == heavy or name.startswith(heavy + ".")}
