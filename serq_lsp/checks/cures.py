"""What a syntax fault was probably meant to be: words for the message's help, and the edits of a fix.

Each cure knows a form that other languages have, or a word of another edition; a misspelt word has the nearest ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.diag.spelling import nearest
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import by_word
from serq_lsp.text.edits import Edit
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serq_lsp.syntax.strict import SyntaxFault
    from serq_lsp.syntax.tokens import Token
    from serq_lsp.syntax.tree import Tree


class Cure(NamedTuple):
    """How a fault may be mended: `help` for the reader, `title` and `edits` of the fix; no edits where none is sure."""

    help: str | None
    title: str = ""
    edits: tuple[Edit, ...] = ()


_FOREIGN = {
    "record": "observe", "measure": "observe", "emit": "observe", "var": "let", "const": "let", "import": "use",
    "include": "use", "func": "fn", "function": "fn", "capacity": "cap", "size": "cap", "limit": "cap", "sleep": "tool",
    "wait": "tool", "client": "workload", "clients": "workload", "eviction": "evict", "preemption": "preempt",
    "batch": "budget", "duration": "horizon", "spawn": "fork",
}  # fmt: skip
"""Words of other languages and what serQ writes; each counts where the word it names may stand."""
_WORD_OPERATORS = {"and": "&&", "or": "||"}
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
_MANY = 3
_OPERANDS = frozenset(("NAME", "NUMBER"))
_MODULO = "there is no `%`: write `x - floor(x / n) * n`"
_MARK = "\ufeff"


def cure(tree: Tree, tokens: Sequence[Token], at: int, fault: SyntaxFault, edition: Edition) -> Cure | None:
    """Return how to mend a fault, or None; `at` is the index of the first token that does not end before its span."""
    if fault.rule.startswith("lex-"):
        return _lexical(tokens, at, fault)
    for way in (_brace, _semicolon, _operator, _statement, _policy):
        if (told := way(tree, tokens, at, fault)) is not None:
            return told
    return _word(tree, fault, edition)


def _lexical(tokens: Sequence[Token], at: int, fault: SyntaxFault) -> Cure | None:
    if fault.found == _MARK:
        return Cure("save the file as UTF-8 without it", "Remove the byte-order mark", (Edit(fault.span, ""),))
    if fault.found != "%":
        return None
    before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
    plain = before is not None and after is not None and {before.kind, after.kind} <= _OPERANDS
    beside = {tokens[index].text for index in (at - 2, at + 2) if 0 <= index < len(tokens)}
    if not plain or before is None or after is None or beside & {".", "(", "[", "*", "/", "^"} - {"("}:
        return Cure(_MODULO)
    new = f"({before.text} - floor({before.text} / {after.text}) * {after.text})"
    return Cure(_MODULO, f"Write `{new}`", (Edit(Span(before.start, after.end), new),))


def _brace(tree: Tree, _tokens: Sequence[Token], _at: int, fault: SyntaxFault) -> Cure | None:
    """A `}` where the indentation wants it, a `{` at the end of its line."""
    if fault.expected == ("`{`",):
        return Cure(None, "Insert `{`", (Edit(Span(fault.after, fault.after), " {"),))
    if not fault.opened or not (fault.found or fault.expected == ("`}`",)):
        if "{" in fault.could and fault.found[:1].isalpha() and fault.found not in _WORD_OPERATORS:
            return Cure("the block needs its `{`", "Insert `{`", (Edit(Span(fault.after, fault.after), " {"),))
        return None
    text = tree.source.text
    new = ""
    for brace in fault.opened:
        line = text[text.rfind("\n", 0, brace.start) + 1 :]
        new += "\n" + line[: len(line) - len(line.lstrip(" \t"))] + "}"
    return Cure(None, "Insert `}`", (Edit(Span(fault.after, fault.after), new),))


def _semicolon(_tree: Tree, _tokens: Sequence[Token], _at: int, fault: SyntaxFault) -> Cure | None:
    if fault.expected != ("`;`",):
        return None
    return Cure(None, "Insert `;`", (Edit(Span(fault.after, fault.after), ";"),))


def _operator(_tree: Tree, tokens: Sequence[Token], at: int, fault: SyntaxFault) -> Cure | None:
    """Operators that other languages write in another way."""
    if fault.found == "=" and "==" in fault.could:
        return Cure("a comparison is `==`", "Change to `==`", (Edit(fault.span, "=="),))
    sign = _WORD_OPERATORS.get(fault.found)
    if sign is not None and sign in fault.could:
        return Cure(f"write `{sign}`", f"Change to `{sign}`", (Edit(fault.span, sign),))
    before = tokens[at - 1] if at else None
    if before is None:
        return None
    if before.text == "not" and before.end == fault.after:
        return Cure("write `!`", "Change to `!`", (Edit(Span(before.start, fault.span.start), "!"),))
    if fault.found in _COMPARISONS and "&&" in fault.could:
        told = f"comparisons do not chain: write `a {fault.found} b && b {fault.found} c`"
        if at > 1 and before.kind in _OPERANDS and tokens[at - 2].text in _COMPARISONS:
            here = Span(fault.after, fault.after)
            return Cure(told, f"Insert `&& {before.text}`", (Edit(here, f" && {before.text}"),))
        return Cure(told)
    return None


def _statement(_tree: Tree, _tokens: Sequence[Token], _at: int, fault: SyntaxFault) -> Cure | None:
    """An assignment without its word, and `main` without `fn`."""
    word = "set" if "set" in fault.words else "let" if "let" in fault.words else ""
    here = Span(fault.span.start, fault.span.start)
    if fault.found == "=" and word and fault.span.end <= fault.after:
        return Cure(f"to give it a value, write `{word} … = …;`", f"Insert `{word}`", (Edit(here, f"{word} "),))
    if fault.found == "main" and "fn" in fault.words:
        return Cure("write `fn main()`", "Insert `fn`", (Edit(here, "fn "),))
    return None


def _policy(_tree: Tree, tokens: Sequence[Token], at: int, fault: SyntaxFault) -> Cure | None:
    if at and tokens[at - 1].text == "evict" and "lru" in fault.could:
        return Cure("write `evict lru;`, or `evict by (…);` with a key: the largest goes first")
    return None


def _word(tree: Tree, fault: SyntaxFault, edition: Edition) -> Cure | None:
    """What a word was meant to be: one that is misspelt or not finished, one of other languages or of another edition."""
    word = tree.source.text[fault.span.start : fault.span.end]
    words = sorted(fault.words or {it[1:-1] for it in fault.expected if it[1:-1].isalpha()})
    if not word.isidentifier() or word in words:
        return None
    same = [it for it in words if any(one.is_in(edition) for one in by_word().get(it, ()))] or words
    foreign = _FOREIGN.get(word)
    near = foreign if foreign in same else nearest(word, same)
    begun = [it for it in same if it.startswith(word) and len(word) > 1]
    if len(begun) > 1 and foreign is None:
        shown = [f"`{it}`" for it in begun[:_MANY]]
        return Cure(f"did you mean {', '.join(shown[:-1])} or {shown[-1]}?")
    near = begun[0] if begun else near
    if near is not None:
        return Cure(f"did you mean `{near}`?", f"Change to `{near}`", (Edit(fault.span, near),))
    meanings = by_word().get(word, ())
    others = [it for it in Edition if any(one.is_in(it) for one in meanings)]
    if others and edition not in others:
        return Cure(f"`{word}` is a word of the {others[0].value} edition; this is read as {edition.value}")
    return None
