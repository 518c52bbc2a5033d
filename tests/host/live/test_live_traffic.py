# SPDX-License-Identifier: BSD-2-Clause
"""DRAM traffic in the header and its panel: of the epochs in the window, and only what the device knows."""

from dataclasses import replace

import pytest
from litemrc.feed.recent import Recent
from litemrc.feed.records import DeviceParameters
from litemrc.live.header import Status, header_height, header_lines
from litemrc.live.ink import Ink
from litemrc.live.panels import DRAM_LINES, dram_lines
from litemrc.live.view import View

from tests.host.live.live_epochs import COUNTING, PARAMETERS, SETTINGS, feed_epochs
from tests.host.paced_device import ACCESS_BYTES, CLOCKS, bank_of

BANKS, EPOCHS, WINDOW = 8, 12, 5
MODEL = replace(COUNTING, access_bytes=0)  # of a functional model the peak is unknown
INK = Ink(dark=True)
EPOCH_S = CLOCKS / COUNTING.clock_hz


def view(parameters: DeviceParameters = COUNTING, **device: object) -> View:
    recent = Recent()
    for event in (parameters, *feed_epochs(EPOCHS, **{"banks": BANKS} | device)):
        recent(event)
    return View(recent, SETTINGS, window=WINDOW)


def total(name: str, bank: int | None = None) -> int:
    """A count of the window, of a bank or all."""
    banks = range(BANKS) if bank is None else (bank,)
    return sum(bank_of(epoch, each)[name] for epoch in range(EPOCHS - WINDOW, EPOCHS) for each in banks)


def texts(lines) -> list[str]:
    return [strip.text for strip in lines]


def header(shown: View, width: int = 100) -> list[str]:
    return texts(header_lines(shown, "socket://x", Status(), width, INK))


def test_traffic_is_the_sum_of_the_window() -> None:
    traffic = view().traffic
    assert traffic.bytes_read == ACCESS_BYTES * total("reads")
    assert traffic.seconds == pytest.approx(WINDOW * EPOCH_S)
    assert traffic.activates.tolist() == [total("activates", bank) for bank in range(BANKS)]
    each = [sum(bank_of(epoch, bank)["reads"] + bank_of(epoch, bank)["writes"] for bank in range(BANKS))
            for epoch in range(EPOCHS)]  # fmt: skip
    assert view().bandwidths == pytest.approx([ACCESS_BYTES * count / EPOCH_S for count in each])


def test_the_header_has_a_line_of_bandwidth_share_of_the_peak_and_row_hits() -> None:
    shown = view()
    lines = header(shown)
    assert len(lines) == header_height(shown) == 5
    accesses = total("reads") + total("writes")
    read, written = (ACCESS_BYTES * total(name) / (WINDOW * EPOCH_S) / 1e6 for name in ("reads", "writes"))
    assert lines[3].rstrip().split(", ") == [
        f"DRAM: {read:.3g} MB/s read",
        f"{written:.3g} MB/s written",
        f"{accesses / (WINDOW * CLOCKS):.1%} of the peak",
        f"{total('row_hits') / accesses:.1%} row hits",
    ]


def test_what_the_device_cannot_know_is_left_out_of_the_header() -> None:
    (line,) = (each for each in header(view(MODEL, rows_observed=False)) if each.startswith("DRAM"))
    assert " read, " in line and line.rstrip().endswith("written")
    without = view(PARAMETERS, banks=0)
    assert header_height(without) == len(header(without)) == 4
    assert not any("DRAM:" in each for each in header(without))


def test_a_bank_has_its_counts_and_a_bar() -> None:
    width = 76  # 40 cells of bars
    lines = texts(dram_lines(view(), width, BANKS + DRAM_LINES, INK))
    assert [len(each) for each in lines] == [width] * (BANKS + DRAM_LINES)
    assert lines[0].startswith("DRAM") and lines[0].endswith(
        "8 banks, peak 800 MB/s, 0.3% in refresh, 5 epochs"
    )  # 128 times 20 of 1,000,000 cycles
    accesses = [total("reads", bank) + total("writes", bank) for bank in range(BANKS)]
    for bank, text in enumerate(lines[DRAM_LINES:]):
        activates = total("activates", bank)
        rate = f"{total('row_hits', bank) / accesses[bank]:.1%}"
        assert text[:36].split() == [str(bank), f"{accesses[bank]:,}", f"{activates:,}", rate]
        shaded, whole = (round(40 * count / max(accesses)) for count in (activates, accesses[bank]))
        assert text[36:].rstrip() == "▒" * shaded + "█" * (whole - shaded)


def test_banks_that_do_not_fit_are_counted() -> None:
    lines = texts(dram_lines(view(), 76, DRAM_LINES + 3, INK))
    assert lines[-1].strip() == "and 6 more banks" and lines[-2].split()[0] == "1"


def test_a_device_that_observes_no_rows_has_bandwidth_without_banks() -> None:
    lines = texts(dram_lines(view(MODEL, rows_observed=False), 76, 12, INK))
    assert lines[0].split() == ["DRAM", "5", "epochs"] and lines[1].startswith("bandwidth ")
    assert not any(each.strip() for each in lines[2:])


def test_a_device_that_counts_no_commands_is_said_to() -> None:
    lines = texts(dram_lines(view(PARAMETERS, banks=0), 76, 12, INK))
    assert lines[0].strip() == "the device does not count DRAM commands"
