# SPDX-License-Identifier: BSD-2-Clause
"""An open stream of a history: damaged, or with records whose checksums are right around any content."""

import tempfile
from pathlib import Path

from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.history.stream import OpenStream, read_stream, record, records

from tests.fuzz.target import Target
from tests.host.synthetic_epochs import START, epoch, parameters

FILE = Path(tempfile.mkdtemp(prefix="fuzz-stream-")) / "stream.arrows"
SESSION = 1


def written() -> bytes:
    """Return a stream of five epochs."""
    schema = EPOCHS.schema(parameters(SESSION))
    with tempfile.TemporaryDirectory() as folder:
        stream = OpenStream(Path(folder) / "stream.arrows", schema)
        for number in range(5):
            of_epoch = epoch(SESSION, number, START + number)
            stream.append(EPOCHS.batch(schema, parameters(SESSION), of_epoch, 0))
        stream.close()
        return stream.path.read_bytes()


WHOLE = written()
FILE.write_bytes(WHOLE)
ROWS = read_stream(FILE).table.to_pylist()


def consume(content: bytes) -> None:
    """Read a stream that is WHOLE, with the input in place of its bytes from a position in the input on.

    Rows that are read are among those written, in their order, and whatever is missing is reported.
    """
    place = int.from_bytes(content[:2], "little") % len(WHOLE)
    damaged = WHOLE[:place] + content[2:] + WHOLE[place + len(content[2:]) :]
    FILE.write_bytes(damaged)
    read = read_stream(FILE)
    rows = iter(ROWS)
    found = read.table.to_pylist() if read.table else []
    assert all(row in rows for row in found), "rows that nobody wrote"
    if len(found) < len(ROWS):
        assert read.damages or read.torn or read.former, "rows lost in silence"
    parts = list(records(content))
    assert sum(part.end - part.begin for part in parts) == len(content), "bytes that no part has"
    assert next(iter(records(record(content)))).content == content


def seeds() -> list[bytes]:
    """Return damage of several kinds."""
    return [b"\0\0" + bytes(9), b"\x10\x01\xff", b"\x00\x04" + WHOLE[:200], b"\xff\x00" + WHOLE[:2000]]


TARGET = Target(consume=consume, refusals=(), seeds=seeds, longest=4096, seconds=60)
