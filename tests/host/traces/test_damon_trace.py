# SPDX-License-Identifier: BSD-2-Clause
"""Records of DAMON, as damo 3.4.3 writes them: a reference per page and sampling interval with an access."""

import json
import zlib

import pytest
from litemrc.errors import UserError

from tests.host.traces.recorder_samples import SAMPLES, read

FORMS = ["two_targets.damon", "two_targets.perf_script", "two_targets.raw.txt", "two_targets.report.json"]


def region(start: int, end: int, accesses: int | None) -> dict:
    return {"start": str(start), "end": str(end), "nr_accesses": {"samples": accesses, "percent": None}}


def record(*regions: dict, end: object = "100") -> bytes:
    return json.dumps(
        [{"target_id": 0, "snapshots": [{"start_time": "0", "end_time": end, "regions": regions}]}]
    ).encode()


def damon(folder, data: bytes):
    path = folder / "damon.data"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_that_damo_writes_are_the_same_trace(name: str) -> None:
    chunk, notes = read(SAMPLES / name, "damon")
    expected, _ = read(SAMPLES / FORMS[0])
    assert chunk.pages.tolist() == expected.pages.tolist()
    assert chunk.times.tolist() == expected.times.tolist()
    assert chunk.contexts.tolist() == expected.contexts.tolist()
    assert "an estimate from 6 snapshots of DAMON with 18 regions (8 not accessed)" in notes[0]


def test_each_page_of_a_region_is_referenced_once_per_interval_with_an_access() -> None:
    """Target 0: 8 pages with 20 accesses in 3 snapshots, 16 pages with 0, 1 and 2; target 1: 2 for 20."""
    chunk, _ = read(SAMPLES / FORMS[0])
    first = chunk.contexts == 0
    assert (int(first.sum()), int((~first).sum())) == (8 * 20 * 3 + 16 * 3, 8 * 2 * 3 + 16 * 3)
    assert sorted(set(chunk.times.tolist())) == [14_100_000_000, 14_200_000_000, 14_300_000_000]


def test_intervals_come_one_after_the_other_in_address_order(tmp_path) -> None:
    data = record(region(0x1000, 0x3000, 2), region(0x8000, 0x9000, 1), region(0x9000, 0xA000, 3))
    chunk, _ = read(damon(tmp_path, data))
    assert chunk.pages.tolist() == [1, 2, 8, 9, 1, 2, 9, 9]
    assert chunk.contexts is None


def test_a_page_of_two_regions_is_referenced_once_per_interval(tmp_path) -> None:
    data = record(region(0x1000, 0x1800, 1), region(0x1800, 0x3000, 1))
    assert read(damon(tmp_path, data))[0].pages.tolist() == [1, 2]


def test_large_regions_are_read_in_parts(tmp_path) -> None:
    chunk, _ = read(damon(tmp_path, record(region(0, 300_000 << 12, 1))))
    assert chunk.pages.tolist() == list(range(300_000))


def test_percentages_are_converted_by_the_intervals(tmp_path) -> None:
    """25 % of the 20 sampling intervals of 5 ms in 100 ms are 5."""
    part = {"start": "0", "end": "4,096", "nr_accesses": {"samples": None, "percent": 25}}
    snapshot = {"start_time": "0", "end_time": "100 ms", "regions": [part]}
    data = [
        {"target_id": 0, "intervals": {"sample_us": "5 ms", "aggr_us": "100 ms"}, "snapshots": [snapshot]}
    ]
    chunk, _ = read(damon(tmp_path, json.dumps(data).encode()))
    assert (chunk.pages.tolist(), chunk.times[0]) == ([0] * 5, 100_000_000)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no record of DAMON"),
        (b"PERFILE2", "binary record"),
        (b"[{", "damaged JSON"),
        (b"{}", "no JSON list"),
        (b"[1]", "snapshots is missing"),
        (zlib.compress(record(region(0, 4096, 1)))[:-5], "truncated"),
        (b"\x78\x9cgarbage", "damaged"),
        (record(region(0, 4096, -1)), "malformed"),
        (record(region(4096, 0, 1)), "malformed"),
        (record(region(0, 8192, 1), region(4096, 8192, 1)), "overlaps"),
        (record(region(0, 1 << 65, 1)), "malformed"),
        (record({"start": "x", "end": "1", "nr_accesses": 1}), "not a whole number"),
        (record({"start": "0", "end": "1", "nr_accesses": {"samples": float("nan")}}), "not a whole number"),
        (record(region(0, 4096, 1), end="soon"), "not a time"),
        (record(region(0, 4096, 1 << 40)), "malformed"),
        (record(region(0, 4096, 1), end="9" * 20), "does not fit into 64 bits"),
        (record(region(0, 4096, 1), end="9" * 5000), "not a time"),
        (b"monitoring_end: 1 ns\nhello\n", "line 2"),
    ],
)
def test_damaged_records_are_refused(tmp_path, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(damon(tmp_path, data))


def test_as_many_accesses_as_a_region_can_have_are_read(tmp_path) -> None:
    from litemrc.traces.formats.recorders.damon_records import MOST_ACCESSES

    chunk, _ = read(damon(tmp_path, record(region(0, 4096, MOST_ACCESSES))))
    assert len(chunk) == MOST_ACCESSES
    with pytest.raises(UserError, match="malformed"):
        read(damon(tmp_path, record(region(0, 4096, MOST_ACCESSES + 1))))
