# SPDX-License-Identifier: BSD-2-Clause
"""A sealed Parquet file of a history: its reader, and what is behind the seals with seals that are right."""

import tempfile
from pathlib import Path

from litemrc.errors import UserError
from litemrc.feed.history.index import sealed_file
from litemrc.feed.history.kinds import EPOCHS

from tests.fuzz.target import Target
from tests.host.synthetic_epochs import START, keep

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-history-"))
FILE = FOLDER / "epochs" / "device=board" / "date=2026-01-01" / "20260101T000000.000000Z-1-0.parquet"
FILE.parent.mkdir(parents=True)


def consume(content: bytes) -> None:
    """Read a file that the index calls readable."""
    FILE.write_bytes(content)
    file = sealed_file(FILE, EPOCHS, FOLDER)
    if not file.readable:
        assert file.damages
        return
    EPOCHS.read(FILE)


def seeds() -> list[bytes]:
    """Return a file of two epochs."""
    with tempfile.TemporaryDirectory() as folder:
        keep(Path(folder), [[START, START + 1]])
        return [path.read_bytes() for path in Path(folder).rglob("epochs/*/*/*.parquet")]


TARGET = Target(consume=consume, refusals=(UserError,), seeds=seeds, longest=1 << 15, seconds=60)
