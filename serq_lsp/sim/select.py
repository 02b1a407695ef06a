"""The engine step: which residents get how many tokens, and who is let in (semantics.md 9.3 to 9.5)."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Any

from serq_lsp.sim import growth, queueing, script
from serq_lsp.sim.errors import RunError
from serq_lsp.sim.script import Moves
from serq_lsp.sim.session import Status
from serq_lsp.sim.statements import guard_holds, run_ready
from serq_lsp.sim.totals import resident_totals, wanted
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Resident, StepStage
    from serq_lsp.sim.script import Keys, Value
    from serq_lsp.sim.world import World


class Served(Enum):
    """What became of an attempt to serve a resident."""

    NOTHING = "nothing"
    REFUSED = "refused"
    STOP = "stop"
    YES = "served"


class Plan:
    """An iteration being planned. `batch` holds (job, tokens), `attention` (job, its share) in order of serving."""

    __slots__ = (
        "_before", "_changes", "admitted", "attention", "barred", "batch", "budget", "chunk", "had_prefill", "left", "stage", "world",
    )  # fmt: skip

    def __init__(self, world: World, stage: StepStage) -> None:
        totals = resident_totals(stage)
        self.world = world
        self.stage = stage
        self.budget = stage.budget(*totals)
        self.chunk = stage.chunk(*totals)
        self.left = self.budget
        self.batch: list[tuple[Resident, float]] = []
        self.attention: list[tuple[Resident, float]] = []
        self.admitted = 0
        self.barred = False
        self.had_prefill = stage.exclusive and any(not job.decode for job in stage.residents)
        self._before = world.preempted
        self._changes = stage.changes
        stage.tries += 1

    @property
    def preempted(self) -> int:
        """Preemptions since the planning began."""
        return self.world.preempted - self._before

    def fill(self) -> None:
        """Plan the batch, by the engine's body if it has one."""
        if self.stage.body is not None:
            self._body(self.stage.body)
        elif self.stage.exclusive:
            self._exclusive()
        else:
            self._ordinary()
        if self._changes != self.stage.changes:
            self.batch = [item for item in self.batch if not item[0].gone]

    def _ordinary(self) -> None:
        stage = self.stage
        order = Order(self, stage.keys, stage.moves)
        while True:
            job = order.next()
            if job is None:
                if self.left > 0 and not self.barred and not self.preempted and self._let_one_in(self.left):
                    continue
                return
            job.seen = stage.tries
            outcome = self._serve(job)
            if outcome is Served.REFUSED:
                self.barred = True
            elif outcome is Served.STOP or (outcome is Served.YES and self.left <= 0):
                return

    def _exclusive(self) -> None:
        stage = self.stage
        order = Order(self, None, Moves.NEVER)
        while True:
            job = order.next()
            if job is None:
                if self.left > 0 and not self.barred and not self.preempted and self._let_one_in(self.budget):
                    continue
                return
            job.seen = stage.tries
            outcome = self._serve(job)
            if outcome is Served.REFUSED:
                self.barred = True
            elif outcome is Served.STOP or (outcome is Served.YES and (self.left <= 0 or not job.decode)):
                return

    def _serve(self, job: Resident) -> Served:
        """Give a resident its tokens, growing its hold if it must."""
        exclusive = self.stage.exclusive
        alone = exclusive and not job.decode
        tokens = min(wanted(job, self.chunk), self.budget if alone else self.left)
        if exclusive and self.had_prefill and job.decode:
            tokens = 0.0
        if not job.decode and self.stage.granule is not None and tokens < job.work:
            tokens = self._whole_granules(self.stage.granule, tokens)
            if tokens <= 0:
                return Served.REFUSED
        if not tokens > 0:
            return Served.NOTHING
        if job.part is None or job.hold is None:
            if not job.decode:
                self.attention.append((job, tokens * tokens / 2.0))
        else:
            if _stalled(job):
                return Served.NOTHING
            position = job.part.position
            need = position + tokens - job.part.allocated
            grown = need <= EPS or growth.grow(self.world, job.session, job.hold, job.part, need, job=job)
            if self._changes != self.stage.changes:
                self._take_back()
            if not grown:
                return Served.NOTHING if _stalled(job) else Served.STOP
            if not job.decode:
                self.attention.append((job, tokens * (position + tokens / 2.0)))
        if alone:
            self.batch = []
            self.left = self.budget
        self.batch.append((job, tokens))
        self.left -= tokens
        return Served.YES

    def _whole_granules(self, size: Value, tokens: float) -> float:
        granule = size(*resident_totals(self.stage))
        if math.isinf(granule):
            return 0.0
        return tokens / granule // 1.0 * granule

    def _take_back(self) -> None:
        """Tokens of jobs that have left the engine go back to the budget, in batch order."""
        self._changes = self.stage.changes
        kept = []
        for item in self.batch:
            if item[0].gone:
                self.left += item[1]
            else:
                kept.append(item)
        self.batch = kept

    def _let_one_in(self, offered: float) -> bool:
        """Let one waiting session in, from the first queue with one that has room (semantics.md 9.4)."""
        world, stage = self.world, self.stage
        for pool in stage.queues:
            if not pool.queue:
                continue
            world.meter.step()
            stage.left = offered
            try:
                wait = queueing.pick(world, pool)
                world.place = wait.script.place
                units, wanted_units = queueing.needs(wait)
            finally:
                stage.left = None
            if not queueing.fits(world, wait, wanted_units):
                return False
            queueing.let_in(world, wait, units, wanted_units)
            run_ready(world)
            world.place = None
            return True
        return False

    def _body(self, statements: tuple[Any, ...]) -> None:
        """Run a list of body statements (semantics.md 9.5)."""
        for it in statements:
            match it:
                case script.Serve():
                    self._serve_all(it)
                case script.Admit():
                    self._admit_all(it)
                case script.BodyBranch():
                    self._body(it.then if guard_holds(it.guard(*self._so_far()), "a scheduler's branch") else it.other)
                case script.SetRegister():
                    value = it.value(*self._so_far())
                    if not math.isfinite(value):
                        raise RunError(
                            "bad-register", f"`set` of a register reads {value:g}; a register holds a finite number"
                        )
                    self.world.registers[it.register] = value
                case _:
                    raise AssertionError(it)

    def _so_far(self) -> tuple[float, ...]:
        tokens = prefilled = -0.0
        for job, n in self.batch:
            tokens += n
            if not job.decode:
                prefilled += n
        totals = resident_totals(self.stage)
        return (*totals, tokens, prefilled, float(self.admitted), float(self.preempted))

    def _passes(self, job: Resident, only: Value | None) -> bool:
        return only is None or only(job.session, *resident_totals(self.stage), *own_values(job)) != 0

    def _serve_all(self, it: script.Serve) -> None:
        stage = self.stage
        order = Order(self, stage.keys, stage.moves) if it.keys is None else Order(self, it.keys, it.moves)
        while self.left > 0:
            job = order.next()
            if job is None:
                return
            if not self._passes(job, it.only):
                order.skip(job)
                continue
            job.seen = stage.tries
            outcome = self._serve(job)
            if outcome is Served.STOP:
                return
            if outcome is Served.REFUSED:
                self.barred = True

    def _admit_all(self, it: script.Admit) -> None:
        stage = self.stage
        while self.left > 0 and not self.barred:
            if it.gate is not None and not guard_holds(it.gate(*self._so_far()), "`admit … while`"):
                return
            before = set(map(id, stage.residents))
            if not self._let_one_in(self.left):
                return
            self.admitted += 1
            order = Order(self, stage.keys, stage.moves)
            while True:
                job = order.next()
                if job is None:
                    break
                if id(job) in before:
                    order.skip(job)
                    continue
                if self.left <= 0:
                    return
                if not self._passes(job, it.only):
                    order.skip(job)
                    continue
                job.seen = stage.tries
                outcome = self._serve(job)
                if outcome is Served.STOP:
                    return
                if outcome is Served.REFUSED:
                    self.barred = True
                    return


def _stalled(job: Resident) -> bool:
    return job.session.status is Status.GROWING


def own_values(job: Resident) -> tuple[float, float, float]:
    """`decoding`, `admission`, `remaining` of a resident."""
    return (1.0 if job.decode else 0.0), float(job.session.admission), job.work


class Order:
    """Residents not yet seen, in serving order. The order is that of the moment each is asked for."""

    __slots__ = ("_at", "_changes", "_keys", "_list", "_moves", "_skipped", "_stage", "_totals", "_tries", "_world")

    def __init__(self, plan: Plan, keys: Keys | None, moves: Moves) -> None:
        self._world = plan.world
        self._stage = plan.stage
        self._keys = keys
        self._moves = moves
        self._skipped: set[int] | None = None
        self._list: list[Resident] = []
        self._at = 0
        self._changes = -1
        self._totals: tuple[float, ...] = ()
        self._tries = plan.stage.tries

    def skip(self, job: Resident) -> None:
        """Do not offer this resident again."""
        if self._skipped is None:
            self._skipped = set()
        self._skipped.add(job.number)

    def next(self) -> Resident | None:
        """The first resident that is neither seen nor skipped."""
        if self._stage.changes != self._changes or (self._moves is not Moves.NEVER and self._moved()):
            self._changes = self._stage.changes
            self._list = self._stage.residents if self._keys is None else self._sorted(self._keys)
            self._at = 0
        skipped = self._skipped
        for at in range(self._at, len(self._list)):
            job = self._list[at]
            if job.seen != self._tries and (skipped is None or job.number not in skipped):
                self._at = at
                return job
        self._at = len(self._list)
        return None

    def _moved(self) -> bool:
        return self._moves is Moves.ALWAYS or resident_totals(self._stage) != self._totals

    def _sorted(self, keys: Keys) -> list[Resident]:
        self._totals = totals = resident_totals(self._stage)
        self._world.meter.step(len(self._stage.residents))
        return sorted(self._stage.residents, key=lambda job: keys(job.session, *totals, *own_values(job)))
