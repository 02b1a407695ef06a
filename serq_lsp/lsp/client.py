"""What the client can do, read once from its capabilities: switches are capabilities, never the client's name (C42)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pygls.capabilities import ServerCapabilitiesBuilder, get_capability

from serq_lsp.text.lines import Unit

if TYPE_CHECKING:
    from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """A client's abilities. The defaults are those of a client that says nothing."""

    unit: Unit = Unit.UTF16
    hover_markdown: bool = False
    completion_markdown: bool = False
    snippets: bool = False
    nested_symbols: bool = False
    related_information: bool = False
    code_description: bool = False
    action_literals: bool = False
    document_changes: bool = False
    definition_links: bool = False
    link_tooltips: bool = False
    hint_refresh: bool = False
    lens_refresh: bool = False
    token_refresh: bool = False
    progress: bool = False
    watch_files: bool = False
    configuration: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """Read the capabilities of an `initialize` request."""

        def has(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        def markdown(path: str) -> bool:
            return "markdown" in [_text(it) for it in get_capability(capabilities, path, ()) or ()]

        encoding = ServerCapabilitiesBuilder.choose_position_encoding(capabilities)
        return cls(
            unit=Unit(_text(encoding)),
            hover_markdown=markdown("text_document.hover.content_format"),
            completion_markdown=markdown("text_document.completion.completion_item.documentation_format"),
            snippets=has("text_document.completion.completion_item.snippet_support"),
            nested_symbols=has("text_document.document_symbol.hierarchical_document_symbol_support"),
            related_information=has("text_document.publish_diagnostics.related_information"),
            code_description=has("text_document.publish_diagnostics.code_description_support"),
            action_literals=has("text_document.code_action.code_action_literal_support"),
            document_changes=has("workspace.workspace_edit.document_changes"),
            definition_links=has("text_document.definition.link_support"),
            link_tooltips=has("text_document.document_link.tooltip_support"),
            hint_refresh=has("workspace.inlay_hint.refresh_support"),
            lens_refresh=has("workspace.code_lens.refresh_support"),
            token_refresh=has("workspace.semantic_tokens.refresh_support"),
            progress=has("window.work_done_progress"),
            watch_files=has("workspace.did_change_watched_files.dynamic_registration"),
            configuration=has("workspace.configuration"),
        )


def _text(value: Any) -> str:
    return str(getattr(value, "value", value))
