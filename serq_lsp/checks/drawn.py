"""Does anything draw where the draw would be lost, or made twice (classic.md 12, 163; engine-rules 105 and 285)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.checks.reading import reads
from serq_lsp.checks.visits import visits_of
from serq_lsp.diag.model import Finding, Rule, Severity
from serq_lsp.lang.editions import Edition
from serq_lsp.sema.definitions import arguments
from serq_lsp.sema.scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serq_lsp.sema.model import Model
    from serq_lsp.syntax.tree import Node

_ERROR, _ENGINE = Severity.ERROR, ("engine",)
BLOCK = Rule("blocksize-draws", _ERROR, "the index inside `blocksize` draws")
STEP = Rule("floor-step-draws", _ERROR, "the step of a rounding draws", _ENGINE)
COST = Rule("cost-index-draws", _ERROR, "the index of a cost's resource draws", _ENGINE)
RULES = (BLOCK, STEP, COST)
_SAID = {
    "blocksize": (BLOCK, "all members have one block size, and the draw would be lost"),
    "floor": (STEP, "a step is read twice, and would be drawn twice"),
    "cost": (COST, "a cost is of a family, and the draw would be lost"),
}


def check(model: Model) -> Iterator[Finding]:
    """Yield draws that are lost or doubled."""
    if model.edition is Edition.CURRENT:
        return
    for visit in visits_of(model, "call"):
        function = visit.node.child("function")
        said = _SAID.get(function.text) if function is not None else None
        inside = visit.inside("def")
        name = inside.child("name") if inside is not None else None
        if function is None or said is None or (name is not None and name.text not in model.used):
            continue
        if said[0] is not BLOCK and model.edition is not Edition.ENGINE:
            continue
        if function.text in model.declared.definitions:
            continue
        if any(_draws(model, it) for it in _asked(function.text, arguments(visit.node))):
            yield Finding(said[0], model.path, function.span, said[1], help="set an attribute first")


def _asked(function: str, given: list[Node]) -> list[Node]:
    """Return the expressions of a call that may not draw."""
    if function == "floor":
        return given[1:2]
    references = given[:1] if function == "blocksize" else given[:-1]
    return [index for it in references if (index := it.child("index")) is not None]


def _draws(model: Model, node: Node) -> bool:
    return any(it.node.kind == "draw" for it in reads(model, node, Scope(model.path, at=node.start)))
