import pytest
from epoch_rows import PARAMETERS, row
from litemrc.epochs.files import EpochTable


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
