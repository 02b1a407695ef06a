"""Rules that run small programs; the slow layer. Imports text, lang, diag, sema, checks, lower, ir, sim."""
