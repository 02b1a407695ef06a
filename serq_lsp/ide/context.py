"""What may be written at a place: found from the words before it, so that broken and half-typed text has an answer too.

The words are the leaves of the tree, read from the start of the text: braces say in which block the place lies, the
words since the last `;`, `{` or `}` which statement is being written and how far it is. What stands in a block, and
which clauses a statement takes, the construct table says (`where`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from serq_lsp.ide.forms import continuations, heads, reference_start
from serq_lsp.ide.moments import moment
from serq_lsp.lang.editions import Edition
from serq_lsp.lang.table import standing, vocabulary
from serq_lsp.sema.supplied import functions

if TYPE_CHECKING:
    from serq_lsp.ide.forms import Next
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.table import Construct
    from serq_lsp.syntax.tree import Node, Tree


class Wanted(Enum):
    """What kind of thing may be written."""

    STATEMENT = "statement"
    WORD = "word"
    CLAUSE = "clause"
    EXPRESSION = "expression"
    POOL = "pool"
    STAGE = "stage"
    DEVICE = "device"
    OWNER = "owner"
    QUEUE = "queue"
    SOURCE = "source"
    ASSIGNED = "assigned"
    RESOURCE = "resource"
    OBSERVATION = "observation"
    DRAW = "draw"
    MEMBER = "member"
    NOTHING = "nothing"


class Spot(NamedTuple):
    """A place to write at: `start` is where the word under the cursor begins.

    `contexts` are those of the table for the block around, `within` those of all open blocks (with the first words that
    opened them), `statement` the words of the statement so far, `constructs` the clauses that may come next, `following`
    what comes next of forms that have begun. Of a member, `owner` is the word before the dot and `member` what the
    whole reference names. An expression is read at `moment`, as `ide.moments` says; `indexes` where it is an index.
    """

    wanted: Wanted
    start: int
    contexts: tuple[str, ...] = ()
    statement: tuple[str, ...] = ()
    constructs: tuple[Construct, ...] = ()
    owner: str = ""
    following: tuple[Next, ...] = ()
    member: Wanted | None = None
    moment: str | None = None
    indexes: bool = False
    within: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Block:
    """An open block: what its contexts are, and the statement that was being written when it opened."""

    contexts: tuple[str, ...]
    outer: list[str] = field(default_factory=list)


_STEPS = {"stage", "serve", "nic"}
_GOES_ON = {"else", "cache", "lease"}
"""Words that go on with the statement whose block has just closed."""
_NAMED = {
    "POOL": Wanted.POOL,
    "STAGE": Wanted.STAGE,
    "ENGINE": Wanted.STAGE,
    "DEVICE": Wanted.DEVICE,
    "OWNER": Wanted.OWNER,
    "OBSERVATION": Wanted.OBSERVATION,
    "P": Wanted.QUEUE,
    "D": Wanted.QUEUE,
}
"""What the capitals in the table's forms stand for; any other is a name that is not there yet."""
_AFTER = {
    "from": Wanted.SOURCE,
    "to": Wanted.POOL,
    "set": Wanted.ASSIGNED,
    "hidden": Wanted.ASSIGNED,
}
"""What a name stands for behind words whose forms do not say it."""
_REFERENCES = {*_NAMED.values(), *_AFTER.values()}
_ENDS = 2
"""So many queues a relation has, its first arguments."""
_APART = {"retired", "idiom", "operator"}
_OPERATORS = {"=", "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!", "?", ",", ":", "("}
_TAKES = {"pool": Wanted.POOL, "stage": Wanted.STAGE, "observation": Wanted.OBSERVATION, "value": Wanted.EXPRESSION,
          "resources": Wanted.RESOURCE}  # fmt: skip


def spot(snapshot: Snapshot, path: str, offset: int) -> Spot:
    """Return what may be written at a place; inside comments, strings and numbers nothing."""
    tree = snapshot.tree(path)
    edition = snapshot.edition(path)
    leaf = tree.path_at(offset)[-1]
    inside = leaf.start < offset <= leaf.end
    start = leaf.start if inside and (leaf.text.isidentifier() or leaf.kind == "name") else offset
    if (inside and leaf.kind in {"string", "number"} and offset <= leaf.end) or _in_comment(leaf, offset):
        return Spot(Wanted.NOTHING, start)
    blocks, statement, closed = _read(tree, start, _top(snapshot, path, edition))
    found = _spot(blocks[-1].contexts, statement, edition, closed=closed)
    opened = [it.outer for it in blocks]
    within = frozenset(word for it in blocks for word in (*it.contexts, *it.outer[:1]))
    when = moment(blocks[-1].contexts, statement, edition, [*opened, statement])
    return found._replace(start=start, moment=when, within=within)


def _in_comment(leaf: Node, offset: int) -> bool:
    if leaf.kind != "comment" or not leaf.start < offset:
        return False
    return offset < leaf.end or not leaf.text.endswith("*/")


def _top(snapshot: Snapshot, path: str, edition: Edition | None) -> tuple[str, ...]:
    """Return the contexts of a file's top level."""
    if snapshot.detection(path).kind == "workload":
        return ("workload-file",)
    if edition is Edition.CLASSIC:
        return ("items",)
    return ("file",) if edition else ("items", "file")


def _read(tree: Tree, end: int, top: tuple[str, ...]) -> tuple[list[_Block], list[str], bool]:
    """Return the blocks around `end`, the words of the statement before it, and whether its block has just closed."""
    blocks = [_Block(top)]
    statement: list[str] = []
    closed = False
    for word in _words(tree.root, end):
        if word == "{":
            blocks.append(_Block(_inside(blocks[-1].contexts, statement), statement))
            statement, closed = [], False
        elif word == "}":
            statement = blocks.pop().outer if len(blocks) > 1 else []
            closed = True
        elif word == ";":
            statement, closed = [], False
        else:
            if closed and word not in _GOES_ON:
                statement = []
            closed = False
            statement = [*statement, word] if len(statement) < 2 else _append(statement, word)
    return blocks, statement, closed


def _append(statement: list[str], word: str) -> list[str]:
    statement.append(word)
    return statement


def _words(root: Node, end: int) -> list[str]:
    """Return the words and signs that end at or before `end`."""
    found: list[str] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.start >= end or node.kind == "comment":
            continue
        if node.children:
            stack.extend(reversed(node.children))
        elif node.end <= end and node.text.strip():
            found.append(node.text)
    return found


def _inside(around: tuple[str, ...], statement: list[str]) -> tuple[str, ...]:
    """Return the contexts of a block that a statement opens."""
    first = statement[0] if statement else ""
    if first in _STEPS and "step" in statement:
        return ("step",)
    if first == "at" or statement[-2:] == ["at", "admission"] or first in {"Size", "Cost"}:
        return ()
    if around == ("queue",) and first not in _blocks():
        return ("entry",)
    if first == "request" and around != ("engine",):
        return around
    return (_blocks()[first],) if first in _blocks() else around


def _spot(contexts: tuple[str, ...], statement: list[str], edition: Edition | None, *, closed: bool) -> Spot:
    """Return what may be written behind a statement's words; where the word begins and what is around is not set."""
    base = Spot(Wanted.NOTHING, 0, contexts, tuple(statement))
    if not statement or closed:
        clauses = tuple(it for it in _clauses(contexts, statement, edition) if it.words[:1] and it.words[0] in _GOES_ON)
        return base._replace(wanted=Wanted.STATEMENT, constructs=clauses)
    last = statement[-1]
    if last == ".":
        return base._replace(wanted=Wanted.MEMBER, **_member(contexts, statement, edition))
    if last == "~":
        return base._replace(wanted=Wanted.DRAW)
    if (inner := _open_call(statement)) is not None:
        return base._replace(wanted=_argument(inner, last, edition), indexes=inner[0] == "[")
    roles = _roles(contexts, statement, edition)
    if roles:
        return base._replace(wanted=Wanted.WORD, constructs=roles)
    if last == "share":
        return base._replace(wanted=Wanted.WORD, constructs=standing("share", edition))
    following = _following(contexts, statement, edition)
    words = tuple(it for it in following if it.words)
    comes = _named(statement, following) or _next(contexts, statement, edition)
    if comes in _REFERENCES:
        return base._replace(wanted=comes, following=words)
    clauses = _clauses(contexts, statement, edition)
    if words:
        return base._replace(wanted=Wanted.WORD, following=words, constructs=() if last in _OPERATORS else clauses)
    if last in {*_OPERATORS, "in"}:
        return base._replace(wanted=Wanted.EXPRESSION)
    return base._replace(wanted=comes) if comes else base._replace(wanted=Wanted.CLAUSE, constructs=clauses)


def _member(contexts: tuple[str, ...], statement: list[str], edition: Edition | None) -> dict[str, Any]:
    """Return what stands before the dot, and what the whole reference names; a statement's own begins with an entry."""
    start = reference_start(statement, len(statement) - 1)
    owner = statement[start] if start < len(statement) - 1 else ""
    before = _spot(contexts, statement[:start], edition, closed=False) if start else None
    return {"owner": owner, "member": before.wanted if before else Wanted.STATEMENT}


def _named(statement: list[str], following: tuple[Next, ...]) -> Wanted | None:
    """Return what a name that comes now stands for: the word before it says it, else the form."""
    names = [it.name for it in following if it.name]
    if not names:
        return None
    if statement[-1] in _AFTER:
        return _AFTER[statement[-1]]
    return next((_NAMED[it] for it in names if it in _NAMED), Wanted.NOTHING)


def _open_call(statement: list[str]) -> tuple[str, int, list[str]] | None:
    """Return the innermost open bracket: the word before it, how many commas follow it, the words inside; or None.

    An index has the bracket itself for the word before it.
    """
    stack: list[int] = []
    for at, word in enumerate(statement):
        if word in {"(", "["}:
            stack.append(at)
        elif word in {")", "]"} and stack:
            stack.pop()
    if not stack:
        return None
    at = stack[-1]
    depth, commas = 0, 0
    for word in statement[at + 1 :]:
        depth += (word in {"(", "["}) - (word in {")", "]"})
        commas += word == "," and depth == 0
    before = "[" if statement[at] == "[" else statement[at - 1] if at else ""
    return before, commas, statement[at + 1 :]


def _argument(inner: tuple[str, int, list[str]], last: str, edition: Edition | None) -> Wanted:
    """Return what may be written inside brackets."""
    before, commas, words = inner
    if words and last not in {*_OPERATORS, "[", "in", "by"}:
        return Wanted.NOTHING  # an operand stands there: an operator comes next
    if before in {"admission", "number", "request", "server", "reply"} or (before == "def" and not words):
        names = before == "admission" and last == "="
        return Wanted.EXPRESSION if names or before == "number" else Wanted.NOTHING
    if before.startswith("nixl_"):
        return Wanted.QUEUE if commas < _ENDS else Wanted.NOTHING
    function = functions(edition or Edition.ENGINE).get(before)
    if function is not None and last in {"(", ","} and commas < len(function.takes):
        return _TAKES.get(function.takes[commas], Wanted.EXPRESSION)
    return Wanted.EXPRESSION


def _roles(contexts: tuple[str, ...], statement: list[str], edition: Edition | None) -> tuple[Construct, ...]:
    """Return the kinds of a stage, or the roles of a queue, where one of them comes next."""
    first, last = statement[0], statement[-1]
    if first == "stage" and last == ":":
        return standing("stage", edition)
    if first == "queue" and ":" in statement and last in {":", ","}:
        return standing("roles", edition)
    if contexts == ("queue",) and statement == ["serve"]:
        return standing("stage", edition)
    return ()


def _following(contexts: tuple[str, ...], statement: list[str], edition: Edition | None) -> tuple[Next, ...]:
    """Return what comes next of the forms that the statement has begun: `evict` has `lru` and `by`."""
    forms = [it for context in contexts for it in standing(context, edition) if it.kind not in _APART]
    found = [it for form in forms for it in continuations(form, statement, edition)]
    clauses = [
        it
        for head in heads(contexts, statement, edition)
        for clause in standing(head.id, edition)
        for at in [_last_of(statement, clause.words[:1])]
        if at
        for it in continuations(clause, statement[at:], edition)
    ]
    return tuple({(it.construct.id, it.words, it.name): it for it in (*found, *clauses)}.values())


def _last_of(statement: list[str], words: tuple[str, ...]) -> int:
    """Return the last place of a word behind the first, 0 where there is none."""
    return max((at for at, it in enumerate(statement) if at and it in words), default=0)


def _clauses(contexts: tuple[str, ...], statement: list[str], edition: Edition | None) -> tuple[Construct, ...]:
    """Return the clauses that the statement takes and does not have yet."""
    found: dict[str, Construct] = {}
    for head in heads(contexts, statement, edition):
        for it in standing(head.id, edition):
            if it.words and it.words[0] not in statement[1:]:
                found[it.id] = it
    if "taking" in statement:
        found |= {it.id: it for it in standing("taking", edition) if it.words and it.words[0] not in statement}
    return tuple(found.values())


def _next(contexts: tuple[str, ...], statement: list[str], edition: Edition | None) -> Wanted | None:
    """Return what comes behind the last word by the forms of the statement and its clauses; None where none says it.

    Behind a comma comes what stands behind the word that began the list.
    """
    mine = heads(contexts, statement, edition)
    clauses = [it for head in mine for it in standing(head.id, edition)]
    forms = [_tokens(it.form_in(edition)) for it in (*mine, *clauses)]
    listed = [word for word in _outside_brackets(statement[:-1]) if _behind(word, forms) in _NAMED.values()]
    last = statement[-1]
    if last != ",":
        return _behind(last, forms)
    return _behind(listed[-1], forms) if listed else None


def _behind(word: str, forms: list[list[str]]) -> Wanted | None:
    """Return what stands behind a word in the first form that names something there, else in any."""
    after = [form[form.index(word) + 1] for form in forms if word in form[:-1] and not word.isupper()]
    named = [_NAMED[it] for it in after if it in _NAMED]
    if named:
        return named[0]
    if any(it.isupper() for it in after):
        return Wanted.NOTHING
    return Wanted.EXPRESSION if any(it not in {";", "{", ","} for it in after) else None


@cache
def _tokens(form: str) -> list[str]:
    """Return the words and signs of a form without what may be left out."""
    return re.findall(r"[\w…]+|[^\w\s]", re.sub(r"\[[^\]]*\]", " ", form))


def _outside_brackets(statement: list[str]) -> list[str]:
    found: list[str] = []
    depth = 0
    for word in statement:
        depth += (word in {"(", "["}) - (word in {")", "]"})
        if depth == 0:
            found.append(word)
    return found


@cache
def _blocks() -> dict[str, str]:
    """Return the context of a block by the first word of its statement: the table says it in words.

    Any other first word keeps the context around it.
    """
    said = vocabulary("contexts").items()
    found = {head: context for context, words in said for head in re.findall(r"`(\w+) \{", words)}
    return found | {"fn": "items", "def": "session"}
