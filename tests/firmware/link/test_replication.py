# SPDX-License-Identifier: BSD-2-Clause
"""The firmware's page copies, in its own source, against the simulator: equal on random references.

The firmware charges the read that brings DELAY to 0 as the remote one it has been; in the simulator it is
local. All else is the same.
"""

import random
import subprocess
from dataclasses import dataclass

import numpy as np
import pytest
from litemrc_studies.reference_counters.machine.costs import read_costs
from litemrc_studies.reference_counters.machine.numa import NumaMachine, NumaReferences, NumaSimulation

from tests.timeouts import scaled_timeout

HOME, PROCESSOR = 0, 1
WORDS = 256  # of a page
ROOM = 8  # POOL_PAGES of replication_guard.c
MUTANTS = ("drops-what-is-read", "copy-is-not-written", "slot-is-not-freed")


@dataclass(frozen=True)
class Counters:
    """The counters that the guard prints."""

    local: int
    remote_reads: int
    remote_writes: int
    replications: int
    refused: int
    drops: int
    kept: int
    updates_received: int
    cost: int
    damaged: int


def references(seed, pages, count=6000):
    """(processor, page, word, write): the shares of readers and writers of each page are redrawn 3 times."""
    dice = random.Random(seed)
    for _ in range(3):
        weights = [dice.choice((1, 1, 4, 20)) for _ in range(pages)]
        home = [dice.choice((0, 0.1, 0.5, 0.9)) for _ in range(pages)]
        for page in dice.choices(range(pages), weights, k=count // 3):
            if dice.random() < home[page]:
                yield HOME, page, 0, True
            else:
                yield PROCESSOR, page, dice.randrange(WORDS), dice.random() < 0.1


def run_firmware(program, trace, pages, delay, update):
    """The counters of the guard; None if it found wrong data."""
    letter = {(HOME, True): "h", (PROCESSOR, False): "r", (PROCESSOR, True): "w"}
    lines = "".join(f"{letter[processor, write]} {page} {word}\n" for processor, page, word, write in trace)
    command = [program, str(pages), str(delay), str(update)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=scaled_timeout(60))
    assert not done.stderr, done.stderr
    return None if done.returncode else Counters(*map(int, done.stdout.split()))


def run_simulator(trace, delay, update, room=ROOM):
    processor, page, word, write = (np.array(column) for column in zip(*trace, strict=True))
    references = NumaReferences(
        words=(page * WORDS + word).astype(np.uint64),
        processors=processor.astype(np.uint16),
        writes=write.astype(np.uint8),
    )
    machine = NumaMachine(processors=2, page_bytes=4 * WORDS, home=HOME, local_pages=room)
    return NumaSimulation(references, machine).run("upd", delay, update)


def equal(counted, simulated):
    """Whether they agree, except for the reads that made the copies."""
    costs, counts = read_costs(), simulated.counts
    excess = counted.replications * (costs.remote_read - costs.local_access)
    return (
        counted.cost - excess == simulated.cycles
        and counted.remote_reads - counted.replications == counts.remote_reads
        and counted.remote_writes == counts.remote_writes
        and counted.replications == counts.replications
        and counted.refused == counts.refused
        and counted.drops == counts.invalidations
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("pages", "delay", "update"), [(8, 16, 8), (8, 64, 32), (24, 8, 16), (24, 1, 1)])
def test_decisions_and_costs_are_the_simulators(programs, seed, pages, delay, update):
    """24 pages compete for room for 8 copies."""
    trace = list(references(seed, pages))
    counted = run_firmware(programs / "replication_guard", trace, pages, delay, update)
    assert equal(counted, run_simulator(trace, delay, update))


def test_these_references_decide_everything(programs):
    trace = list(references(1, 24))
    counted = run_firmware(programs / "replication_guard", trace, 24, 8, 16)
    assert (
        min(counted.replications, counted.refused, counted.drops, counted.kept, counted.updates_received) > 0
    )


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(programs, mutant):
    trace = list(references(1, 24))
    counted = run_firmware(programs / f"replication_guard-{mutant}", trace, 24, 8, 16)
    assert counted is None or not equal(counted, run_simulator(trace, 8, 16))
