"""Arrivals, traces, hidden attributes, run settings, gauges and claims (classic.md 4 and 7, engine.md 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir import program as ir
from serq_lsp.ir.expr import Num
from serq_lsp.lower.context import NotLowered, Unsupported
from serq_lsp.lower.settings import DEFAULT_HORIZON
from serq_lsp.sema.numbers import whole
from serq_lsp.sema.symbols import Kind
from serq_lsp.sema.tables import run_settings
from serq_lsp.text.spans import Span

if TYPE_CHECKING:
    from serq_lsp.lower.context import Context
    from serq_lsp.lower.settings import RunSettings
    from serq_lsp.syntax.tree import Node


def lower_arrival(ctx: Context) -> ir.Arrival:
    """Return how sessions arrive: the last `arrive` counts, none is `none`."""
    workload = ctx.model.declared.workload
    found = workload.of_kind("arrive") if workload is not None else []
    if not found:
        return ir.NoArrivals()
    law, value = ctx.child(found[-1], "law"), found[-1].child("value")
    match law.kind, value:
        case "poisson", value if value is not None:
            return ir.Poisson(ctx.constant(value, "rate"))
        case "renewal", value if value is not None:
            known = ctx.builder.known(value, ctx.root)
            return ir.Renewal(ctx.build(value) if known is None else Num(known))
        case "closed", value if value is not None:
            return ir.Closed(ctx.count(value, "sessions"))
        case "batch", value if value is not None:
            return ir.Batch(ctx.count(value, "sessions"))
        case "none", _:
            return ir.NoArrivals()
        case _:
            raise ctx.fail(found[-1], "this kind of arrivals")


def lower_trace(ctx: Context, settings: RunSettings) -> tuple[str | None, bool]:
    """Return the path of the trace as written (or as set from outside), and whether it is ordered."""
    workload = ctx.model.declared.workload
    found = workload.of_kind("trace") if workload is not None else []
    if not found:
        return settings.trace, False
    path = ctx.child(found[-1], "path").text[1:-1]
    return settings.trace or path, found[-1].has_word("ordered")


def lower_hidden(ctx: Context) -> tuple[int, ...]:
    """Return the slots of the hidden attributes, in the order in which they are named."""
    slots: list[int] = []
    for name in ctx.model.declared.hidden:
        slot = ctx.tables.attributes.get(name.text)
        if slot is None:
            raise ctx.fail(name, "hidden attribute that nothing sets")
        slots.append(slot)
    return tuple(slots)


def lower_share(ctx: Context) -> str | None:
    """Return the policy that the program or its relations name."""
    declared = ctx.model.declared
    nodes = [*declared.shares, *(relation.node for relation in declared.relations)]
    for node in nodes:
        inner = node.of_kind("share_policy")
        policy = ctx.child(inner[0], "policy") if inner else None
        if policy is not None:
            return "MaxMin" if policy.kind == "maxmin" else "Bottleneck"
    return None


def lower_gauges(ctx: Context) -> tuple[ir.Gauge, ...]:
    """Return the gauges in text order."""
    return tuple(
        ir.Gauge(ctx.child(node, "name").text, ctx.build(ctx.child(node, "value")))
        for node in ctx.model.declared.gauges
    )


def lower_claims(ctx: Context) -> tuple[ir.Claim, ...]:
    """Return the claims in text order."""
    found: list[ir.Claim] = []
    for node in ctx.model.declared.claims:
        given = node.child("given")
        test = ctx.build(ctx.child(given, "test")) if given is not None else None
        kind = _claim_kind(ctx, node)
        found.append(ir.Claim(ctx.child(node, "name").text, kind, ctx.build(ctx.child(node, "value")), test))
    return tuple(found)


def _claim_kind(ctx: Context, node: Node) -> ir.ClaimKind:
    form = ctx.child(node, "form")
    if form.kind == "at":
        return ir.AtEnd()
    stage = ctx.builder.reference(ctx.child(node, "stage"), ctx.root, Kind.STAGE)
    if stage is None:
        raise ctx.fail(node, "claim on an unknown stage")
    return ir.EveryIteration(ctx.number(stage)) if form.kind == "every" else ir.SomeIteration(ctx.number(stage))


def lower_run_settings(ctx: Context, settings: RunSettings) -> tuple[float, float, int, int | None]:
    """Return horizon and warmup in seconds, the seed and the number of arrivals.

    An option wins over the program's own run blocks, which are then not looked at; they win over the defaults: warmup
    0, seed 1, and a horizon of 20 s where the edition has no run block.
    """
    named = {word: node for word, node in run_settings(ctx.model.declared) if not settings.replaces(word)}
    own = {word: ctx.constant(ctx.child(node, "value"), word) for word, node in named.items()}
    horizon = float(settings.horizon) if settings.horizon is not None else own.get("horizon")
    if horizon is None and ctx.engine:
        horizon = DEFAULT_HORIZON
    if horizon is None:
        end = ctx.model.tree.root.end
        raise NotLowered(Unsupported(ctx.model.path, Span(end, end), "a program without a horizon"))
    warmup = float(settings.warmup) if settings.warmup is not None else own.get("warmup", 0.0)
    seed = settings.seed if settings.seed is not None else _whole(ctx, own, "seed")
    arrivals = settings.arrivals if settings.arrivals is not None else _whole(ctx, own, "arrivals")
    return horizon, warmup, 1 if seed is None else seed, arrivals


def _whole(ctx: Context, own: dict[str, float], setting: str) -> int | None:
    """Return a setting of the program that counts something."""
    value = own.get(setting)
    if value is None:
        return None
    if not whole(value):
        raise ctx.fail(ctx.model.declared.runs[-1], f"{setting}: not a whole number")
    return int(value)
