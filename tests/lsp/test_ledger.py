"""One owner of which file has which diagnostics."""

from __future__ import annotations

from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.lsp.ledger import Layer, Ledger
from serq_lsp.text.spans import Span

RULE = Rule("some-rule", Severity.ERROR, "a rule")


def finding(path: str, start: int, message: str = "m") -> Finding:
    """Return a finding of one character."""
    return Finding(RULE, path, Span(start, start + 1), message)


def test_a_result_of_an_older_version_is_refused() -> None:
    """C01: what a newer version found stands."""
    ledger = Ledger()
    ledger.put("a", Layer.STATIC, 5, {"a": [finding("a", 1)]}, {"a": 5})
    assert ledger.put("a", Layer.STATIC, 4, {"a": []}, {"a": 4}) == set()
    assert [it.span.start for it in ledger.list("a", 5)] == [1]


def test_a_fixed_error_changes_its_list() -> None:
    """C02: an empty list is to be sent."""
    ledger = Ledger()
    ledger.put("a", Layer.STATIC, 1, {"a": [finding("a", 1)]}, {"a": 1})
    assert ledger.put("a", Layer.STATIC, 2, {"a": []}, {"a": 2}) == {"a"}
    assert ledger.list("a", 2) == []


def test_findings_in_a_library_are_the_union_over_its_users_without_doubles() -> None:
    """What two programs find in a library is shown once; what only one finds goes with it."""
    ledger = Ledger()
    both, one = finding("lib", 3), finding("lib", 1)
    ledger.put("a", Layer.STATIC, 1, {"lib": [both]}, {"a": 1, "lib": 0})
    assert ledger.put("b", Layer.STATIC, 1, {"lib": [both, one]}, {"b": 1, "lib": 0}) == {"b", "lib"}
    assert ledger.list("lib", None) == [one, both]
    assert ledger.withdraw("b") == {"lib"}
    assert ledger.list("lib", None) == [both]


def test_findings_in_another_version_of_an_open_library_are_left_out() -> None:
    """Their places are those of a text that is gone."""
    ledger = Ledger()
    ledger.put("a", Layer.STATIC, 1, {"lib": [finding("lib", 3)]}, {"a": 1, "lib": 7})
    assert ledger.list("lib", 8) == []
    assert len(ledger.list("lib", 7)) == 1


def test_layers_do_not_mix() -> None:
    """C07: what a run found is withdrawn alone."""
    ledger = Ledger()
    ledger.put("a", Layer.STATIC, 1, {"a": [finding("a", 1, "static")]}, {"a": 1})
    ledger.put("a", Layer.RUN, 1, {"a": [finding("a", 2, "run")]}, {"a": 1})
    assert [it.message for it in ledger.list("a", 1)] == ["static", "run"]
    assert ledger.withdraw("a", Layer.RUN) == {"a"}
    assert [it.message for it in ledger.list("a", 1)] == ["static"]


def test_it_is_known_who_looks_at_a_file() -> None:
    """C03: users of a library are those whose check read it."""
    ledger = Ledger()
    ledger.put("a", Layer.STATIC, 1, {}, {"a": 1, "lib": 0})
    ledger.put("b", Layer.STATIC, 1, {}, {"b": 1})
    assert ledger.owners("lib") == {"a"}
