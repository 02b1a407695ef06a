"""The prerequisites script: silent where all is there, else exact, and helpful as root on Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.source import ROOT

SCRIPT = ROOT / "scripts" / "prerequisites.sh"
NEEDED = {"git", "make", "gcc"}
BASE = ("sh", "sed", "cat", "id", "echo", "touch", "chmod")
DEBIAN = Path("/etc/debian_version").exists()
HAS_HEADERS = subprocess.run(["sh", SCRIPT, sys.executable], capture_output=True, check=False).returncode == 0


class Machine:
    """A PATH of its own: what is on it is what the machine has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in BASE:
            found = shutil.which(name)
            if found:
                (folder / name).symlink_to(found)
        self.program("python3", f'exec {sys.executable} "$@"')
        self.program("gcc", f'exec {shutil.which("gcc")} "$@"')
        self.program("git", "exit 0")
        self.program("make", "exit 0")
        self.user(1000)

    def program(self, name: str, body: str) -> None:
        """Put a shell script on the PATH."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def remove(self, name: str) -> None:
        """Take a program away."""
        (self.folder / name).unlink()

    def user(self, number: int) -> None:
        """Become this user; 0 is root."""
        self.program("id", f"echo {number}")

    def check(self, *arguments: str) -> tuple[int, str]:
        """Run the script; return its exit code and all that it printed."""
        env = {"PATH": str(self.folder), "HOME": os.environ.get("HOME", "/")}
        done = subprocess.run(["/bin/sh", SCRIPT, *arguments], env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine that has everything."""
    assert HAS_HEADERS, "these tests run in an environment that `make setup` made"
    return Machine(tmp_path)


def test_nothing_is_said_where_all_is_there(machine: Machine) -> None:
    """Exit 0 and no output."""
    assert machine.check() == (0, "")


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_a_missing_program_is_named(machine: Machine, name: str) -> None:
    """Exit 1; the missing package and the way to get it are named, nothing else."""
    machine.remove(name)
    code, output = machine.check()
    assert code == 1
    wanted = {name} | ({"python3-dev"} if name == "gcc" else set())
    assert set(output.splitlines()[0].removeprefix("serq: missing:").split()) == wanted
    assert not DEBIAN or "as root, run: apt-get update && apt-get install" in output


def test_missing_headers_are_named(machine: Machine) -> None:
    """A compiler that does not find Python.h means python3-dev."""
    machine.program("gcc", "exit 1")
    code, output = machine.check()
    assert code == 1
    assert output.splitlines()[0] == "serq: missing: python3-dev"


def test_a_missing_venv_is_named(machine: Machine) -> None:
    """Debian's Python without ensurepip means python3-venv."""
    machine.program("python3", f'case "$*" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"')
    code, output = machine.check()
    assert code == 1
    assert output.splitlines()[0] == "serq: missing: python3-venv"


def test_a_missing_python_is_named(machine: Machine) -> None:
    """Without any Python, Python and what belongs to it are named."""
    machine.remove("python3")
    code, output = machine.check()
    assert code == 1
    assert output.splitlines()[0] == "serq: missing: python3 python3-dev python3-venv"


def test_a_named_python_that_is_not_there_is_named(machine: Machine) -> None:
    """PYTHON= that names nothing is said to be the fault; nothing is installed for it."""
    code, output = machine.check("python9.9")
    assert code == 1
    assert output == "serq: there is no `python9.9`: name a Python 3.10 or later with PYTHON=, or leave it out\n"


def test_an_old_python_is_refused(machine: Machine) -> None:
    """The version found, the version needed and the way to name another are said."""
    old = 'case "$*" in *version_info\\ \\<*) exit 1;; --version) echo Python 3.9.2; exit;; esac'
    machine.program("python3", f'{old}; exec {sys.executable} "$@"')
    code, output = machine.check()
    assert code == 1
    assert "python3 is Python 3.9.2, but Python 3.10 or later is needed" in output
    assert "PYTHON=" in output


@pytest.mark.skipif(not DEBIAN, reason="installs with apt-get on Debian only")
def test_root_on_debian_gets_what_is_missing(machine: Machine) -> None:
    """The list is updated first, then only the missing packages are installed, without questions."""
    machine.user(0)
    machine.remove("git")
    log = machine.folder / "log"
    install = f"printf '#!/bin/sh\\n' > {machine.folder}/git; chmod +x {machine.folder}/git"
    machine.program("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> {log}; case "$*" in install*) {install};; esac')
    code, output = machine.check()
    assert (code, output) == (0, "serq: installing what is missing: git\n")
    assert log.read_text(encoding="utf-8").splitlines() == [
        "noninteractive update -qq",
        "noninteractive install -y -qq --no-install-recommends git",
    ]


@pytest.mark.skipif(not DEBIAN, reason="installs with apt-get on Debian only")
def test_an_installation_in_vain_is_an_error(machine: Machine) -> None:
    """What is still missing after the installation is named."""
    machine.user(0)
    machine.remove("make")
    machine.program("apt-get", "exit 0")
    code, output = machine.check()
    assert code == 1
    assert "still missing after apt-get install: make" in output
