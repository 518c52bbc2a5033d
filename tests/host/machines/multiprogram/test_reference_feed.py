"""Traces of a scenario are closed when the machine ends, also before their last reference."""

import numpy as np
import pytest
from litemrc.machines.multiprogram import reference_feed
from litemrc.machines.multiprogram.machine import simulate
from litemrc.machines.multiprogram.scenario import Costs, Part, ProcessSpec, Scenario
from litemrc.traces.chunk import Chunk
from litemrc.traces.trace import Trace

COSTS = Costs(time_slice=100, page_read=50, write_out=20, fault=2, zero_fill=1)


class EndlessTrace(Trace):
    """Repeats three pages and keeps its generator, so that only an explicit close ends it."""

    def __init__(self) -> None:
        super().__init__("endless")
        self.generator = None
        self.events: list[str] = []

    def __iter__(self):
        self.generator = self._chunks()
        return self.generator

    def _chunks(self):
        try:
            while True:
                yield Chunk(np.array([1, 2, 3], np.uint64))
        finally:
            self.events.append("generator")

    def close(self) -> None:
        self.events.append("file")


@pytest.fixture
def trace(monkeypatch):
    endless = EndlessTrace()
    monkeypatch.setattr(reference_feed, "open_trace", lambda *_: endless)
    return endless


def scenario(touches: int | None, duration: int) -> Scenario:
    process = ProcessSpec("a", "batch", (Part("endless", touches),), 10)
    return Scenario("endless", 4, 1.0, COSTS, (process,), duration=duration)


def test_a_part_that_needs_fewer_references_closes_its_trace(trace):
    simulate(scenario(4, 0), "global-lru")
    assert trace.events == ["generator", "file"]


def test_a_machine_that_ends_early_closes_the_traces(trace):
    simulate(scenario(None, 500), "global-lru")
    assert trace.events == ["generator", "file"]


def test_an_interrupted_machine_closes_the_traces(trace):
    def interrupt(*_) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted:
        simulate(scenario(None, 500), "global-lru", interrupt)
    assert trace.events == ["generator", "file"]
    assert interrupted.traceback  # still holds the machine's frame
