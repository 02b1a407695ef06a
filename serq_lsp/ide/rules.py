"""The rules about files, settings and directives: what is wrong around a program rather than in it."""

from __future__ import annotations

from serq_lsp.diag.model import Rule, Severity

FILE = Rule("unreadable-file", Severity.ERROR, "a file cannot be read as a serQ program")
SETTINGS = Rule("bad-settings", Severity.WARNING, "`serq.toml` says something that is not understood")
DIRECTIVE = Rule("bad-directive", Severity.WARNING, "a `// serq:` comment says something that is not understood")
REASON = Rule("ignore-without-reason", Severity.WARNING, "an `ignore` comment gives no reason")
RULE_NAME = Rule("unknown-rule", Severity.WARNING, "a rule is named that does not exist")

RULES = (FILE, SETTINGS, DIRECTIVE, REASON, RULE_NAME)
"""All rules of this room; those of programs are `checks.all.RULES`."""
