"""Is the text well formed? What cannot stand where it is, and what could (classic.md 12.3, lexical and parsing)."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from serq_lsp.checks.broken import syntax_faults
from serq_lsp.checks.commands import TRANSFER
from serq_lsp.checks.costreads import RECORD
from serq_lsp.checks.misplaced import ADMISSION, TAKING, in_request
from serq_lsp.checks.visits import first, visits_of
from serq_lsp.diag.model import FileEdit, Finding, Fix, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.symbols import Kind
from serq_lsp.syntax.tree import parse
from serq_lsp.text.edits import apply_edits
from serq_lsp.text.source import Source
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serq_lsp.checks.cures import Cure
    from serq_lsp.sema.model import Model
    from serq_lsp.sema.symbols import Use
    from serq_lsp.syntax.strict import SyntaxFault
    from serq_lsp.syntax.tree import Node, Tree
    from serq_lsp.text.edits import Edit

_ERROR, _CLASSIC, _ENGINE = Severity.ERROR, ("classic",), ("engine",)
EXPECTED_NAME = Rule("expected-name", _ERROR, "a name is wanted", aliases=("syn-identifier",))
UNKNOWN_STATEMENT = Rule("unknown-statement", _ERROR, "no statement begins so", aliases=("syn-unknown-statement",))
HOLD_ORDER = Rule(
    "hold-order",
    _ERROR,
    "the clauses of a hold are out of order, or there twice",
    aliases=("unknown-statement", "expected-token"),
)
RETIRED_STATEMENT = Rule(
    "retired-statement", _ERROR, "a statement or clause has a retired name", aliases=("stmt-retired", "hold-retired")
)
RULES = (
    Rule("lex-character", _ERROR, "a character begins no token", aliases=("lex-char",)),
    Rule("lex-number", _ERROR, "digits, dots and underscores that are no number"),
    Rule("lex-comment-open", _ERROR, "a block comment is never closed"),
    Rule("lex-string-open", _ERROR, "a quoted text is never closed"),
    Rule("expected-token", _ERROR, "a token stands where another is wanted", aliases=("syn-expected",)),
    EXPECTED_NAME,
    Rule(
        "expected-word",
        _ERROR,
        "one of a few words is wanted",
        aliases=("syn-expected", "pool-option-value", "arrive-kind"),
    ),
    Rule("expected-string", _ERROR, "a quoted text is wanted", aliases=("syn-string",)),
    Rule("expected-expression", _ERROR, "an expression is wanted", aliases=("syn-expression",)),
    Rule("expected-statement", _ERROR, "a statement begins with a word", aliases=("syn-statement",)),
    UNKNOWN_STATEMENT,
    HOLD_ORDER,
    RETIRED_STATEMENT,
    Rule("renamed-clause", _ERROR, "a clause has a name of an older edition", _CLASSIC, ("hold-retired",)),
    Rule("top-level-item", _ERROR, "no declaration begins so", aliases=("item-unknown",)),
    Rule("workload-item", _ERROR, "no clause of a workload begins so"),
    Rule("unknown-pool-option", _ERROR, "a pool has no such option", aliases=("pool-option",)),
    Rule("unknown-stage-kind", _ERROR, "a stage is of no such kind", aliases=("stage-kind",)),
    Rule("unknown-step-option", _ERROR, "a step stage has no such option", _CLASSIC),
    Rule("unknown-run-option", _ERROR, "a run has no such setting", _CLASSIC),
    Rule("iteration-statement", _ERROR, "an iteration body holds no such statement", _CLASSIC),
    Rule("iteration-exclusive", _ERROR, "an exclusive prefill inside an iteration body", _CLASSIC),
    Rule("serve-form", _ERROR, "`serve` names none of its orders", _CLASSIC),
    Rule("serve-only-exclusive", _ERROR, "`serve only` beside an exclusive prefill", _CLASSIC),
    Rule("queue-item", _ERROR, "a queue holds no such part"),
    Rule("engine-item", _ERROR, "an engine holds no such item", _ENGINE),
    Rule("engine-old-word", _ERROR, "a classic step option in an engine", _ENGINE),
    Rule("dev-resource-form", _ERROR, "a device's resource is neither a time nor a capacity", _ENGINE),
    Rule("dev-resource-empty", _ERROR, "a device's time without an expression", _ENGINE),
    Rule("sched-statement", _ERROR, "a schedule holds no such statement", _ENGINE),
    Rule("sched-serve", _ERROR, "the classic `serve` in a schedule", _ENGINE),
    Rule("sched-advance-running", _ERROR, "`advance` without `running`", _ENGINE),
    Rule("sched-admit-waiting", _ERROR, "`admit` without `waiting`", _ENGINE),
    Rule("sched-clause-order", _ERROR, "the clauses of a schedule's statement are out of order", _ENGINE),
    Rule("taking-empty", _ERROR, "`taking` names no pool", _ENGINE),
    Rule("req-parameters", _ERROR, "a request without parameters", _ENGINE),
    Rule("req-admission-form", _ERROR, "an `at admission` holds something else than bindings", _ENGINE),
    Rule("req-cache-empty", _ERROR, "a request's `cache` without an expression", _ENGINE),
    Rule("main-name", _ERROR, "a function is not called `main`", _ENGINE),
    Rule("main-unclosed", _ERROR, "`fn main` is never closed", _ENGINE),
    Rule("claim-form", _ERROR, "a claim is of none of its three forms"),
    Rule("share-policy", _ERROR, "`share` names no policy"),
    Rule("entry-call-form", _ERROR, "a call of a member names no entry", aliases=("call-bracket",)),
    Rule("aggregate-count-form", _ERROR, "the count of an aggregate is neither a number, a name nor in brackets"),
    Rule("def-body-missing", _ERROR, "a definition has no body"),
    Rule("def-not-closed", _ERROR, "the body of a definition is never closed", aliases=("def-unclosed",)),
    Rule("def-unmatched-bracket", _ERROR, "a bracket closes nothing", aliases=("def-unmatched",)),
    Rule("def-empty", _ERROR, "a definition of nothing", _CLASSIC),
    Rule("def-mixed-body", _ERROR, "a definition holds statements and an expression", _ENGINE),
    Rule("def-use-semicolon", _ERROR, "the use of a definition of statements lacks its semicolon"),
    Rule("def-use-not-closed", _ERROR, "the arguments of a use never end", _CLASSIC),
    Rule("def-argument-empty", _ERROR, "an argument is empty", aliases=("def-arg-empty",)),
)
_BY_ID = {it.id: it for it in (*RULES, TRANSFER, RECORD, ADMISSION, TAKING)}
"""By slug: also rules of other modules that the form of a text may break."""
_GENERAL = _BY_ID["expected-token"]
_LEXICAL = {
    "lex-character": "`{}` begins no token",
    "lex-number": "`{}` is no number",
    "lex-comment-open": "this comment is never closed",
    "lex-string-open": "this text is never closed",
}
_FIXED_MAX = 20
"""For so many faults of a file a fix is tried."""
_BRACES_MAX = 2
"""So many open braces are named."""
_SHOWN_MAX = 6
"""So many of the things that could stand at a place are named."""


def check(model: Model) -> Iterator[Finding]:
    """Yield the syntax faults of a program and its libraries."""
    used = {it.name: it for it in reversed(model.uses) if it.kind is Kind.DEF and not it.writes}
    yield from _caches(model)
    yield from _trailing(model)
    yield from _texts(model)
    yield from _unnamed(model)
    for tree, faults in syntax_faults(model):
        yield from _findings(tree, faults, used, model.edition)


def _caches(model: Model) -> Iterator[Finding]:
    """A `cache` by itself is the last item of a request; elsewhere it is a clause of a hold, before its lease."""
    for visit in visits_of(model, "request_cache"):
        if in_request(visit):
            continue
        before = [it.kind for it in visit.around[-1].children if it.end <= visit.node.start and it.named]
        if before[-1:] == ["hold"]:
            message = "after its block a hold has one `cache`, then one `lease`"
            yield Finding(HOLD_ORDER, model.path, first(visit.node), message)
        else:
            message = "no statement begins with `cache`: it is a clause of a hold, and the last item of a request"
            yield Finding(UNKNOWN_STATEMENT, model.path, first(visit.node), message)


def _trailing(model: Model) -> Iterator[Finding]:
    """After the comma of a request's parameter list comes a name."""
    for visit in visits_of(model, "parameters"):
        listed = visit.around[-1].kind == "engine_request"  # a definition may end its list with a comma
        if listed and visit.node.children and visit.node.children[-1].kind == ",":
            close = next((it for it in visit.around[-1].children if it.start >= visit.node.end), visit.node)
            yield Finding(EXPECTED_NAME, model.path, close.span, "a name expected, `)` found")


def _unnamed(model: Model) -> Iterator[Finding]:
    """An engine has a name, but for the one of a queue."""
    for visit in visits_of(model, "engine") if model.edition is not Edition.CLASSIC else ():
        if visit.node.child("name") is None and visit.inside("queue") is None:
            at = next((it for it in visit.node.children if it.kind == "on"), visit.node)
            if not at.missing:
                yield Finding(EXPECTED_NAME, model.path, at.span, "a name expected, `on` found")


def _texts(model: Model) -> Iterator[Finding]:
    """A quoted text is a file's or an input's name, and no value."""
    for visit in visits_of(model, "string"):
        if visit.node.field == "value" and visit.around[-1].kind in ("let", "set", "observe", "gauge", "claim"):
            yield Finding(_BY_ID["expected-expression"], model.path, visit.node.span, "a text is no value")


def _findings(tree: Tree, faults: Sequence[SyntaxFault], used: dict[str, Use], edition: Edition) -> Iterator[Finding]:
    """Yield the findings of one file; a fix is offered only where the text with it has fewer faults."""
    from serq_lsp.checks.cures import cure
    from serq_lsp.syntax.tokens import lex

    tokens = lex(tree.source.text)[0]
    starts = [it.end for it in tokens]
    for number, fault in enumerate(faults):
        told = cure(tree, tokens, bisect_right(starts, fault.span.start), fault, edition)
        sure = told is not None and number < _FIXED_MAX and _mends(tree, told.edits, fault, len(faults))
        yield _finding(tree, fault, used, told, sure=sure)


def _mends(tree: Tree, edits: Sequence[Edit], fault: SyntaxFault, before: int) -> bool:
    """Say whether the text with these edits lacks the fault and has no more of them than before.

    Another word or sign may bring to light a mistake further on, which the fault hid; something put in may not.
    """
    from serq_lsp.syntax.strict import faults

    if not edits:
        return False
    text = apply_edits(tree.source.text, edits)
    changed = parse(Source(tree.source.path, text))
    if changed.sound:
        return True
    left = faults(changed)
    replaces = all(it.span.end > it.span.start and it.text for it in edits)
    until = fault.span.end + len(text) - len(tree.source.text)
    return len(left) < before or (replaces and len(left) == before and all(not _at(it, fault, until) for it in left))


def _at(left: SyntaxFault, fault: SyntaxFault, until: int) -> bool:
    """Say whether a fault stands where another one stood, which ends at `until` after the edit."""
    return fault.after <= left.span.start <= until


def _finding(tree: Tree, fault: SyntaxFault, used: dict[str, Use], told: Cure | None, *, sure: bool) -> Finding:
    path = tree.source.path
    name = fault.definition.child("name") if fault.definition is not None else None
    unused = name is not None and name.text not in used and fault.definition is not None and not _spoils(tree, fault)
    notes = [Note("this `{` is not closed", path, it) for it in fault.opened[:_BRACES_MAX]]
    if fault.next is not None:
        notes.append(Note(f"`{_short(fault.found)}` begins something else", path, fault.next))
    fixes: tuple[Fix, ...] = ()
    if told is not None and sure:
        fixes = (Fix(told.title, tuple(FileEdit(path, it.span, it.text) for it in told.edits)),)
    return Finding(
        _BY_ID.get(fault.rule, _GENERAL),
        path,
        fault.span if fault.span.end > fault.span.start else _end(tree, fault),
        _message(fault),
        help=told.help if told is not None else None,
        notes=(*notes, *_used_here(name, used)),
        fixes=fixes,
        override=Severity.WARNING if unused else None,
    )


def _used_here(name: Node | None, used: dict[str, Use]) -> tuple[Note, ...]:
    """Return where the definition that a fault stands in is used: it is read there."""
    use = used.get(name.text) if name is not None else None
    return (Note("used here", use.path, use.span),) if use is not None else ()


def _spoils(tree: Tree, fault: SyntaxFault) -> bool:
    """Say whether a fault in a definition is one that the reference sees though nothing uses it: its own form."""
    if fault.rule.startswith(("def-", "lex-")) or fault.definition is None:
        return True
    if fault.container not in ("source_file", "main"):
        return False
    before = tree.source.text[fault.definition.start : fault.span.start]
    return "{" not in before and "=" not in before


def _message(fault: SyntaxFault) -> str:
    if fault.found == "\ufeff":
        return "a byte-order mark begins no token"
    if fault.rule in _LEXICAL:
        return _LEXICAL[fault.rule].format(_short(fault.found))
    found = f"`{_short(fault.found)}`" if fault.found else "the end of the file"
    some = fault.expected
    if not some:
        return f"{found} cannot stand here"
    if len(some) > _SHOWN_MAX:
        shown = ", ".join(some[:_SHOWN_MAX]) + ", …"
    else:
        shown = " or ".join([", ".join(some[:-1]), some[-1]] if len(some) > 1 else some)
    return f"{shown} expected, {found} found"


def _short(text: str) -> str:
    """Return the beginning of a token for a message."""
    line = text.split("\n", 1)[0]
    return line if len(line) <= 30 and line == text else line[:29] + "…"


def _end(tree: Tree, fault: SyntaxFault) -> Span:
    """Return where the end of the text is marked: its last character, so that it can be seen."""
    size = len(tree.source.text)
    return Span(fault.span.start, fault.span.end) if fault.span.start < size else Span(size, size)
