"""What may stand at a place, by the strict grammar: for messages and for completion."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from serq_lsp.syntax.automaton import END, Automaton, tables
from serq_lsp.syntax.tokens import NUMBER, Token, lex
from serq_lsp.syntax.tree import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serq_lsp.syntax.tree import Node, Tree
    from serq_lsp.text.source import Source

TOP = "source_file"
_IN = "in_"


_GROUPS = {
    "in_block": "a statement",
    "in_main": "an item",
    "in_pool": "a pool option",
    "in_step": "a step option",
    "in_iteration_block": "an iteration statement",
    "in_engine": "an engine item",
    "in_connector": "a connector clause",
    "in_schedule_block": "a schedule statement",
    "in_queue": "a queue part",
    "in_workload": "a workload clause",
    "in_run_block": "a run setting",
    "expression_alone": "an expression",
}
_PLAIN = {"NAME": "a name", "NUMBER": "a number", "STRING": "a quoted text"}
_AFTER_NAME = {"(", ".", "["}


@lru_cache(maxsize=1)
def containers() -> Mapping[str, str]:
    """Return the kinds of nodes that hold a list, in braces or as a whole file, and serq.lark's start symbol for it."""
    return {start.removeprefix(_IN): start for start in tables().starts if start.startswith(_IN)} | {TOP: "in_main"}


@lru_cache(maxsize=1)
def _groups() -> list[tuple[str, frozenset[str]]]:
    """Return each start symbol of a form and what may begin the form."""
    return [(start, Automaton(start).accepts() - {END}) for start in _GROUPS]


@lru_cache(maxsize=1)
def _operators() -> frozenset[str]:
    """Return the operators that may follow an operand."""
    machine = Automaton("expression_alone")
    machine.feed(Token(NUMBER, "1", 0, 1))
    return machine.accepts() - {END}


def forms(accepted: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the start symbols of the forms that may begin where the terminals may stand, and the terminals left.

    Operators that may go on with the expression before are left out where something else may follow it.
    """
    left = accepted
    begun = []
    for start, begins in _groups():
        if begins <= left:
            begun.append(start)
            left -= begins
    if _operators() < left:
        texts = tables().texts
        rest = left - _operators()
        left = frozenset(name for name in rest if texts.get(name) not in _AFTER_NAME) or left
    return tuple(begun), left


def describe(accepted: frozenset[str], end: str) -> tuple[str, ...]:
    """Return the terminals in words: forms first, then names and the like, then words and signs, sorted.

    Words and signs of the language stand in backquotes. `end` is what stands for the end of the list: the brace in backquotes, or `the end of the file`.
    """
    begun, left = forms(accepted)
    parts = [_GROUPS[start] for start in begun]
    if _operators() <= left:
        parts.append("an operator")
        left -= _operators()
    texts = tables().texts
    parts += [words for name, words in _PLAIN.items() if name in left]
    parts += sorted(f"`{texts[name]}`" for name in left if name in texts)
    return (*parts, end) if END in left else tuple(parts)


def expected_at(source: Source, offset: int, tree: Tree | None = None) -> frozenset[str]:
    """Return what may begin at a place, given the text before it: words and signs, `NAME`, `NUMBER`, `STRING`.

    The word or number that ends at `offset` (code points from 0) counts as not yet written. What comes after does not
    matter. Empty inside a comment or a string, and after text that the grammar does not take. `tree` is the tree of
    the source, if there is one already.
    """
    tokens = _written(lex(source.text[:offset])[0], source.text, offset)
    if tokens is None:
        return frozenset()
    path = (tree or parse(source)).path_at(offset)
    depth = sum((token.text == "{") - (token.text == "}") for token in tokens)
    if depth == sum(child.kind == "{" and child.end <= offset for node in path for child in node.children):
        for container, begin in reversed(_elements(path, offset)):
            machine = Automaton(containers()[container.kind])
            if all(machine.feed(token) for token in tokens if token.start >= begin):
                return _texts(machine, "" if container.kind == TOP else "}")
    machine = Automaton("in_main")
    return _texts(machine, "") if _skipping(machine, tokens) else frozenset()


def _texts(machine: Automaton, end: str) -> frozenset[str]:
    texts = tables().texts | {END: end}
    return frozenset(texts.get(name, name) for name in machine.accepts()) - {""}


def _skipping(machine: Automaton, tokens: Sequence[Token]) -> bool:
    """Run the machine over tokens of which some are wrong; say False if the last ones are.

    A statement that is wrong is left out, up to its semicolon or the end of its block.
    """
    good, skipping, depth = machine.copy(), False, 0
    for token in tokens:
        if not skipping and not machine.feed(token):
            machine.restore(good)
            skipping, depth = True, 0
        if skipping:
            depth += (token.text == "{") - (token.text == "}")
            skipping = depth > 0 or token.text not in (";", "}")
            if depth < 0 and not machine.feed(token):
                return False
        if not skipping and token.text in (";", "{", "}"):
            good = machine.copy()
    return not skipping


def _written(tokens: list[Token], text: str, offset: int) -> list[Token] | None:
    """Return the tokens before a place without the one that is being written; None where none can be written."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    if tokens and tokens[-1].kind == "BAD" and tokens[-1].text[0] in '"/':
        return None
    if "//" in line and not any(token.end > offset - len(line) + line.index("//") for token in tokens):
        return None
    if tokens and tokens[-1].end == offset and tokens[-1].kind in ("NAME", "NUMBER"):
        return tokens[:-1]
    return tokens


def _elements(path: Sequence[Node], offset: int) -> list[tuple[Node, int]]:
    """Return the containers around a place, each with the offset at which its element there begins."""
    found = []
    for node in path:
        if node.kind not in containers():
            continue
        brace = node.start if node.kind == TOP else brace_end(node)
        if brace is None or not brace <= offset:
            continue
        begins = [
            child.start for child in node.children if child.start >= brace and child.start < offset and child.named
        ]
        found.append((node, begins[-1] if begins else brace))
    return found


def brace_end(node: Node) -> int | None:
    """Return where the `{` of a container ends, or None if it lacks."""
    return next((child.end for child in node.children if child.kind == "{"), None)
