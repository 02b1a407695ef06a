"""The language server: protocol, conversions, documents, scheduling, worker. Imports text, diag, ide and pygls."""
