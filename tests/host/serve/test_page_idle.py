# SPDX-License-Identifier: BSD-2-Clause
"""Every control of the page works on an idle device; a caption is that of what is drawn."""

import csv
import time
from collections.abc import Iterator

import pytest

from tests.host.paced_device import PacedDevice, paced
from tests.host.serve.page_browser import (
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
CHART = "document.querySelector('#curves .chart')"
SEEN = "document.querySelector('#seen').textContent"
# The overview is asked for every two seconds: its end is that of the newest epoch a moment after that one.
OVERVIEW_IS_NEW = """(([end, {dataset}]) => end.dataset.at === dataset.arrived)(
  [document.querySelector("[aria-label='End of the range']"), document.querySelector("#contexts tbody")])"""


@pytest.fixture(scope="module")
def device() -> Iterator[PacedDevice]:
    with paced(hot_sent=True, contexts=3) as device:
        device.hot_on = True
        yield device


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser: "sync_api.Browser", device: PacedDevice) -> Iterator["sync_api.Page"]:
    with (
        served({"a": device}, "--label", "a:rack=3") as server,
        opened(browser, server, accept_downloads=True) as page,
    ):
        run_to_a_stop(page, device, epochs=30)
        yield page


@pytest.fixture(scope="module")
def last(page: "sync_api.Page", device: PacedDevice) -> int:
    return device.epochs - 1


def curves(page: "sync_api.Page") -> list[list[float]]:
    return page.evaluate(f"{CHART}.data.map(trace => trace.y)")


def choose(page: "sync_api.Page", fieldset: str, window: int) -> None:
    page.locator(f"#{fieldset}").get_by_role("radio", name=str(window), exact=True).check()


@pytest.mark.parametrize("window", [5, 1, 20, 5, 100, 20])
def test_a_window_has_its_own_curves_under_its_caption(page: "sync_api.Page", last: int, window: int) -> None:
    choose(page, "windows", window)
    count = min(window, last + 1)
    expect(page, f"/ {count} epochs?$/.test({SEEN})")
    epochs = list(range(last + 1 - count, last + 1))
    for context, ratios in enumerate(curves(page)):
        assert ratios == pytest.approx(ratios_of(epochs, context), abs=1e-6)


def test_a_caption_does_not_change_before_its_curves(page: "sync_api.Page", last: int) -> None:
    choose(page, "windows", 20)
    expect(page, f"{SEEN}.endsWith('20 epochs')")
    page.context.route("**/api/v1/live*", lambda route: route.abort())
    choose(page, "windows", 5)
    time.sleep(0.7)
    assert page.evaluate(f"{SEEN}.endsWith('20 epochs')")
    for context, ratios in enumerate(curves(page)):
        assert ratios == pytest.approx(ratios_of(list(range(last - 19, last + 1)), context), abs=1e-6)
    page.context.unroute("**/api/v1/live*")
    expect(page, f"{SEEN}.endsWith('5 epochs')", 20)
    choose(page, "windows", 20)
    expect(page, f"{SEEN}.endsWith('20 epochs')")


def test_axis_pause_and_contexts(page: "sync_api.Page", last: int) -> None:
    page.select_option("#scale", "linear")
    expect(page, f"{CHART}.layout.xaxis.type === 'linear'")
    page.select_option("#scale", "log")
    expect(page, f"{CHART}.layout.xaxis.type === 'log'")
    page.get_by_role("button", name="Pause").click()
    expect(page, f"{SEEN}.startsWith('Paused')")
    choose(page, "windows", 5)  # what was paused has other curves: the page is live again
    expect(page, f"{SEEN}.startsWith('Live') && {SEEN}.endsWith('5 epochs')")
    choose(page, "windows", 20)
    expect(page, f"{SEEN}.endsWith('20 epochs')")
    for name in ("kernel", "context 1", "context 2"):
        page.get_by_role("button", name=name).click()
    expect(page, "document.querySelector('#curves .empty').textContent.startsWith('All curves are hidden')")
    for name in ("kernel", "context 1", "context 2"):
        page.get_by_role("button", name=name).click()
    expect(page, f"{CHART}.data.length === 3 && document.querySelector('#curves .empty').hidden")
    assert curves(page)[0] == pytest.approx(ratios_of(list(range(last - 19, last + 1)), 0), abs=1e-6)


def test_ranges_of_the_history_and_back(page: "sync_api.Page", last: int) -> None:
    page.select_option("#span", "60")
    expect(page, f"document.querySelector('#history .chart').data?.length > 0 && {OVERVIEW_IS_NEW}", 20)
    page.get_by_role("slider", name="Start of the range").press("Home")
    expect(page, f"{SEEN}.startsWith('History') && {SEEN}.endsWith(' {last + 1} epochs')", 20)
    for context, ratios in enumerate(curves(page)):
        assert ratios == pytest.approx(ratios_of(list(range(last + 1)), context), abs=1e-6)
    page.locator("#back-to-live").click()
    expect(page, f"{SEEN}.startsWith('Live') && {SEEN}.endsWith('20 epochs')")
    assert curves(page)[1] == pytest.approx(ratios_of(list(range(last - 19, last + 1)), 1), abs=1e-6)


def test_the_ends_of_a_range_and_the_button_live(page: "sync_api.Page", last: int) -> None:
    start = page.get_by_role("slider", name="Start of the range")
    start.press("Home")
    expect(page, f"{SEEN}.startsWith('History') && {SEEN}.endsWith(' {last + 1} epochs')", 20)
    start.press("End")
    expect(page, f"{SEEN}.startsWith('History') && !{SEEN}.endsWith(' {last + 1} epochs')", 20)
    page.get_by_role("button", name="Live", exact=True).click()
    expect(page, f"{SEEN}.startsWith('Live') && {SEEN}.endsWith('20 epochs')")
    assert curves(page)[0] == pytest.approx(ratios_of(list(range(last - 19, last + 1)), 0), abs=1e-6)


def test_tables_have_the_values_of_the_chart(page: "sync_api.Page", last: int) -> None:
    toggle = page.locator("#curves").get_by_role("button", name="Table")
    toggle.click()
    for window in (5, 20):
        choose(page, "windows", window)
        expect(page, f"{SEEN}.endsWith('{window} epochs')")
        wanted = ratios_of(list(range(last + 1 - window, last + 1)), 0)
        shown = (
            "[...document.querySelectorAll('#curves .values tbody tr')].map(row => row.cells[2].textContent)"
        )
        expect(page, f"Math.abs(parseFloat({shown}[0]) - {wanted[0]}) < 1e-3", 20)
        assert [float(text) for text in page.evaluate(shown)] == pytest.approx(wanted, abs=1e-3)
    toggle.click()
    assert page.evaluate("document.querySelector('#curves .values').hidden")


def test_colours_change_and_the_curves_stay(page: "sync_api.Page", last: int) -> None:
    for theme, light in (("dark", False), ("light", True), ("auto", True)):
        page.select_option("#theme", theme)
        expect(page, f"({CHART}.layout.paper_bgcolor === '#ffffff') === {str(light).lower()}")
        assert curves(page)[2] == pytest.approx(ratios_of(list(range(last - 19, last + 1)), 2), abs=1e-6)


@pytest.mark.parametrize("window", [5, 20])
def test_counters_are_saved_of_the_epochs_in_the_caption(
    page: "sync_api.Page", last: int, window: int
) -> None:
    choose(page, "windows", window)
    expect(page, f"{SEEN}.endsWith('{window} epochs')")
    with page.expect_download() as waiting:
        page.locator("#save-csv").click()
    with open(waiting.value.path(), newline="") as file:
        assert {int(row["epoch"]) for row in csv.DictReader(file)} == set(range(last + 1 - window, last + 1))


def test_the_fleet_has_the_curves_of_its_window(page: "sync_api.Page", last: int) -> None:
    page.get_by_role("link", name="Fleet").click()
    chart = "document.querySelector('#merged .chart')"
    for window in (5, 1, 20):
        choose(page, "fleet-windows", window)
        wanted = ratios_of(list(range(last + 1 - window, last + 1)), 1)
        expect(
            page, f"Math.abs({chart}.data?.find(t => t.name === 'context 1')?.y[0] - {wanted[0]}) < 1e-6", 20
        )
        drawn = page.evaluate(f"{chart}.data.find(t => t.name === 'context 1').y")
        assert drawn == pytest.approx(wanted, abs=1e-6)
    page.select_option("#fleet-scale", "linear")
    expect(page, f"{chart}.layout.xaxis.type === 'linear'")
    page.select_option("#merge-by", "rack")
    expect(page, f"{chart}.data.length === 1 && {chart}.data[0].name === '3'", 20)
    page.get_by_role("link", name="Device").first.click()


def test_the_chip_and_the_facts_say_the_same(page: "sync_api.Page") -> None:
    facts = (
        "[...document.querySelectorAll('#facts > div')].find(d => d.textContent.startsWith('Rate')).lastChild"
    )
    chip = "document.querySelector('.device small').textContent"
    expect(page, f"{facts}.textContent.startsWith('no epoch for ')", 20)
    expect(page, f"{chip} === 'connected, ' + {facts}.textContent", 20)


def test_the_axis_of_miss_ratios_ends_above_the_largest_and_says_so(page: "sync_api.Page", last: int) -> None:
    # A curve falls: its largest ratio is that of the first group.
    largest = max(ratios_of(list(range(last - 19, last + 1)), context)[0] for context in range(3))
    low, high = page.evaluate(f"{CHART}.layout.yaxis.range")
    end = high / 1.02
    assert largest <= end <= 1 and low == pytest.approx(-0.02 * end)
    title = page.evaluate(f"{CHART}.layout.yaxis.title.text")
    assert title == ("miss ratio" if end == 1 else f"miss ratio (axis ends at {end:g})")
    for section, names in (("history", ("time", "working set")), ("heat", ("time", "physical address"))):
        layout = f"document.querySelector('#{section} .chart').layout"
        for axis, name in zip(("xaxis", "yaxis"), names, strict=True):
            assert page.evaluate(f"{layout}.{axis}.title.text") == name


def test_epochs_without_accesses_say_so(browser: "sync_api.Browser") -> None:
    with paced(contexts=2) as device, served({"a": device}) as server:
        device.rows = lambda _: []
        with opened(browser, server) as page:
            run_to_a_stop(page, device, epochs=3)
            shown = "document.querySelector('#curves .empty')"
            expect(page, f"!{shown}.hidden && {shown}.textContent.startsWith('No accesses were counted in')")
            choose(page, "windows", 1)
            expect(page, f"{shown}.textContent === 'No accesses were counted in this epoch.'")
