"""Totals over an engine's residents and over a batch, and what its budget would leave (semantics.md 6 and 9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq_lsp.ir.arith import maximum

if TYPE_CHECKING:
    from collections.abc import Iterable

    from serq_lsp.sim.resources import Pool, Resident, StepStage


def held_units(memory: Pool | None, jobs: Iterable[Resident]) -> tuple[float, float]:
    """Units of the memory pool allocated to sessions of decoding jobs, and of other jobs."""
    decode = prefill = 0.0
    if memory is None:
        return 0.0, 0.0
    for job in jobs:
        for hold in job.session.holds:
            for part in hold.parts:
                if part.pool is memory:
                    if job.decode:
                        decode += part.allocated
                    else:
                        prefill += part.allocated
    return decode, prefill


def batch_units(memory: Pool | None, batch: list[tuple[Resident, float]]) -> tuple[float, float]:
    """The same for the jobs of a batch."""
    return held_units(memory, [item[0] for item in batch])


def resident_totals(stage: StepStage) -> tuple[float, float, float, float]:
    """`residents`, `decoders`, `kv_decode`, `kv_prefill` of an engine's residents, as its expressions read them."""
    residents = stage.residents
    decoders = 0
    for job in residents:
        if job.decode:
            decoders += 1
    decode, prefill = held_units(stage.memory, residents) if stage.reads_kv else (0.0, 0.0)
    return float(len(residents)), float(decoders), decode, prefill


def wanted(job: Resident, chunk: float) -> float:
    """Tokens a resident asks for in one iteration."""
    work = job.work
    if job.decode:
        return work if work < 1.0 else 1.0  # noqa: FURB136 - a call less, once a token
    return min(work, chunk) if chunk > 0 else work


def budget_left(stage: StepStage) -> float:
    """`budget_left(s)`: while the engine lets somebody in, what is left there; else what its residents would leave."""
    if stage.left is not None:
        return stage.left
    totals = resident_totals(stage)
    budget = stage.budget(*totals)
    return maximum(budget - demand(stage, stage.chunk(*totals)), 0.0)


def demand(stage: StepStage, chunk: float) -> float:
    """`demand`: what all residents ask for together."""
    total = -0.0
    for job in stage.residents:
        total += wanted(job, chunk)
    return total
