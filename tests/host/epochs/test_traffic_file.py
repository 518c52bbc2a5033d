# SPDX-License-Identifier: BSD-2-Clause
"""The Parquet file of DRAM traffic: what was counted is read, and what was not observed is null, not 0."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from litemrc.epochs import traffic_files
from litemrc.epochs.traffic_files import (
    OPTIONAL,
    TYPES,
    UNITS,
    TrafficTable,
    read_traffic,
    traffic_columns,
    traffic_of_rows,
    write_traffic,
)
from litemrc.errors import UserError
from litemrc.files.sealed_parquet import read_description, write_sealed

from tests.host.epochs.traffic_rows import CLOCK_HZ, same, traffic, unobserved

TABLE = TrafficTable(
    clock_hz=CLOCK_HZ,
    epochs=(3, 5, 4),
    traffic=(
        traffic(),
        traffic(reads=(2**32 - 1, 0), queue_peak=0),
        traffic((1, 0), (2, 0), row_hits=(3, 0), activates=(0, 0), row_conflicts=(0, 0)),
    ),
    interrupted=True,
)


def test_what_was_written_is_read(tmp_path):
    """Zeros and the largest counts, too; an epoch may have another number of banks."""
    write_traffic(tmp_path / "t.parquet", TABLE)
    read = read_traffic(tmp_path / "t.parquet")
    assert (read.clock_hz, read.epochs, read.interrupted) == (CLOCK_HZ, [3, 5, 4], True)
    assert all(same(*each) for each in zip(read.traffic, TABLE.traffic, strict=True))
    assert read.traffic[0].reads.dtype == "u4"


def test_a_row_is_an_epoch_and_a_bank_and_has_the_epochs_totals(tmp_path):
    write_traffic(tmp_path / "t.parquet", TABLE)
    rows = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert [(row["epoch"], row["bank"], row["reads"]) for row in rows] == [
        (3, 0, 600),
        (3, 1, 100),
        (5, 0, 2**32 - 1),
        (5, 1, 0),
        (4, 0, 1),
        (4, 1, 0),
    ]
    assert [row["row_conflicts"] for row in rows] == [60, 150, 60, 150, 0, 0]
    assert {
        (row["cycles"], row["refreshes"], row["refresh_cycles"], row["access_bytes"]) for row in rows
    } == {(10_000, 12, 20, 16)}
    assert [(row["queue_peak"], row["seconds"]) for row in rows[1:3]] == [(8, 0.01), (0, 0.01)]


def test_what_is_unknown_is_null(tmp_path):
    table = TrafficTable(clock_hz=1, epochs=(0, 1), traffic=(unobserved(5, 3, 2.0), unobserved(0, 1)))
    write_traffic(tmp_path / "t.parquet", table)
    first, second = pq.read_table(tmp_path / "t.parquet").to_pylist()
    absent = dict.fromkeys(OPTIONAL - {"seconds"})
    assert (
        first == {"epoch": 0, "bank": 0, "reads": 5, "writes": 3, "access_bytes": 16, "seconds": 2.0} | absent
    )
    assert second["seconds"] is None
    read = read_traffic(tmp_path / "t.parquet")
    assert all(same(*each) for each in zip(read.traffic, table.traffic, strict=True))


def test_a_table_without_epochs_survives(tmp_path):
    write_traffic(tmp_path / "t.parquet", TrafficTable(clock_hz=7))
    read = read_traffic(tmp_path / "t.parquet")
    assert (read.clock_hz, read.epochs, read.traffic) == (7, [], [])


def test_units_stand_in_the_file(tmp_path):
    write_traffic(tmp_path / "t.parquet", TABLE)
    schema = pq.read_schema(tmp_path / "t.parquet")
    assert schema.names == list(TYPES) and {field.name for field in schema if field.nullable} == OPTIONAL
    for field in schema:
        assert field.metadata[b"unit"].decode() == UNITS[field.name] != ""
    assert read_description(tmp_path / "t.parquet", traffic_files.KIND)["clock_hz"] == CLOCK_HZ


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"epochs": (3, 3, 4)}, "2 epochs with 3 of traffic"),
        ({"epochs": (3, 4)}, "2 epochs with 3 of traffic"),
        ({"clock_hz": 0}, "clock_hz must be positive"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(values, why):
    with pytest.raises(ValueError, match=why):
        TrafficTable(**{"clock_hz": 1, "epochs": (3, 4, 5), "traffic": TABLE.traffic} | values)


@pytest.mark.parametrize(
    ("column", "values", "why"),
    [
        ("bank", [0, 2, 0, 1, 0, 1], "not the rows of all its banks"),
        ("bank", [1, 2, 0, 1, 0, 1], "not the rows of all its banks"),
        ("epoch", [3, 9, 5, 5, 4, 4], "column epoch differs"),
        ("cycles", [10_000, None, 10_000, 10_000, 1, 1], "column cycles differs"),
        ("row_hits", [7, None, 7, 7, 7, 7], "column row_hits is null in some rows"),
        ("reads", [7, None, 7, 7, 7, 7], "column reads has empty fields"),
    ],
)
def test_rows_that_contradict_each_other_are_refused(column, values, why):
    columns = traffic_columns(TABLE.epochs, TABLE.traffic) | {column: pa.array(values, TYPES[column])}
    with pytest.raises(ValueError, match=why):
        traffic_of_rows(pa.table(columns))


def test_damage_and_other_files_are_named(tmp_path):
    path = tmp_path / "t.parquet"
    write_traffic(path, TABLE)
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match="do not match its checksum"):
        read_traffic(path)
    columns = {name: each for name, each in traffic_columns((), ()).items() if name != "cycles"}
    write_sealed(path, traffic_files.KIND, 1, columns, UNITS, {"clock_hz": 1, "interrupted": False})
    with pytest.raises(UserError, match="the file is damaged"):
        read_traffic(path)
