"""The requests about one document: each asks a feature of ide/ and turns its answer into the protocol's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from serq_lsp.ide.actions import quick_fixes
from serq_lsp.ide.completion import complete, documentation
from serq_lsp.ide.definition import definitions
from serq_lsp.ide.folding import folds
from serq_lsp.ide.hover import hover
from serq_lsp.ide.lens import run_lens
from serq_lsp.ide.links import links
from serq_lsp.ide.references import highlights, references
from serq_lsp.ide.selection import selections
from serq_lsp.ide.signature import signature
from serq_lsp.ide.symbols import flat, outline
from serq_lsp.ide.tokens import tokens
from serq_lsp.lsp import answers
from serq_lsp.lsp.conversions import offset
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lsp.conversions import Border
    from serq_lsp.lsp.session import Session
    from serq_lsp.text.source import Source


class Asked:
    """The document that a request is about, and how to speak of it."""

    def __init__(self, session: Session, uri: str) -> None:
        self.snapshot: Snapshot = session.snapshot()
        self.path: str = session.documents.path(uri)
        self.source: Source = self.snapshot.source(self.path)
        self.border: Border = session.border(self.snapshot)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position of the request."""
        return offset(self.source, position, self.border.client.unit)

    def span(self, place: types.Range) -> Span:
        """Return the span of a range of the request."""
        start, end = self.offset(place.start), self.offset(place.end)
        return Span(min(start, end), max(start, end))


def on_hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Answer `textDocument/hover`."""
    asked = Asked(session, params.text_document.uri)
    found = hover(asked.snapshot, asked.path, asked.offset(params.position))
    return answers.hover(asked.border, asked.source, found) if found else None


def on_definition(session: Session, params: types.DefinitionParams) -> Any:
    """Answer `textDocument/definition`."""
    asked = Asked(session, params.text_document.uri)
    found = definitions(asked.snapshot, asked.path, asked.offset(params.position))
    return answers.definitions(asked.border, asked.source, found)


def on_references(session: Session, params: types.ReferenceParams) -> list[types.Location]:
    """Answer `textDocument/references`: as seen from this document and from all that are open."""
    asked = Asked(session, params.text_document.uri)
    found = references(
        asked.snapshot,
        asked.path,
        asked.offset(params.position),
        [it.source.path for it in session.documents],
        declaration=params.context.include_declaration,
    )
    return answers.locations(asked.border, found)


def on_highlight(session: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """Answer `textDocument/documentHighlight`."""
    asked = Asked(session, params.text_document.uri)
    found = highlights(asked.snapshot, asked.path, asked.offset(params.position))
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    return [
        types.DocumentHighlight(range=asked.border.range(asked.source, it.span), kind=kinds[it.writes]) for it in found
    ]


def on_completion(session: Session, params: types.CompletionParams) -> types.CompletionList:
    """Answer `textDocument/completion`."""
    asked = Asked(session, params.text_document.uri)
    files = session.libraries(asked.snapshot.root(asked.path))
    found = complete(asked.snapshot, asked.path, asked.offset(params.position), files)
    return answers.completions(asked.border, asked.source, found)


def on_completion_resolve(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Answer `completionItem/resolve`: the documentation of a construct or supplied name."""
    text = documentation(item.data) if isinstance(item.data, str) else None
    if text:
        kind = types.MarkupKind.Markdown if session.client.completion_markdown else types.MarkupKind.PlainText
        item.documentation = types.MarkupContent(kind=kind, value=text)
    return item


def on_signature_help(session: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """Answer `textDocument/signatureHelp`."""
    asked = Asked(session, params.text_document.uri)
    found = signature(asked.snapshot, asked.path, asked.offset(params.position))
    return answers.signature(found) if found else None


def on_symbols(session: Session, params: types.DocumentSymbolParams) -> Any:
    """Answer `textDocument/documentSymbol`."""
    asked = Asked(session, params.text_document.uri)
    entries = outline(asked.snapshot, asked.path)
    return answers.symbols(asked.border, asked.source, entries, flat(entries))


def on_folding(session: Session, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """Answer `textDocument/foldingRange`."""
    asked = Asked(session, params.text_document.uri)
    return answers.folds(folds(asked.snapshot, asked.path))


def on_selection(session: Session, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    """Answer `textDocument/selectionRange`, one chain a position."""
    asked = Asked(session, params.text_document.uri)
    chains = [selections(asked.snapshot, asked.path, asked.offset(it)) for it in params.positions]
    return [answers.selection(asked.border, asked.source, it) for it in chains]


def on_links(session: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Answer `textDocument/documentLink`."""
    asked = Asked(session, params.text_document.uri)
    return answers.links(asked.border, asked.source, links(asked.snapshot, asked.path))


def on_tokens(session: Session, params: types.SemanticTokensParams) -> types.SemanticTokens:
    """Answer `textDocument/semanticTokens/full`."""
    path, numbers = _tokens(session, params.text_document.uri)
    return types.SemanticTokens(result_id=_remember(session, path, numbers), data=numbers)


def on_tokens_delta(
    session: Session, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    """Answer `textDocument/semanticTokens/full/delta`: all tokens where the client's last ones are not known."""
    path, numbers = _tokens(session, params.text_document.uri)
    known, before = session.tokens.get(path, ("", []))
    result_id = _remember(session, path, numbers)
    if known != params.previous_result_id:
        return types.SemanticTokens(result_id=result_id, data=numbers)
    return types.SemanticTokensDelta(result_id=result_id, edits=answers.token_edit(before, numbers))


def on_tokens_range(session: Session, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    """Answer `textDocument/semanticTokens/range`."""
    asked = Asked(session, params.text_document.uri)
    found = tokens(asked.snapshot, asked.path, asked.span(params.range))
    return types.SemanticTokens(data=answers.token_numbers(asked.border, asked.source, found))


def _tokens(session: Session, uri: str) -> tuple[str, list[int]]:
    asked = Asked(session, uri)
    return asked.path, answers.token_numbers(asked.border, asked.source, tokens(asked.snapshot, asked.path))


def _remember(session: Session, path: str, numbers: list[int]) -> str:
    """Keep what is sent, for a delta later; ids are never used twice."""
    result_id = str(next(session.token_ids))
    session.tokens[path] = (result_id, numbers)
    return result_id


def on_code_action(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Answer `textDocument/codeAction`: the fixes of the findings there."""
    wanted = params.context.only
    if not session.client.action_literals or (wanted and not any(_is_quick_fix(it) for it in wanted)):
        return []
    asked = Asked(session, params.text_document.uri)
    found = asked.snapshot.findings(asked.path).get(asked.path, [])
    return [
        types.CodeAction(
            title=action.fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[asked.border.diagnostic(asked.source, action.finding)],
            is_preferred=action.preferred or None,
            edit=asked.border.workspace_edit(action.fix.edits),
        )
        for action in quick_fixes(asked.snapshot, asked.path, found, asked.span(params.range))
    ]


def _is_quick_fix(kind: types.CodeActionKind | str) -> bool:
    text = str(getattr(kind, "value", kind))
    return text in {"", "quickfix"} or text.startswith("quickfix.")


def on_hints(session: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Answer `textDocument/inlayHint`: what the last run did, on the lines asked about."""
    asked = Asked(session, params.text_document.uri)
    within = asked.span(params.range)
    found = session.runner.hints(asked.source)
    return answers.hints(asked.border, asked.source, [it for it in found if within.contains(it.offset)])


def on_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Answer `textDocument/codeLens`: the run lens."""
    if not session.options.lens:
        return []
    asked = Asked(session, params.text_document.uri)
    view, running = session.runner.view(asked.path), session.runner.running(asked.path)
    found = run_lens(asked.snapshot, asked.path, view, running=running)
    if found is None:
        return []
    session.runner.warm()
    return [answers.lens(asked.border, asked.source, found)]


def on_pull(session: Session, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    """Answer `textDocument/diagnostic` for a client that asks instead of being told."""
    asked = Asked(session, params.text_document.uri)
    found = asked.snapshot.findings(asked.path).get(asked.path, [])
    return types.RelatedFullDocumentDiagnosticReport(items=[asked.border.diagnostic(asked.source, it) for it in found])
