# SPDX-License-Identifier: BSD-2-Clause
"""Shared pages: costs by hand, native equal to the model, and what the bound bounds."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc_studies.reference_counters.golden import Counts
from litemrc_studies.reference_counters.machine.costs import read_costs
from litemrc_studies.reference_counters.machine.numa import PROTOCOLS, NumaMachine, NumaSimulation, best
from litemrc_studies.reference_counters.tests.shared_references import (
    at_random,
    by_model,
    counted,
    from_rows,
    from_text,
)

WORDS = 256  # of a page of 1 KB
COPY = 500 + 4 * WORDS  # to make one: page fault, and each word: table 1(b)
MACHINE = NumaMachine(processors=4)


def test_costs_are_those_of_table_1b():
    costs = read_costs()
    assert (costs.network_latency, costs.local_access, costs.remote_read) == (90, 5, 100)
    assert (costs.remote_write, costs.update, costs.word_transfer, costs.page_fault) == (10, 10, 4, 500)
    assert costs.replication(1024) == COPY


def test_delay_by_hand():
    # Page 0 is at home at 0, which writes it. 1 reads: two remote, the third makes a copy and is local, one
    # more local. 0 writes: local, one update. 1 writes: local, an update to the home. 2 writes, without a
    # copy: to the home, and an update to 1's copy. 2 reads: its first of three.
    references = from_text("0w0 4*1r0 0w0 1w0 2w0 2r0", WORDS)
    run = NumaSimulation(references, MACHINE).run("upd", delay=3)
    cycles = 5 + (2 * 100 + COPY + 5 + 5) + (5 + 10) + (5 + 10) + (10 + 10) + 100
    assert counted(run) == Counts(
        cycles=cycles,
        local_reads=2,
        remote_reads=3,
        local_writes=3,
        remote_writes=1,
        replications=1,
        updates_sent=3,
    )
    assert run.namc == cycles / 5 / 9


def test_update_by_hand():
    # 1 reads page 7 of home 0 at once into a copy: one local access. Two updates: UPDATE fires, 2 > 1:
    # dropped. 1's next read makes a copy again. It reads twice more, 3 accesses; two updates: 2 <= 3, kept
    # and armed anew. Two more updates without an access: dropped. The last write updates nobody.
    references = from_text("0r7 1r7 2*0w7 3*1r7 2*0w7 2*0w7 0w7", WORDS)
    run = NumaSimulation(references, MACHINE).run("upd", delay=1, update=2)
    cycles = 5 + (COPY + 5) + (2 * 15 + 500) + (COPY + 3 * 5) + (2 * 15 + 500) + (2 * 15 + 500) + 5
    assert counted(run) == Counts(
        cycles=cycles,
        local_reads=5,
        local_writes=7,
        replications=2,
        invalidations=2,
        updates_sent=6,
        interrupts=3,
    )


def test_invalidation_by_hand():
    # 0 owns page 3. 1 and 2 fetch it by reading. 1 writes: 0 and 2 lose it, 1 owns it. 0 fetches it by
    # writing: 1 loses it. 2 fetches it again.
    references = from_text("0w3 1r3 2r3 1w3 0w3 2r3", WORDS)
    run = NumaSimulation(references, MACHINE).run("invalidate", delay=1)
    cycles = 5 + 2 * (COPY + 5) + (5 + 2 * 10) + (COPY + 5 + 10) + (COPY + 5)
    assert counted(run) == Counts(
        cycles=cycles, local_reads=3, local_writes=3, replications=4, invalidations=3, updates_sent=3
    )


def test_optimum_by_hand():
    # 30 reads by 1, 200 writes by 0, 30 reads by 1. A copy costs 1,524 and saves 95 a read: worth it twice,
    # but not kept over the writes, which would cost 2,000. So home 201 x 5, and 2 x (COPY + 30 x 5).
    references = from_text("0w0 30*1r0 200*0w0 30*1r0", WORDS)
    assert NumaSimulation(references, MACHINE).run("optimum").cycles == 201 * 5 + 2 * (COPY + 150)
    # With 100 writes it is kept: 1,000 for the updates instead of 1,524.
    references = from_text("0w0 30*1r0 100*0w0 30*1r0", WORDS)
    assert NumaSimulation(references, MACHINE).run("optimum").cycles == 101 * 5 + COPY + 300 + 1000
    # 16 reads are worth no copy: 16 x 100 < 1,524 + 16 x 5.
    references = from_text("0w0 16*1r0", WORDS)
    assert NumaSimulation(references, MACHINE).run("optimum").cycles == 5 + 1600


def test_full_local_memory_refuses_by_hand():
    # All pages at 0; 1 has room for one copy. The second page's DELAY fires twice without effect: page fault,
    # remote read.
    machine = NumaMachine(processors=4, home=0, local_pages=1)
    run = NumaSimulation(from_text("2*1r0 4*1r1 1r0", WORDS), machine).run("upd", delay=2)
    assert counted(run) == Counts(
        cycles=(100 + COPY + 5) + (4 * 100 + 2 * 500) + 5,
        local_reads=2,
        remote_reads=5,
        replications=1,
        interrupts=2,
        refused=2,
    )


def test_first_touch_and_always_remote_are_the_ends_of_delay():
    simulation = NumaSimulation(at_random(3, 2000, 4, 6, WORDS, 0.2), MACHINE)
    assert simulation.run("first-touch").cycles == simulation.run("upd", delay=1).cycles
    assert simulation.run("always-remote").cycles == simulation.run("upd", delay=1 << 20).cycles
    assert simulation.run("always-remote").counts.replications == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(6))
def test_native_equals_the_model(protocol: str, seed: int):
    processors, page_bytes = (2, 4, 70)[seed % 3], (16, 256)[seed % 2]
    home, local_pages = (None, 1)[seed % 2], (0, 0, 2)[seed % 3] if seed > 2 else 0
    local_pages = 0 if protocol in ("invalidate", "optimum") else local_pages
    machine = NumaMachine(processors, page_bytes, home, local_pages)
    references = at_random(seed, 3000, processors, 12, page_bytes // 4, (0.05, 0.2, 0.5)[seed % 3])
    simulation = NumaSimulation(references, machine)
    for delay, update in ((0, 0), (1, 0), (1, 1), (3, 7), (8, 2), (16, 64)):
        run = simulation.run(protocol, delay, update)
        asked = {"always-remote": (0, 0), "first-touch": (1, 0)}.get(protocol, (delay, update))
        expected = by_model(references, machine, protocol, *asked)
        assert (run.cycles if protocol == "optimum" else counted(run)) == expected
        if protocol not in ("upd", "invalidate"):
            break


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2), st.booleans()), min_size=1, max_size=120),
    delay=st.integers(0, 4),
    update=st.integers(0, 4),
)
def test_short_traces_equal_the_model(rows: list, delay: int, update: int):
    machine = NumaMachine(processors=3, page_bytes=16)
    references = from_rows(rows)
    simulation = NumaSimulation(references, machine)
    for protocol in ("upd", "self-tuned", "invalidate"):
        model = by_model(references, machine, protocol, delay, update)
        assert counted(simulation.run(protocol, delay, update)) == model
    assert simulation.run("optimum").cycles == by_model(references, machine, "optimum", 0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_sweep_equals_single_runs(seed: int):
    simulation = NumaSimulation(at_random(seed, 20_000, 16, 40, WORDS, 0.2), NumaMachine(processors=16))
    delays, updates = (0, 1, 5, 64), (0, 1, 9, 300)
    runs = simulation.sweep(delays, updates)
    for run, (delay, update) in zip(runs, product(delays, updates), strict=True):
        assert (run.delay, run.update) == (delay, update)
        assert counted(run) == counted(simulation.run("upd", delay, update))


@pytest.mark.parametrize("seed", range(3))
def test_no_policy_is_below_the_optimum(seed: int):
    simulation = NumaSimulation(at_random(seed, 20_000, 16, 40, WORDS, 0.1), NumaMachine(processors=16))
    bound = simulation.run("optimum").cycles
    runs = simulation.sweep((0, 1, 4, 16, 64, 256), (0, 1, 16, 256))
    assert bound <= best(runs).cycles
    assert bound <= simulation.run("self-tuned").cycles


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.booleans()), min_size=1, max_size=11))
def test_the_optimum_is_the_least_of_all_decisions(rows: list):
    """Two processors, one page: every set of moments at which processor 1 has a copy is tried."""
    machine = NumaMachine(processors=2, page_bytes=16, home=0)
    costs, copy = machine.costs, machine.costs.replication(16)
    least = None
    for having in product((False, True), repeat=len(rows)):
        cycles, before = 0, False
        for (_, processor, write), now in zip(rows, having, strict=True):
            cycles += copy * (now and not before)
            before = now
            if processor == 0:
                cycles += costs.local_access + costs.update * (write and now)
            elif now:
                cycles += costs.local_access + costs.update * write
            else:
                cycles += costs.remote_write if write else costs.remote_read
        least = cycles if least is None else min(least, cycles)
    assert NumaSimulation(from_rows(rows), machine).run("optimum").cycles == least


def test_what_makes_no_sense_is_refused():
    references = from_text("0r0 5r0", WORDS)
    for wrong in (
        lambda: NumaSimulation(references, MACHINE),
        lambda: NumaMachine(processors=0),
        lambda: NumaMachine(page_bytes=1000),
        lambda: NumaMachine(page_bytes=2),
        lambda: NumaMachine(processors=2, home=2),
        lambda: NumaMachine(local_pages=-1),
        lambda: NumaSimulation(references, NumaMachine()).run("upd", delay=-1),
        lambda: NumaSimulation(references, NumaMachine()).run("update"),
        lambda: NumaSimulation(references, NumaMachine(local_pages=3)).run("optimum"),
        lambda: NumaSimulation(references, NumaMachine(local_pages=3)).sweep([1]),
    ):
        with pytest.raises(UserError):
            wrong()
