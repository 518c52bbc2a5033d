# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc energy` as a user meets it: tables, JSON, pictures, and errors that say what to do."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from litemrc.cli import main as cli
from litemrc.cli.ranks.energy_tables import energy_json, energy_table
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import rank_energy
from litemrc.epochs.files import write_epochs
from litemrc.errors import UserError
from litemrc.ranks.files import write_ranks
from litemrc.ranks.table import RankTable

from tests.host.rank_rows import PARAMETERS, rank_row

PART = find_part("MT41K64M16-187E:J")  # 1.35 V, 533.333 MHz; IDD2N 23, 3N 33, 2P0 12, 2P1 15, 6 8, 5B 155 mA


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def table() -> RankTable:
    """2 ms at 533.333 MHz: rank 0 awake, a tenth with open rows; rank 1 in self-refresh but for 0.2 ms."""
    at_speed = {"clock_hz": 133_333_250, "phases": 4}
    second = 133_333
    rows = [rank_row(epoch, 0, second, active_standby=second // 10, refreshes=128) for epoch in (0, 1)]
    asleep = second - second // 10
    rows += [rank_row(epoch, 1, second, self_refresh=asleep, working=False, state=3) for epoch in (0, 1)]
    return RankTable.from_rows(rows, **PARAMETERS | at_speed)


@pytest.fixture
def file(tmp_path, table) -> Path:
    path = tmp_path / "ranks.parquet"
    write_ranks(path, table)
    return path


@pytest.fixture
def run(capsys):
    """Runs the command, and returns its exit code, output and error output."""

    def run(*arguments: object) -> Done:
        code = cli.main(["energy", *map(str, arguments)])
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def refusal(run):
    """Runs the command, which must refuse, and returns what it says."""

    def refusal(*arguments: object) -> str:
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "remedy:" in done.stderr
        return done.stderr

    return refusal


def test_json_says_what_arithmetic_says(run, file):
    done = run(file, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["part"], found["seconds"]) == ("MT41K64M16-187E:J", pytest.approx(2e-3, rel=1e-5))
    first, second = found["domains"]
    refresh = 256 * (155 - 23) * 59 / 533.333e6 * 1.35
    assert first["components_mj"]["refresh"] == pytest.approx(refresh)
    awake = (33 * 0.1 + 23 * 0.9) * 1.35 * 2e-3
    assert first["energy_mj"] == pytest.approx(awake + refresh, rel=1e-4)
    assert first["saving"] == pytest.approx(0)
    assert second["energy_mj"] == pytest.approx((23 * 0.1 + 8 * 0.9) * 1.35 * 2e-3, rel=1e-4)
    # Always awake: 2 ms of standby, and a refresh every 7.8125 us of the 1.8 ms.
    standby = 23 * 1.35 * 2e-3 + 1.8e-3 / 7.8125e-6 * (155 - 23) * 59 / 533.333e6 * 1.35
    assert second["always_awake_mj"] == pytest.approx(standby, rel=1e-4)
    assert second["saving"] == pytest.approx(1 - second["energy_mj"] / second["always_awake_mj"])
    assert second["residency"]["self_refresh"] == pytest.approx(0.9, rel=1e-4)
    assert found["total"]["energy_mj"] == pytest.approx(first["energy_mj"] + second["energy_mj"])
    assert found["total"]["mean_mw"] == pytest.approx(found["total"]["energy_mj"] / 2e-3, rel=1e-4)


def test_the_table_has_a_line_for_each_domain_and_one_for_all(run, file):
    done = run(file)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("0", "1", "total")] == ["0", "1", "total"] * 2
    for text in ("self-refresh", "90.00 %", "always", "saved", "MT41K64M16-187E:J at 533.3 MHz"):
        assert text in done.stdout
    assert "power-down" not in done.stdout, "components and states that do not occur are left out"


def test_a_part_can_be_chosen_and_partly_known_ones_say_what_is_missing(run, refusal, file, tmp_path):
    other = json.loads(run(file, "--part", "mt41k256m16-125:e", "--json").stdout)
    assert other["part"] == "MT41K256M16-125:E"
    same = json.loads(run(file, "--part", "MT41K64M16", "--json").stdout)
    assert same == json.loads(run(file, "--json").stdout)
    error = refusal(file, "--part", "mt41k128m16-125")
    assert "IDD2N is not known" in error or "IDD3N is not known" in error
    assert "mt41k128m16.toml: grades[1].rails.vdd.idd" in error
    assert "no part 'mt48'" in refusal(file, "--part", "mt48")
    (tmp_path / "mine.toml").write_text('kind = "sdram"\npart = 3\n')
    assert "mine.toml: grades" in refusal(file, "--part", tmp_path / "mine.toml")


def test_partial_self_refresh_is_charged_as_whole_only_when_asked(run, refusal, tmp_path):
    rows = [rank_row(0, 0, self_refresh_partial=900), rank_row(0, 1)]
    write_ranks(tmp_path / "r.parquet", RankTable.from_rows(rows, **PARAMETERS | {"partial": 1}))
    error = refusal(tmp_path / "r.parquet")
    assert "IDD6 with 0.5 of the array refreshed is not known" in error
    found = json.loads(run(tmp_path / "r.parquet", "--partial-as-whole", "--json").stdout)
    assert found["domains"][0]["components_mj"]["self-refresh, partial"] == pytest.approx(8 * 1.35 * 9e-4)


def test_fast_exit_is_charged_when_asked(run, tmp_path):
    rows = [rank_row(0, domain, power_down=1000) for domain in (0, 1)]
    write_ranks(tmp_path / "r.parquet", RankTable.from_rows(rows, **PARAMETERS))
    slow, fast = (
        json.loads(run(tmp_path / "r.parquet", "--json", *options).stdout)["total"]["energy_mj"]
        for options in ((), ("--fast-exit",))
    )
    assert fast / slow == pytest.approx(15 / 12)


def test_epochs_can_be_chosen(run, refusal, file):
    half = json.loads(run(file, "--from", "1", "--json").stdout)
    assert half["seconds"] == pytest.approx(1e-3, rel=1e-5)
    assert "there are epochs 0 to 1" in refusal(file, "--from", "7")


def test_the_last_epoch_of_a_range_belongs_to_it(run, refusal, file):
    assert json.loads(run(file, "--to", "0", "--json").stdout)["seconds"] == pytest.approx(1e-3, rel=1e-5)
    assert run(file, "--from", "0", "--to", "1").stdout == run(file).stdout
    assert "there are epochs 0 to 1" in refusal(file, "--from", "1", "--to", "0")


def test_csv_has_a_row_for_each_domain_and_the_total(run, file):
    rows = list(csv.DictReader(run(file, "--csv").stdout.splitlines()))
    found = json.loads(run(file, "--json").stdout)
    assert [row["domain"] for row in rows] == ["0", "1", "total"]
    for row, each in zip(rows, [*found["domains"], found["total"]], strict=True):
        assert float(row["energy_mj"]) == each["energy_mj"]
        assert float(row["self_refresh_mj"]) == each["components_mj"]["self-refresh"]
        assert float(row["residency_self_refresh"]) == each["residency"]["self_refresh"]


def test_the_energies_are_printed_before_a_picture_that_fails(run, file, tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("cannot write: No space left on device")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    done = run(file, "--plot", tmp_path / "ranks.png")
    assert done.returncode != 0 and "No space left" in done.stderr
    assert done.stdout == run(file).stdout


def test_chips_side_by_side_add_up(table):
    one, two = (rank_energy(replace(table, chips=chips), PART) for chips in (1, 2))
    assert two.total.energy.total == pytest.approx(2 * one.total.energy.total)
    assert "2 x MT41K64M16-187E:J" in energy_table(two)


def test_slices_of_a_rank_are_said_to_be_slices(table):
    report = rank_energy(replace(table, virtual=True), PART)
    assert "each has 1/2 of the shared energy" in energy_table(report)
    assert energy_json(report)["virtual"]
    assert report.total.energy.total < rank_energy(table, PART).total.energy.total


def test_what_cannot_be_shown_is_refused(refusal, file, tmp_path, epoch_table):
    assert "no rank table is given" in refusal()
    assert "no such file" in refusal(tmp_path / "nothing.parquet")
    write_epochs(tmp_path / "curves.parquet", epoch_table)
    assert "not a rank table" in refusal(tmp_path / "curves.parquet")
    write_ranks(tmp_path / "empty.parquet", RankTable.from_rows([], **PARAMETERS))
    assert "no epoch" in refusal(tmp_path / "empty.parquet")
    assert ".png or .svg" in refusal(file, "--plot", tmp_path / "ranks.gif")


def test_parts_are_listed_without_a_file(run):
    done = run("--list-parts")
    assert done.returncode == 0
    assert "MT41K64M16-125:J" in done.stdout
    assert "not known" in done.stdout
    parts = json.loads(run("--list-parts", "--json").stdout)["parts"]
    (ours,) = [part for part in parts if part["part"] == "MT41K64M16-187E:J"]
    assert (ours["capacity_mbit"], ours["width_bits"], ours["supply_v"]) == (1024, 16, "1.35")
    assert len(run("--list-parts", "--csv").stdout.splitlines()) == 1 + len(parts)


def test_the_timeline_is_drawn(run, file, tmp_path):
    done = run(file, "--plot", tmp_path / "ranks.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "ranks.png").read_bytes().startswith(b"\x89PNG")


def test_saturated_counters_are_warned_of(run, tmp_path, table):
    overflow = [True, *[False] * 3]
    write_ranks(tmp_path / "r.parquet", replace(table, overflow=overflow, interrupted=True))
    stderr = run(tmp_path / "r.parquet", "--json").stderr
    assert "saturated" in stderr
    assert "interrupted" in stderr
