"""The resources of a cost: pools and stages, named by an expression or taken from a statement (engine.md 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.expr import JointTarget, PoolTarget, StageTarget
from serq_lsp.sema.faults import UnknownName
from serq_lsp.sema.references import find, named
from serq_lsp.sema.symbols import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from serq_lsp.ir.expr import Target
    from serq_lsp.sema.faults import Fault
    from serq_lsp.sema.references import Build
    from serq_lsp.sema.scopes import Scope, Tables
    from serq_lsp.syntax.tree import Node


def target(
    given: Iterable[Node], scope: Scope, tables: Tables, build: Build, report: Callable[[Fault], None]
) -> Target | None:
    """Return the resources that some references name, sorted and each once; an index is dropped.

    A queue's own pool comes before a stage of its name, a stage before a pool of the program. None, with a fault,
    where nothing has a name.
    """
    found: list[Target] = []
    for arg in given:
        parts = named(arg, scope)
        if parts is None:
            return None
        pool, stage = find(arg, scope, tables.pools, build), find(arg, scope, tables.stages, build)
        local = parts.scope.find_pool(parts.name)
        own = pool is not None and local is not None and local.family is pool.family
        if pool is not None and (own or stage is None):
            found.append(PoolTarget(pool.family.base, pool.family.count))
        elif stage is not None:
            found.append(StageTarget(stage.family.base, stage.family.count))
        else:
            names = (*tables.pools, *tables.stages)
            report(UnknownName(scope.path, arg.span, Kind.POOL, parts.name, names))
            return None
    return joint(found)


def joint(targets: Iterable[Target]) -> Target | None:
    """Return one target for several resources: pools before stages, each family once, in ascending order."""
    flat = {
        (isinstance(it, StageTarget), it.base, it.count): it
        for target in targets
        for it in (target.targets if isinstance(target, JointTarget) else (target,))
        if not isinstance(it, JointTarget)
    }
    ordered = [flat[key] for key in sorted(flat)]
    if not ordered:
        return None
    return ordered[0] if len(ordered) == 1 else JointTarget(tuple(ordered))
