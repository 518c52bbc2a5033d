"""The stream of the traffic generator, the SoC's second master: where accesses go and which write."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """What the generator is set to.

    Attributes:
        base: first word of the range; a word is as wide as the DRAM's port.
        words_log2: log2 of the words of the range.
        random: anywhere in the range; else `stride` words further each time, round and round.
        writes: how many of 256 accesses are writes, 0..256.
        seed: 32 bits, not 0.
    """

    base: int
    words_log2: int
    random: bool
    stride: int
    writes: int
    seed: int


def xorshift32(state: int) -> int:
    """The next state of Marsaglia's generator (Xorshift RNGs, 2003: 13, 17, 5), of 32 bits."""
    state ^= state << 13 & 0xFFFF_FFFF
    state ^= state >> 17
    return state ^ (state << 5 & 0xFFFF_FFFF)


def traffic_stream(traffic: Traffic) -> Iterator[tuple[int, bool]]:
    """The accesses as (word of the DRAM, write), without end."""
    state, place = traffic.seed, 0
    while True:
        state = xorshift32(state)
        word = (state if traffic.random else place) % (1 << traffic.words_log2)
        yield traffic.base + word, state >> 24 < traffic.writes
        place += traffic.stride
