# SPDX-License-Identifier: BSD-2-Clause
"""A range of the history: chosen by slider, shown as curves, and saved with what is seen."""

import csv
import io
import re
import struct
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from tests.host.paced_device import PacedDevice, bank_of, hits_of, misses_of, paced
from tests.host.serve.page_browser import (
    accesses_of,
    cells,
    chromium,
    expect,
    needs_chromium,
    opened,
    ratios_of,
    run_to_a_stop,
    served,
    sync_api,
)

pytestmark = needs_chromium
EPOCHS = 60


@pytest.fixture(scope="module")
def device() -> Iterator[PacedDevice]:
    with paced(banks=8) as device:
        yield device


@pytest.fixture(scope="module")
def page(device: PacedDevice, tmp_path_factory: pytest.TempPathFactory) -> Iterator["sync_api.Page"]:
    folder = tmp_path_factory.mktemp("history")
    with (
        chromium() as browser,
        served({"a": device}, "--history", str(folder)) as server,
        opened(browser, server, accept_downloads=True) as page,
    ):
        run_to_a_stop(page, device, EPOCHS, rate=30)
        for name, place in (("min", 0), ("max", -1)):
            value = f"document.querySelector('.handle').getAttribute('aria-value{name}')"
            expect(page, f"{value} === '{arrivals(page)[place][1]:.1f}'", 20)
        yield page


def arrivals(page: "sync_api.Page") -> list[tuple[int, float]]:
    """Number and arrival of all epochs, as the API has them."""
    answer = page.evaluate("fetch('/api/v1/devices/a/epochs?last=100').then(a => a.json())")
    return [(epoch["number"], epoch["arrived"]) for epoch in answer["epochs"]]


def handles(page: "sync_api.Page") -> tuple["sync_api.Locator", "sync_api.Locator"]:
    return page.get_by_role("slider", name="Start of the range"), page.get_by_role(
        "slider", name="End of the range"
    )


def range_to_choose(page: "sync_api.Page") -> tuple[int, int]:
    """Two places, in hundredths of the whole, with about half of the epochs between them."""
    times = [at for _, at in arrivals(page)]
    first, whole = times[0], times[-1] - times[0]

    def balance(places: tuple[int, int]) -> int:
        low, high = (first + place / 100 * whole for place in places)
        inside = sum(low < at < high for at in times)
        return min(inside, len(times) - inside)

    best = max(combinations(range(101), 2), key=balance)
    assert balance(best) > 0
    return best


def chosen(page: "sync_api.Page") -> list[int]:
    """Numbers of the epochs in the range, when its curves are drawn."""
    handles = "[...document.querySelectorAll('.handle')].map(handle => handle.dataset.at).join()"
    expect(page, f"document.querySelector('#curves .chart').dataset.range === {handles}", 20)
    start, end = map(float, page.evaluate(handles).split(","))

    def us(seconds: float) -> int:
        return round(seconds * 1e6)  # as a history keeps them; round(seconds, 6) differs in an eighth of all

    return [number for number, at in arrivals(page) if us(start) <= us(at) <= us(end)]


def assert_curves_of(page: "sync_api.Page", epochs: list[int]) -> None:
    expect(page, f"document.querySelector('#seen').textContent.includes(', {len(epochs)} epoch')")
    drawn = page.evaluate("document.querySelector('#curves .chart').data.map(trace => trace.y)")
    assert len(drawn) == 8
    for context, ratios in enumerate(drawn):
        assert ratios == pytest.approx(ratios_of(epochs, context), abs=1e-6)
    for context, row in enumerate(cells(page, "#contexts")):
        assert row[1] == f"{sum(accesses_of(epoch, context) for epoch in epochs):,}"
        assert row[2] == f"{sum(misses_of(epoch, context) for epoch in epochs):,}"


def test_arrow_keys_choose_a_range_and_live_returns(page: "sync_api.Page") -> None:
    low, high = range_to_choose(page)
    start, end = handles(page)
    start.focus()
    page.keyboard.press("Home")
    for key, times in (("PageUp", low // 10), ("ArrowRight", low % 10)):
        for _ in range(times):
            page.keyboard.press(key)
    end.focus()
    page.keyboard.press("End")
    for key, times in (("PageDown", (100 - high) // 10), ("ArrowLeft", (100 - high) % 10)):
        for _ in range(times):
            page.keyboard.press(key)
    least, most = float(start.get_attribute("aria-valuemin")), float(start.get_attribute("aria-valuemax"))
    for handle, place in ((start, low), (end, high)):
        now = float(handle.get_attribute("aria-valuenow"))
        assert now == pytest.approx(least + place / 100 * (most - least), abs=0.11)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", handle.get_attribute("aria-valuetext"))
    epochs = chosen(page)
    assert 0 < len(epochs) < EPOCHS
    assert_curves_of(page, epochs)
    page.get_by_role("button", name="Back to live").click()
    expect(page, "document.querySelector('#seen').textContent.startsWith('Live')")
    expect(page, f"document.querySelector('#contexts tbody').dataset.epoch >= {EPOCHS - 1}")


def test_handles_and_the_range_between_them_are_dragged(page: "sync_api.Page") -> None:
    def drag(handle: "sync_api.Locator", share: float) -> None:
        handle.scroll_into_view_if_needed()
        box, track = handle.bounding_box(), page.locator(".slider").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(track["x"] + share * track["width"], box["y"] + 5, steps=4)
        page.mouse.up()

    def times() -> list[float]:
        return [float(handle.get_attribute("data-at")) for handle in handles(page)]

    low, high = range_to_choose(page)
    start, end = handles(page)
    drag(start, low / 100)
    drag(end, high / 100)
    epochs = chosen(page)
    assert 0 < len(epochs) < EPOCHS
    assert_curves_of(page, epochs)
    before = times()
    room = max((100 - high, 1), (low, -1))  # to the right, or to the left
    drag(page.locator(".slider .band"), (low + high) / 200 + room[1] * room[0] / 200)
    after = times()
    assert after[1] - after[0] == pytest.approx(before[1] - before[0], abs=1e-3)
    assert room[0] < 2 or (after[0] - before[0]) * room[1] > 0
    if epochs := chosen(page):
        assert_curves_of(page, epochs)
    drag(start, low / 100)
    drag(end, high / 100)


def test_ranks_and_pages_are_those_at_the_end_of_the_range(page: "sync_api.Page") -> None:
    epochs = chosen(page)
    assert epochs
    last = epochs[-1]
    expect(page, f"document.querySelector('#ranks .ranks').dataset.epoch === '{last}'", 20)
    listed = page.locator("#ranks .ranks li").all_inner_texts()
    asleep = [(last // 10 + rank) % 4 > 0 for rank in range(4)]
    assert ["self-refresh" in text for text in listed] == asleep
    expect(page, f"document.querySelector('#heat .chart').dataset.epoch === '{last}'")
    expect(page, f"document.querySelector('#facts').textContent.includes('Epoch{last}')")


def save(page: "sync_api.Page", button: "sync_api.Locator", folder: Path) -> Path:
    with page.expect_download() as waiting:
        button.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_dram_traffic_is_that_of_the_range(page: "sync_api.Page") -> None:
    epochs = chosen(page)
    expect(page, f"document.querySelector('#traffic .chart').dataset.epoch === '{epochs[-1]}'")
    page.locator("#traffic button[aria-controls]").click()
    shown = [int(row[1]) for row in cells(page, "#traffic .values table")]
    assert sum(shown) == len(epochs)  # a point of each second has so many
    banks = page.evaluate("document.querySelector('#banks .chart').data[0].y")
    assert banks == [bank_of(epochs[-1], bank)["reads"] for bank in range(8)]
    assert not page.get_by_role("columnheader", name="Bandwidth").is_visible()  # it is that of one epoch


def test_counters_of_the_range_are_saved_as_parquet_and_csv(page: "sync_api.Page", tmp_path: Path) -> None:
    epochs = chosen(page)
    assert epochs
    path = save(page, page.get_by_role("button", name="Parquet"), tmp_path)
    table = pq.read_table(io.BytesIO(path.read_bytes()))
    rows = {(row["epoch"], row["context"]): row for row in table.to_pylist()}
    assert sorted(rows) == [(epoch, context) for epoch in epochs for context in range(8)]
    for (epoch, context), row in rows.items():
        assert row["hits"] == hits_of(epoch, context)
        assert (row["misses"], row["accesses"]) == (misses_of(epoch, context), accesses_of(epoch, context))
        assert row["device"] == "a"
    page.get_by_role("button", name="context 3").click()
    path = save(page, page.get_by_role("button", name="CSV"), tmp_path)
    page.get_by_role("button", name="context 3").click()
    saved = [
        (int(row["epoch"]), int(row["context"]), int(row["misses"])) for row in csv.DictReader(path.open())
    ]
    shown = [context for context in range(8) if context != 3]
    assert sorted(saved) == [
        (epoch, context, misses_of(epoch, context)) for epoch in epochs for context in shown
    ]


@pytest.mark.parametrize("section", ["curves", "history"])
def test_pictures_are_saved_as_png_and_svg(page: "sync_api.Page", tmp_path: Path, section: str) -> None:
    png = save(page, page.locator(f"#{section}").get_by_role("button", name="PNG"), tmp_path).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (2400, 1400)  # twice 1200 x 700
    path = save(page, page.locator(f"#{section}").get_by_role("button", name="SVG"), tmp_path)
    svg = ElementTree.parse(path).getroot()
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    texts = "".join(svg.itertext())
    for name in ("kernel", *(f"context {number}" for number in range(1, 8))):
        assert name in texts  # the legend, which the page has beside the chart


def test_the_counters_of_the_live_window_are_saved(page: "sync_api.Page", tmp_path: Path) -> None:
    assert page.inner_text("#seen").startswith("History")
    page.get_by_role("radio", name="5", exact=True).first.check()  # returns to the live epochs
    expect(page, "/^Live: .*, 5 epochs/.test(document.querySelector('#seen').textContent)")
    last = arrivals(page)[-1][0]
    path = save(page, page.get_by_role("button", name="CSV"), tmp_path)
    saved = {int(row["epoch"]) for row in csv.DictReader(path.open())}
    assert saved == set(range(last - 4, last + 1))
