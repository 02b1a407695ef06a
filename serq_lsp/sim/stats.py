"""Statistics of a run (semantics.md 12): time averages, running means, token gaps, estimators, samples, batch means.

Every figure is accumulated here and nowhere else; the report only asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from serq_lsp.ir.arith import divide, order_key

if TYPE_CHECKING:
    from collections.abc import Sequence

_BUCKET = math.log1p(0.01)
_FORGET = 0.01
_SPANS_MAX = 4096
_BATCHES = 20
_T19 = 2.093  # Student's t, 19 degrees of freedom, 97.5 %


class Level:
    """A quantity that is averaged over time. The ledger brings `integral` up when the value changes."""

    __slots__ = ("integral", "mark", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.integral = 0.0
        self.mark = 0


class Ledger:
    """The time averages that are recorded at the end of every settle (semantics.md 12.1).

    An average adds `value * span` for each span between two settles, in order; since the sum is rounded at every step, the
    spans are kept, and a level goes through them when its value changes.
    """

    __slots__ = ("last", "levels", "spans", "start")

    def __init__(self) -> None:
        self.levels: list[Level] = []
        self.spans: list[float] = []
        self.last = 0.0
        self.start = 0.0

    def track(self, *levels: Level) -> None:
        """Average these levels, of value 0 so far."""
        self.levels.extend(levels)

    def pass_time(self, now: float) -> None:
        """Note the span since the last settle; every change of a level recorded after this counts from `now`."""
        spans = self.spans
        if len(spans) >= _SPANS_MAX:
            for level in self.levels:
                self._catch_up(level)
                level.mark = 0
            spans.clear()
        spans.append(now - self.last)
        self.last = now

    def change(self, level: Level, value: float) -> None:
        """Give a level its new value. Calls with the value it has are allowed and cost time only."""
        self._catch_up(level)
        level.value = value

    def restart(self, now: float) -> None:
        """The end of warm-up: averages begin anew, values stay."""
        self.spans.clear()
        self.last = self.start = now
        for level in self.levels:
            level.integral = 0.0
            level.mark = 0

    def mean(self, level: Level, now: float) -> float:
        """The average of a level from the start to `now`."""
        if now <= self.start:
            return level.value
        self._catch_up(level)
        return (level.integral + level.value * (now - self.last)) / (now - self.start)

    def _catch_up(self, level: Level) -> None:
        spans = self.spans
        value = level.value
        if value:
            total = level.integral
            for span in spans[level.mark :]:
                total += value * span
            level.integral = total
        level.mark = len(spans)


class RunningMean:
    """A mean kept as values come (semantics.md 12.2)."""

    __slots__ = ("count", "mean")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0

    def add(self, x: float) -> None:
        """Take one more value."""
        self.count = n = self.count + 1
        self.mean += (x - self.mean) / n

    def value(self) -> float:
        """The mean; not a number without values."""
        return self.mean if self.count else math.nan


class BatchStats:
    """A step stage's iterations (semantics.md 12.4): time per class of batch, and means over those that decode."""

    __slots__ = ("_class", "_decodes", "_last", "_start", "batch", "spent", "step")

    def __init__(self) -> None:
        self.spent = [0.0, 0.0, 0.0, 0.0]  # prefill only, decode only, mixed; decodes
        self.batch = RunningMean()
        self.step = RunningMean()
        self._class = -1
        self._decodes = 0
        self._last = self._start = 0.0

    def begin(self, now: float, decodes: int, prefilled: float, cost: float, *, warm: bool) -> None:
        """An iteration starts with so many decode items and prefill tokens."""
        self._last = now
        self._decodes = decodes
        if decodes > 0:
            self._class = 2 if prefilled > 0 else 1
            if warm:
                self.batch.add(decodes)
                self.step.add(cost)
        else:
            self._class = 0 if prefilled > 0 else -1

    def end(self, now: float) -> None:
        """The iteration is over."""
        span = now - self._last
        if self._class >= 0:
            self.spent[self._class] += span
        if self._decodes:
            self.spent[3] += self._decodes * span
        self._class = -1
        self._decodes = 0
        self._last = now

    def restart(self, now: float) -> None:
        """The end of warm-up; an iteration may be running."""
        self.spent = [0.0, 0.0, 0.0, 0.0]
        self._last = self._start = now

    def means(self, now: float) -> list[float]:
        """The averages of `spent` up to `now`, one of a running iteration counted so far."""
        current = [1.0 if at == self._class else 0.0 for at in range(3)]
        current.append(float(self._decodes))
        if now <= self._start:
            return current
        span = now - self._last
        return [(total + value * span) / (now - self._start) for total, value in zip(self.spent, current, strict=True)]


class Gaps:
    """Gaps between tokens, in buckets a hundredth wide (semantics.md 12.5)."""

    __slots__ = ("_buckets", "count", "total")

    def __init__(self) -> None:
        self._buckets: dict[float, list[float]] = {}
        self.count = 0
        self.total = 0.0

    def add(self, gap: float) -> None:
        """Take one more gap in seconds."""
        self.count += 1
        self.total += gap
        at = math.log(gap) / _BUCKET // 1.0 if gap > 0 else -math.inf
        bucket = self._buckets.get(at)
        if bucket is None:
            self._buckets[at] = [1, gap, gap]
            return
        bucket[0] += 1
        if gap < bucket[1]:
            bucket[1] = gap
        elif gap > bucket[2]:
            bucket[2] = gap

    def mean(self) -> float:
        """The mean gap; not a number without gaps."""
        return self.total / self.count if self.count else math.nan

    def quantile(self, q: float) -> float:
        """The gap that a share `q` of all do not exceed, to the width of a bucket."""
        if not self.count:
            return math.nan
        wanted = min(max(math.ceil(q * self.count), 1), self.count)
        for at in sorted(self._buckets):
            count, least, greatest = self._buckets[at]
            wanted -= int(count)
            if wanted <= 0:
                middle = math.exp((at + 0.5) * _BUCKET) if at > -math.inf else 0.0
                return min(max(middle, least), greatest)
        return math.nan


class Estimator:
    """What a stage knows of its own load (semantics.md 12.6)."""

    __slots__ = ("gap", "last_start", "service", "wait")

    def __init__(self) -> None:
        self.gap: float | None = None
        self.last_start: float | None = None
        self.service: float | None = None
        self.wait = 0.0

    def see(self, start: float, wait: float, service: float) -> None:
        """A job has finished."""
        if self.service is None:
            self.service, self.wait = service, wait
        else:
            self.service = (1.0 - _FORGET) * self.service + _FORGET * service
            self.wait = (1.0 - _FORGET) * self.wait + _FORGET * wait
        if self.last_start is not None:
            gap = start - self.last_start
            self.gap = gap if self.gap is None else (1.0 - _FORGET) * self.gap + _FORGET * gap
        self.last_start = start

    def rate(self) -> float:
        """Arrivals per second."""
        return 0.0 if self.gap is None or not self.gap > 0 else 1.0 / self.gap

    def load(self) -> float:
        """The share of time in use, 0.99 at most."""
        return min(self.rate() * (self.service or 0.0), 0.99) if self.rate() else 0.0

    def price(self, a: float, b: float) -> float:
        """The expected cost to all of a job of `b` after work `a`."""
        m = a + b
        rate, rest = self.rate(), 1.0 - self.load()
        return b + divide(rate * (m * m - a * a), 2.0 * rest) + divide(rate * self.wait * b, rest)


@dataclass(eq=False, slots=True)
class Samples:
    """All recorded values of one observation, in order: when (s), what, whose, in which turn."""

    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    def add(self, time: float, value: float, session: int, turn: float) -> None:
        """Record one value; the turn is cut to an unsigned 32-bit number."""
        self.times.append(time)
        self.values.append(value)
        self.sessions.append(session)
        self.turns.append(int(min(max(turn, 0.0), 4294967295.0)))


@dataclass(frozen=True, slots=True)
class Summary:
    """What the report says of a list of values (semantics.md 12.3)."""

    count: int
    mean: float
    ci: float
    cv2: float
    p99: float


def summary(values: Sequence[float]) -> Summary:
    """Count, mean, half-width of its interval, squared coefficient of variation and 99th percentile."""
    mean = spread = 0.0
    for n, x in enumerate(values, 1):
        delta = x - mean
        mean += delta / n
        spread += delta * (x - mean)
    count = len(values)
    if not count:
        return Summary(0, math.nan, math.inf, math.nan, math.nan)
    variance = spread / (count - 1) if count > 1 else math.nan
    ordered = sorted(values, key=order_key)
    p99 = ordered[max(math.ceil(0.99 * count), 1) - 1]
    return Summary(count, mean, batch_interval(values) if count >= 40 else math.inf, divide(variance, mean * mean), p99)


def batch_interval(values: Sequence[float]) -> float:
    """The half-width of the 95 % interval of the mean, from twenty batches (semantics.md 12.3)."""
    size = len(values) // _BATCHES
    means = []
    for batch in range(_BATCHES):
        total = -0.0
        for x in values[batch * size : (batch + 1) * size]:
            total += x
        means.append(divide(total, size))
    total = -0.0
    for x in means:
        total += x
    middle = total / _BATCHES
    spread = -0.0
    for x in means:
        spread += (x - middle) * (x - middle)
    return _T19 * math.sqrt(spread / 19 / _BATCHES) if spread == spread else math.nan  # noqa: PLR0124


class GaugePoints:
    """The readings of a gauge, kept where they change (semantics.md 12.7)."""

    __slots__ = ("times", "values")

    def __init__(self) -> None:
        self.times: list[float] = []
        self.values: list[float] = []

    def read(self, now: float, value: float) -> None:
        """Take a reading; one at the time of the last point replaces it."""
        times, values = self.times, self.values
        if times and times[-1] == now:
            times.pop()
            values.pop()
        if not values or order_key(values[-1]) != order_key(value):
            times.append(now)
            values.append(value)

    def report(self, start: float, end: float) -> tuple[float, float, float, float]:
        """Mean, half-width of its interval, least and greatest value over [start, end]."""
        parts = []
        for at, value in enumerate(self.values):
            since = max(self.times[at], start)
            until = min(self.times[at + 1] if at + 1 < len(self.times) else end, end)
            if until > since:
                parts.append((since, until, value))
        if not parts:
            return math.nan, math.nan, math.nan, math.nan
        total = -0.0
        for since, until, value in parts:
            total += value * (until - since)
        values = [value for _, _, value in parts]
        mean = divide(total, end - start)
        return mean, batch_interval(_windows(parts, start, end)), _least(values), _greatest(values)


def _windows(parts: list[tuple[float, float, float]], start: float, end: float) -> list[float]:
    width = (end - start) / _BATCHES
    means = []
    first = 0
    for window in range(_BATCHES):
        low = start + window * width
        high = end if window == _BATCHES - 1 else start + (window + 1) * width
        total = -0.0
        while first < len(parts) and parts[first][1] <= low:
            first += 1
        for since, until, value in parts[first:]:
            if since >= high:
                break
            overlap = min(until, high) - max(since, low)
            if overlap > 0:
                total += value * overlap
        means.append(divide(total, width))
    return means


def _least(values: list[float]) -> float:
    found = math.inf
    for value in values:
        found = min(found, value)
    return found


def _greatest(values: list[float]) -> float:
    found = -math.inf
    for value in values:
        found = max(found, value)
    return found
