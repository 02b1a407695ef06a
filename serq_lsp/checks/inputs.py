"""Are the inputs of a program read as they may be (engine.md 5)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Note, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.definitions import arguments
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.checks.visits import Visit
    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
IMPORT = Rule("args-import", _ERROR, "an input without its import, or outside main", _ENGINE)
FUNCTION = Rule("args-function", _ERROR, "another function of `args` than `number`", _ENGINE)
NAME = Rule("args-name-string", _ERROR, "an input's external name is no quoted text", _ENGINE)
IDENTIFIER = Rule("args-name-identifier", _ERROR, "an input's external name is no name", _ENGINE)
TWICE = Rule("args-twice", _ERROR, "an input is read twice", _ENGINE)
WHOLE = Rule("args-whole-let", _ERROR, "an input inside a larger expression", _ENGINE)
TAKEN = Rule("args-name-taken", _ERROR, "something is called `args` beside the import", _ENGINE)
RULES = (IMPORT, FUNCTION, NAME, IDENTIFIER, TWICE, WHOLE, TAKEN)


def check(model: Model) -> Iterator[Finding]:
    """Yield inputs that are not read as they may be."""
    if model.edition is not Edition.ENGINE:
        return
    imported = min(
        (it.node.start for it in visits_of(model, "use") if "std/args" in model.tree.text(it.node)), default=None
    )
    seen: dict[str, Node] = {}
    for visit in visits_of(model, "call", "stage", "pool", "let", "def", "queue"):
        function = visit.node.child("function") if visit.node.kind == "call" else None
        owner = function.child("object") if function is not None and function.kind == "member" else None
        if function is not None and owner is not None and owner.text == "args":
            yield from _call(model, visit, imported, seen)
        name = visit.node.child("name")
        if (
            imported is not None
            and name is not None
            and name.text == "args"
            and visit.node.kind in ("stage", "pool", "let", "def", "queue")
            and visit.inside("schedule") is None
        ):
            size = len(model.tree.source.text)
            notes = (Note("the module is imported to the end", model.path, Span(size, size)),)
            yield Finding(TAKEN, model.path, name.span, "`args` names the module that is imported", notes)


def _call(model: Model, visit: Visit, imported: int | None, seen: dict[str, Node]) -> Iterator[Finding]:
    function = visit.node.child("function")
    owner = function.child("object") if function is not None else None
    if function is None or owner is None:
        return
    if imported is None or imported > visit.node.start:
        message = "inputs need their import"
        yield Finding(IMPORT, model.path, owner.span, message, help='write `use "std/args";` above')
    elif visit.inside("main") is None:
        yield Finding(IMPORT, model.path, owner.span, "inputs are read inside `fn main`")
    member = function.child("member")
    if member is not None and member.text != "number":
        yield Finding(FUNCTION, model.path, member.span, f"`args` has no `{member.text}`, only `number`")
        return
    around = visit.around[-1]
    if around.kind != "let":
        yield Finding(
            WHOLE,
            model.path,
            visit.node.span,
            "an input is the whole value of a `let`",
            (Note("the expression", model.path, around.span),),
        )
    given = arguments(visit.node)
    if not given:
        return
    if given[0].kind != "string":
        yield Finding(NAME, model.path, given[0].span, "the external name stands in quotes")
        return
    external = given[0].text[1:-1]
    if not _is_name(external):
        yield Finding(
            IDENTIFIER,
            model.path,
            given[0].span,
            f"`{external}` is no name",
            (Note("the arguments", model.path, visit.node.span),),
        )
    elif external in seen:
        note = Note("the first", model.path, seen[external].span)
        yield Finding(
            TWICE,
            model.path,
            given[0].span,
            f"`{external}` is read already",
            (note, Note("again", model.path, visit.node.span)),
        )
    seen.setdefault(external, given[0])


def _is_name(text: str) -> bool:
    """Say whether a text is a name: a letter or `_`, then letters, digits of any kind or `_` (classic.md 1.2)."""
    begins = text[:1].isalpha() or text[:1] == "_"
    return begins and all(it.isalpha() or it.isnumeric() or it == "_" for it in text)
