"""The page of the server lists its requests, metrics and limits as they are."""

import re
from pathlib import Path

from litemrc.serve import lanes, limits, live, windows
from litemrc.serve.api.routes import JSON_EPOCHS, RECENT
from litemrc.serve.app import BODY_BYTES, build
from litemrc.serve.fleet import Fleet
from litemrc.serve.link.routes import BAD_MESSAGES, HOSTS
from litemrc.serve.metrics.exporter import FAMILIES, RATIO_EPOCHS

PAGE = (Path(__file__).parents[3] / "docs" / "serve.md").read_text()


def rows(name: str) -> list[list[str]]:
    """Cells of the table behind a mark, without its head."""
    table = re.search(rf"<!-- {name} -->\n(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert table
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()[2:]]


def test_the_requests_of_the_page_are_those_of_openapi() -> None:
    paths = build(Fleet([])).asgi.openapi()["paths"]
    there = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert {cells[0].strip("`") for cells in rows("api")} == there


def test_the_metrics_of_the_page_are_those_of_the_server() -> None:
    listed = {cells[0].strip("`"): re.findall(r"`(\w+)`", cells[1]) for cells in rows("metrics")}
    assert listed == {family.shown: list(family.labels) for family in FAMILIES}


def test_the_limits_of_requests_that_compute_are_those_of_the_server() -> None:
    all_of = lanes.Lanes()
    history, exports = all_of.history, all_of.exports
    for text in (
        f"At most {history.most}\nrequests for histories",
        f"of which {history.threads} are computed at once, and {exports.most} exports",
        f"more than {history.seconds:g} s or {history.rows:,} rows",
        f"an export may take {exports.seconds:g} s",
        f"sends {BAD_MESSAGES} that are no requests",
    ):
        assert text in PAGE, text
    all_of.close()


def test_the_limits_of_the_page_are_those_of_the_server() -> None:
    for text in (
        f"up to {HOSTS} for each\ndevice",
        f"at most {JSON_EPOCHS:,} epochs",
        f"{RECENT} at most",
        f"at most every {1000 * live.BATCH_S:.0f} ms",
        f"the last {', '.join(map(str, windows.WINDOWS[:-1]))} or {windows.WINDOWS[-1]} epochs",
        f"over the last {RATIO_EPOCHS} epochs",
        f"Bodies have {BODY_BYTES >> 10} KB at most, headers {limits.HEAD_BYTES >> 10} KB",
        f"whole within {limits.REQUEST_S:.0f} s, a reader that takes nothing for {limits.STALLED_S:.0f} s",
        f"{limits.CONNECTIONS} connections",
    ):
        assert text in PAGE, text
