"""The server under the client profiles of pytest-lsp: what VS Code, Neovim and Emacs say they can do."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator  # noqa: TC003 (pytest-lsp evaluates the annotations of a fixture)

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.lsp.programs import MISTAKE, SEPARATE

URI = "file:///w/a.sq"
PROFILES = {"visual-studio-code": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}
"""The newest profile of each, and the unit of columns that it asks for first."""
COMMAND = [sys.executable, "-c", "from serq_lsp.lsp.main import run; raise SystemExit(run())", "--stdio"]


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=ClientServerConfig(server_command=COMMAND), params=list(PROFILES)
)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """Start the server and greet it as this client does."""
    for method in (
        types.CLIENT_REGISTER_CAPABILITY,
        types.WORKSPACE_CODE_LENS_REFRESH,
        types.WORKSPACE_INLAY_HINT_REFRESH,
        types.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    ):
        lsp_client.feature(method)(lambda _: None)
    capabilities = client_capabilities(request.param)
    answer = await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri="file:///w")
    )
    assert str(answer.capabilities.position_encoding) == PROFILES[request.param]
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, text: str, version: int = 1) -> None:
    """Open the document."""
    item = types.TextDocumentItem(uri=URI, language_id="serq", version=version, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))


def at(line: int, character: int) -> dict[str, object]:
    """Return a place in the document, as the parameters of most requests hold it."""
    document = types.TextDocumentIdentifier(uri=URI)
    return {"text_document": document, "position": types.Position(line=line, character=character)}


@pytest.mark.asyncio
async def test_a_mistake_is_found_and_withdrawn_when_it_is_mended(client: LanguageClient) -> None:
    """C02: diagnostics arrive with their version; after the cure an empty list arrives."""
    opened(client, MISTAKE)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    (found,) = [it for it in client.diagnostics[URI] if it.severity == types.DiagnosticSeverity.Error]
    assert "reqz" in found.message
    assert (found.range.start.line, found.source) == (18, "serq")
    edit = types.TextDocumentContentChangePartial(range=found.range, text="reqs")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=URI, version=2), content_changes=[edit]
        )
    )
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not [it for it in client.diagnostics[URI] if it.severity == types.DiagnosticSeverity.Error]


@pytest.mark.asyncio
async def test_places_are_in_the_clients_unit(client: LanguageClient) -> None:
    """C10: behind an emoji and an umlaut the same word is found in every unit."""
    line = "/* ä😀 */ pool kv { cap 2; }"
    opened(client, line + "\n")
    general = client.capabilities.general if client.capabilities else None
    unit = str(general.position_encodings[0]) if general and general.position_encodings else "utf-16"
    before = line[: line.index("kv")]
    column = {"utf-8": len(before.encode()), "utf-16": len(before.encode("utf-16-le")) // 2}.get(unit, len(before))
    hover = await client.text_document_hover_async(types.HoverParams(**at(0, column + 1)))  # type: ignore[arg-type]
    assert hover is not None
    assert hover.range is not None
    assert (hover.range.start.character, hover.range.end.character) == (column, column + 2)


@pytest.mark.asyncio
async def test_a_run_shows_its_trace(client: LanguageClient) -> None:
    """The lens runs the program; afterwards hints stand at line ends, for clients that ask for hints."""
    opened(client, SEPARATE)
    document = types.TextDocumentIdentifier(uri=URI)
    (lens,) = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document)) or ()
    assert lens.command is not None
    answer = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command=lens.command.command, arguments=lens.command.arguments)
    )
    assert answer is not None
    whole = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=99, character=0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=whole))
    assert [(it.position.line, it.label) for it in hints or ()] == [
        (4, "4 iterations"),
        (20, "ITER 0.0000 0:0:p2 · 1.0000 1:0:p4"),
        (22, "ITER 2.0000 0:0:d1 · 3.0000 0:0:d1"),
    ]


@pytest.mark.asyncio
async def test_every_feature_answers(client: LanguageClient) -> None:
    """Hover, completion, symbols, tokens, folds, definition: something comes for each, in a form the client can show."""
    opened(client, SEPARATE)
    document = types.TextDocumentIdentifier(uri=URI)
    hover = await client.text_document_hover_async(types.HoverParams(**at(18, 3)))  # type: ignore[arg-type]
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    listed = await client.text_document_completion_async(types.CompletionParams(**at(19, 0)))  # type: ignore[arg-type]
    assert isinstance(listed, types.CompletionList)
    assert await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    assert await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text_document=document))
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(text_document=document))
    assert await client.text_document_definition_async(types.DefinitionParams(**at(18, 8)))  # type: ignore[arg-type]
