"""`serq.toml`: what is understood is taken, the rest is a finding with place and cure, and nothing is a crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.diag.model import Severity
from serq_lsp.ide.config import Config, Given, parse
from serq_lsp.text.source import Source

WHOLE = """\
[run]
horizon = 60
seed = 3
limits = { events = 5000, seconds = 2.5 }

[[program]]
path = "engines/vllm.sq"
edition = "engine"
sets = { Lambda = 0.5, blocks = "2 * 100" }
defs = { gap = "~exp(3)" }
trace = "log.csv"
warmup = 1

[lint]
select = ["missing-bucket"]
ignore = ["unused-constant"]
severity = { missing-bucket = "warning" }

[native]
vllm = "../vllm"
"""


def read(text: str) -> Config:
    """Parse a settings file called serq.toml."""
    return parse(Source("serq.toml", text))


def test_everything_that_may_stand_there() -> None:
    """Run settings, limits, settings per program, rules; numbers become expressions where expressions are wanted."""
    config = read(WHOLE)
    assert config.findings == ()
    assert config.run == Given(seed=3, horizon=60.0)
    assert (config.events, config.seconds) == (5000, 2.5)
    (program,) = config.programs
    assert program.path == "engines/vllm.sq"
    assert program.given == Given(
        edition="engine",
        warmup=1.0,
        trace="log.csv",
        sets={"Lambda": "0.5", "blocks": "2 * 100"},
        defs={"gap": "~exp(3)"},
    )
    assert (config.select, config.ignore) == (("missing-bucket",), ("unused-constant",))
    assert config.severity == {"missing-bucket": Severity.WARNING}


@pytest.mark.parametrize(
    ("text", "word", "message"),
    [
        ("[run]\nhorizn = 3\n", "horizn", "`run.horizn` is not known here"),
        ("runs = 3\n", "runs", "`runs` is not known here"),
        ('[run]\nseed = "x"\n', '"x"', "`seed` is `x`, not a whole number"),
        ("[run]\nseed = true\n", "true", "`seed` is `True`, not a whole number"),
        ("[run]\nseed = 1.5\n", "1.5", "`seed` is `1.5`, not a whole number"),
        ("run = 3\n", "3", "`run` is `3`, not a table"),
        ("[program]\nx = 1\n", "program", "`program` is"),
        ("[[program]]\nseed = 1\n", "program", "a `[[program]]` names no path"),
        ('[[program]]\npath = "a"\nedition = "old"\n', '"old"', "no edition is called `old`"),
        ('[[program]]\npath = "a"\nsets = { a = [] }\n', "[]", "`a` is `[]`, not an expression"),
        ('[lint]\nignore = "x"\n', '"x"', "`ignore` is not a list of rules"),
        ('[lint]\nseverity = { x = "bad" }\n', '"bad"', "`bad` is no severity"),
    ],
)
def test_what_is_not_understood(text: str, word: str, message: str) -> None:
    """A finding at the key or value, with what to write instead; the rest of the file counts."""
    (found,) = read(text).findings
    assert text[found.span.start : found.span.end] == word
    assert found.message.startswith(message)
    assert found.help


@pytest.mark.parametrize(
    "text", ["[run\n", "a = ", "x" * 100, "a = 1\na = 2\n", "\x00", "[" * 5000, "a = " + "[" * 5000]
)
def test_what_is_no_toml(text: str) -> None:
    """One finding with its place; the file counts as empty."""
    config = read(text)
    (found,) = config.findings
    assert 0 <= found.span.start <= len(text)
    assert config.run == Given()


@given(st.text(max_size=80) | st.sampled_from(WHOLE.splitlines()).map(lambda it: it + "\n" + WHOLE[:90]))
def test_no_text_is_a_crash(text: str) -> None:
    """Whatever stands there, the answer is settings and findings."""
    read(text)


def test_what_is_said_nearer_wins() -> None:
    """Single values of the first replace those of the second; constants are taken together."""
    near = Given(seed=2, sets={"a": "1"})
    far = Given(seed=1, horizon=5.0, sets={"a": "0", "b": "2"})
    assert near.over(far) == Given(seed=2, horizon=5.0, sets={"a": "1", "b": "2"})
