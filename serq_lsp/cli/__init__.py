"""The commands of `serq`. Imports text, diag, ide (and lsp inside the function of `serq lsp` only)."""
