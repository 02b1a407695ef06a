"""Small programs as IR records, for tests of the interpreter."""

from __future__ import annotations

from typing import Any

from serq_lsp.ir.expr import BUILTIN_ATTRS, Attr, Binary, Call, Ctx, Expr, Num, Ref, StageArg, Unary
from serq_lsp.ir.program import Batch, Delay, Fifo, Pool, PreemptBy, Program, Stage, Step
from serq_lsp.ir.stmt import End, Hold, HoldPool, Run, Stmt

ENGINE = Ref(0)
KV = Ref(1)


def num(x: float) -> Num:
    """A literal."""
    return Num(float(x))


def run(stage: int, work: Expr, mode: str = "Plain", growing: Ref | None = None) -> Run:
    """Work on a stage by number."""
    return Run(Ref(stage), mode, work, growing)


def program(*session: Stmt, stages: tuple[Stage, ...] = (), **changes: Any) -> Program:
    """A program of one session block; two sessions at time 0, horizon 20 s, unless changed."""
    settings: dict[str, Any] = {
        "version": 11,
        "attrs": BUILTIN_ATTRS,
        "observes": (),
        "pools": (),
        "stages": stages or (Stage("rest", Delay()), Stage("clerk", Fifo(1))),
        "arrival": Batch(2),
        "blocks": ((), (), session),
        "horizon": 20.0,
        "warmup": 0.0,
        "seed": 1,
    }
    return Program(**{**settings, **changes})


def engine_program(
    *,
    cap: float = 40.0,
    block: float | None = 4.0,
    budget: float = 8.0,
    chunk: float = 0.0,
    cost: Expr | None = None,
    prompt: Expr | None = None,
    output: Expr | None = None,
    slots: float = 3.0,
    preempt: bool = True,
    serve: tuple[Expr, ...] | None = (),
    caches: bool = True,
    **changes: Any,
) -> Program:
    """An engine with request slots and a memory: each session prefills its prompt, decodes its output, caches."""
    asked = prompt or num(5)
    wanted = output or num(3)
    room = Call("Min", (asked, Call("BudgetLeft", (StageArg(ENGINE),))))
    hold = Hold(
        (HoldPool(Ref(0), num(1)), HoldPool(KV, room, asked)), 3, cache=Binary("Add", asked, wanted) if caches else None
    )
    left = Binary("Sub", asked, Call("Min", (Attr(0), Binary("Sub", asked, num(1)))))
    body = (run(0, left, "Prefill", KV), run(0, wanted, "Decode", KV))
    step = Step(cost or num(1), num(budget), num(chunk), serve=serve, memory=1)
    keys = PreemptBy((Unary("Neg", Ctx("Admission")),)) if preempt else None
    return program(
        pools=(Pool("slots", slots, admit_via=0), Pool("kv", cap, block=block, preempt=keys)),
        stages=(Stage("engine", step),),
        **{"blocks": ((), (), (hold, End()), body), **changes},
    )
