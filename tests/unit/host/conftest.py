import pytest
from litemrc.epochs import EpochRow, EpochTable


@pytest.fixture
def epoch_table() -> EpochTable:
    """Two programs over three epochs on a monitor of 64 frames in 4 groups; nothing ran in epoch 2.

    Summed: zipf 20 + 12 accesses, 5 + 1 misses; loop 10 accesses, 2 misses; dropped 3 + 0 + 4.
    """
    return EpochTable.from_rows(
        [
            EpochRow(
                epoch=0, context=1, accesses=20, misses=5, dropped=3, overflow=False, hits=(10, 3, 2, 0)
            ),
            EpochRow(epoch=0, context=2, accesses=10, misses=2, dropped=3, overflow=False, hits=(0, 8, 0, 0)),
            EpochRow(epoch=1, context=1, accesses=12, misses=1, dropped=0, overflow=False, hits=(6, 5, 0, 0)),
            EpochRow(epoch=2, context=1, accesses=0, misses=0, dropped=4, overflow=False, hits=(0, 0, 0, 0)),
        ],
        page_bytes=4096,
        frames=64,
        groups=4,
        contexts=8,
        engine="group_stack",
        context_names={1: "zipf", 2: "loop"},
        link_statistics={"frames_received": 9, "frames_damaged": 1},
    )
