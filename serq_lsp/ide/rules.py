"""The rules about files, settings and directives: what is wrong around a program rather than in it."""

from __future__ import annotations

from serq_lsp.diag.model import Rule, Severity

FILE = Rule("unreadable-file", Severity.ERROR, "a file cannot be read as a serQ program")
SETTINGS = Rule("bad-settings", Severity.WARNING, "`serq.toml` says something that is not understood")
DIRECTIVE = Rule("bad-directive", Severity.WARNING, "a `// serq:` comment says something that is not understood")
REASON = Rule("ignore-without-reason", Severity.WARNING, "an `ignore` comment gives no reason")
RULE_NAME = Rule("unknown-rule", Severity.WARNING, "a rule is named that does not exist")
UNUSED = Rule("unused-ignore", Severity.WARNING, "an `ignore` comment matches no finding")
TRACE = Rule(
    "trace-cannot-read", Severity.WARNING, "the recorded log that a workload replays cannot be read", refuses=False
)
CANNOT_LOWER = Rule(
    "cannot-lower", Severity.ERROR, "a program has no kernel form, for a reason that no other rule puts into words"
)
UNSUPPORTED = Rule("not-runnable-yet", Severity.ERROR, "a sound program uses something that cannot be run yet")

RULES = (FILE, SETTINGS, DIRECTIVE, REASON, RULE_NAME, UNUSED, TRACE, CANNOT_LOWER, UNSUPPORTED)
"""All rules of this room; those of programs are `checks.all.RULES`."""
