# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc traffic` as a user meets it: a table by bank, JSON, CSV, and what is unknown said to be so."""

import csv
import io
import json
from pathlib import Path

import pytest
from litemrc.epochs.traffic_files import TrafficTable, read_traffic, write_traffic

from tests.host.epochs.traffic_rows import CLOCK_HZ, traffic, unobserved
from tests.host.in_process import Done, litemrc
from tests.host.paced_device import PacedDevice, bank_of, paced

# Two epochs of 10,000 cycles of 1 MHz: 0.02 s, in which 1,400 reads and 600 writes moved 16 bytes each.
READ, WRITTEN = 1400 * 16 / 0.02, 600 * 16 / 0.02


@pytest.fixture
def file(tmp_path: Path) -> Path:
    table = TrafficTable(clock_hz=CLOCK_HZ, epochs=(7, 8), traffic=(traffic(), traffic(queue_peak=3)))
    write_traffic(tmp_path / "traffic.parquet", table)
    return tmp_path / "traffic.parquet"


def test_the_table_has_bandwidth_row_hits_and_banks(file: Path) -> None:
    done = litemrc("traffic", file)
    assert (done.returncode, done.stderr) == (0, "")
    facts, _, banks = done.stdout.partition("\n\n")
    assert facts.splitlines() == [
        "epochs             2, 7 to 8",
        "time               0.02 s",
        "read               1.12 MB/s (22,400 bytes)",
        "written            480 kB/s (9,600 bytes)",
        "share of the peak  10.0% of 16 MB/s",
        "row hits           74.0% of the accesses",
        "refresh            2.4% of the cycles",
        "longest queue      8 requests",
    ]
    rows = [line.split() for line in banks.splitlines()[2:]]
    assert rows == [
        ["0", "1,200", "400", "1.28", "MB/s", "87.5%", "200", "120"],
        ["1", "200", "200", "320", "kB/s", "20.0%", "320", "300"],
    ]


def test_json_has_the_same_numbers(file: Path) -> None:
    found = json.loads(litemrc("traffic", file, "--json").stdout)
    banks = found.pop("banks")
    assert found == {
        **{"epochs": 2, "first_epoch": 7, "last_epoch": 8, "seconds": 0.02, "access_bytes": 16},
        **{"bytes_read": 22_400, "bytes_written": 9_600, "peak_bandwidth": 16_000_000, "queue_peak": 8},
        **{"read_bandwidth": pytest.approx(READ), "write_bandwidth": pytest.approx(WRITTEN)},
        **{"peak_share": 0.1, "row_hit_rate": 0.74, "refresh_share": 0.024, "interrupted": False},
    }
    assert banks[1] == {
        **{"bank": 1, "reads": 200, "writes": 200, "row_hits": 80, "activates": 320, "row_conflicts": 300},
        **{"row_hit_rate": 0.2, "bandwidth": pytest.approx(400 * 16 / 0.02)},
    }


def test_csv_has_a_line_for_each_bank(file: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(litemrc("traffic", file, "--csv").stdout)))
    assert [(row["bank"], row["activates"], row["row_hit_rate"]) for row in rows] == [
        ("0", "200", "0.875"),
        ("1", "320", "0.2"),
    ]


def test_epochs_can_be_chosen(file: Path) -> None:
    found = json.loads(litemrc("traffic", file, "--json", "--from", 8).stdout)
    assert (found["epochs"], found["first_epoch"], found["queue_peak"]) == (1, 8, 3)
    done = litemrc("traffic", file, "--to", 6)
    assert done.returncode == 2 and "no epoch in the range" in done.stderr


@pytest.mark.parametrize("seconds", [2.0, None])
def test_what_a_device_does_not_know_is_said_to_be_unknown(tmp_path: Path, seconds: float | None) -> None:
    path = tmp_path / "t.parquet"
    table = TrafficTable(clock_hz=1, epochs=(0,), traffic=(unobserved(5, 3, seconds),), interrupted=True)
    write_traffic(path, table)
    done = litemrc("traffic", path)
    assert done.returncode == 0 and "the collection was interrupted" in done.stderr
    facts = dict(line.split("  ", 1) for line in done.stdout.partition("\n\n")[0].splitlines())
    facts = {name: value.strip() for name, value in facts.items()}
    assert facts["read"] == f"{'40 B/s' if seconds else 'unknown'} (80 bytes)", "5 reads of 16 bytes in 2 s"
    assert {facts[name] for name in ("share of the peak", "row hits", "refresh", "longest queue")} == {
        "unknown"
    }
    found = json.loads(litemrc("traffic", path, "--json").stdout)
    assert {found[name] for name in ("peak_share", "peak_bandwidth", "row_hit_rate", "queue_peak")} == {None}
    assert found["banks"][0]["row_hits"] is None


def test_collect_writes_what_a_device_counts_and_refuses_one_that_does_not(tmp_path: Path) -> None:
    def collected(device: PacedDevice) -> Done:
        epochs = ("--epochs", 3, "--out", tmp_path / "e.parquet", "--traffic", tmp_path / "t.parquet")
        return litemrc("collect", "--port", device.url, *epochs, "--json")

    with paced(rate=20) as device:
        done = collected(device)
    assert done.returncode == 2 and "does not count DRAM commands" in done.stderr
    assert not list(tmp_path.iterdir())
    with paced(rate=20, banks=2) as device:
        saved = json.loads(collected(device).stdout)
    table = read_traffic(tmp_path / "t.parquet")
    assert saved["traffic"] == str(tmp_path / "t.parquet")
    assert (len(table.epochs), table.clock_hz, table.interrupted) == (3, 1_000_000, False)
    for number, each in zip(table.epochs, table.traffic, strict=True):
        assert each.reads.tolist() == [bank_of(number, bank)["reads"] for bank in range(2)]


def test_other_files_and_an_empty_one_are_named(tmp_path: Path) -> None:
    table = TrafficTable(clock_hz=1, epochs=(0, 1), traffic=(traffic(), traffic(access_bytes=8)))
    write_traffic(tmp_path / "t.parquet", table)
    done = litemrc("traffic", tmp_path / "t.parquet")
    assert done.returncode == 2 and "the bytes of an access changed" in done.stderr
    assert "no such file" in litemrc("traffic", tmp_path / "none.parquet").stderr
    write_traffic(tmp_path / "t.parquet", TrafficTable(clock_hz=1))
    done = litemrc("traffic", tmp_path / "t.parquet")
    assert done.returncode == 2 and "has no epoch" in done.stderr
