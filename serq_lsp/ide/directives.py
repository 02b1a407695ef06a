"""Comments that are meant for the tools: `// serq: run …`, `// serq: ignore …`, `// serq: edition …`.

Every serQ tool reads a program that holds them, for they are comments. Directives of other modules (`expect`, `buckets`,
`phase-isolated`, `sub-block`) are left to those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.diag.model import Finding
from serq_lsp.diag.spelling import nearest
from serq_lsp.ide.rules import DIRECTIVE, REASON
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.syntax.tree import Node, Tree

OURS = ("run", "ignore", "edition")
OTHERS = ("expect", "buckets", "phase-isolated", "sub-block")
RUN_NAMES = ("horizon", "seed", "warmup", "arrivals", "trace")
EDITIONS = ("classic", "engine", "current")

_DIRECTIVE = r"//\s*serq:\s*(?P<word>[\w-]*)\s*(?P<rest>.*?)\s*$"  # compiled when first used
_PAIR = r"(?P<name>[^\W\d]\w*)\s*=\s*(?P<value>[^\s=]+)"
_IGNORE = r"(?P<rules>[\w-]+(?:\s*,\s*[\w-]+)*)?\s*(?P<because>\bbecause\b\s*(?P<reason>.*))?$"


class Ignore(NamedTuple):
    """Findings of `rule` are dropped where they begin in `where` (None: in the whole file); `span` is the rule's name."""

    rule: str
    span: Span
    where: Span | None


class Setting(NamedTuple):
    """`name=value` of a `run` directive: a setting of RUN_NAMES or a constant, as text, and where it stands."""

    name: str
    value: str
    span: Span


class Directives(NamedTuple):
    """What the comments of one file say, in order; `findings` are about those that are not understood.

    Those in `stops` are about settings of a run: the program is not run with others than its author means.
    """

    run: tuple[Setting, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    findings: tuple[Finding, ...] = ()
    stops: tuple[Finding, ...] = ()


def directives(tree: Tree) -> Directives:
    """Return what the comments of a file say.

    An `ignore` behind code is for that line; on a line of its own it is for the next line with code, and before the
    first code of the file for the whole file.
    """
    run: list[Setting] = []
    ignores: list[Ignore] = []
    findings: list[Finding] = []
    stops: list[Finding] = []
    if "serq:" not in tree.source.text:
        return Directives()
    for comment in _comments(tree.root):
        text = tree.text(comment).rstrip("\r")
        it = re.match(_DIRECTIVE, text)
        if it is None:
            continue
        reader = _Reader(tree, comment, it)
        match it["word"]:
            case "run":
                run += reader.run(stops)
            case "ignore":
                ignores += reader.ignore(findings)
            case "edition":
                reader.edition(findings)
            case word if word not in OTHERS:
                reader.unknown(word, findings)
    return Directives(tuple(run), tuple(ignores), (*findings, *stops), tuple(stops))


class _Reader:
    """One directive: the comment, and the match of `_DIRECTIVE` in its text."""

    def __init__(self, tree: Tree, comment: Node, match: re.Match[str]) -> None:
        self._tree = tree
        self._comment = comment
        self._match = match
        self._rest = match["rest"]
        self._at = comment.start + match.start("rest")

    def run(self, findings: list[Finding]) -> Iterator[Setting]:
        """Yield the settings of `run name=value …`."""
        done = 0
        for it in re.finditer(_PAIR, self._rest):
            if self._rest[done : it.start()].strip():
                break
            done = it.end()
            yield Setting(it["name"], it["value"], self._span(it.start(), it.end()))
        if self._rest[done:].strip() or not done:
            findings.append(
                self._finding(
                    "`run` is followed by settings as `name=value`, without blanks in a value",
                    self._span(done + len(self._rest[done:]) - len(self._rest[done:].lstrip()), len(self._rest)),
                    "write for example `// serq: run horizon=20 seed=1 Lambda=0.5`",
                )
            )

    def ignore(self, findings: list[Finding]) -> Iterator[Ignore]:
        """Yield what `ignore rule[, rule] because reason` drops; without a reason it drops nothing."""
        it = re.match(_IGNORE, self._rest)
        if it is None or not it["rules"] or it["rules"] == "because":
            findings.append(self._finding("`ignore` names no rule", self._word(), _IGNORE_HELP))
            return
        if not it["because"] or not it["reason"].strip():
            findings.append(
                Finding(
                    REASON,
                    self._path,
                    self._word(),
                    "this `ignore` gives no reason, so it has no effect",
                    help=_IGNORE_HELP,
                )
            )
            return
        where = self._where()
        for rule in re.finditer(r"[\w-]+", it["rules"]):
            yield Ignore(rule[0], self._span(rule.start(), rule.end()), where)

    def edition(self, findings: list[Finding]) -> None:
        """Check `edition name`; `lang.editions` is what reads it."""
        if self._rest not in EDITIONS:
            near = nearest(self._rest, EDITIONS)
            hint = f"did you mean `{near}`?" if near else f"the editions are {', '.join(EDITIONS)}"
            findings.append(self._finding(f"no edition is called `{self._rest}`", self._word(), hint))

    def unknown(self, word: str, findings: list[Finding]) -> None:
        """Report a word that no tool knows."""
        near = nearest(word, (*OURS, *OTHERS))
        hint = f"did you mean `{near}`?" if near else f"known are {', '.join((*OURS, *OTHERS))}"
        findings.append(self._finding(f"no directive is called `{word}`", self._word(), hint))

    @property
    def _path(self) -> str:
        return self._tree.source.path

    def _span(self, start: int, end: int) -> Span:
        return Span(self._at + start, self._at + end)

    def _word(self) -> Span:
        start = self._comment.start + self._match.start("word")
        return Span(start, max(start, self._comment.start + len(self._match[0].rstrip())))

    def _where(self) -> Span | None:
        lines = self._tree.source.lines
        line = lines.locate(self._comment.start).line
        if self._tree.source.text[lines.line_start(line) : self._comment.start].strip():
            return Span(lines.line_start(line), lines.line_end(line))
        code = [it for it in self._tree.root.children if it.kind != "comment"]
        if not code or self._comment.start < code[0].start:
            return None
        after = _next_code(self._tree.root, self._comment.end)
        if after is None:
            return Span(self._comment.end, self._comment.end)
        line = lines.locate(after).line
        return Span(lines.line_start(line), lines.line_end(line))

    def _finding(self, message: str, span: Span, hint: str) -> Finding:
        return Finding(DIRECTIVE, self._path, span, message, help=hint)


_IGNORE_HELP = "write `// serq: ignore rule-id because …`, with the reason for the next reader"


def _comments(root: Node) -> Iterator[Node]:
    """Yield the comments of a tree in text order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind == "comment":
            yield node
        stack.extend(reversed(node.children))


def _next_code(root: Node, offset: int) -> int | None:
    """Return where the first token that is no comment begins, from `offset` on."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.end <= offset or node.kind == "comment":
            continue
        if not node.children and node.start >= offset and node.end > node.start:
            return node.start
        stack.extend(reversed(node.children))
    return None
