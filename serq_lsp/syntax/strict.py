"""The strict second opinion: the exact place of each syntax fault, and what was expected there.

The machine of automaton.py never runs over sound text: for an `ERROR` or missing node of the tree it runs from the
smallest statement, item or option around it, and stops at the first token that cannot stand where it is.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.syntax.automaton import Automaton, tables
from serq_lsp.syntax.expected import TOP, brace_end, containers, describe, forms
from serq_lsp.syntax.slugs import NAME_OF_DEFINITION, Place, first_words, slug, unknown_word
from serq_lsp.syntax.tokens import BAD, NAME, LexicalFault, Token, lex
from serq_lsp.syntax.walk import paths
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serq_lsp.syntax.tree import Node, Tree

MAX_FAULTS = 200
"""More syntax faults than this are not looked for in one file; `faults` then returns exactly so many."""


class StrictFault(NamedTuple):
    """Where the strict grammar stops.

    `token` is the token that cannot stand there (None: the text ends too early), `expected` what could, in words, and
    `accepted` the same as the grammar's terminals.
    """

    token: Token | None
    expected: tuple[str, ...]
    accepted: frozenset[str]


@dataclass(frozen=True)
class SyntaxFault:
    """One mistake in the form of a text.

    `rule` is a slug of the reference (classic.md 12.3, engine-rules-1.md; slugs.py). `span` is the token that cannot
    stand there (empty at the end of the text), `found` its text, `after` the end of the token before it: where
    something missing belongs. `expected` is what could stand there, in words. `container` is the kind of the list it
    stands in (`block`, `pool`, …), `definition` the `def` around it. `words` are the words of the language that could
    stand where the span is, to suggest one for a misspelt word. `could` are all terminals that could stand instead of
    what was found, by their text. `opened` are the braces that lack their `}` here, the innermost first.
    `next` is what stands on a later line than the mistake, where that line's end is marked. `unread` is a block behind
    an unknown word, or behind none: what stands in it is not judged.
    """

    rule: str
    span: Span
    found: str
    after: int
    expected: tuple[str, ...]
    container: str
    definition: Node | None
    words: frozenset[str] = frozenset()
    could: frozenset[str] = frozenset()
    opened: tuple[Span, ...] = ()
    next: Span | None = None
    unread: Span | None = None


def check(text: str, start: str = TOP) -> StrictFault | LexicalFault | None:
    """Return the first fault of a text by the strict grammar, or None if it is sound."""
    tokens, faults = lex(text)
    found = _run(tokens, start, _END_OF_TEXT)
    if faults and (found is None or found.token is None or found.token.start >= faults[0].span.start):
        return faults[0]
    return found


_END_OF_TEXT = "the end of the file"


def _run(
    tokens: Sequence[Token], start: str, end: str, lacking: Mapping[int, str] = MappingProxyType({})
) -> StrictFault | None:
    """Return where the machine stops; None if it takes all tokens and may end, or comes to the list's own `}`.

    It stops before a token at whose place, by its start, something is `lacking` (a sign).
    """
    machine = Automaton(start)
    for index, token in enumerate(tokens):
        if index and (sign := lacking.get(token.start)) is not None:
            accepted = machine.accepts()
            sure = tables().terminals.get(sign) in accepted
            return StrictFault(token, (f"`{sign}`",) if sure else describe(accepted, end), accepted)
        if machine.feed(token):
            continue
        if token.text == "}" and end != _END_OF_TEXT and machine.may_end():
            return None
        accepted = machine.accepts()
        return StrictFault(token, describe(accepted, end), accepted)
    if machine.may_end():
        return None
    accepted = machine.accepts()
    return StrictFault(None, describe(accepted, end), accepted)


class _Last(NamedTuple):
    """The element that was looked at last, in which container, and up to where it was read."""

    container: Node
    element: Node
    until: int


class _Search:
    """The search through one tree: its tokens, and what was found so far."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tokens, lexical = lex(tree.source.text)
        self._starts = [token.start for token in self._tokens]
        self._depths = list(accumulate((token.text == "{") - (token.text == "}") for token in self._tokens))
        self._defined = frozenset(name.text for word, name in pairwise(self._tokens) if word.text == "def")
        self._last: _Last | None = None
        self._open: tuple[Span, ...] = ()
        self._unjudged: list[Span] = []
        put_in: dict[int, str] = {}
        for offset, text in tree.put_in:
            put_in[bisect_left(self._starts, offset)] = put_in.get(bisect_left(self._starts, offset), "") + text
        self._lacking = {
            self._starts[index]: signs[0]
            for index, signs in put_in.items()
            if index < len(self._starts) and not set(signs) & set('{}"')
        }
        self.found = [self._lexical(fault) for fault in lexical[:MAX_FAULTS]]
        open_ended = [fault.span.start for fault in lexical if fault.rule.endswith("-open")]
        self.end = min(open_ended, default=len(tree.source.text) + 1)

    def _lexical(self, fault: LexicalFault) -> SyntaxFault:
        """Return a lexical fault as a syntax fault."""
        path = self._tree.path_at(fault.span.start)
        container = next(node for node in reversed(path) if node.kind in containers() or node is path[0])
        text = self._tree.source.text[fault.span.start : fault.span.end]
        return SyntaxFault(fault.rule, fault.span, text, fault.span.start, (), container.kind, _definition(path))

    def look(self, path: Sequence[Node]) -> None:
        """Find the fault that an `ERROR` or missing node stands for, if none found before stands for it too."""
        container, element = place_of(path)
        if any(it.start <= path[-1].start < it.end for it in self._unjudged):
            return
        if self.found and self._is_astray(path, element):
            return
        if self._head(path, container, element):
            return
        if path[-1].missing and path[-1].kind in ("{", "}") and self._brace(path):
            return
        if self._goes_on(container, element):
            return
        first = bisect_left(self._starts, element.start)
        start = containers().get(container.kind, "in_main")
        end = _END_OF_TEXT if container is path[0] else "`}`"
        fault = _run(self._tokens[first:], start, end, self._lacking)
        if fault is None:
            return
        until = len(self._tree.source.text) if fault.token is None else fault.token.start
        self._last = _Last(container, element, max(until, element.end))
        if fault.token is None or fault.token.kind != BAD:
            self._add(path, container, element, fault)

    def _head(self, path: Sequence[Node], container: Node, element: Node) -> bool:
        """Find the fault that an unknown word before a block or declaration is: the word alone, whatever follows it."""
        word = path[-1]
        if word.kind != "ERROR" or word is element or word not in element.children[:1]:
            return False
        start = containers().get(container.kind, "in_main")
        at = bisect_left(self._starts, word.start)
        if self._tokens[at].kind != NAME or self._tokens[at].end != word.end:
            return False
        if any(it.span == word.span for it in self.found):
            return True
        expected = describe(Automaton(start).accepts(), "the end of the file" if container.kind == TOP else "`}`")
        after = self._tokens[at - 1].end if at else 0
        words = first_words(start)
        rule = unknown_word(start, word.text)
        self._unjudged.append(element.span)
        fault = SyntaxFault(rule, word.span, word.text, after, expected, container.kind, _definition(path), words)
        self.found.append(replace(fault, unread=element.span))
        return True

    def _brace(self, path: Sequence[Node]) -> bool:
        """Find the fault that a missing brace in the middle of the text is; say False for one that other means tell.

        A missing `}` stands where the indentation wants it (repair.py), and the fault names the `{` that it closes.
        """
        node, block = path[-1], path[-2]
        at = bisect_left(self._starts, node.end)
        on_line = at < len(self._tokens) and "\n" not in self._tree.source.text[node.end : self._starts[at]]
        if on_line or (node.kind == "{" and at == len(self._tokens)):
            return False
        if node.kind == "{":
            opened: tuple[Span, ...] = ()
        else:
            opened = tuple(it.span for it in block.children if it.kind == "{" and not it.missing)[:1]
            self._open = (*self._open, *opened)
            if at == len(self._tokens):
                return False
        token = self._tokens[at]
        span = Span(token.start, token.end)
        again = next((index for index, it in enumerate(self.found) if span in {it.span, it.next}), None)
        if again is not None:
            if self.found[again].opened:
                self.found[again] = replace(self.found[again], opened=(*self.found[again].opened, *opened))
            return True
        after = self._tokens[at - 1].end if at else 0
        holder = next((it.kind for it in reversed(path[:-1]) if it.kind in containers()), TOP)
        expected = (f"`{node.kind}`",)
        fault = SyntaxFault("expected-token", span, token.text, after, expected, holder, _definition(path))
        owner = fault.definition
        if node.kind == "{":
            fault = replace(fault, span=Span(after, after), next=span)
        elif owner is not None and block in (owner, owner.child("body")):
            fault = replace(fault, rule="def-not-closed", span=(owner.child("name") or owner).span, next=span)
        self.found.append(replace(fault, opened=opened, could=frozenset((node.kind,))))
        return True

    def _add(self, path: Sequence[Node], container: Node, element: Node, fault: StrictFault) -> None:
        """Add what the machine found when it ran from the element's begin."""
        first = bisect_left(self._starts, element.start)
        last = len(self._tokens) if fault.token is None else bisect_left(self._starts, fault.token.start)
        definition = _definition(path)
        begun, left = forms(fault.accepted)
        texts = tables().texts
        could = frozenset(texts.get(name, name) for name in left)
        ends_body = (
            definition is not None and container is definition.child("body") and element.start > first_of(container)
        )
        start = containers().get(container.kind, "in_main")
        rest = self._tokens[first:]
        told = slug(Place(start, rest[: last - first], fault.token, could, begun, rest, self._defined, ends_body))
        unread = self._left_out(rest) if told.mark == 0 or last == first else None
        if told.mark == NAME_OF_DEFINITION and definition is not None:
            span = (definition.child("name") or definition).span
        else:
            marked = rest[told.mark] if told.mark is not None and told.mark < len(rest) else fault.token
            size = len(self._tree.source.text)
            span = Span(size, size) if marked is None else Span(marked.start, marked.end)
        if any(span in {it.span, it.next} for it in self.found) or (fault.token is None and self._ended()):
            return
        after = self._tokens[last - 1].end if last else 0
        found = "" if fault.token is None else fault.token.text
        words = (
            first_words(start)
            if told.mark == 0
            else frozenset(filter(str.isalpha, could - {"NAME", "NUMBER", "STRING"}))
        )
        if told.mark is None and begun:
            words = words.union(*(first_words(form) for form in begun))
        every = frozenset(texts.get(name, name) for name in fault.accepted)
        new = SyntaxFault(
            told.rule, span, found, after, fault.expected, container.kind, definition, words, every, unread=unread
        )
        self.found.append(self._at_line_end(new) if told.mark is None else new)

    def _ended(self) -> bool:
        """Say whether a fault at the end of the text is found already: what else is open there is the same mistake."""
        return any(not it.found and it.expected for it in self.found)

    def _left_out(self, rest: Sequence[Token]) -> Span | None:
        """Leave out what the braces behind an unknown first word hold: what may stand there cannot be known."""
        depth = 0
        for token in rest:
            depth += (token.text == "{") - (token.text == "}")
            if depth < 0 or (depth == 0 and token.text == ";"):
                return None
            if depth == 0 and token.text == "}":
                self._unjudged.append(Span(rest[0].start, token.end))
                return self._unjudged[-1]
        return None

    def _at_line_end(self, fault: SyntaxFault) -> SyntaxFault:
        """Return a fault that is a missing semicolon at a line's end with its mark there."""
        between = self._tree.source.text[fault.after : fault.span.start]
        if "\n" not in between or not (fault.found[:1].isalpha() or fault.found == "}"):
            return fault
        lacks = self._lacking.get(fault.span.start)
        if ";" not in fault.could and lacks is None:
            return fault
        expected = ("`;`",) if ";" in fault.could else fault.expected
        return replace(fault, span=Span(fault.after, fault.after), expected=expected, next=fault.span)

    def with_open(self) -> list[SyntaxFault]:
        """Return the faults found in text order, those at the end of the text with the braces that are open there."""
        ends = len(self._tree.source.text)
        told = {span for it in self.found for span in it.opened}
        left = tuple(sorted((it for it in self._open if it not in told), reverse=True))
        found = [
            replace(it, opened=left) if not it.found and it.span.end == ends and it.expected else it
            for it in self.found
        ]
        return sorted(found, key=lambda it: it.span)

    def unexplained(self, path: Sequence[Node]) -> SyntaxFault:
        """Return the fault for a node that the strict grammar has nothing against."""
        container, _ = place_of(path)
        node = path[-1]
        expected = (f"`{node.kind}`",) if node.missing else ()
        text = self._tree.text(node)
        return SyntaxFault("expected-token", node.span, text, node.start, expected, container.kind, _definition(path))

    def _goes_on(self, container: Node, element: Node) -> bool:
        """Say whether an element only goes on with the fault found last: read already, or the rest of its line."""
        last = self._last
        if last is None or last.container is not container:
            return False
        if element.start < last.until:
            return True
        between = self._tree.source.text[last.until : element.start]
        return "\n" not in between and "ERROR" in (last.element.kind, element.kind)

    def _is_astray(self, path: Sequence[Node], element: Node) -> bool:
        """Say whether the text's braces match each other, but not those of the tree after a fault before this place."""
        if not self._depths or self._depths[-1] != 0:
            return False
        index = bisect_left(self._starts, element.start)
        depth = self._depths[index - 1] if index else 0
        return depth != sum(
            child.kind == "{" and child.end <= element.start for node in path for child in node.children
        )


def first_of(container: Node) -> int:
    """Return where the first element of a container begins (its end if it has none)."""
    return next((child.start for child in container.children if child.named and child.kind != "comment"), container.end)


def place_of(path: Sequence[Node]) -> tuple[Node, Node]:
    """Return the innermost container whose list holds the last node of a path, and the element that does."""
    for container, element in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
        if container.kind == TOP:
            return container, element
        brace = brace_end(container) if container.kind in containers() else None
        if brace is not None and element.start >= brace and element.kind not in ("{", "}"):
            return container, element
    return path[0], path[min(1, len(path) - 1)]


def _definition(path: Sequence[Node]) -> Node | None:
    return next((node for node in path if node.kind == "def"), None)


def faults(tree: Tree) -> list[SyntaxFault]:
    """Return all syntax faults of a tree in text order, one for each mistake; empty for a sound text.

    Nesting deeper than the tree goes is not one of them: `Tree.too_deep` says where that is.
    """
    if tree.sound:
        return []
    search = _Search(tree)
    strays: list[tuple[Node, ...]] = []
    for path in paths(tree, tree.faults()):
        if path[-1].start < search.end and len(search.found) < MAX_FAULTS:
            search.look(path)
            strays.append(path)
    if not search.found:
        return [search.unexplained(path) for path in strays[:1]]
    return search.with_open()
