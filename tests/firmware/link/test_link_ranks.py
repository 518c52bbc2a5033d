# SPDX-License-Identifier: BSD-2-Clause
"""Ranks of a device over the link: requests, answers, refusals; and the command `litemrc ranks`."""

import csv
import json
import subprocess

import numpy as np
import pytest
from litemrc.device import rank_commands
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.device import Device
from litemrc.device.running import Run
from litemrc.epochs.files import read_epochs
from litemrc.errors import UserError
from litemrc.ranks.activity import COUNTERS, PowerState
from litemrc.ranks.files import read_ranks
from litemrc_gateware.ranks import registers as gateware
from litemrc_gateware.ranks.registers import MeterWord

from tests.firmware.link.link_messages import rank_counters_of
from tests.host.in_process import litemrc


@pytest.fixture
def device(start_peer):
    with Device(start_peer(ranks=1).url) as device:
        yield device


def test_a_device_without_rank_power_says_so(start_peer):
    with Device(start_peer().url) as device, pytest.raises(UserError, match="no rank power"):
        rank_commands.get_dram(device)


def test_a_working_set_size_comes_back_to_the_nearest_step_of_epsilon(device):
    set_to = rank_commands.set_working_set(device, rank_commands.WorkingSetSize(True, 64, 0.01))
    assert set_to == rank_commands.get_working_set(device)
    assert set_to.epsilon == round(0.01 * 2**16) / 2**16


def test_every_epoch_has_a_row_of_every_rank(device):
    rows = watch_ranks(device)
    device.request("end_epoch")
    first = next(rows)
    device.request("end_epoch")
    second = next(rows)
    assert first["domain"].tolist() == second["domain"].tolist() == [0, 1, 2, 3]
    epoch = int(first[0]["epoch"])
    assert set(second["epoch"].tolist()) == {epoch + 1}
    assert first[3]["counters"].tolist() == list(rank_counters_of(epoch, 3))


def test_a_collection_has_the_ranks_of_all_its_epochs(start_peer):
    with Device(start_peer(ranks=1, period_ms=2).url) as device:
        dram = rank_commands.get_dram(device)
        collector = Collector(device, dram)
        for _ in collector.collect(3, [Run("zipf")]):
            pass
        table = dram.table(collector.ranks, device.hello.clock_hz)
    assert table.epochs.tolist() == np.unique(collector.table().epoch).tolist()
    assert table.self_refresh.tolist() == [
        rank_counters_of(epoch, domain)[7] for epoch in table.epochs.tolist() for domain in range(4)
    ]
    assert table.live_pages.max() == 300, "while the program ran"


def ranks(url, *arguments):
    return litemrc("ranks", "--port", url, *arguments)


def test_the_command_shows_states_residencies_and_energy(start_peer):
    done = ranks(start_peer(ranks=1).url)
    assert done.returncode == 0, done.stderr
    for text in ("policy none", "awake", "holds working set", "self-refresh", "MT41K64M16", "mJ"):
        assert text in done.stdout


def test_its_json_adds_up(start_peer):
    report = json.loads(ranks(start_peer(ranks=1).url, "--json").stdout)
    assert [each["rank"] for each in report["ranks"]] == [0, 1, 2, 3]
    domains = report["energy"]["domains"]
    assert sum(each["energy_mj"] for each in domains) == pytest.approx(report["energy"]["total"]["energy_mj"])
    asleep = [each["residency"]["self_refresh"] for each in domains]
    assert asleep == pytest.approx([(rank * 100_000 + report["epoch"]) / 1e6 for rank in range(4)])


def test_its_csv_has_a_row_for_each_rank(start_peer):
    rows = list(csv.DictReader(ranks(start_peer(ranks=1).url, "--csv").stdout.splitlines()))
    assert [row["rank"] for row in rows] == ["0", "1", "2", "3"]
    epoch = int(rows[0]["epoch"])
    assert [int(row["self_refresh"]) for row in rows] == [rank * 100_000 + epoch for rank in range(4)]
    assert all(float(row["energy_mj"]) > 0 for row in rows)


def test_it_goes_on_without_energy_where_a_current_is_not_known(start_peer):
    done = ranks(start_peer(ranks=1).url, "--part", "MT41K128M16")
    assert done.returncode == 0, done.stderr
    assert "refreshes" in done.stdout
    assert "no energy: " in done.stdout
    assert "mt41k128m16.toml" in done.stdout
    done = ranks(start_peer(ranks=1).url, "--part", "MT41K128M16", "--json")
    assert done.returncode == 0, done.stderr
    assert "energy" not in json.loads(done.stdout)


def test_a_part_that_is_not_known_is_refused(start_peer):
    done = ranks(start_peer(ranks=1).url, "--part", "MT0")
    assert done.returncode == 2
    assert "MT0" in done.stderr


def test_collect_keeps_the_ranks_in_a_file_of_their_own(start_peer, tmp_path):
    url, out, of_ranks = (
        start_peer(ranks=1, epochs=5000, period_ms=5).url,
        tmp_path / "c.parquet",
        tmp_path / "r.parquet",
    )
    done = litemrc("collect", "--port", url, "--epochs", 4, "--out", out, "--ranks", of_ranks)
    assert done.returncode == 0, done.stderr
    table = read_ranks(of_ranks)
    assert table.epochs.tolist() == sorted(set(read_epochs(out).epoch.tolist()))
    assert (table.part, table.domains, table.phases, table.clock_hz) == ("MT41K64M16", 4, 4, 1_000_000)


def test_states_and_policies_can_be_set(start_peer):
    url = start_peer(ranks=1).url
    done = ranks(
        url, "policy", "mrc", "--mrc-base", "dynamic", "--thresholds", "100:20000", "--epsilon", "0.01"
    )
    assert "power-down after 100 idle cycles, self-refresh after 20,000 idle cycles" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("set", "--rank", "0", "--state", "power-down"), "the firmware runs from this domain"),
        (("set", "--rank", "2", "--state", "self-refresh-partial"), "--allow-data-loss"),
        (("set", "--rank", "9", "--state", "self-refresh"), "there is no such domain"),
        (("policy", "dynamic", "--thresholds", "7"), "must be two numbers of cycles"),
        (("policy", "mrc", "--epsilon", "1"), "must be a fraction"),
        (("--part", "no-such-part"), "no-such-part"),
        (("--csv", "policy", "none"), "set and policy print none"),
    ],
)
def test_what_cannot_be_is_an_error_with_exit_code_2(start_peer, arguments, why):
    done = ranks(start_peer(ranks=1).url, *arguments)
    assert done.returncode == 2
    assert why in done.stderr


def test_the_counters_are_named_in_the_order_of_the_gateware():
    assert [word.name.lower() for word in MeterWord] == list(COUNTERS)
    assert {state.name: state.value for state in gateware.PowerState} == {s.name: s.value for s in PowerState}


def test_the_firmware_guards_its_own_rank_and_live_pages(programs):
    """Bare metal's ranks.c; errors: 2 bad argument, 3 busy (litemrc_protocol.h)."""
    said = subprocess.run([programs / "rank_guard"], capture_output=True, text=True, check=True).stdout
    lost = "2 the domain's data would be lost: allow that first"
    assert said.splitlines() == [
        "3 the firmware runs from this domain",
        "ok",  # it may be woken
        "ok",
        "2 there is no such domain",
        lost,
        "3 the domain holds pages whose data may be needed",  # the firmware's own
        "ok",
        "ok",
        lost,
        "3 the domain holds pages whose data may be needed",
        "ok",
    ]
