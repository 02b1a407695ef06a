"""The table of words and forms, editions, pages and citations: data and its loaders. Imports no other room."""
