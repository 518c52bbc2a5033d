# SPDX-License-Identifier: BSD-2-Clause
"""Limits of the multiprocessor to the unit, what is not given, and the prediction of `replicate`."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces.shared.chunk import SharedChunk
from litemrc_studies.reference_counters.machine.costs import PAPER, read_costs
from litemrc_studies.reference_counters.machine.numa import (
    PROTOCOLS,
    NumaMachine,
    NumaReferences,
    NumaSimulation,
    read_references,
)
from litemrc_studies.reference_counters.machine.replicate_prediction import ReplicatePrediction
from litemrc_studies.reference_counters.machine.replicate_scenario import (
    Group,
    Home,
    ReplicateScenario,
    replicate_references,
)
from litemrc_studies.reference_counters.tests.shared_references import from_rows, from_text


def test_what_is_not_given_is_64_processors_with_pages_of_1_kib():
    machine = NumaMachine()
    assert (machine.processors, machine.page_bytes, machine.home, machine.local_pages) == (64, 1024, None, 0)
    simulation = NumaSimulation(from_text("0r0 3*1r0 0w0", 256), machine)
    run = simulation.run("upd")
    assert (run.delay, run.update, run.counts.replications) == (0, 0, 0)
    told = {name: simulation.run(name, 3, 4) for name in PROTOCOLS}
    assert {name: (run.delay, run.update) for name, run in told.items()} == {
        "upd": (3, 4),
        "self-tuned": (None, None),
        "invalidate": (3, None),
        "always-remote": (0, 0),
        "first-touch": (1, 0),
        "optimum": (None, None),
    }
    assert [(each.delay, each.update) for each in simulation.sweep([1, 2])] == [(1, 0), (2, 0)]


@pytest.mark.parametrize(
    ("good", "bad", "what"),
    [
        ({"processors": 1}, {"processors": 0}, "0 processors"),
        ({"processors": 4096}, {"processors": 4097}, "4097 processors"),
        ({"page_bytes": 4}, {"page_bytes": 3}, "page of 3 bytes"),
        ({"page_bytes": 4096}, {"page_bytes": 0}, "page of 0 bytes"),
        ({"page_bytes": 8}, {"page_bytes": 12}, "page of 12 bytes"),
        ({"page_bytes": 16}, {"page_bytes": 17}, "page of 17 bytes"),
        ({"processors": 2, "home": 1}, {"processors": 2, "home": 2}, "home processor 2"),
        ({"home": 0}, {"home": -1}, "home processor -1"),
        ({"local_pages": 0}, {"local_pages": -1}, "-1 local pages"),
    ],
)
def test_machines_have_limits(good, bad, what):
    NumaMachine(**good)
    with pytest.raises(UserError, match=what):
        NumaMachine(**bad)


def test_counters_have_24_bits():
    simulation = NumaSimulation(from_text("0r0 1r0", 256), NumaMachine())
    for name in ("delay", "update"):
        assert getattr(simulation.run("upd", **{name: 2**24 - 1}), name) == 16_777_215
        for wrong in (2**24, -1):
            with pytest.raises(UserError, match=f"{name.upper()} of {wrong} is out of range"):
                simulation.run("upd", **{name: wrong})


def test_pages_and_processors_are_limited_together():
    """2^27 pairs: 32,768 pages of 4,096 processors."""
    machine = NumaMachine(processors=4096, page_bytes=4)

    def references(pages: int) -> NumaReferences:
        return NumaReferences(np.arange(pages, dtype="u8"), np.zeros(pages, "u2"), np.zeros(pages, "u1"))

    assert NumaSimulation(references(32_768), machine).pages == 32_768
    with pytest.raises(UserError, match="32,769 pages and 4096 processors") as error:
        NumaSimulation(references(32_769), machine)
    assert "32,768" in error.value.remedy


def test_a_processor_too_many_is_reported_with_its_reference():
    with pytest.raises(UserError, match="processor 4 in a machine of 4") as error:
        NumaSimulation(from_text("0r0 3r0 4r0 9r0", 256), NumaMachine(processors=4))
    assert error.value.where == "reference 2"
    assert NumaSimulation(from_text("0r0 3r0", 256), NumaMachine(processors=4)).pages == 1


def test_no_reference_costs_nothing_and_chunks_are_one_trace():
    nothing = read_references([])
    assert (len(nothing), nothing.processor_count) == (0, 1)
    assert NumaSimulation(nothing, NumaMachine()).run("upd").namc == 0
    assert NumaSimulation(from_text("0r0", 256), NumaMachine()).run("upd").namc == 1
    chunks = [
        SharedChunk(
            np.array(words, "u8"),
            np.array([place, 5], "u2"),
            np.array([True, False]),
            np.arange(2, dtype="u8"),
        )
        for place, words in enumerate(([7, 8], [9, 9]))
    ]
    both = read_references(chunks)
    assert (len(both), both.processor_count) == (4, 6)
    assert (both.words.tolist(), both.writes.tolist()) == ([7, 8, 9, 9], [1, 0, 1, 0])


def test_self_tuning_needs_remote_reads_that_cost_more_and_updates_that_cost():
    references, costs = from_text("0r0 1r0", 256), read_costs()
    for change in ({"remote_read": 6}, {"update": 1}):
        NumaSimulation(references, NumaMachine(costs=replace(costs, **change))).run("self-tuned")
    for change, what in (({"remote_read": 5}, "copies gain nothing"), ({"update": 0}, "copies lose nothing")):
        with pytest.raises(UserError, match=what):
            NumaSimulation(references, NumaMachine(costs=replace(costs, **change))).run("self-tuned")


@pytest.mark.parametrize(
    ("was", "good", "bad", "what"),
    [
        ("word_bytes = 4", "word_bytes = 64", "word_bytes = 65", "word_bytes: is 65"),
        ("word_bytes = 4", "word_bytes = 1", "word_bytes = 0", "word_bytes: is 0"),
        ("remote_read = 100", "remote_read = 1_000_000", "remote_read = 1_000_001", "is 1000001"),
        ("update = 10", "update = 0", "update = -1", "is -1"),
        ("local_access = 5", "local_access = 1", "local_access = 0", "local_access: is 0"),
    ],
)
def test_costs_have_limits(tmp_path, was, good, bad, what):
    text, path = PAPER.read_text(), tmp_path / "costs.toml"
    assert was in text
    path.write_text(text.replace(was, good))
    assert read_costs(path)
    path.write_text(text.replace(was, bad))
    with pytest.raises(UserError, match=what):
        read_costs(path)


SCENARIO = ReplicateScenario(
    page_bytes=16,
    local_pages=1,
    delay=2,
    update=3,
    seed=1,
    rounds=2,
    references=4,
    home=Home(accesses=2, first_page=1, pages_log2=0, writes=256, gap=0, seed=1),
    groups=(Group(pages=1, weight=1, writes=100), Group(pages=2, weight=3, writes=0)),
)


def test_a_prediction_ends_before_the_processors_next_reference():
    """In a round 4 references are the processor's, H the home's: H behind or beside the first and third."""
    rounds = [reference.processor for reference in replicate_references(SCENARIO)]
    assert rounds == [1, 0, 1, 1, 0, 1] * 2
    prediction = ReplicatePrediction(SCENARIO)
    assert [prediction.accesses(count) for count in range(10)] == [0, 2, 3, 5, 6, 8, 9, 11, 12, 12]
    assert ReplicatePrediction(SCENARIO, 3).accesses(99) == 36


def test_a_prediction_is_the_machines_cost_of_the_same_references():
    prediction = ReplicatePrediction(SCENARIO, 20)
    rows = [
        (4 * each.page + each.word, each.processor, each.write) for each in replicate_references(SCENARIO, 20)
    ]
    machine = NumaMachine(processors=2, page_bytes=16, home=0, local_pages=1)
    for count in (1, 50, 160):
        simulation = NumaSimulation(from_rows(rows[: prediction.accesses(count)]), machine)
        assert prediction.run(count).cycles == simulation.run("upd", delay=2, update=3).cycles
        assert prediction.run(count, delay=5).cycles == simulation.run("upd", delay=5).cycles
        assert prediction.run(count, "first-touch").cycles == simulation.run("first-touch").cycles
    assert prediction.run(160).counts.replications > 0
    assert prediction.run(160).counts.refused > 0
