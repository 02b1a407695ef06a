"""Which function works off which method. Importing this brings in everything that the features stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from serq_lsp.lsp import features, syncing

if TYPE_CHECKING:
    from collections.abc import Callable

    from serq_lsp.lsp.session import Session

TABLE: dict[str, Callable[[Session, Any], Any]] = {
    types.INITIALIZED: syncing.on_initialized,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: syncing.on_configuration,
    types.TEXT_DOCUMENT_DID_OPEN: syncing.on_open,
    types.TEXT_DOCUMENT_DID_CHANGE: syncing.on_change,
    types.TEXT_DOCUMENT_DID_SAVE: syncing.on_save,
    types.TEXT_DOCUMENT_DID_CLOSE: syncing.on_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: syncing.on_watched,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: syncing.on_progress_cancel,
    types.TEXT_DOCUMENT_HOVER: features.on_hover,
    types.TEXT_DOCUMENT_DEFINITION: features.on_definition,
    types.TEXT_DOCUMENT_REFERENCES: features.on_references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: features.on_highlight,
    types.TEXT_DOCUMENT_COMPLETION: features.on_completion,
    types.COMPLETION_ITEM_RESOLVE: features.on_completion_resolve,
    types.TEXT_DOCUMENT_SIGNATURE_HELP: features.on_signature_help,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: features.on_symbols,
    types.TEXT_DOCUMENT_FOLDING_RANGE: features.on_folding,
    types.TEXT_DOCUMENT_SELECTION_RANGE: features.on_selection,
    types.TEXT_DOCUMENT_DOCUMENT_LINK: features.on_links,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: features.on_tokens,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: features.on_tokens_delta,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: features.on_tokens_range,
    types.TEXT_DOCUMENT_CODE_ACTION: features.on_code_action,
    types.TEXT_DOCUMENT_INLAY_HINT: features.on_hints,
    types.TEXT_DOCUMENT_CODE_LENS: features.on_lens,
    types.TEXT_DOCUMENT_DIAGNOSTIC: features.on_pull,
}
"""Every method of ours; `lsp.server` says which are announced, and how."""
