"""The one tree (tree-sitter), the strict second parser (lark), typed views, walk, format. Imports text, lang, diag."""
