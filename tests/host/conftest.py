# SPDX-License-Identifier: BSD-2-Clause
import pytest
from litemrc.epochs.processes import Process
from litemrc.epochs.table import EpochTable

from tests.host.epoch_rows import PARAMETERS, row


@pytest.fixture
def sampled_table() -> EpochTable:
    """One page of 4 takes part, so 16 of 64 pages, in 4 groups of 16 / 4 of an engine for 16.

    30 accesses of sampled pages, 70 of others, 11 out of range, 5 dropped: 116 in all. A group stands for
    16 pages. 3 + 2 sampled pages were touched in epoch 0.
    """
    return EpochTable.from_rows(
        [
            row(
                epoch=0, context=1, accesses=20, misses=5, touched=3, dropped=5, outside=11, unsampled=70,
                scale_log2=2, hits=(10, 3, 2, 0),
            ),
            row(
                epoch=0, context=2, accesses=10, misses=2, touched=2, dropped=5, outside=11, unsampled=70,
                scale_log2=2, hits=(0, 8, 0, 0),
            ),
        ],
        **PARAMETERS | {"pages": 16},
        context_names={1: "zipf", 2: "loop"},
    )  # fmt: skip


@pytest.fixture
def epoch_table() -> EpochTable:
    """Two programs over three epochs on a monitor of 64 frames in 4 groups; nothing ran in epoch 2.

    Summed: zipf 20 + 12 accesses, 5 + 1 misses; loop 10 accesses, 2 misses; dropped 3 + 0 + 4. zipf touched 9
    pages in epoch 0, 7 in epoch 1; loop 4.
    """
    return EpochTable.from_rows(
        [
            row(epoch=0, context=1, accesses=20, misses=5, touched=9, dropped=3, hits=(10, 3, 2, 0)),
            row(epoch=0, context=2, accesses=10, misses=2, touched=4, dropped=3, hits=(0, 8, 0, 0)),
            row(epoch=1, context=1, accesses=12, misses=1, touched=7, dropped=0, hits=(6, 5, 0, 0)),
            row(epoch=2, context=1, accesses=0, misses=0, touched=0, dropped=4, hits=(0, 0, 0, 0)),
        ],
        **PARAMETERS,
        context_names={1: "zipf", 2: "loop"},
        link_statistics={"frames_received": 9, "frames_damaged": 1},
    )


@pytest.fixture
def tail_table() -> EpochTable:
    """A program in a memory cgroup of about 40 pages, and a context without one, as in `epoch_table`.

    Memory has 4 groups of 16 pages, a tail 8. Summed over 3 epochs the program has 60 accesses: hits 20 10 0
    0 and 30 misses. 24 of these are refaults, 0 0 6 10 8, so that 6 misses remain. In epoch 1 the tail leads:
    2 of its 10 refaults are counted as misses in epoch 2.
    """
    common = {"touched": 8, "dropped": 0}
    return EpochTable.from_rows(
        [
            row(epoch=0, context=0, accesses=5, misses=1, touched=1, dropped=0, hits=(4, 0, 0, 0)),
            row(
                epoch=0, context=1, accesses=20, misses=10, hits=(8, 2, 0, 0), resident=30, evicted=20,
                unidentified=3, tail=(0, 0, 4), **common,
            ),
            row(
                epoch=1, context=1, accesses=20, misses=8, hits=(6, 6, 0, 0), resident=40, evicted=30,
                unidentified=0, tail=(0, 0, 2, 8), **common,
            ),
            row(
                epoch=2, context=1, accesses=20, misses=12, hits=(6, 2, 0, 0), resident=44, evicted=40,
                unidentified=1, tail=(0, 0, 0, 2, 8), **common,
            ),
        ],
        **PARAMETERS,
        context_names={0: "kernel"},
        processes=(Process(1, 57, "sort", 0, 2),),
        system="Linux 6.1.0",
    )  # fmt: skip
