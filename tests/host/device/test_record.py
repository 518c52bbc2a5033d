# SPDX-License-Identifier: BSD-2-Clause
"""Records of epochs: they are read as they were made, later ones as far as known, and damage is named."""

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litemrc.device.collecting.page_epochs import accessed_epoch, hot_list, pages_rows
from litemrc.device.collecting.record_rows import epoch_rows, is_empty, rank_rows, task_rows
from litemrc.device.collecting.traffic import traffic_of
from litemrc.device.link.record import Record, RecordError, read_record
from litemrc.device.link.schema import schema
from litemrc.epochs.columns import joined_columns

from tests.records import make_record

KINDS = schema().enums["part_kind"]
WHOLE = make_record(
    [
        {"context": 1, "state": 2, "pid": 57, "comm": b"sort", "hits": [5, 0, 1], "accesses": 7, "misses": 1},
        {"context": 3, "state": 3, "tail": [0, 2], "refaults": 2},
    ],
    groups=4,
    tail_groups=3,
    parts={
        "ranks": [{"state": 3, "working": 1, "cycles": 1000, "counters": range(16)}],
        "tasks": [{"context": 2, "response": 2**40}, {"context": 3}, {"context": 4}],
        "copies": [{"context": 1, "cost": 2**33}],
        "accessed": bytes([1, 0, 0, 128]),
        "written": bytes([1, 0, 0, 0]),
        "hot": [{"frame": 31, "count": 9}],
        "banks": [{"reads": 7, "writes": 2, "row_hits": 5, "activates": 4, "row_conflicts": 3}, {"reads": 1}],
    },
    epoch=12,
    flags=schema().constants["epoch_split"],
    hot_accesses=10,
    access_bytes=16,
    cycles=2**33,
    queue_peak=6,
)


def test_a_record_is_read_as_it_was_made():
    record = read_record(WHOLE.payload)
    assert record == WHOLE and hash(record) == hash(WHOLE) and record != make_record(groups=4)
    assert (record.epoch, record.flag("split"), record.flag("overflow")) == (12, True, False)
    assert record.rows["hits"].tolist() == [[5, 0, 1, 0], [0] * 4]
    assert record.rows["comm"].tolist() == [b"sort", b""]
    assert record.ranks["counters"].tolist() == [list(range(16))]
    assert record.tasks["response"].tolist() == [2**40, 0, 0]
    assert record.copies["cost"].tolist() == [2**33]
    assert (record.accessed.tobytes(), record.written.tobytes()) == (b"\1\0\0\x80", b"\1\0\0\0")
    assert record.hot.tolist() == [(31, 9)]
    assert record.banks["row_hits"].tolist() == [5, 0] and record.banks["reads"].tolist() == [7, 1]
    assert [int(record.head[name]) for name in ("access_bytes", "cycles", "queue_peak")] == [16, 2**33, 6]
    assert len(record.payload) % 8 == 0


def test_a_record_without_parts_has_none():
    record = make_record(groups=2)
    assert [len(part) for part in (record.rows, record.ranks, record.tasks, record.copies)] == [0] * 4
    assert (record.accessed, record.written, record.hot, record.banks) == (None, None, None, None)


def parts_of(payload: bytes) -> tuple[bytes, list[tuple[int, int, int, bytes]]]:
    """The header of a record, and kind, bytes of an item, items, and all bytes of each part."""
    header_bytes, count = struct.unpack_from("<4xHH", payload)
    at, parts = header_bytes + 8 * count, []
    for place in range(count):
        kind, item_bytes, items = struct.unpack_from("<HHI", payload, header_bytes + 8 * place)
        size = -(-item_bytes * items // 8) * 8
        parts.append((kind, item_bytes, items, payload[at : at + item_bytes * items]))
        at += size
    return payload[:header_bytes], parts


def joined(header: bytes, parts: list[tuple[int, int, int, bytes]]) -> bytes:
    table = b"".join(struct.pack("<HHI", *part[:3]) for part in parts)
    body = b"".join(part[3].ljust(-(-len(part[3]) // 8) * 8, b"\0") for part in parts)
    size = len(header) + len(table) + len(body)
    return struct.pack("<IHH", size, len(header), len(parts)) + header[8:] + table + body


def test_what_a_later_version_appended_is_skipped():
    header, parts = parts_of(WHOLE.payload)
    assert joined(header, parts) == WHOLE.payload
    longer = []
    for kind, item_bytes, items, content in parts:
        more = 0 if kind in (KINDS["accessed"], KINDS["written"]) else 12
        pieces = (content[item_bytes * n : item_bytes * (n + 1)] + b"?" * more for n in range(items))
        longer.append((kind, item_bytes + more, items, b"".join(pieces)))
    later = read_record(joined(header + b"?" * 8, [(99, 4, 3, b"?" * 12), *longer]))
    for name in ("rows", "ranks", "tasks", "copies", "accessed", "written", "hot", "banks"):
        found, expected = getattr(later, name), getattr(WHOLE, name)
        for field in expected.dtype.names or ():
            assert np.array_equal(found[field], expected[field]), (name, field)
        assert found.size == expected.size, name
    assert later.epoch == 12


def test_a_record_of_protocol_2_0_is_read():
    """Its header ends behind hot_accesses in a reserved 0, where access_bytes is now."""
    former = struct.pack("<8xQQ7I2HII", 1000, 3000, 12, 0, 4, 5, 6, 7, 1, 4, 3, 10, 0)
    assert len(former) == 64
    record = read_record(joined(former, PARTS[:-1]))
    kept = ("begin_ns", "end_ns", "epoch", "lost", "flags", "dropped", "outside", "unsampled", "scale_log2")
    assert [int(record.head[name]) for name in kept] == [1000, 3000, 12, 0, 4, 5, 6, 7, 1]
    assert [int(record.head[name]) for name in ("groups", "tail_groups", "hot_accesses")] == [4, 3, 10]
    since = ("access_bytes", "cycles", "refreshes", "refresh_cycles", "queue_peak")
    assert [int(record.head[name]) for name in since] == [0] * 5
    assert record.rows["hits"].tolist() == WHOLE.rows["hits"].tolist()
    assert (record.hot.tolist(), record.banks, record.flag("split")) == ([(31, 9)], None, True)


@pytest.mark.parametrize("header_bytes", [64, 72, 80, 88])
def test_what_is_missing_of_a_header_is_zero(header_bytes):
    record = read_record(joined(HEADER[:header_bytes], PARTS))
    cycles, queue_peak = 2**33 if header_bytes >= 72 else 0, 6 if header_bytes >= 88 else 0
    assert (record.head["access_bytes"], record.head["cycles"]) == (16, cycles)
    assert record.head["queue_peak"] == queue_peak
    assert record.rows["hits"].tolist() == WHOLE.rows["hits"].tolist()


HEADER, PARTS = parts_of(WHOLE.payload)
ROWS = PARTS[0]


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "0 bytes, fewer than a header"),
        (WHOLE.payload[:63], "63 bytes, fewer than a header"),
        (WHOLE.payload[:-8], "a record of"),
        (WHOLE.payload + bytes(8), "a record of"),
        (joined(HEADER[:56], PARTS), "a header of 56 bytes"),
        (joined(HEADER[:68], PARTS), "a header of 68 bytes"),
        (joined(HEADER + bytes(4), PARTS), "a header of 92 bytes"),
        (joined(HEADER, PARTS[1:]), "no rows"),
        (joined(HEADER, [*PARTS, ROWS]), "part 1 twice"),
        (joined(HEADER, [(1, ROWS[1], 999, ROWS[3])]), "part 1: 999 items of .* are more than the record"),
        (joined(HEADER, [(1, ROWS[1] - 4, 2, ROWS[3])]), "items of 80 bytes instead of 84"),
        (joined(HEADER, [(1, ROWS[1], 1, ROWS[3])]), "80 bytes behind the last part"),
    ],
    ids=range(12),
)
def test_damage_is_named(payload, why):
    with pytest.raises(RecordError, match=why):
        read_record(payload)


def use(record: Record) -> None:
    """All that is read of a record; what it says can be refused, but with ValueError only."""
    for read in (accessed_epoch, hot_list):
        with suppress(ValueError):
            read(record)
    traffic_of(record, 1_000_000)
    rank_rows(record)
    task_rows(record)
    pages_rows(record)
    rows = epoch_rows(record)
    assert rows.size and is_empty(rows) in (False, True)


@given(
    changes=st.lists(st.tuples(st.integers(0, len(WHOLE.payload) - 1), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, len(WHOLE.payload)) | st.none(),
    behind=st.binary(max_size=9),
)
def test_a_damaged_record_is_read_or_refused(changes, cut, behind):
    damaged = bytearray(WHOLE.payload)
    for place, value in changes:
        damaged[place] = value
    payload = bytes(damaged)[:cut] + behind
    for sized in (payload, struct.pack("<I", len(payload)) + payload[4:]):
        try:
            record = read_record(sized)
        except RecordError:
            continue
        use(record)


@given(head=st.binary(min_size=56, max_size=56), body=st.binary(max_size=200))
def test_bytes_that_are_no_record_are_refused_or_read(head, body):
    payload = struct.pack("<IHH", 64 + len(body), 64, 2) + head + body
    try:
        record = read_record(payload)
    except RecordError:
        return
    use(record)


def test_each_context_that_counted_has_a_row():
    """Of records with different tails."""
    other = make_record([{"context": 0, "hits": [1], "accesses": 1}], groups=4, epoch=13)
    columns = joined_columns([epoch_rows(each) for each in (WHOLE, other)])
    assert columns["epoch"].tolist() == [12, 12, 13] and columns["context"].tolist() == [1, 3, 0]
    assert columns["tail"].tolist() == [[0, 0], [0, 2], [0, 0]]
    assert columns["split"].tolist() == [True, True, False]
    assert columns["hits"].tolist() == [[5, 0, 1, 0], [0] * 4, [1, 0, 0, 0]]
    assert (columns["accesses"].tolist(), columns["misses"].tolist()) == ([7, 0, 1], [1, 0, 0])


def test_an_epoch_without_an_access_has_a_row_of_context_0():
    idle = make_record([{"context": 0, "resident": 9}, {"context": 1, "resident": 5}], groups=4, epoch=3)
    for record, resident in ((idle, 9), (make_record(groups=4, epoch=3), 0)):
        rows = epoch_rows(record)
        assert rows[["epoch", "context", "resident"]].tolist() == [(3, 0, resident)] and is_empty(rows)
    assert not is_empty(epoch_rows(make_record(groups=4, outside=1)))
