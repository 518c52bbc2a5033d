# SPDX-License-Identifier: BSD-2-Clause
"""The access stream of the SoC's traffic generator, a second master on the DRAM port."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """Settings of the traffic generator.

    Attributes
    ----------
    base
        first word of the range; a word has the width of the DRAM port.
    words_log2
        log2 of the range's length in words.
    random
        words are drawn at random from the range; otherwise each access is `stride` words
        after the previous one, modulo the range.
    writes
        writes among 256 accesses, 0..256.
    seed
        32 bits, not 0.
    """

    base: int
    words_log2: int
    random: bool
    stride: int
    writes: int
    seed: int


def xorshift32(state: int) -> int:
    """Return the next state of Marsaglia's 32-bit generator (Xorshift RNGs, 2003: 13, 17, 5)."""
    state ^= state << 13 & 0xFFFF_FFFF
    state ^= state >> 17
    return state ^ (state << 5 & 0xFFFF_FFFF)


def traffic_stream(traffic: Traffic) -> Iterator[tuple[int, bool]]:
    """Yield the accesses as (DRAM word, is write), without end."""
    state, place = traffic.seed, 0
    while True:
        state = xorshift32(state)
        word = (state if traffic.random else place) % (1 << traffic.words_log2)
        yield traffic.base + word, state >> 24 < traffic.writes
        place += traffic.stride
