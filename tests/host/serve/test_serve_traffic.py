# SPDX-License-Identifier: BSD-2-Clause
"""DRAM commands in the API and the metrics: those that the device counted; nothing that it cannot know."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litemrc.serve.api import models
from prometheus_client.parser import text_string_to_metric_families

from tests.host.paced_device import ACCESS_BYTES, CLOCKS, REFRESHES, bank_of, hits_of, misses_of, paced
from tests.host.serve.http_serving import Serving, serving
from tests.timeouts import wait_until

BANKS = 8
READ_AND_WRITTEN = {"litemrc_dram_bytes_total", "litemrc_dram_seconds_total"}
OF_ROWS = {
    *(f"litemrc_dram_{name}_total" for name in ("row_hits", "activates", "row_conflicts", "refreshes")),
    *(f"litemrc_dram_{name}_total" for name in ("cycles", "busy_cycles")),
    "litemrc_dram_peak_bytes_per_second",
}


@pytest.fixture(scope="module")
def stopped() -> Iterator[tuple[Serving, dict[str, list[int]]]]:
    """Three devices that have ended some epochs each, and the numbers of those.

    `rows` observes rows of 8 banks, `model` only reads and writes, `none` no commands.
    """
    with (
        paced(rate=40, banks=BANKS) as rows,
        paced(rate=40, banks=BANKS, rows_observed=False) as model,
        paced(rate=40) as none,
    ):
        devices = {"rows": rows, "model": model, "none": none}
        with serving({name: device.url for name, device in devices.items()}) as served:
            numbers = {}
            for name, device in devices.items():
                served.wait_for_epochs(12, name)
                served.stop(device, name)
                numbers[name] = [epoch.number for epoch in served.fleet[name].recent.last()]
                counted = f'litemrc_epochs_total{{device="{name}"}} {len(numbers[name]):.1f}'
                wait_until(
                    lambda counted=counted: counted in served.get("/metrics").text, 10, "all listeners"
                )
            yield served, numbers


def newest(served: Serving, device: str) -> dict:
    answer = served.json(f"/api/v1/devices/{device}/epochs")
    models.Epochs.model_validate(answer, strict=True)
    return answer["epochs"][-1]


def sums(number: int) -> dict[str, int]:
    """Counts of all banks in an epoch."""
    banks = [bank_of(number, bank) for bank in range(BANKS)]
    return {name: sum(bank[name] for bank in banks) for name in banks[0]}


def test_an_epoch_has_the_commands_of_each_bank_and_their_bandwidth(stopped) -> None:
    served, numbers = stopped
    last = numbers["rows"][-1]
    traffic, total = newest(served, "rows")["traffic"], sums(last)
    # An epoch has 1,000,000 cycles of a clock of 1 MHz: 1 s. An access moves 16 bytes.
    assert traffic["banks"] == [bank_of(last, bank) for bank in range(BANKS)]
    assert traffic["bytes_read"] == traffic["read_bandwidth"] == 16 * total["reads"]
    assert traffic["bytes_written"] == traffic["write_bandwidth"] == 16 * total["writes"]
    accesses = total["reads"] + total["writes"]
    assert traffic["peak_share"] == pytest.approx(accesses / 1_000_000)
    assert traffic["row_hit_rate"] == pytest.approx(total["row_hits"] / accesses)
    assert (traffic["cycles"], traffic["seconds"]) == (CLOCKS, 1)
    assert (traffic["refreshes"], traffic["queue_peak"]) == (REFRESHES, 1 + last % 5)
    assert traffic["refresh_share"] == pytest.approx(REFRESHES * 20 / CLOCKS)
    (device,) = (each for each in served.json("/api/v1/devices")["devices"] if each["name"] == "rows")
    assert device["parameters"]["banks"] == BANKS
    assert device["parameters"]["peak_bandwidth"] == 16_000_000  # 16 bytes a cycle


def test_a_context_has_the_bandwidth_of_its_accesses(stopped) -> None:
    served, numbers = stopped
    last = numbers["rows"][-1]
    for context in newest(served, "rows")["contexts"]:
        number = context["context"]
        accesses = sum(hits_of(last, number)) + misses_of(last, number)
        assert context["bandwidth"] == ACCESS_BYTES * accesses  # in 1 s


def test_a_device_that_observes_no_rows_has_nulls_for_what_it_cannot_know(stopped) -> None:
    served, numbers = stopped
    epoch, total = newest(served, "model"), sums(numbers["model"][-1])
    traffic = epoch["traffic"]
    unknown = dict.fromkeys(("row_hits", "activates", "row_conflicts"))
    assert traffic["banks"] == [{"reads": total["reads"], "writes": total["writes"], **unknown}]
    # By the operating system's clock the epoch lasted 2 s.
    assert traffic["read_bandwidth"] == 16 * total["reads"] / 2
    for name in ("peak_share", "row_hit_rate", "cycles", "refreshes", "refresh_share", "queue_peak"):
        assert traffic[name] is None, name


def test_a_device_that_counts_no_commands_has_no_traffic(stopped) -> None:
    served, _ = stopped
    epoch = newest(served, "none")
    assert epoch["traffic"] is None
    assert {context["bandwidth"] for context in epoch["contexts"]} == {None}


def test_metrics_are_sums_of_the_commands_counted(stopped) -> None:
    served, numbers = stopped
    found = dram_metrics(served, "rows")
    each = [sums(number) for number in numbers["rows"]]
    total = {name: sum(epoch[name] for epoch in each) for name in each[0]}
    count = len(each)
    assert found == {
        ("litemrc_dram_bytes_total", "read"): 16 * total["reads"],
        ("litemrc_dram_bytes_total", "write"): 16 * total["writes"],
        ("litemrc_dram_seconds_total", None): count,
        ("litemrc_dram_row_hits_total", None): total["row_hits"],
        ("litemrc_dram_busy_cycles_total", None): total["reads"] + total["writes"],
        ("litemrc_dram_cycles_total", None): CLOCKS * count,
        ("litemrc_dram_activates_total", None): total["activates"],
        ("litemrc_dram_row_conflicts_total", None): total["row_conflicts"],
        ("litemrc_dram_refreshes_total", None): REFRESHES * count,
        ("litemrc_dram_peak_bytes_per_second", None): 16_000_000,
    }


def test_metrics_that_a_device_cannot_know_are_absent(stopped) -> None:
    served, numbers = stopped
    found = dram_metrics(served, "model")
    assert {name for name, _ in found} == READ_AND_WRITTEN
    read = sum(sums(number)["reads"] for number in numbers["model"])
    assert found["litemrc_dram_bytes_total", "read"] == 16 * read
    assert found["litemrc_dram_seconds_total", None] == 2 * len(numbers["model"])
    assert dram_metrics(served, "none") == {}
    assert {name for name, _ in dram_metrics(served, "rows")} == READ_AND_WRITTEN | OF_ROWS


@pytest.mark.parametrize("rows_observed", [True, False])
def test_a_history_has_the_traffic_that_arrived(tmp_path: Path, rows_observed: bool) -> None:
    path = "/api/v1/devices/device/epochs"
    with (
        paced(rate=40, banks=BANKS, rows_observed=rows_observed) as device,
        serving(device.url, history=tmp_path) as served,
    ):
        served.wait_for_epochs(12)
        served.stop(device)
        live = served.json(f"{path}?last=100")["epochs"]
        wait_until(lambda: len(served.json(f"{path}?start=0")["epochs"]) == len(live), 10, "the history")
        kept = served.json(f"{path}?start=0")["epochs"]
        assert [epoch["traffic"] for epoch in kept] == [epoch["traffic"] for epoch in live]
        assert [each["bandwidth"] for each in kept[-1]["contexts"]] == [
            each["bandwidth"] for each in live[-1]["contexts"]
        ]


def dram_metrics(served: Serving, device: str) -> dict[tuple[str, str | None], float]:
    """Values of a device by name and direction."""
    families = text_string_to_metric_families(served.get("/metrics").text)
    return {
        (sample.name, sample.labels.get("direction")): sample.value
        for family in families
        for sample in family.samples
        if sample.name.startswith("litemrc_dram_") and sample.labels["device"] == device
    }
