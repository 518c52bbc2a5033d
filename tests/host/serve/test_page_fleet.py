# SPDX-License-Identifier: BSD-2-Clause
"""The fleet: curves of all devices side by side, merged by the name of the context or by a label."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.host.paced_device import PacedDevice, hits_of, misses_of, paced
from tests.host.serve.page_browser import (
    SIZES,
    accesses_of,
    cells,
    chromium,
    expect,
    needs_chromium,
    opened,
    ratios_of,
    served,
    sync_api,
)
from tests.timeouts import wait_until

pytestmark = needs_chromium
EPOCHS = {"a": 4, "b": 7, "c": 10}


@pytest.fixture(scope="module")
def page() -> Iterator["sync_api.Page"]:
    with ExitStack() as stack:
        devices: dict[str, PacedDevice] = {name: stack.enter_context(paced(contexts=3)) for name in EPOCHS}
        labels = ("--label", "a:rack=1", "--label", "b:rack=2", "--label", "c:rack=1")
        server = stack.enter_context(served(devices, *labels))
        page = stack.enter_context(
            opened(stack.enter_context(chromium()), server, "#fleet", accept_downloads=True)
        )
        for name, device in devices.items():
            end(device, EPOCHS[name])
        counted = {name: device.epochs for name, device in devices.items()}
        page.counted = counted
        page.get_by_role("radio", name="20", exact=True).last.check()
        merged = sum(accesses_of(epoch, 1) for epochs in counted.values() for epoch in range(epochs))
        expect(page, f"document.querySelector('#merged-table')?.textContent.includes('{merged:,}')", 20)
        yield page


def end(device: PacedDevice, epochs: int) -> None:
    device.rate = 20
    wait_until(lambda: device.epochs >= epochs, what="the epochs")
    device.rate = 0


def test_each_device_has_its_curves_and_its_state(page: "sync_api.Page") -> None:
    tiles = page.locator(".tile")
    assert tiles.locator("h3").all_inner_texts() == list(EPOCHS)
    for place, (name, epochs) in enumerate(page.counted.items()):
        expect(page, f"document.querySelectorAll('.tile .chart')[{place}].data?.length === 3")
        drawn = (
            tiles.nth(place)
            .locator(".chart")
            .evaluate("chart => chart.data.map(trace => [trace.name, trace.x, trace.y])")
        )
        assert [curve[0] for curve in drawn] == ["kernel", "context 1", "context 2"]
        for context, (_, sizes, ratios) in enumerate(drawn):
            assert sizes == SIZES
            assert ratios == pytest.approx(ratios_of(list(range(epochs)), context), abs=1e-6), name
        state = tiles.nth(place).locator(".state").inner_text()
        assert "● connected" in state and "link 100.0 %" in state
        assert ("⚠" in state) == ((epochs - 1) % 3 > 0)  # dropped in the last epoch


def test_equal_names_are_merged(page: "sync_api.Page") -> None:
    rows = sorted(cells(page, "#merged-table"), key=lambda row: row[0] != "kernel")
    names = ["kernel", "context 1", "context 2"]
    assert [row[:2] for row in rows] == [[name, "a, b, c"] for name in names]
    curves = dict(page.evaluate("document.querySelector('#merged .chart').data.map(t => [t.name, t.y])"))
    every = [epoch for epochs in page.counted.values() for epoch in range(epochs)]
    for context, (_, _, accesses, misses, best, _) in enumerate(rows):
        assert accesses == f"{sum(accesses_of(epoch, context) for epoch in every):,}"
        assert misses == f"{sum(misses_of(epoch, context) for epoch in every):,}"
        assert float(best) == pytest.approx(ratios_of(every, context)[-1], abs=5.1e-5)
        assert curves[names[context]] == pytest.approx(ratios_of(every, context), abs=1e-6)


def test_devices_of_a_label_are_merged(page: "sync_api.Page") -> None:
    page.select_option("#merge-by", "rack")
    expect(page, "document.querySelector('#merged-table tbody tr').cells[1].textContent === 'a, c'", 20)
    rows = {row[0]: row[1:4] for row in cells(page, "#merged-table")}
    for rack, names in (("1", "ac"), ("2", "b")):
        counted = [
            (epoch, context) for name in names for epoch in range(page.counted[name]) for context in range(3)
        ]
        accesses = sum(sum(hits_of(*each)) + misses_of(*each) for each in counted)
        assert rows[rack] == [
            ", ".join(names),
            f"{accesses:,}",
            f"{sum(misses_of(*each) for each in counted):,}",
        ]


def test_one_picture_has_all_devices(page: "sync_api.Page", tmp_path: Path) -> None:
    with page.expect_download() as waiting:
        page.locator("#fleet").get_by_role("button", name="SVG").first.click()
    waiting.value.save_as(tmp_path / "fleet.svg")
    texts = list(ElementTree.parse(tmp_path / "fleet.svg").getroot().itertext())
    assert [text for text in texts if text in EPOCHS] == list(EPOCHS)
