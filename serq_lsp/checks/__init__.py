"""Rules: a module answers one question over one set of facts. Imports text, lang, diag, syntax, sema, ir."""
