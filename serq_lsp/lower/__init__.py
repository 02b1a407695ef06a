"""From a sound model to the kernel IR, and which source span an IR node came from. Imports text, lang, syntax, sema, ir."""
