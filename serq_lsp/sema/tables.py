"""The tables that expressions are read with: constants, numbers of attributes, pools and stages, block sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import Num, Ref
from serq_lsp.sema.expressions import Builder
from serq_lsp.sema.scopes import Scope, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from serq_lsp.lang.editions import Edition
    from serq_lsp.sema.attributes import Slots
    from serq_lsp.sema.declarations import Declarations, Family
    from serq_lsp.sema.definitions import Definition
    from serq_lsp.sema.faults import Fault
    from serq_lsp.syntax.tree import Node


def tables_of(
    declared: Declarations,
    slots: Slots,
    edition: Edition,
    constants: dict[str, float],
    *,
    definitions: dict[str, Definition],
    report: Callable[[Fault], None],
    path: str,
) -> Tables:
    """Return the tables of a program with these `constants` (a program's own, or with new values for inputs)."""
    registers = {own.text: i for i, (_, state) in enumerate(states(declared)) if (own := state.child("name"))}
    tables = Tables(
        edition,
        constants,
        slots.attributes,
        registers,
        slots.observations,
        declared.pools,
        declared.stages,
        definitions,
        admitted=_admitted(declared),
    )
    builder = Builder(tables, report)
    for name, family in declared.pools.items():
        value = last(family.node, "block_size")
        tables.blocks[name] = builder.constant(value, Scope(path), "block") if value is not None else None
    return tables


def last(node: Node | None, kind: str) -> Node | None:
    """Return the value of the last option of a kind: a repeated option replaces the earlier one (classic.md 2.2)."""
    found = node.of_kind(kind) if node is not None else []
    return found[-1].child("value") if found else None


def run_settings(declared: Declarations) -> Iterator[tuple[str, Node]]:
    """Yield the settings of the run blocks in text order: the word and the node; the last of a word counts."""
    for block in declared.runs:
        for setting in block.of_kind("setting"):
            word = setting.child("setting")
            if word is not None:
                yield word.kind, setting


def states(declared: Declarations) -> Iterator[tuple[Family, Node]]:
    """Yield the registers of all stages in stage order: the stage and the `state` node."""
    for family in declared.stages.values():
        node = family.node
        kind = node.child("kind") if node is not None else None
        holder = node if node is not None and node.kind == "engine" else kind
        for state in holder.of_kind("state") if holder is not None else []:
            yield family, state


def admitting(declared: Declarations, pool: Family) -> Family | None:
    """Return the stage of the engine whose schedule admits what waits in `pool`, by the pool's `on` (engine.md 5)."""
    engine = declared.engines.get(pool.owner) if pool.owner is not None else None
    return engine.stage if engine is not None else None


def device_of(declared: Declarations, pool: Family) -> str | None:
    """Return the device on which a pool stands: `pool p on D`, or `pool p on E.D`."""
    if pool.owner is None or pool.node is None:
        return None
    engine = declared.engines.get(pool.owner)
    if engine is None:
        return pool.owner
    on = pool.node.child("on")
    return engine.device if on is not None and on.child("device") is not None else None


def _admitted(declared: Declarations) -> Mapping[str, tuple[Ref, ...]]:
    """Return the pools each engine admits from, in pool order; a family's members one by one."""
    found: dict[str, list[Ref]] = {}
    for pool in declared.pools.values():
        stage = admitting(declared, pool)
        if stage is None:
            continue
        members = found.setdefault(stage.name, [])
        if not pool.array:
            members.append(Ref(pool.base, 1, None))
        else:
            members.extend(Ref(pool.base, pool.count, Num(float(at))) for at in range(pool.count))
    return {name: tuple(members) for name, members in found.items()}
