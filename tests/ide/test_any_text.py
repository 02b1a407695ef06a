"""Every feature answers on any text: prefixes of programs, programs with a token gone, rubbish (invariant 2, C19, C21)."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq_lsp.ide.actions import quick_fixes
from serq_lsp.ide.completion import complete, documentation
from serq_lsp.ide.definition import definitions
from serq_lsp.ide.folding import folds
from serq_lsp.ide.host import Host
from serq_lsp.ide.hover import hover
from serq_lsp.ide.lens import run_lens
from serq_lsp.ide.links import links
from serq_lsp.ide.references import highlights, references
from serq_lsp.ide.selection import selections
from serq_lsp.ide.signature import signature
from serq_lsp.ide.symbols import flat, outline
from serq_lsp.ide.tokens import MODIFIERS, TYPES, tokens
from serq_lsp.text.edits import Edit
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.syntax.tree import Node

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted([*ROOT.glob("docs/examples/*.sq"), *ROOT.glob("tests/conformance/*/run/*.sq")])
PATH = "/w/a.sq"
WORDS = (
    "pool",
    "kv",
    "{",
    "}",
    "(",
    ")",
    ";",
    "hold",
    "session",
    "run",
    "=",
    "~",
    ".",
    "1",
    '"',
    "//",
    "\n",
    "é",
    "😀",
    "\x00",
)


def ask_everything(snapshot: Snapshot, path: str, offset: int) -> None:
    """Ask every feature, and see that what it answers lies inside the text."""
    size = len(snapshot.source(path).text)

    def inside(span: Span) -> None:
        assert 0 <= span.start <= span.end <= size, span

    if found := hover(snapshot, path, offset):
        inside(found.span)
        assert found.markdown.strip()
        assert "```" not in found.plain
    for target in definitions(snapshot, path, offset):
        inside(target.origin)
    for place in references(snapshot, path, offset, [path], declaration=True):
        assert place.path != path or place.span.end <= size
    for mark in highlights(snapshot, path, offset):
        inside(mark.span)
    completion = complete(snapshot, path, offset)
    inside(completion.span)
    assert completion.span.end == offset or not completion.items
    assert all(it.label.strip() and it.insert for it in completion.items)
    signature(snapshot, path, offset)
    chain = selections(snapshot, path, offset)
    assert all(outer.covers(inner) and outer != inner for inner, outer in pairwise(chain))


def ask_about_the_file(snapshot: Snapshot, path: str) -> None:
    """Ask the features that are about a whole file."""
    source = snapshot.source(path)
    last = -1
    for token in tokens(snapshot, path):
        assert last <= token.span.start < token.span.end <= len(source.text)
        assert token.type in TYPES
        assert set(token.modifiers) <= set(MODIFIERS)
        assert source.lines.locate(token.span.start).line == source.lines.locate(token.span.end).line
        last = token.span.end
    for fold in folds(snapshot, path):
        assert 0 <= fold.first < fold.last < source.lines.count
    for entry, _ in flat(outline(snapshot, path)):
        assert entry.span.covers(entry.name_span)
        assert entry.name.strip()
    for link in links(snapshot, path):
        assert link.span.end <= len(source.text)
        assert (link.url is None) != (link.path is None)
    fault = next(snapshot.tree(path).faults(), None)
    if lens := run_lens(snapshot, path, None):
        assert fault is None or lens.span.end <= fault.start
    found = snapshot.findings(path).get(path, [])
    offered = quick_fixes(snapshot, path, found, Span(0, len(source.text)))
    mending = [it for it in offered if not it.fix.title.startswith("Ignore ")]
    assert [it.fix for it in mending] == [fix for it in found for fix in it.fixes]


def leaves(root: Node) -> list[Node]:
    """Return the tokens of a tree."""
    found: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        if not node.children and node.end > node.start:
            found.append(node)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda it: f"{it.parent.parent.name}/{it.name}")
def test_prefixes_and_missing_tokens(program: Path) -> None:
    """C19: a sample of the prefixes and of the texts with one token gone, asked about at random places."""
    choice = random.Random(program.name)
    text = program.read_text(encoding="utf-8")
    host = Host()
    host.open(PATH, text)
    all_tokens = leaves(host.snapshot().tree(PATH).root)
    gone = choice.sample(all_tokens, min(3, len(all_tokens)))
    texts = [text, *(text[: choice.randrange(len(text) + 1)] for _ in range(3))]
    texts += [text[: it.start] + text[it.end :] for it in gone]
    for broken in texts:
        host.open(PATH, broken)
        snapshot = host.snapshot()
        ask_about_the_file(snapshot, PATH)
        for _ in range(6):
            ask_everything(snapshot, PATH, choice.randrange(len(broken) + 1))


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.randoms(use_true_random=False))
def test_rubbish(words: list[str], choice: random.Random) -> None:
    """Any words in any order."""
    text = " ".join(words)
    host = Host()
    host.open(PATH, text)
    ask_about_the_file(host.snapshot(), PATH)
    ask_everything(host.snapshot(), PATH, choice.randrange(len(text) + 1))


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 5), st.sampled_from(WORDS)), max_size=6))
def test_answers_after_edits_are_those_of_a_fresh_host(edits: list[tuple[int, int, str]]) -> None:
    """Invariant 3: tokens, outline, folds and findings do not depend on the way that led to a text."""
    text = PROGRAMS[0].read_text(encoding="utf-8")
    host = Host()
    host.open(PATH, text)
    for start, length, new in edits:
        span = Span(min(start, len(text)), min(start + length, len(text)))
        text = text[: span.start] + new + text[span.end :]
        host.change(PATH, [Edit(span, new)])
        tokens(host.snapshot(), PATH)
    fresh = Host()
    fresh.open(PATH, text)
    for old, new_ in ((host.snapshot(), fresh.snapshot()),):
        assert tokens(old, PATH) == tokens(new_, PATH)
        assert outline(old, PATH) == outline(new_, PATH)
        assert folds(old, PATH) == folds(new_, PATH)
        assert old.findings(PATH) == new_.findings(PATH)


def test_every_item_of_a_completion_has_its_page() -> None:
    """What an item's key names can be shown."""
    host = Host()
    host.open(PATH, "session { set x = ; }\npool p { }\n")
    for offset in (18, 32):
        items = complete(host.snapshot(), PATH, offset).items
        assert items
        assert all(documentation(it.key) for it in items if it.key)
    assert documentation("no such construct@classic") is None


def test_an_error_below_leaves_hover_and_definition_above(tmp_path: Path) -> None:
    """C21: with an error in the last block the answers in the blocks before equal those of the sound text."""
    text = (ROOT / "docs/examples/separate_phases.sq").read_text(encoding="utf-8")
    path = str(tmp_path / "a.sq")
    sound, broken = Host(), Host()
    sound.open(path, text)
    broken.open(path, text.rstrip().removesuffix("}"))
    limit = text.index("session {")
    for offset in range(0, limit, 7):
        left, right = sound.snapshot(), broken.snapshot()
        assert hover(left, path, offset) == hover(right, path, offset)
        assert definitions(left, path, offset) == definitions(right, path, offset)
