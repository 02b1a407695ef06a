"""The package as others get it: a wheel built from our own source distribution, and a compiler's absence explained."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.tidy.source import PACKAGE, ROOT, files, shown

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = {".py", ".pyi", ".typed", ".toml", ".json", ".lark", ".bin", ".md", ".sq"}
USE = """
import sys
sys.path.insert(0, sys.argv[1])
from serq_lsp import _grammar
assert _grammar.__file__.startswith(sys.argv[1]), _grammar.__file__
from tree_sitter import Language, Parser
tree = Parser(Language(_grammar.language())).parse(b"pool slots { cap 2; admit via engine; }")
assert not tree.root_node.has_error
"""


def python(*words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter; the caller looks at the exit code."""
    env = os.environ | variables
    return subprocess.run([sys.executable, *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, built from the checkout without the network, unpacked."""
    out = tmp_path_factory.mktemp("sdist")
    command = ["setup.py", "-q", "egg_info", "--egg-base", str(out), "sdist", "--dist-dir", str(out)]
    done = python(*command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (archive,) = out.glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", out], check=True)
    return out / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """The wheel, built from the source distribution without the network."""
    done = python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(sdist.parent / "dist"), cwd=sdist)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (sdist.parent / "dist").glob("*.whl")
    return found


@pytest.mark.slow
def test_one_wheel_serves_every_python(wheel: Path) -> None:
    """The wheel is tagged for the stable interface of CPython 3.10 and later."""
    assert "-cp310-abi3-" in wheel.name


@pytest.mark.slow
def test_the_wheel_holds_the_package(wheel: Path) -> None:
    """Every module and data file of the checkout is in the wheel, and nothing of the tests or the grammar's source."""
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {shown(it) for it in files(PACKAGE) if it.suffix in SHIPPED or it.name == "py.typed"} <= held
    assert {name.split("/")[0] for name in held if ".dist-info/" not in name} == {"serq_lsp"}
    assert "serq_lsp/_grammar.abi3.so" in held


@pytest.mark.slow
def test_the_wheels_grammar_works(wheel: Path, tmp_path: Path) -> None:
    """The compiled grammar in the wheel parses a program."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    done = python("-I", "-c", USE, str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_commands_are_declared(wheel: Path) -> None:
    """`serq` and `serq-lsp` are what the package installs."""
    held = zipfile.ZipFile(wheel)
    (name,) = (it for it in held.namelist() if it.endswith("entry_points.txt"))
    text = held.read(name).decode("utf-8")
    assert "serq = serq_lsp.cli.main:run\nserq-lsp = serq_lsp.lsp.main:run\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["/nowhere/cc", "false"])
def test_a_missing_compiler_is_one_sentence(compiler: str, tmp_path: Path) -> None:
    """Without a compiler that works the build ends with one line: what is missing and the cure."""
    command = ["setup.py", "-q", "build_ext", "--build-lib", str(tmp_path), "--build-temp", str(tmp_path)]
    done = python(*command, cwd=ROOT, CC=compiler)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("serq-lsp: ")
    assert "or set CC to a compiler" in line
