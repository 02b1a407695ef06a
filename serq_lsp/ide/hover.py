"""What stands under the cursor: the page of a construct, or what a name is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from serq_lsp.ide.names import use_at, uses_of
from serq_lsp.ide.pages import page, plain
from serq_lsp.lang.table import at, constructs
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from serq_lsp.ide.snapshot import Snapshot
    from serq_lsp.lang.editions import Edition
    from serq_lsp.lang.table import Construct
    from serq_lsp.sema.symbols import Symbol, Use
    from serq_lsp.syntax.tree import Node
    from serq_lsp.text.spans import Span

LINES_MAX = 12
"""A declaration is shown up to so many lines."""
LEVELS = 3
"""A word belongs to one of so many nodes around it."""
PLACES_MAX = 6
"""So many places that set an attribute are named."""
_SUPPLIED = {Kind.SUPPLIED, Kind.FUNCTION, Kind.DISTRIBUTION}


class Hover(NamedTuple):
    """A text about what stands at `span`, in Markdown and plain."""

    span: Span
    markdown: str
    plain: str


def hover(snapshot: Snapshot, path: str, offset: int) -> Hover | None:
    """Return what is to be said about the place, or None: a name of the program first, else the construct."""
    tree = snapshot.tree(path)
    nodes = tree.path_at(offset)
    leaf = nodes[-1]
    if leaf.children or not leaf.text.strip() or leaf.kind in {"comment", "string", "number"}:
        return None
    use = use_at(snapshot, path, offset) if leaf.kind == "name" else None
    if use is not None and use.target is not None and use.target.kind not in _SUPPLIED and use.target.path:
        text = _name(snapshot, path, use, use.target)
        return Hover(use.span, text, plain(text))
    edition = snapshot.edition(path)
    dotted = _dotted(nodes, edition)
    construct = dotted or _construct(_chain(nodes), leaf.text, edition)
    if construct is None:
        return None
    text = page(construct, edition)
    return Hover(nodes[-2].span if dotted else leaf.span, text, plain(text))


def _dotted(nodes: list[Node], edition: Edition | None) -> Construct | None:
    """Return the construct that a name and the name behind its dot are together (`batch.tokens`); None where none is."""
    around = nodes[-2] if len(nodes) > 1 else None
    if around is None or around.kind != "member":
        return None
    pair = tuple(it.text for it in (around.child("object"), around.child("member")) if it is not None)
    found = [it for it in constructs().values() if (it.names or it.words)[:2] == pair]
    return next((it for it in found if it.is_in(edition)), found[0] if found else None)


def _construct(chain: list[tuple[str, frozenset[str]]], word: str, edition: Edition | None) -> Construct | None:
    """Return the construct of a word: the innermost one that the edition has, else the innermost of all."""
    found = [it for skip in range(min(LEVELS, len(chain))) if (it := at(chain[skip:], word, edition)) is not None]
    return next((it for it in found if it.is_in(edition)), found[0] if found else None)


def _chain(nodes: list[Node]) -> list[tuple[str, frozenset[str]]]:
    """Return the nodes around a word, innermost first, each with the words and names that stand directly in it."""
    chain: list[tuple[str, frozenset[str]]] = []
    for node in reversed([it for it in nodes if it.named]):  # a keyword has the kind of some node, perhaps
        inside = {child.text for child in node.children if not child.children and child.text}
        for child in node.children:
            inside |= {it.text for it in child.children if not it.children and it.text}
        chain.append((node.kind, frozenset(inside or {node.text})))
    return chain


def _name(snapshot: Snapshot, path: str, use: Use, symbol: Symbol) -> str:
    """Return what a name of the program is: its kind, its declaration, its value, where it is set."""
    assert symbol.path is not None
    assert symbol.span is not None
    lines = [f"*{symbol.kind.value}* `{symbol.name}`" + (f" of `{symbol.owner}`" if symbol.owner else "")]
    declared = _declaration(snapshot, symbol)
    if declared:
        lines.insert(0, f"```serq\n{declared}\n```")
    value = snapshot.model(path).constants.get(symbol.name) if symbol.kind in {Kind.CONSTANT, Kind.INPUT} else None
    if value is not None:
        lines.append(f"Value: {value:.15g}")
    if symbol.kind is Kind.ATTRIBUTE and symbol.name in {it.text for it in snapshot.model(path).declared.hidden}:
        lines.append("Hidden: neither the scheduler nor any decision of a pool or an engine reads it")
    if symbol.kind in {Kind.ATTRIBUTE, Kind.OBSERVATION, Kind.REGISTER}:
        lines.append(_set_at(snapshot, path, symbol))
    elif symbol.path != use.path:
        line = snapshot.source(symbol.path).lines.locate(symbol.span.start).line + 1
        lines.append(f"Declared in `{symbol.path}`, line {line}")
    return "\n\n".join(it for it in lines if it)


def _declaration(snapshot: Snapshot, symbol: Symbol) -> str:
    """Return the text that declares a name, shortened."""
    node = symbol.node
    if node is None or symbol.path is None:
        return ""
    text = snapshot.source(symbol.path).text[node.start : node.end]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(lines if len(lines) <= LINES_MAX else [*lines[:LINES_MAX], "…"])


def _set_at(snapshot: Snapshot, path: str, symbol: Symbol) -> str:
    places = [(it.path, it.span) for it in uses_of(snapshot, symbol, [path]) if it.writes] or list(symbol.places)
    shown: list[str] = []
    for where, span in dict.fromkeys(places):
        line = snapshot.source(where).lines.locate(span.start).line + 1
        shown.append(f"line {line}" if where == path else f"`{where}`, line {line}")
    if not shown:
        return ""
    rest = len(shown) - PLACES_MAX
    return "Set in " + ", ".join(shown[:PLACES_MAX]) + (f" and {rest} more places" if rest > 0 else "")
