"""Where keys and values of `serq.toml` stand, whatever way TOML writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.ide.config import parse
from serq_lsp.ide.tomlplaces import Steps, places
from serq_lsp.text.source import Source

TEXT = """\
# run = 1
[run] # horizon = 2
horizon = 60 # not 70
limits = { events = 3, seconds = 2.5 }
a.b = "x # y"
[[program]]
path = 'e.sq'
sets = { "La\\u0041 b" = 0.5, x = "~exp(1, 2)" }
[[program]]
path = \"\"\"a
[b]\"\"\"
[program.sets]
y = 1
[lint]
ignore = [ "a", # the first ]
  "b"
]
severity = { x = "eror" }
"""


@pytest.mark.parametrize(
    ("steps", "key", "value"),
    [
        (("run",), "run", "run"),
        (("run", "horizon"), "horizon", "60"),
        (("run", "limits", "seconds"), "seconds", "2.5"),
        (("run", "limits"), "limits", "{ events = 3, seconds = 2.5 }"),
        (("run", "a", "b"), "a.b", '"x # y"'),
        (("program", 0, "path"), "path", "'e.sq'"),
        (("program", 0, "sets", "LaA b"), '"La\\u0041 b"', "0.5"),
        (("program", 0, "sets", "x"), "x", '"~exp(1, 2)"'),
        (("program", 1, "path"), "path", '"""a\n[b]"""'),
        (("program", 1, "sets", "y"), "y", "1"),
        (("lint", "ignore", 1), '"b"', '"b"'),
        (("lint", "severity", "x"), "x", '"eror"'),
    ],
)
def test_places(steps: Steps, key: str, value: str) -> None:
    """Tables, inline tables, arrays, dotted and quoted keys, strings of all kinds; comments hold nothing."""
    place = places(TEXT)[steps]
    assert (TEXT[place.key.start : place.key.end], TEXT[place.value.start : place.value.end]) == (key, value)


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(list('[]{}=,.#"\n a1')), max_size=60).map("".join)))
def test_any_text(text: str) -> None:
    """Reading ends without an error, also for what is no TOML; a settings file never raises."""
    assert isinstance(places(text), dict)
    assert parse(Source("serq.toml", text)).path == "serq.toml"
