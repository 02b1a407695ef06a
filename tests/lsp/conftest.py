"""Servers that a test may talk to, and files for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lsp.programs import LIBRARY, USER
from tests.lsp.wire import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def client() -> Iterator[Client]:
    """A server that a capable editor has greeted; it must end properly, with no traceback in its log."""
    it = Client()
    try:
        it.initialize()
        yield it
        assert it.end() == 0
        assert "Traceback" not in "".join(it.log), "".join(it.log)
    finally:
        it.kill()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program and the library that it uses."""
    (tmp_path / "user.sq").write_text(USER, encoding="utf-8")
    (tmp_path / "lib.sq").write_text(LIBRARY, encoding="utf-8")
    return tmp_path
