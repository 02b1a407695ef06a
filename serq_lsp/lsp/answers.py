"""What the features of ide/ answer, turned into the protocol's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from serq_lsp.ide.folding import FoldKind
from serq_lsp.ide.tokens import MODIFIERS, TYPES
from serq_lsp.lsp.server import RUN_COMMAND
from serq_lsp.lsp.uris import to_uri

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serq_lsp.ide.completion import Completion, Item
    from serq_lsp.ide.definition import Target
    from serq_lsp.ide.folding import Fold
    from serq_lsp.ide.hover import Hover
    from serq_lsp.ide.lens import Lens
    from serq_lsp.ide.links import Link
    from serq_lsp.ide.places import Location
    from serq_lsp.ide.signature import Signature
    from serq_lsp.ide.symbols import Entry
    from serq_lsp.ide.tokens import Token
    from serq_lsp.ide.trace_hints import Hint
    from serq_lsp.lsp.conversions import Border
    from serq_lsp.text.source import Source
    from serq_lsp.text.spans import Span

SYMBOL_KINDS = {
    "module": types.SymbolKind.Module,
    "namespace": types.SymbolKind.Namespace,
    "class": types.SymbolKind.Class,
    "struct": types.SymbolKind.Struct,
    "function": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "property": types.SymbolKind.Property,
    "constant": types.SymbolKind.Constant,
    "variable": types.SymbolKind.Variable,
    "event": types.SymbolKind.Event,
}
"""The protocol's kinds for the shapes of ide/shapes.py; a block is shown as an object."""
ITEM_KINDS = {
    "module": types.CompletionItemKind.Module,
    "namespace": types.CompletionItemKind.Module,
    "class": types.CompletionItemKind.Class,
    "struct": types.CompletionItemKind.Struct,
    "function": types.CompletionItemKind.Function,
    "method": types.CompletionItemKind.Method,
    "property": types.CompletionItemKind.Property,
    "constant": types.CompletionItemKind.Constant,
    "variable": types.CompletionItemKind.Variable,
    "event": types.CompletionItemKind.Event,
    "word": types.CompletionItemKind.Keyword,
}
"""The protocol's kinds of items for shapes, and for the words of the language."""
_TYPE_NUMBER = {name: number for number, name in enumerate(TYPES)}
_MODIFIER_BIT = {name: 1 << number for number, name in enumerate(MODIFIERS)}


def hover(border: Border, source: Source, found: Hover) -> types.Hover:
    """Return a hover in Markdown where the client shows it, else in plain text (C56)."""
    markdown = border.client.hover_markdown
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    content = types.MarkupContent(kind=kind, value=found.markdown if markdown else found.plain)
    return types.Hover(contents=content, range=border.range(source, found.span))


def definitions(
    border: Border, source: Source, found: Iterable[Target]
) -> list[types.LocationLink] | list[types.Location]:
    """Return where to go: links where the client takes them, else locations."""
    if not border.client.definition_links:
        return locations(border, [it.place for it in found])
    links: list[types.LocationLink] = []
    for target in found:
        there = border.source(target.place.path)
        links.append(
            types.LocationLink(
                target_uri=border.uri(target.place.path),
                target_range=border.range(there, target.whole),
                target_selection_range=border.range(there, target.place.span),
                origin_selection_range=border.range(source, target.origin),
            )
        )
    return links


def locations(border: Border, found: Iterable[Location]) -> list[types.Location]:
    """Return places in files."""
    return [border.location(it.path, it.span) for it in found]


def symbols(
    border: Border, source: Source, entries: Sequence[Entry], flat: Iterable[tuple[Entry, str]]
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """Return the outline, nested where the client shows it so."""
    if border.client.nested_symbols:
        return [_symbol(border, source, it) for it in entries]
    return [
        types.SymbolInformation(
            name=it.name,
            kind=SYMBOL_KINDS.get(it.shape, types.SymbolKind.Object),
            container_name=container or None,
            location=types.Location(uri=border.uri(source.path), range=border.range(source, it.name_span)),
        )
        for it, container in flat
    ]


def _symbol(border: Border, source: Source, entry: Entry) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=entry.name,
        detail=entry.detail or None,
        kind=SYMBOL_KINDS.get(entry.shape, types.SymbolKind.Object),
        range=border.range(source, entry.span),
        selection_range=border.range(source, entry.name_span),
        children=[_symbol(border, source, it) for it in entry.children],
    )


def folds(found: Iterable[Fold]) -> list[types.FoldingRange]:
    """Return folds by lines."""
    return [
        types.FoldingRange(
            start_line=it.first, end_line=it.last, kind=None if it.kind is FoldKind.CODE else it.kind.value
        )
        for it in found
    ]


def selection(border: Border, source: Source, spans: Sequence[Span]) -> types.SelectionRange:
    """Return growing selections, smallest first, as the chain the protocol wants."""
    chain: types.SelectionRange | None = None
    for span in reversed(spans):
        chain = types.SelectionRange(range=border.range(source, span), parent=chain)
    assert chain is not None  # the whole file is always among them
    return chain


def token_numbers(border: Border, source: Source, found: Iterable[Token]) -> list[int]:
    """Return tokens as the protocol's five numbers each, relative to the one before."""
    numbers: list[int] = []
    line = column = 0
    unit = border.client.unit
    for token in found:
        start = source.lines.locate_in(token.span.start, unit)
        width = unit.width(source.text[token.span.start : token.span.end])
        bits = sum(_MODIFIER_BIT[it] for it in token.modifiers)
        delta = start.line - line
        numbers += (delta, start.column if delta else start.column - column, width, _TYPE_NUMBER[token.type], bits)
        line, column = start
    return numbers


def token_edit(before: Sequence[int], after: Sequence[int]) -> list[types.SemanticTokensEdit]:
    """Return the one edit that leads from the old numbers to the new, none where they are equal."""
    limit = min(len(before), len(after))
    head = next((i for i in range(limit) if before[i] != after[i]), limit)
    tail = next((i for i in range(limit - head) if before[-1 - i] != after[-1 - i]), limit - head)
    if head == len(before) == len(after):
        return []
    data = list(after[head : len(after) - tail])
    return [types.SemanticTokensEdit(start=head, delete_count=len(before) - tail - head, data=data)]


def links(border: Border, source: Source, found: Iterable[Link]) -> list[types.DocumentLink]:
    """Return links: addresses as they are, files by their URI."""
    return [
        types.DocumentLink(
            range=border.range(source, it.span),
            target=it.url or (to_uri(it.path) if it.path else None),
            tooltip=it.tooltip if border.client.link_tooltips else None,
        )
        for it in found
    ]


def hints(border: Border, source: Source, found: Iterable[Hint]) -> list[types.InlayHint]:
    """Return hints at line ends; they insert nothing when clicked (C44)."""
    return [
        types.InlayHint(
            position=border.position(source, it.offset), label=it.label, tooltip=it.tooltip, padding_left=True
        )
        for it in found
    ]


def lens(border: Border, source: Source, found: Lens) -> types.CodeLens:
    """Return the run lens with its command."""
    command = types.Command(
        title=found.title, tooltip=found.hint, command=RUN_COMMAND, arguments=[border.uri(source.path)]
    )
    return types.CodeLens(range=border.range(source, found.span), command=command)


def completions(border: Border, source: Source, found: Completion) -> types.CompletionList:
    """Return what can be written; snippets only to clients that take them (C56)."""
    place = border.range(source, found.span)
    return types.CompletionList(
        is_incomplete=False, items=[_completion(border, it, place, number) for number, it in enumerate(found.items)]
    )


def _completion(border: Border, it: Item, place: types.Range, number: int) -> types.CompletionItem:
    snippet = it.snippet if border.client.snippets else None
    return types.CompletionItem(
        label=it.label,
        kind=ITEM_KINDS[it.shape],
        detail=it.detail,
        sort_text=f"{it.order}{number:04}",
        filter_text=it.label,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(range=place, new_text=snippet or it.insert),
        data=it.key,
    )


def signature(found: Signature) -> types.SignatureHelp:
    """Return one signature, the parameter at hand active."""
    parameters = [types.ParameterInformation(label=it) for it in found.parameters]
    information = types.SignatureInformation(
        label=found.label, documentation=found.text, parameters=parameters, active_parameter=found.active
    )
    return types.SignatureHelp(signatures=[information], active_signature=0, active_parameter=found.active)
