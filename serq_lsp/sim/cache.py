"""Cache entries of a pool: making room, eviction, spilling (semantics.md 7.1 and 7.4)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serq_lsp.ir.arith import ceil, floor, maximum
from serq_lsp.sim import stages
from serq_lsp.sim.errors import Place
from serq_lsp.sim.session import Entry, Status
from serq_lsp.sim.world import EPS

if TYPE_CHECKING:
    from serq_lsp.sim.resources import Pool
    from serq_lsp.sim.session import Session
    from serq_lsp.sim.world import World

_NOWHERE = Place(-1, -1)  # a spill's copy belongs to no statement


@dataclass(frozen=True, slots=True)
class Eviction:
    """Units cut off a cache entry: when (s), from which entry, how many, in which pool."""

    time: float
    key: int
    units: float
    pool: int


def rounded_up(pool: Pool, x: float) -> float:
    """The least whole number of blocks that holds `x`."""
    block = pool.block
    return x if block is None else ceil(x / block) * block


def rounded_down(pool: Pool, x: float) -> float:
    """The greatest whole number of blocks within `x`."""
    block = pool.block
    return x if block is None else floor(x / block) * block


def put(pool: Pool, entry: Entry) -> None:
    """Add an entry, or put it in the place of the one with its key; `cached` is the caller's to adjust."""
    pool.entries[entry.key] = entry
    _remember(pool, entry)


def next_number(world: World) -> int:
    """The next release number."""
    world.next_release += 1
    return world.next_release - 1


def _remember(pool: Pool, entry: Entry) -> None:
    if pool.evict is None:
        heapq.heappush(pool.lru, (entry.last, entry.number, entry.key))
        if len(pool.lru) > 64 + 2 * len(pool.entries):
            pool.lru = [(it.last, it.number, it.key) for it in pool.entries.values()]
            heapq.heapify(pool.lru)


def keep(world: World, pool: Pool, session: Session, size: float) -> None:
    """Replace the session's entry by one of `size`, released now."""
    old = pool.entries.pop(session.serial, None)
    if old is not None:
        pool.cached -= old.size
    pool.cached += size
    put(pool, Entry(session.serial, size, world.now, next_number(world), list(session.attrs)))


def make_room(world: World, pool: Pool, x: float) -> None:
    """Evict until `x` more fits beside what is allocated and cached, or nothing is cached."""
    if not pool.entries or pool.used + pool.cached + x <= pool.cap + EPS:
        return
    order = None if pool.evict is None else _KeyOrder(world, pool)
    while pool.entries and pool.used + pool.cached + x > pool.cap + EPS:
        world.meter.step()
        entry = _oldest(pool) if order is None else order.least()
        units = entry.size if pool.block is None else min(pool.block, entry.size)
        entry.size -= units
        if entry.size <= EPS:
            del pool.entries[entry.key]
            pool.evicted_entries += 1
        elif order is not None:
            order.shrunk(entry)
        pool.cached -= units
        pool.evicted_units += units
        if world.evictions:
            world.out.append(Eviction(world.now, entry.key, units, pool.number))
        if pool.spill is not None:
            _spill(world, pool, entry, units)


def _oldest(pool: Pool) -> Entry:
    """The entry released first; outdated notes of it are dropped on the way."""
    lru = pool.lru
    while True:
        last, number, key = lru[0]
        entry = pool.entries.get(key)
        if entry is not None and entry.number == number and entry.last == last:
            return entry
        heapq.heappop(lru)


class _KeyOrder:
    """The order of `evict by` within one call: keys are read once, or again each time if they read changing state."""

    def __init__(self, world: World, pool: Pool) -> None:
        self._world = world
        self._pool = pool
        self._heap: list[tuple[tuple[int, ...], int, Entry]] = []
        if not pool.evict_again:
            self._heap = [self._item(entry) for entry in pool.entries.values()]
            heapq.heapify(self._heap)

    def _item(self, entry: Entry) -> tuple[tuple[int, ...], int, Entry]:
        self._world.meter.step()
        evict = self._pool.evict
        assert evict is not None
        return evict(*context(self._world, entry, entry.size)), entry.number, entry

    def least(self) -> Entry:
        """The entry to evict from."""
        pool = self._pool
        if pool.evict_again:
            return min((self._item(entry) for entry in pool.entries.values()), key=_first_two)[2]
        while True:
            entry = self._heap[0][2]
            if pool.entries.get(entry.key) is entry:
                return entry
            heapq.heappop(self._heap)

    def shrunk(self, entry: Entry) -> None:
        """The entry has become smaller, so its keys may be others."""
        if not self._pool.evict_again:
            heapq.heapreplace(self._heap, self._item(entry))


def _first_two(item: tuple[tuple[int, ...], int, Entry]) -> tuple[tuple[int, ...], int]:
    return item[0], item[1]


def context(world: World, entry: Entry, size: float) -> tuple[Session | Entry, float, float, float, float]:
    """What eviction keys and spill clauses read: whose attributes, size, age, last release, whether its session waits."""
    live = world.by_serial.get(entry.key)
    waits = 1.0 if live is not None and live.status is Status.QUEUED else 0.0
    return live or entry, size, world.now - entry.last, entry.last, waits


def _spill(world: World, pool: Pool, entry: Entry, units: float) -> None:
    """Copy evicted units to the next tier."""
    assert pool.spill is not None
    target, link, work_of, when = pool.spill
    reads = context(world, entry, units)
    if when(*reads) == 0:
        return
    work = maximum(work_of(*reads), 0.0)
    make_room(world, target, 0.0)
    found = target.entries.get(entry.key)
    size = units if found is None else found.size + units
    attrs = list(entry.attrs) if found is None else found.attrs
    put(target, Entry(entry.key, size, world.now, next_number(world), attrs))
    target.cached += units
    pool.spills += 1
    if work > 0:
        stages.start(world, None, [link], work, _NOWHERE)
