"""Random streams (semantics.md 11): ChaCha with twelve rounds, keyed from a 64-bit seed.

The four words of a row lie in one Python integer, 64 bits apart, so that a quarter round works on a whole row at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_M64 = (1 << 64) - 1
_M32 = (1 << 32) - 1
_ROW = _M32 | _M32 << 64 | _M32 << 128 | _M32 << 192
_ONE = 64
_TWO = 128
_THREE = 192
_LANE1 = (1 << 64) - 1
_LANE2 = (1 << 128) - 1
_LANE3 = (1 << 192) - 1
_CONSTANTS = 0x61707865 | 0x3320646E << 64 | 0x79622D32 << 128 | 0x6B206574 << 192
_UNIT = 2.0**-53
_GOLDEN = 0x9E3779B97F4A7C15


def _key(seed: int) -> tuple[int, int]:
    """The two rows of key words for a seed."""
    state = seed & _M64
    rows = [0, 0]
    for word in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) & _M64
        x = (((state >> 18) ^ state) >> 27) & _M32
        turn = state >> 59
        x = (x >> turn | x << (32 - turn)) & _M32
        rows[word >> 2] |= x << 64 * (word & 3)
    return rows[0], rows[1]


def _block(b0: int, c0: int, counter: int) -> list[int]:
    """The sixteen words of one block."""
    row = _ROW
    d0 = (counter & _M32) | (counter >> 32) << 64
    a, b, c, d = _CONSTANTS, b0, c0, d0
    for _ in range(6):
        for columns in (True, False):
            a = (a + b) & row
            d ^= a
            d = (d << 16 & row) | (d >> 16 & row)
            c = (c + d) & row
            b ^= c
            b = (b << 12 & row) | (b >> 20 & row)
            a = (a + b) & row
            d ^= a
            d = (d << 8 & row) | (d >> 24 & row)
            c = (c + d) & row
            b ^= c
            b = (b << 7 & row) | (b >> 25 & row)
            c = c >> 128 | (c & _LANE2) << 128
            if columns:  # the rows turn so that the diagonals stand in columns, and back
                b = b >> 64 | (b & _LANE1) << 192
                d = d >> 192 | (d & _LANE3) << 64
            else:
                b = b >> 192 | (b & _LANE3) << 64
                d = d >> 64 | (d & _LANE1) << 192
    words = []
    for now, first in ((a, _CONSTANTS), (b, b0), (c, c0), (d, d0)):
        total = (now + first) & row
        words += [total & _M32, total >> _ONE & _M32, total >> _TWO & _M32, total >> _THREE]
    return words


class Stream:
    """One stream of random numbers. `seed` is a 64-bit number, or a function giving it; nothing is made before a draw."""

    __slots__ = ("_at", "_counter", "_key", "_seed", "_words")

    def __init__(self, seed: int | Callable[[], int]) -> None:
        self._seed = seed
        self._key: tuple[int, int] | None = None
        self._counter = 0
        self._words: list[int] = []
        self._at = 0

    def u32(self) -> int:
        """The next word."""
        if self._at == len(self._words):
            self._more()
        self._at += 1
        return self._words[self._at - 1]

    def u64(self) -> int:
        """The next two words, the low one first."""
        low = self.u32()
        return low | self.u32() << 32

    def f64(self) -> float:
        """A double in [0, 1)."""
        at = self._at
        if at + 1 < len(self._words):
            self._at = at + 2
            return ((self._words[at] | self._words[at + 1] << 32) >> 11) * _UNIT
        return (self.u64() >> 11) * _UNIT

    def below(self, n: int) -> int:
        """A whole number in 0 … n-1, n below 2^32 (semantics.md 11.1)."""
        product = self.u32() * n
        found, rest = product >> 32, product & _M32
        if rest > (1 << 32) - n and rest + (self.u32() * n >> 32) >= 1 << 32:
            found += 1
        return found

    def copy(self) -> Stream:
        """A stream that goes on with the same numbers as this one."""
        other = Stream(self._seed)
        other._key, other._counter, other._words, other._at = self._key, self._counter, self._words, self._at
        return other

    def _more(self) -> None:
        if self._key is None:
            self._key = _key(self._seed if isinstance(self._seed, int) else self._seed())
        self._words = _block(*self._key, self._counter)
        self._counter += 1
        self._at = 0


def mix(x: int) -> int:
    """The 64-bit mixing step of 11.2."""
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _M64
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _M64
    return x ^ x >> 31


def classic_seed(seed: int, serial: int, turn: int, kind: int) -> int:
    """The seed of a session's stream in pyserq 0.1.3 (semantics.md 11.2)."""
    x = seed
    for value in (serial, turn, kind):
        x = mix((x + _GOLDEN + value) & _M64)
    return x


def engine_seed(seed: int, serial: int, turn: int, kind: int) -> int:
    """The seed of a session's stream from pyserq 0.1.5 on (semantics.md 14.1)."""
    x = mix((seed + _GOLDEN) & _M64)
    for value in (serial, turn, kind):
        x = mix(((x ^ value) + _GOLDEN) & _M64)
    return x
