"""The edition and the kind of a file, found from its text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.lang.editions import Detection, Edition, detect

CORPUS = Path(__file__).resolve().parents[1] / "conformance"
PROGRAMS = [
    (edition, path)
    for edition in Edition
    for folder in ("accept", "run")
    for path in sorted((CORPUS / edition.value / folder).rglob("*.sq"))
    if "lib" not in path.parts
]
C, E, U = Edition.CLASSIC, Edition.ENGINE, Edition.CURRENT


@pytest.mark.parametrize(("edition", "path"), PROGRAMS, ids=lambda it: getattr(it, "stem", getattr(it, "value", "")))
def test_every_program_of_the_corpus_is_recognised(edition: Edition, path: Path) -> None:
    """What a reference accepts as a program of an edition is found to be of that edition."""
    assert detect(path.read_text(encoding="utf-8")).edition is edition


def test_there_are_programs_of_the_older_editions() -> None:
    """The corpus is there: a test over no files shows nothing."""
    assert {edition for edition, _ in PROGRAMS} >= {C, E}


WHOLE = [
    ("session { end; } run { horizon 1; }", C, "program"),
    ("run { horizon 1; }", C, "program"),
    ("let a = 1; pool kv { cap 9; }", C, "program"),
    ("workload { arrive none; hidden n; init { set n = 3; } } server { }", C, "program"),
    ("stage fn : fifo; session { run fn (1); } run { horizon 1; }", C, "program"),
    ("def if(x) = x; session { } run { horizon 1; }", C, "program"),
    ("stage gpu : step { cost 1; }", C, "program"),
    ("queue engine { serve fifo; } run { horizon 1; }", C, "program"),
    ("fn main() { }", E, "program"),
    ("fn main() { workload { arrive batch(1); } server { } }", E, "program"),
    ('use "lib/a.sq"; fn main() { workload { arrive none; } }', E, "program"),
    ("fn main() { workload { arrive batch(1); } server { if (now > 1) { end; } } }", E, "program"),
    ("fn main() { device d { } engine e on d { schedule { advance running; } execute (1); } }", E, "program"),
    ("fn main() { server (n) { } }", U, "deployment"),
    ("fn main() { stage s : fifo; server { run s (cost(s, 1)); } }", U, "deployment"),
    ("fn main() { device d { } engine e on d { scheduler { } worker { forward (1); } } }", U, "deployment"),
    ('use "std/kvt"; fn main() { pool a { cap 3; } }', U, "deployment"),
    ("fn main() { queue h : l2 { pool p { } serve fifo; } }", U, "deployment"),
    ("workload { arrive batch(1); }", U, "workload"),
    ("let r = 2; workload { arrive poisson(r); turn { set n = 1; } send (n); }", U, "workload"),
    ("stage t : fifo; workload { arrive none; session { turn; run t (cost(t, 1)); } }", U, "workload"),
    ("fn main() { pool a { cap 3; } }", None, "program"),
    ("def half(x) { x / 2 }", None, "library"),
    ("def half(x) = x / 2;", C, "library"),
    ("def f(n) { if (n > 1) { end; } }", U, "library"),
    ("def f(n) { while (n > 1) { tool 1; } }", None, "library"),
    ("let a = 1;", None, "program"),
    ("", None, "empty"),
    ("// nothing\n/* here */", None, "empty"),
]


@pytest.mark.parametrize(("text", "edition", "kind"), WHOLE, ids=[it[0][:60] for it in WHOLE])
def test_forms_tell_edition_and_kind(text: str, edition: Edition | None, kind: str) -> None:
    """One form that only some editions have is enough; where nothing tells, there is no edition."""
    assert detect(text)[:2] == (edition, kind)


BROKEN = [
    ("fn main() { workload { arrive batch(1); } server { set a = ", E),
    ("fn main() {\n  device gpu {\n  engine vllm on gpu {\n    tokens cap 9;\n    scheduler {\n", U),
    ("fn main() {\n  device gpu {\n  engine vllm on gpu {\n    request (p, o) { prefill (p", E),
    ("pool kv { cap 640\nstage gpu : step { budget 64; cost 1; }\nsession { hold kv (", C),
    ("pool kv { cap 640; }\nworkload { arrive poisson(0.5); init { set prompt = 3; } }\n", C),
    ("/* half a comment\nfn main() { workload { } server { } }", E),
    ('fn main() { use "std\n workload { arrive batch(1); } }', E),
    ("}}} workload { send (a: 1", U),
    ("device gpu { kv cap 9; }\nengine e on gpu { worker { forward (1); } }", U),
    ("session { \U0001f600 é } run { horizon 1", C),
]


@pytest.mark.parametrize(("text", "edition"), BROKEN, ids=[it[0][:40] for it in BROKEN])
def test_half_typed_text_has_an_edition(text: str, edition: Edition) -> None:
    """Missing brackets and open comments or strings do not hide what stands around them."""
    assert detect(text).edition is edition


@pytest.mark.parametrize("edition", Edition)
def test_a_directive_decides(edition: Edition) -> None:
    """`// serq: edition NAME` wins over the forms, wherever it stands; the first that names an edition counts."""
    text = f"fn main() {{ workload {{ }} }}\n  // serq: edition {edition.value}\n// serq: edition classic"
    assert detect(text) == Detection(edition, "deployment" if edition is U else "program", directed=True)


@pytest.mark.parametrize(
    "comment",
    ["// serq: edition modern", "/* serq: edition current */", '"// serq: edition current"', "// edition current"],
)
def test_only_a_line_comment_that_names_an_edition_is_a_directive(comment: str) -> None:
    """Strings, block comments and unknown names direct nothing."""
    assert detect(f"{comment}\nsession {{ }} run {{ horizon 1; }}") == Detection(C, "program")


def test_words_in_comments_and_strings_tell_nothing() -> None:
    """A comment that speaks of `scheduler { … }` does not make the program current."""
    text = 'run { horizon 1; } session { } // scheduler { } worker { } if (a)\n/* server (a) reply (b) */ trace "if (";'
    assert detect(text).edition is C


@given(st.text(max_size=300))
def test_detection_never_raises(text: str) -> None:
    """Any text has an answer."""
    assert isinstance(detect(text), Detection)


WORDS = [
    "fn main",
    "workload",
    "session",
    "server",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "NAME",
    "=",
    '"',
    "//",
    "/*",
    ".",
]


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_detection_never_raises_on_pieces(words: list[str]) -> None:
    """Any jumble of the language's pieces has an answer."""
    assert isinstance(detect(" ".join(words)), Detection)
