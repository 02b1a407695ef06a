"""Checker, interpreter and language server for serQ. One room a sub-package; docs/architecture.md has the plan."""
