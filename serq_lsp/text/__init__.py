"""Positions, line tables, edits and the immutable Source. Imports no other room."""
