"""The command, called in this process, in an empty folder of its own."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from serq_lsp.cli.main import run
from tests.cli.programs import CLEAN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """What a command did: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def files(self) -> dict[str, Any]:
        """The entries of `check --format json`, by path."""
        return {it["path"]: it for it in json.loads(self.out)["files"]}

    @property
    def rules(self) -> list[str]:
        """The rules of all findings of `check --format json`, in order."""
        return [it["rule"] for entry in self.files.values() for it in entry["findings"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the command: a clean program `clean.sq` and nothing else."""
    for name in ("SERQ_TRACE_ITER", "SERQ_DEBUG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "clean.sq").write_text(CLEAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def serq(
    folder: Path,  # noqa: ARG001 (the command runs there)
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Answer]:
    """Call `serq` with words; `stdin` is what it can read."""

    def call(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run(list(words))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert code != 3, err
        return Answer(code, out, err)

    return call
