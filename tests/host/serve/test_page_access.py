# SPDX-License-Identifier: BSD-2-Clause
"""The page for people with a keyboard, a screen reader, little colour vision, a narrow or a dark screen."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import litemrc.serve
import pytest

from tests.host.paced_device import PacedDevice, paced
from tests.host.serve.page_browser import (
    Served,
    chromium,
    expect,
    needs_chromium,
    opened,
    run_to_a_stop,
    served,
    sync_api,
)

pytestmark = needs_chromium
PAGE = Path(litemrc.serve.__file__).with_name("page")
FOCUSABLE = "a[href], button, input, select, [tabindex='0']"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def devices() -> Iterator[dict[str, PacedDevice]]:
    with paced(hot_sent=True, contexts=4, banks=8) as one, paced(contexts=3) as other:
        one.hot_on = True
        yield {"a": one, "b": other}


@pytest.fixture(scope="module")
def server(devices: dict[str, PacedDevice]) -> Iterator[Served]:
    with served(devices, "--control", "--label", "a:rack=1") as server:
        yield server


@pytest.fixture(scope="module")
def browser(server: Served, devices: dict[str, PacedDevice]) -> Iterator["sync_api.Browser"]:
    with chromium() as browser:
        with opened(browser, server) as page:
            run_to_a_stop(page, devices["a"])
            devices["b"].rate = 2
        yield browser


def drawn(page: "sync_api.Page") -> None:
    """Wait until there is something to see."""
    fleet = "#fleet" in page.url
    where = ".tile .chart .trace" if fleet else "#curves .chart .trace"
    expect(page, f"document.querySelector('{where}')", 20)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["#device/a", "#fleet"])
def test_axe_finds_nothing(browser: "sync_api.Browser", server: Served, view: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing"
    )
    with opened(browser, server, view, color_scheme=scheme, bypass_csp=True) as page:
        drawn(page)
        for toggle in page.locator("main section:visible button[aria-controls]").all():
            toggle.click()
        found = axe.Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}}).response
        assert [(each["id"], each["nodes"][0]["html"], each["help"]) for each in found["violations"]] == []
        assert len(found["passes"]) > 20


def test_every_control_is_reached_by_tab_with_a_visible_focus(
    browser: "sync_api.Browser", server: Served
) -> None:
    with opened(browser, server) as page:
        drawn(page)
        usable = "e => e.checkVisibility() && !e.disabled && !e.closest('dialog')"
        visible = f'[...document.querySelectorAll("{FOCUSABLE}")].filter({usable})'
        # One radio button of a group is in the order; arrow keys choose among them.
        wanted = page.evaluate(f"{visible}.filter(e => e.type !== 'radio' || e.checked).length")
        page.evaluate(f"{visible}.forEach((e, n) => e.dataset.place = n)")
        reached, without_outline = set(), []
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            place, outline = page.evaluate(
                """(() => {
                  const {outlineWidth, outlineStyle} = getComputedStyle(document.activeElement);
                  return [document.activeElement.dataset.place ?? "", outlineWidth + outlineStyle];
                })()"""
            )
            if place:
                reached.add(place)
                if outline != "3pxsolid":
                    without_outline.append(place)
        assert len(reached) == wanted
        assert not without_outline


def test_the_keyboard_alone_works_the_page(browser: "sync_api.Browser", server: Served) -> None:
    with opened(browser, server) as page:
        drawn(page)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # skip to the curves
        expect(page, "document.activeElement.id === 'main'")
        page.locator("input[name=window]:checked").focus()
        page.keyboard.press("ArrowRight")
        expect(page, "document.querySelector('input[name=window]:checked').value === '100'")
        page.get_by_role("button", name="context 1").focus()
        page.keyboard.press("Space")
        expect(page, "document.querySelector('#curves .chart').data.length === 3")
        page.keyboard.press("Space")
        page.get_by_role("button", name="Pause").focus()
        page.keyboard.press("Enter")
        expect(page, "document.querySelector('#status').textContent.startsWith('Paused')")
        page.locator("#curves button[aria-controls]").focus()
        page.keyboard.press("Enter")
        expect(page, "document.querySelector('#curves .values tbody tr')")
        page.get_by_role("button", name="Control").focus()
        page.keyboard.press("Enter")
        expect(page, "document.querySelector('#control-dialog').open")
        page.keyboard.press("Escape")
        expect(
            page, "!document.querySelector('#control-dialog').open && document.activeElement.id === 'control'"
        )
        page.locator("#to-fleet").focus()
        page.keyboard.press("Enter")
        expect(page, "document.querySelector('.tile') && document.querySelector('#device-view').hidden")


def test_what_a_screen_reader_gets(browser: "sync_api.Browser", server: Served) -> None:
    with opened(browser, server) as page:
        drawn(page)
        assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1
        assert page.locator("h1").count() == 1 and page.locator("html").get_attribute("lang") == "en"
        levels = [
            int(tag[1])
            for tag in page.evaluate(
                """[...document.querySelectorAll("h1, h2, h3")].filter(e => e.checkVisibility())
                     .map(e => e.tagName)"""
            )
        ]
        assert levels[0] == 1 and max(levels) <= 3
        status = page.get_by_role("status").first
        assert status.get_attribute("aria-live") == "polite"
        before = status.inner_text()
        page.wait_for_timeout(1500)
        assert status.inner_text() == before  # epochs are not announced
        for chart in page.locator("main .chart:visible").all():
            assert chart.get_attribute("role") == "img"
            assert re.search(
                r": .*(miss|best|working sets|rank 0|of the pages|row hits|bank 7)",
                chart.get_attribute("aria-label"),
            )
        charts = page.locator("main .chart:visible").count()
        assert page.locator("main button[aria-controls]:visible").count() == charts == 6  # a table each


@pytest.mark.parametrize("view", ["#device/a", "#fleet"])
def test_nothing_is_wider_than_the_screen(browser: "sync_api.Browser", server: Served, view: str) -> None:
    with opened(browser, server, view) as page:
        drawn(page)
        for width in (1920, 768, 360):
            page.set_viewport_size({"width": width, "height": 740})
            expect(
                page,
                f"""[...document.querySelectorAll("main .main-svg")]
                      .every(e => e.getBoundingClientRect().right <= {width})""",
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            too_wide = page.evaluate(
                """[...document.querySelectorAll("main *")]
                     .filter(e => e.checkVisibility() && !e.closest(".scroll, svg"))
                     .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
                     .map(e => e.outerHTML.slice(0, 80))"""
            )
            assert too_wide == []
            small = page.evaluate(
                """[...document.querySelectorAll("button, select, .handle")]
                     .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24)
                     .map(e => e.outerHTML)"""
            )
            assert small == []  # targets of WCAG 2.2, 2.5.8


def test_colours_follow_the_system_and_the_switch(browser: "sync_api.Browser", server: Served) -> None:
    def shade() -> tuple[int, int]:
        """Brightness of the page and of the chart's paper, 0 to 765."""
        colours = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor,
                document.querySelector("#curves .chart").layout.paper_bgcolor]"""
        )
        return brightness(colours[0]), brightness(colours[1])

    with opened(browser, server, color_scheme="dark") as page:
        drawn(page)
        assert max(shade()) < 150
        page.select_option("#theme", "light")
        expect(page, "document.querySelector('#curves .chart').layout.paper_bgcolor === '#ffffff'")
        assert min(shade()) > 600
        page.reload()
        drawn(page)
        assert min(shade()) > 600  # the choice is kept
        page.select_option("#theme", "auto")
        page.emulate_media(color_scheme="light")
        page.emulate_media(color_scheme="dark")
        expect(page, "document.querySelector('#curves .chart').layout.paper_bgcolor !== '#ffffff'")


def channels(colour: str) -> list[int]:
    if colour.startswith("#"):
        return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def brightness(colour: str) -> int:
    return sum(channels(colour))


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    linear = [
        value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4
        for value in channels(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_lines_have_contrast_and_differ_in_dash_and_marker() -> None:
    source = (PAGE / "palette.js").read_text()
    lists = {name: json.loads(found) for name, found in re.findall(r"const ([A-Z]+) = (\[.*?\]);", source)}
    for name, paper in (("LIGHT", "#ffffff"), ("DARK", "#171c22")):
        assert paper in source
        assert min(contrast(colour, paper) for colour in lists[name]) >= 4.5
    assert len(set(lists["DASHES"])) == len(set(lists["MARKERS"])) == 8
    # Number n has dash (n + n // 8) % 8 and marker (n + 3 (n // 8)) % 8: no two of 16 contexts have both.
    styles = [
        (number % 8, (number + number // 8) % 8, (number + 3 * (number // 8)) % 8) for number in range(16)
    ]
    assert all(one != other for one, other in combinations(styles, 2))


def test_less_motion_is_respected(
    browser: "sync_api.Browser", server: Served, devices: dict[str, PacedDevice]
) -> None:
    def changes_in(page: "sync_api.Page", seconds: float) -> int:
        return page.evaluate(
            """async seconds => {
              let changes = 0;
              const body = document.querySelector('#contexts tbody');
              new MutationObserver(() => changes++).observe(body, {attributeFilter: ['data-epoch']});
              await new Promise(done => setTimeout(done, 1000 * seconds));
              return changes;
            }""",
            seconds,
        )

    devices["a"].rate = 20
    with opened(browser, server, reduced_motion="reduce") as calm:
        drawn(calm)
        assert changes_in(calm, 2) <= 5  # twice in a second
    devices["a"].rate = 0
