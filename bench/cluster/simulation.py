# SPDX-License-Identifier: BSD-2-Clause
"""Workers one after the other: their parts, states and joins are real, the network is simulated.

The work of each worker is done here, and its processor time taken. Then the times are put together as they
would follow one another: a join begins when both states are there, a state takes its bytes over the network,
and a worker receives one state at a time.
"""

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from litemrc.native import _core
from litemrc.native.part_engines import ExactPart, ExactState
from litemrc.traces.generators.urls import GeneratedTrace
from numpy.typing import NDArray

Result = TypeVar("Result")


@dataclass(frozen=True)
class Network:
    """What connects the workers: bytes per second into each worker, and seconds for a message of no bytes."""

    bytes_s: float = 1.25e9
    latency_s: float = 1e-3

    def seconds(self, size: int) -> float:
        return self.latency_s + size / self.bytes_s


@dataclass(frozen=True)
class Outcome:
    """How a way to join ended.

    histogram: of the whole trace.
    seconds: from the beginning to the result, as simulated.
    moved: bytes that went over the network.
    work: processor seconds of all joins.
    """

    histogram: NDArray[np.uint64]
    seconds: float
    moved: int
    work: float


def timed(work: Callable[..., Result], *arguments: Any) -> tuple[Result, float]:
    """Return the result of a call and its processor time in seconds."""
    began = time.thread_time()
    result = work(*arguments)
    return result, time.thread_time() - began


def measured_parts(url: str, parts: int) -> tuple[list[ExactState], list[float]]:
    """Return the state of each part of a generated trace, and its processor time without the generator's."""
    references = GeneratedTrace(url).references
    states, seconds = [], []
    for number in range(parts):
        section = range(references * number // parts, references * (number + 1) // parts)
        engine, spent = ExactPart(), 0.0
        for chunk in GeneratedTrace(url, section):
            spent += timed(engine.access, chunk.pages)[1]
        state, last = timed(engine.state)
        states.append(state)
        seconds.append(spent + last)
    return states, seconds


def message_bytes(state: ExactState) -> int:
    """Return the bytes of a state's arrays as Dask sends them: out of band, uncompressed."""
    buffers: list[pickle.PickleBuffer] = []
    pickle.dumps(state, protocol=5, buffer_callback=buffers.append)
    return sum(buffer.raw().nbytes for buffer in buffers)


def tree(states: list[ExactState], parts_s: list[float], network: Network) -> Outcome:
    """Join neighbours, then pairs of them, and so on; the earlier part's worker receives the later state."""
    level, moved, work = list(zip(states, parts_s, strict=True)), 0, 0.0
    while len(level) > 1:
        following = []
        for (one, ready), (other, sent) in zip(level[::2], level[1::2], strict=False):
            size = message_bytes(other)
            state, seconds = timed(one.join, other)
            following.append((state, max(ready, sent + network.seconds(size)) + seconds))
            moved, work = moved + size, work + seconds
        level = following + level[2 * len(following) :]
    ((state, end),) = level
    return Outcome(state.histogram, end, moved, work)


def chain(states: list[ExactState], parts_s: list[float], network: Network) -> Outcome:
    """Append all parts to the first worker's stack, which stays there."""
    core = _stack(states[0])
    link = end = parts_s[0]
    moved, work = 0, 0.0
    for state, ready in zip(states[1:], parts_s[1:], strict=True):
        pages, ranks = state.pages.astype(np.uint64), state.ranks.astype(np.uint32)
        _, seconds = timed(core.join, pages, ranks)
        size = message_bytes(state)
        link = max(link, ready) + network.seconds(size)
        end = max(end, link) + seconds
        moved, work = moved + size, work + seconds
    return Outcome(_sum(states, [core.histogram()], core.pages().size), end, moved, work)


def wave(states: list[ExactState], parts_s: list[float], network: Network) -> Outcome:
    """Send the pages unseen so far from each worker to the one before, as PARDA: each worker keeps its stack.

    In step k worker p receives of worker p + 1 the pages of part p + k that no part between has.
    """
    cores = [_stack(state) for state in states]
    travelling = [state.pages.astype(np.uint64) for state in states]
    ready, link = list(parts_s), list(parts_s)  # of each worker's latest result, and of its link
    moved, work = 0, 0.0
    for step in range(1, len(states)):
        for worker in range(len(states) - step):
            pages = travelling[worker + 1]
            narrow = pages.astype(np.min_scalar_type(pages.max(initial=0)))
            before = cores[worker].pages().size
            ranks = np.arange(1, pages.size + 1, dtype=np.uint32)
            _, seconds = timed(cores[worker].join, pages, ranks)
            # The next worker is advanced after this one: ready[worker + 1] is that of the step before.
            link[worker] = max(link[worker], ready[worker + 1]) + network.seconds(narrow.nbytes)
            ready[worker] = max(ready[worker], link[worker]) + seconds
            travelling[worker] = cores[worker].pages()[before:]
            moved, work = moved + narrow.nbytes, work + seconds
    # The first worker has seen every page.
    crossing = [core.histogram() for core in cores]
    return Outcome(_sum(states, crossing, cores[0].pages().size), max(ready), moved, work)


def _stack(state: ExactState) -> _core.ExactPart:
    """Return the stack of a part as it is where it was measured, with slots for as many pages again."""
    core = _core.ExactPart()
    core.restore(state.pages.astype(np.uint64), state.ranks.astype(np.uint32), 3 * state.pages.size)
    return core


def _sum(states: list[ExactState], crossing: list[NDArray[np.uint64]], cold: int) -> NDArray[np.uint64]:
    """Return the sum of the hits within the parts and across their borders, and the cold misses."""
    total = np.zeros(max(each.size for each in crossing), np.uint64)
    for counts in (*(state.histogram for state in states), *crossing):
        total[1 : counts.size] += counts[1:]
    total[0] = cold
    return total[: cold + 1]
