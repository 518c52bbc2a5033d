# SPDX-License-Identifier: BSD-2-Clause
"""References to shared pages, at random and by hand, as the model and as the native core take them."""

import numpy as np
from litemrc_studies.reference_counters.golden import (
    FIRST_TOUCH,
    Counts,
    InvalidateMachine,
    Reference,
    UpdateMachine,
    optimum,
)
from litemrc_studies.reference_counters.machine.numa import NumaMachine, NumaReferences, NumaRun
from litemrc_studies.reference_counters.policies import FixedCounters, SelfTuned

COUNTS = list(Counts.__dataclass_fields__)


def from_text(text: str, page_words: int) -> NumaReferences:
    """References from words such as `1r0`: processor 1 reads page 0; `3*1r0`: three times."""
    rows = []
    for word in text.split():
        times, _, what = word.rpartition("*")
        direction = "w" if "w" in what else "r"
        processor, page = what.split(direction)
        rows += [(int(page) * page_words, int(processor), direction == "w")] * int(times or 1)
    return from_rows(rows)


def from_rows(rows: list[tuple[int, int, bool]]) -> NumaReferences:
    words, processors, writes = zip(*rows, strict=True)
    return NumaReferences(
        np.array(words, np.uint64), np.array(processors, np.uint16), np.array(writes, np.uint8)
    )


def at_random(seed: int, count: int, processors: int, pages: int, page_words: int, writes: float):
    """Bursts of one processor on one page, a few of them read-mostly and some written by many."""
    random = np.random.default_rng(seed)
    rows = []
    while len(rows) < count:
        page, processor = int(random.zipf(1.5) % pages), int(random.integers(processors))
        share = writes * random.random() * 2
        for _ in range(int(random.integers(1, 12))):
            rows.append(
                (page * page_words + int(random.integers(page_words)), processor, random.random() < share)
            )
    return from_rows(rows[:count])


def by_model(references: NumaReferences, machine: NumaMachine, protocol: str, delay: int, update: int):
    """What the reference model says: its counts, or the cycles of the optimum."""
    page_words = machine.page_bytes // machine.costs.word_bytes
    columns = (references.words // np.uint64(page_words), references.processors, references.writes)
    each = [Reference(int(p), int(q), bool(w)) for p, q, w in zip(*columns, strict=True)]
    costs, replication = machine.costs, machine.costs.replication(machine.page_bytes)
    home = FIRST_TOUCH if machine.home is None else machine.home
    if protocol == "optimum":
        return optimum(each, costs, replication, home)
    if protocol == "invalidate":
        return InvalidateMachine(costs, replication, delay, home).run(each)
    policy = FixedCounters(delay, update)
    if protocol == "self-tuned":
        policy = SelfTuned(costs.remote_read, costs.local_access, costs.update, costs.page_fault, replication)
    return UpdateMachine(costs, replication, policy, home, machine.local_pages).run(each)


def counted(run: NumaRun) -> Counts:
    """The counts of a native run as the model has them."""
    return Counts(**{name: getattr(run.counts, name) for name in COUNTS})
