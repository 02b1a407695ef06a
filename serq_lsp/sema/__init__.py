"""Symbols, scopes, constants, names, types and moments: the Model of a file, as facts. Imports text, lang, syntax, ir."""
