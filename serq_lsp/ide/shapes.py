"""How names look in lists: one word for each kind of name, which every editor has a picture for."""

from __future__ import annotations

from serq_lsp.sema.symbols import Kind

BLOCK, MODULE = "block", "module"
"""The shape of a part without a name of its own, and of a file that is used."""

SHAPES: dict[Kind, str] = {
    Kind.POOL: "class",
    Kind.STAGE: "class",
    Kind.ENGINE: "class",
    Kind.DEVICE: "struct",
    Kind.QUEUE: "namespace",
    Kind.ENTRY: "method",
    Kind.TIME_RESOURCE: "function",
    Kind.DEF: "function",
    Kind.FUNCTION: "function",
    Kind.DISTRIBUTION: "function",
    Kind.CAPACITY: "property",
    Kind.ATTRIBUTE: "property",
    Kind.FIELD: "property",
    Kind.CONSTANT: "constant",
    Kind.INPUT: "constant",
    Kind.OBSERVATION: "event",
    Kind.GAUGE: "event",
    Kind.CLAIM: "event",
    Kind.MARK: "event",
}
"""All other kinds are variables."""


def shape(kind: Kind) -> str:
    """Return the shape of a kind of name."""
    return SHAPES.get(kind, "variable")
