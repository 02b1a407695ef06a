"""Which stage a serving word means where it names none (classic.md 5.3, engine.md 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq_lsp.sema.declarations import Declarations, Family
    from serq_lsp.sema.scopes import Scope
    from serq_lsp.syntax.tree import Node

TOOL = "tool"
_NAMES = {"transfer": ("link", "transfer")}


def role(declared: Declarations, word: str, scope: Scope, node: Node) -> list[Family]:
    """Return the stages that play the role of a serving word at a statement: one, if the program is sound.

    Only stages declared above count. Those named like the word come first; for `prefill` and `decode` the engines
    follow. In an entry the only engine is the queue's own.
    """
    at = node.start if scope.at is None else scope.at
    station = scope.station
    above = [it for it in declared.stages.values() if it.node is not None and it.node.start < at]
    named = [it for it in above if it.name in _NAMES.get(word, (word,))]
    if station is not None:
        named = [it for it in named if not is_engine(it)]
    if named or word not in ("prefill", "decode"):
        return named
    engines = [it for it in above if is_engine(it)]
    if station is not None:
        engines = [it for it in engines if it is station.stage]
        if not engines and station.stage is not None:
            engines = [station.stage]
    return engines


def is_engine(family: Family) -> bool:
    """Say whether a stage runs iterations."""
    node = family.node
    if node is None or node.kind == "relation" or (family.queue is not None and family.name.endswith(".latency")):
        return False
    kind = node.child("kind")
    return node.kind == "engine" or (kind is not None and kind.kind == "step")
