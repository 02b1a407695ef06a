"""The methods that are announced are those that are worked off."""

from __future__ import annotations

import inspect
import subprocess
import sys

from lsprotocol import types

from serq_lsp.lsp.methods import TABLE
from serq_lsp.lsp.server import LATER, METHODS


def test_every_method_has_its_function_and_every_function_its_method() -> None:
    """Pull diagnostics alone are announced on demand."""
    assert set(TABLE) == {*METHODS, types.TEXT_DOCUMENT_DIAGNOSTIC}


def test_functions_that_wait_are_tasks_and_only_those() -> None:
    """A coroutine that nobody awaits would do nothing."""
    assert {method for method, function in TABLE.items() if inspect.iscoroutinefunction(function)} == LATER


def test_the_answer_to_initialize_needs_no_feature() -> None:
    """What the features stand on is loaded behind it."""
    code = "import sys; import serq_lsp.lsp.server; print([it for it in sys.modules if it.startswith('serq_lsp.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "serq_lsp.lsp.server" in done.stdout
    assert not [room for room in ("checks", "syntax", "lower", "sim") if f"'serq_lsp.{room}" in done.stdout]
