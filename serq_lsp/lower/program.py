"""From a sound model to the kernel's program: version 11 for classic programs, 13 for the engine edition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.ir.program import Program, Register
from serq_lsp.ir.stmt import End
from serq_lsp.lang.editions import Edition
from serq_lsp.lower.context import Context, NotLowered, Unsupported, refuse_faults
from serq_lsp.lower.origins import Origins
from serq_lsp.lower.overrides import overridden
from serq_lsp.lower.pools import lower_pools
from serq_lsp.lower.stages import lower_stages
from serq_lsp.lower.statements import Blocks
from serq_lsp.lower.types import attribute_types
from serq_lsp.lower.workload import (
    lower_arrival,
    lower_claims,
    lower_gauges,
    lower_hidden,
    lower_run_settings,
    lower_share,
    lower_trace,
)
from serq_lsp.sema.scopes import Place
from serq_lsp.sema.tables import states

if TYPE_CHECKING:
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.sema.model import Model


@dataclass(frozen=True)
class Lowered:
    """A lowered program with the places it comes from, or what stood in the way (`program` is then None)."""

    program: Program | None
    origins: Origins = field(default_factory=Origins)
    unsupported: tuple[Unsupported, ...] = ()


def lower(model: Model, settings: RunSettings) -> Lowered:
    """Return the kernel's program for a model without faults, run with `settings`; never raises.

    A program that has faults, or a construct that is not lowered yet, gives no program but says what it is.
    """
    try:
        refuse_faults(model, settings)
        ctx = Context(model, overridden(model, settings))
        return _lower(ctx, settings)
    except NotLowered as it:
        return Lowered(None, unsupported=(it.unsupported,))


def _lower(ctx: Context, settings: RunSettings) -> Lowered:
    model = ctx.model
    if model.edition is Edition.CURRENT:
        raise ctx.fail(model.tree.root, "the current edition")
    out = _blocks(ctx)
    path, ordered = lower_trace(ctx, settings)
    horizon, warmup, seed, arrivals = lower_run_settings(ctx, settings)
    program = Program(
        version=13 if ctx.engine else 11,
        attrs=tuple(ctx.tables.attributes),
        observes=tuple(ctx.tables.observations),
        pools=lower_pools(ctx),
        stages=lower_stages(ctx),
        arrival=lower_arrival(ctx),
        blocks=tuple(tuple(block) for block in out.blocks),
        horizon=horizon,
        warmup=warmup,
        seed=seed,
        arrivals=arrivals,
        trace=path,
        trace_ordered=ordered,
        hidden=lower_hidden(ctx),
        share=lower_share(ctx),
        gauges=lower_gauges(ctx),
        claims=lower_claims(ctx),
        registers=_registers(ctx),
        attr_types=attribute_types(ctx, out) if ctx.engine else None,
        sides=tuple(tuple(side) for side in out.sides) if ctx.engine else None,
    )
    return Lowered(program, _origins(ctx, out))


def _blocks(ctx: Context) -> Blocks:
    """Write out blocks 0, 1 and 2, and what is nested in them; a session of the engine edition ends with `end`."""
    out = Blocks(ctx)
    flow = ctx.model.flow
    for _ in flow.blocks:
        out.number()
    for number, steps in enumerate(flow.blocks):
        out.fill(number, steps)
    if ctx.engine and flow.session and (out.blocks[2][-1] != End() or out.sides[2][-1] == "Server"):
        out.add(2, End(), server=False)
    return out


def _registers(ctx: Context) -> tuple[Register, ...]:
    found: list[Register] = []
    for stage, state in states(ctx.model.declared):
        first = ctx.constant(ctx.child(state, "value"), "state")
        found.append(Register(ctx.child(state, "name").text, stage.base, first))
    return tuple(found)


def _origins(ctx: Context, out: Blocks) -> Origins:
    declared = ctx.model.declared
    stages = {it.base + at: Place(it.path, it.span) for it in declared.stages.values() for at in range(it.count)}
    pools = {it.base + at: Place(it.path, it.span) for it in declared.pools.values() for at in range(it.count)}
    return Origins(out.places, stages, pools, out.observed)
