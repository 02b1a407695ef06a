"""The server's text is the client's text, after any edits, in any unit; URIs come back as they were spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from serq_lsp.lsp.documents import Documents, trimmed
from serq_lsp.lsp.uris import to_path, to_uri
from serq_lsp.text.edits import Edit, apply_edit, apply_edits
from serq_lsp.text.lines import Unit
from serq_lsp.text.spans import Span
from tests.lsp.model import replaced, rows, width

URI = "file:///w/a.sq"
CHARS = "ab \t\n\r\x0c\x1c\x85\u2028éß漢😀👩\u0301\ud83d;{}"
TEXT = st.text(st.sampled_from(CHARS), max_size=30)
POSITION = st.tuples(st.integers(0, 12), st.integers(0, 25))
CHANGE = st.one_of(st.tuples(POSITION, POSITION, TEXT), TEXT)
ENCODINGS = ("utf-8", "utf-16", "utf-32")


def change(it: tuple[tuple[int, int], tuple[int, int], str] | str) -> types.TextDocumentContentChangeEvent:
    """Return a change as the protocol has it."""
    if isinstance(it, str):
        return types.TextDocumentContentChangeWholeDocument(text=it)
    (line, char), (end_line, end_char), text = it
    start, end = types.Position(line=line, character=char), types.Position(line=end_line, character=end_char)
    return types.TextDocumentContentChangePartial(range=types.Range(start=start, end=end), text=text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXT, changes=st.lists(CHANGE, max_size=6))
def test_any_edits_leave_the_text_of_an_independent_model(encoding: str, text: str, changes: list[object]) -> None:
    """P1, P2, C10, C11, C13, C15: any ranges, any characters, any line ends, whole texts in between."""
    documents = Documents()
    documents.open(URI, text, 1)
    model = text
    for it in changes:
        model = it if isinstance(it, str) else replaced(model, *it, encoding=encoding)  # type: ignore[misc]
    done = documents.change(URI, 2, [change(it) for it in changes], Unit(encoding))  # type: ignore[arg-type]
    assert done is not None
    document, edits = done
    assert document.source.text == model
    assert document.source.version == 2
    for edit in edits:
        text = apply_edit(text, edit)
    assert text == model


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXT, offset=st.integers(0, 30))
def test_places_are_told_in_the_clients_unit(encoding: str, text: str, offset: int) -> None:
    """C10: an offset is located where the independent model counts it."""
    documents = Documents()
    lines = documents.open(URI, text, 1).source.lines
    line, column = lines.locate_in(min(offset, len(text)), Unit(encoding))
    content = rows(text)[line][0]
    prefix = text[lines.line_start(line) : min(offset, len(text))]
    assert column == width(prefix[: len(content)], encoding)


@given(text=TEXT, new=TEXT)
def test_a_whole_text_becomes_a_small_edit(text: str, new: str) -> None:
    """What is common at both ends is left out, and the result is the same."""
    edit = trimmed(Edit(Span(0, len(text)), new), text)
    assert apply_edits(text, [edit]) == new
    if text == new:
        assert edit.span.start == edit.span.end
        assert not edit.text


def test_a_range_that_ends_before_it_begins_is_turned_round() -> None:
    """C13: editors have sent such ranges."""
    documents = Documents()
    documents.open(URI, "abcdef", 1)
    done = documents.change(URI, 2, [change(((0, 4), (0, 1), "X"))], Unit.UTF16)
    assert done is not None
    assert done[0].source.text == "aXef"


def test_a_change_of_an_unknown_document_changes_nothing() -> None:
    """P16: it is passed over."""
    assert Documents().change(URI, 2, [change("x")], Unit.UTF16) is None


def test_a_drifted_text_is_healed_when_it_is_saved() -> None:
    """C13: the saved text is taken, as one small edit; an equal one is no change."""
    documents = Documents()
    documents.open(URI, "one two three", 4)
    assert documents.saved(URI, "one two three") is None
    done = documents.saved(URI, "one 2 three")
    assert done is not None
    assert (done[0].source.text, done[0].source.version) == ("one 2 three", 4)
    assert done[1] == (Edit(Span(4, 7), "2"),)


@pytest.mark.parametrize(
    ("opened", "named"),
    [
        ("file:///c%3A/w/a.sq", "file:///C:/w/a.sq"),
        ("file:///C:/w/a.sq", "file:///c%3A/w/a.sq"),
        ("file:///w/a%20b.sq", "file:///w/./a b.sq"),
        ("file:///w/%C3%A9.sq", "file:///w/é.sq"),
        ("file://localhost/w/a.sq", "FILE:///w/x/../a.sq"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
    ],
)
def test_spellings_of_one_uri_are_one_document(opened: str, named: str) -> None:
    """C17: answers use the spelling that the client opened the document with."""
    documents = Documents()
    document = documents.open(opened, "x", 1)
    assert documents.path(named) == document.source.path
    assert documents.uri(document.source.path) == opened
    assert documents.change(named, 2, [change("y")], Unit.UTF16) is not None
    assert len(list(documents)) == 1
    assert documents.close(named) == document.source.path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/w/a.sq", "c:\\w\\a.sq"),
        ("file:///C:/w/../a.sq", "c:\\a.sq"),
        ("file://server/share/a.sq", "\\\\server\\share\\a.sq"),
    ],
)
def test_windows_paths(uri: str, path: str) -> None:
    """Drives are lower case, hosts become network paths."""
    assert to_path(uri, windows=True) == path


@given(
    st.text(st.characters(blacklist_characters="/\0"), min_size=1, max_size=20).filter(lambda it: it not in {".", ".."})
)
def test_any_file_name_survives_the_way_to_a_uri_and_back(name: str) -> None:
    """Also names with signs that mean something in URIs, and bytes that are no UTF-8."""
    path = "/w/" + name
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return
    assert to_path(to_uri(path), windows=False) == path
