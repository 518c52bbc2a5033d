# SPDX-License-Identifier: BSD-2-Clause
"""The recorded page of the site, opened as a file: its values are those of the recording's Parquet files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from scripts.docs.serve_recorded import RECORDING, write_page
from tests.host.serve.page_browser import cells, chromium, expect, needs_chromium, sync_api
from tests.timeouts import scaled_timeout, wait_until

pytestmark = needs_chromium
MUTANT = ("sum.missed[place] += ", "sum.missed[place] = ")  # the last epoch's misses in place of the sum


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site") / "serve-demo.html"
    write_page(path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with chromium() as browser:
        yield browser


@contextmanager
def recorded(browser: "sync_api.Browser", path: Path, motion: str = "reduce") -> Iterator["sync_api.Page"]:
    """The page; a request for anything but the page itself, or anything in the console, fails the test."""
    seen: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion=motion)
    page = context.new_page()
    page.set_default_timeout(1000 * scaled_timeout(20))
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda said: seen.append(said.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.goto(path.as_uri())
    try:
        expect(page, "document.querySelector('.handle')?.getAttribute('aria-valuemax') > 1", 20)
        yield page
        assert [url for url in seen if not url.startswith("data:")] == [path.as_uri()]
    finally:
        context.close()


@pytest.fixture(scope="module")
def page(browser, written: Path) -> Iterator["sync_api.Page"]:
    with recorded(browser, written) as page:
        yield page


def rows_of(kind: str) -> list[dict]:
    return ds.dataset(RECORDING / kind).to_table().sort_by("epoch").to_pylist()


def choose(page: "sync_api.Page", start: int, end: int) -> list[dict]:
    """Move the handles to hundredths of the recording; return the recorded rows between them."""
    first, last = (page.get_by_role("slider", name=f"{end} of the range") for end in ("Start", "End"))
    for handle, key, times in (
        (last, "End", 1),
        (first, "Home", 1),
        (first, "PageUp", start // 10),
        (last, "PageDown", (100 - end) // 10),
    ):
        for _ in range(times):
            handle.press(key)
    handles = "[...document.querySelectorAll('.handle')].map(handle => handle.dataset.at).join()"
    expect(page, f"document.querySelector('#curves .chart').dataset.range === {handles}")
    low, high = map(float, page.evaluate(handles).split(","))
    whole = [row["arrived"].timestamp() for row in rows_of("epochs")]
    length = whole[-1] - whole[0]
    assert (low, high) == pytest.approx([whole[0] + place / 100 * length for place in (start, end)], abs=1e-3)
    return [row for row in rows_of("epochs") if low - 1e-6 <= row["arrived"].timestamp() <= high + 1e-6]


def assert_shows(page: "sync_api.Page", rows: list[dict]) -> None:
    """The page has the curves and counters of these rows together, and the pages of the last epoch."""
    drawn = page.evaluate(
        "document.querySelector('#curves .chart').data.map(({name, x, y}) => [name, x.length, y])"
    )
    contexts = sorted({(row["context"], row["name"]) for row in rows})
    assert [name for name, _, _ in drawn] == [name for _, name in contexts]
    counts = []
    for (context, name), (_, sizes, ratios) in zip(contexts, drawn, strict=True):
        of = [each for each in rows if each["context"] == context]
        accesses, misses = (sum(each[column] for each in of) for column in ("accesses", "misses"))
        hits = [sum(group) for group in zip(*(each["hits"] for each in of), strict=True)]
        expected = [1 - sum(hits[: group + 1]) / accesses for group in range(sizes)]
        assert ratios == pytest.approx(expected, abs=1e-6)
        counts.append([name, f"{accesses:,}", f"{misses:,}"])
    wait_until(lambda: [row[:3] for row in cells(page, "#contexts")] == counts, what="the contexts")
    last = rows[-1]["epoch"]
    expect(page, f"document.querySelector('#hot-pages').dataset.epoch === '{last}'")
    (hot,) = (row for row in rows_of("hot") if row["epoch"] == last)
    assert [row[1] for row in cells(page, "#hot-pages")] == [f"{count:,}" for count in hot["counts"]]
    expect(page, f"document.querySelector('#heat .chart').dataset.epoch === '{last}'")
    heat = page.evaluate("document.querySelector('#heat .chart').data[0].z.map(bin => bin.at(-1))")
    second = {
        row["epoch"]
        for row in rows
        if int(row["arrived"].timestamp()) == int(rows[-1]["arrived"].timestamp())
    }
    maps = [row["accessed"] for row in rows_of("pages") if row["epoch"] in second]  # a column is their mean
    shares = [sum(map(int.bit_count, bits)) / (8 * len(bits)) for bits in maps]
    assert sum(heat) / len(heat) == pytest.approx(sum(shares) / len(shares), abs=1e-4)


@pytest.mark.parametrize("places", [(0, 100), (40, 70), (90, 100), (0, 20)], ids=str)
def test_the_slider_shows_the_recorded_epochs(page: "sync_api.Page", places: tuple[int, int]) -> None:
    assert_shows(page, choose(page, *places))


def test_what_needs_a_server_says_that_this_is_a_recording(page: "sync_api.Page") -> None:
    assert page.inner_text(".recording").startswith("A recording of litemrc serve --demo")
    page.get_by_role("button", name="CSV").click()
    expect(page, "document.querySelector('#status').textContent.includes('recording without a server')")
    assert not page.get_by_role("button", name="Control").is_visible()
    page.get_by_role("link", name="Fleet").click()
    last = sorted({row["epoch"] for row in rows_of("epochs")})[-20:]  # the window at first
    names = sorted({row["name"] for row in rows_of("epochs") if row["epoch"] in last})
    wait_until(lambda: [row[0] for row in cells(page, "#merged-table")] == names, what="the merged curves")


def test_a_page_that_sums_wrongly_is_found(browser, written: Path, tmp_path: Path) -> None:
    text = written.read_text("utf-8")
    assert text.count(MUTANT[0]) == 1
    path = tmp_path / written.name
    path.write_text(text.replace(*MUTANT), "utf-8")
    with recorded(browser, path) as page:
        rows = choose(page, 0, 100)
        with pytest.raises(AssertionError):
            assert_shows(page, rows)


def test_epochs_arrive_again(browser, written: Path) -> None:
    """Each epoch of the stream has its own counters, and the history ends with it."""
    with recorded(browser, written, motion="no-preference") as page:
        epoch = "Number(document.querySelector('#contexts tbody').dataset.epoch)"
        first = page.evaluate(epoch)
        expect(page, f"{epoch} > {first} + 2")
        page.get_by_role("button", name="Pause").click()
        expect(page, "document.body.dataset.mode === 'paused'")
        (shown,) = {row["epoch"] for row in rows_of("epochs") if row["epoch"] == page.evaluate(epoch)}
        counted = [row for row in rows_of("epochs") if row["epoch"] == shown]
        listed = {row[0]: row[1] for row in cells(page, "#contexts") if row[1] != "0"}
        assert listed == {row["name"]: f"{row['accesses']:,}" for row in counted}
