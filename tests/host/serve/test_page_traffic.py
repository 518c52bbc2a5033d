# SPDX-License-Identifier: BSD-2-Clause
"""The page shows the DRAM traffic that a device counted, and leaves out what it cannot know."""

from collections.abc import Iterator

import pytest

from tests.host.paced_device import ACCESS_BYTES, PacedDevice, bank_of, hits_of, misses_of, paced
from tests.host.serve.page_browser import (
    cells,
    chromium,
    expect,
    needs_chromium,
    opened,
    run_to_a_stop,
    served,
    sync_api,
)

pytestmark = needs_chromium
BANKS = 8
CHART = "document.querySelector('#traffic .chart')"


@pytest.fixture(scope="module")
def devices() -> Iterator[dict[str, PacedDevice]]:
    """`a` observes rows, `model` only reads and writes, `none` counts no commands."""
    with (
        paced(banks=BANKS) as rows,
        paced(banks=BANKS, rows_observed=False) as model,
        paced() as none,
    ):
        yield {"a": rows, "model": model, "none": none}


@pytest.fixture(scope="module")
def page(devices: dict[str, PacedDevice]) -> Iterator["sync_api.Page"]:
    with chromium() as browser, served(devices) as server, opened(browser, server) as page:
        yield page


@pytest.fixture(scope="module")
def last(page: "sync_api.Page", devices: dict[str, PacedDevice]) -> int:
    """The last epoch of `a`, in all views."""
    last = run_to_a_stop(page, devices["a"], epochs=30)
    expect(page, f"{CHART}.dataset.epoch === '{last}'")
    expect(page, f"document.querySelector('#banks .chart').dataset.epoch === '{last}'")
    return last


def sums(number: int) -> dict[str, int]:
    """Counts of all banks in an epoch."""
    banks = [bank_of(number, bank) for bank in range(BANKS)]
    return {name: sum(bank[name] for bank in banks) for name in banks[0]}


def speed_of(text: str) -> float:
    """Bytes per second of a text such as 1.5 MB/s."""
    number, unit = text.split()
    return float(number) * 1000 ** ["B/s", "kB/s", "MB/s", "GB/s"].index(unit)


def table_of(page: "sync_api.Page", section: str) -> list[list[str]]:
    """The rows of a chart's table."""
    toggle = page.locator(f"#{section} button[aria-controls]")
    if toggle.get_attribute("aria-expanded") == "false":
        toggle.click()
    return cells(page, f"#{section} .values table")


def go_to(page: "sync_api.Page", device: str, devices: dict[str, PacedDevice]) -> int:
    page.evaluate(f"location.hash = '#device/{device}'")
    expect(page, f"document.querySelector('#device-name').textContent === '{device}'")
    return run_to_a_stop(page, devices[device])


def test_bandwidth_and_row_hits_are_sums_over_the_epochs_of_a_second(
    page: "sync_api.Page", last: int
) -> None:
    # Each epoch has 1 s of the device's clock; those that arrive within a second share a point.
    rows = table_of(page, "traffic")
    epochs = [int(row[1]) for row in rows]
    first = last + 1 - sum(epochs)
    assert first >= 0 and len(rows) > 1
    for row, count in zip(rows, epochs, strict=True):
        each = [sums(number) for number in range(first, first + count)]
        total = {name: sum(epoch[name] for epoch in each) for name in each[0]}
        accesses = total["reads"] + total["writes"]
        assert speed_of(row[2]) == pytest.approx(ACCESS_BYTES * total["reads"] / count, rel=6e-3)
        assert speed_of(row[3]) == pytest.approx(ACCESS_BYTES * total["writes"] / count, rel=6e-3)
        assert row[4] == f"{100 * accesses / (1_000_000 * count):.1f} %"
        assert row[5] == f"{100 * total['row_hits'] / accesses:.1f} %"
        first += count
    names = page.evaluate(f"{CHART}.data.map(trace => trace.name)")
    assert names == ["read", "written", "row-hit rate"]
    drawn = page.evaluate(f"{CHART}.data.map(trace => trace.y.length)")
    assert drawn == [len(rows)] * 3
    titles = page.evaluate(f"['xaxis', 'yaxis', 'yaxis2'].map(axis => {CHART}.layout[axis].title.text)")
    assert titles == ["time", "bandwidth", "row-hit rate"]


def test_the_last_epoch_is_said_in_words(page: "sync_api.Page", last: int) -> None:
    total = sums(last)
    accesses = total["reads"] + total["writes"]
    said = page.inner_text("#traffic .note")
    assert f"{100 * accesses / 1_000_000:.1f} % of the peak of 16 MB/s" in said
    assert f"{100 * total['row_hits'] / accesses:.1f} % row hits" in said
    assert "0.3 % of the cycles in refresh" in said  # 128 times 20 of 1,000,000
    peak = 1 + last % 5
    assert f"at most {peak} {'request' if peak == 1 else 'requests'} waiting" in said


def test_each_bank_has_its_commands(page: "sync_api.Page", last: int) -> None:
    banks = [bank_of(last, bank) for bank in range(BANKS)]
    drawn = page.evaluate("document.querySelector('#banks .chart').data.map(trace => [trace.name, trace.y])")
    assert drawn == [
        [title, [bank[name] for bank in banks]]
        for title, name in (("reads", "reads"), ("writes", "writes"), ("ACTIVATEs", "activates"))
    ]
    for number, (row, bank) in enumerate(zip(table_of(page, "banks"), banks, strict=True)):
        rate = f"{100 * bank['row_hits'] / (bank['reads'] + bank['writes']):.1f} %"
        counts = [f"{bank[name]:,}" for name in ("reads", "writes", "row_hits", "activates", "row_conflicts")]
        assert row == [str(number), *counts[:3], rate, *counts[3:]]


def test_contexts_have_their_bandwidth(page: "sync_api.Page", last: int) -> None:
    for context, row in enumerate(cells(page, "#contexts")):
        accesses = sum(hits_of(last, context)) + misses_of(last, context)
        assert speed_of(row[6]) == pytest.approx(ACCESS_BYTES * accesses, rel=6e-3)
    assert page.get_by_role("columnheader", name="Bandwidth").is_visible()


def test_charts_are_drawn_once_a_second_however_fast_epochs_are(
    page: "sync_api.Page", devices: dict[str, PacedDevice], last: int
) -> None:
    devices["a"].rate = 40
    drawn = page.evaluate(
        """async chart => {
          let drawn = 0;
          new MutationObserver(() => drawn++).observe(chart, {attributeFilter: ["data-epoch"]});
          await new Promise(done => setTimeout(done, 3500));
          return drawn;
        }""",
        page.evaluate_handle(CHART),
    )
    devices["a"].rate = 0
    assert 1 <= drawn <= 4


def test_what_a_device_cannot_know_is_left_out(
    page: "sync_api.Page", devices: dict[str, PacedDevice], last: int
) -> None:
    number = go_to(page, "model", devices)
    expect(page, f"{CHART}.dataset.epoch === '{number}'")
    assert page.evaluate(f"{CHART}.data.map(trace => trace.name)") == ["read", "written"]
    table_of(page, "traffic")  # it changes once a second
    unknown = "[...document.querySelectorAll('#traffic .values td:nth-child(n + 5)')]"
    expect(page, f"{unknown}.length && {unknown}.every(cell => cell.textContent === '\\u2013')")
    said = page.inner_text("#traffic .note")
    assert "read, " in said and said.endswith("written.")
    assert not page.locator("#banks").is_visible()


def test_a_device_that_counts_no_commands_has_no_charts_of_them(
    page: "sync_api.Page", devices: dict[str, PacedDevice], last: int
) -> None:
    go_to(page, "none", devices)
    expect(page, "!document.querySelector('#traffic').checkVisibility()")
    assert not page.locator("#banks").is_visible()
    assert not page.get_by_role("columnheader", name="Bandwidth").is_visible()


def test_tiles_of_the_fleet_have_the_bandwidth(page: "sync_api.Page", last: int) -> None:
    page.evaluate("location.hash = '#fleet'")
    for device, shown in (("a", True), ("model", True), ("none", False)):
        tile = page.get_by_role("region", name=f"Device {device}").locator(".state")
        tile.get_by_text("; link").wait_for()  # the last epoch is there
        assert ("B/s read" in tile.inner_text()) == shown
