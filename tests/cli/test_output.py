"""Colours are for terminals that have them, and for people who want them."""

from __future__ import annotations

import io

import pytest

from serq_lsp.cli.output import coloured


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


@pytest.mark.parametrize(
    ("stream", "settings", "wanted"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colours(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, settings: dict[str, str], *, wanted: bool
) -> None:
    """Off in pipes, under NO_COLOR and TERM=dumb."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert coloured(stream) is wanted
