# SPDX-License-Identifier: BSD-2-Clause
"""The API answers with the device's counters as described; settings change for the token's owner only."""

import io
import re
from pathlib import Path

import httpx
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from litemrc.serve import lanes, limits, live, windows
from litemrc.serve.api import models
from litemrc.serve.api.routes import JSON_EPOCHS, RECENT
from litemrc.serve.app import BODY_BYTES, build
from litemrc.serve.fleet import Fleet
from litemrc.serve.link.routes import BAD_MESSAGES, HOSTS
from litemrc.serve.metrics.exporter import FAMILIES, RATIO_EPOCHS
from litemrc.serve.security import Tokens

from tests.host.paced_device import CLOCKS, FRAMES, GROUPS, hits_of, misses_of, paced
from tests.host.serve.http_serving import TOKEN, Serving, serving
from tests.timeouts import scaled_timeout, wait_until

GROUP_BYTES = FRAMES // GROUPS * 4096


def ratios_of(hits: list[int], misses: int) -> list[float]:
    """Equation 1 of Zhou et al.: 1 - (hit[0] + ... + hit[m-1]) / (sum(hit) + misses)."""
    total = sum(hits) + misses
    return [1 - sum(hits[: groups + 1]) / total for groups in range(GROUPS)]


@pytest.fixture(scope="module")
def served():
    with paced(rate=40) as device:
        device.hot_on = True
        with serving({"a": device.url}, labels={"a": {"rack": "3"}}) as found:
            found.wait_for_epochs(30, "a")
            yield found


def test_a_device_is_described(served) -> None:
    answer = served.json("/api/v1/devices")
    models.Devices.model_validate(answer, strict=True)
    (device,) = answer["devices"]
    assert device["labels"] == {"rack": "3"} and device["connected"] and device["failure"] is None
    assert device["sessions"] == 1 and device["epochs"] >= 30 and device["history"] is None
    parameters = device["parameters"]
    assert parameters["memory_bytes"] == FRAMES * 4096 and parameters["group_bytes"] == GROUP_BYTES
    assert parameters["ranks"] == 4 and parameters["base_address"] == 0x40000 << 12
    assert not answer["control"]


def test_an_epoch_has_the_counters_of_the_device(served) -> None:
    answer = served.json("/api/v1/devices/a/epochs?last=3")
    models.Epochs.model_validate(answer)
    first, *_, last = answer["epochs"]
    assert last["number"] == first["number"] + 2
    number = last["number"]
    for context in last["contexts"]:
        hits, misses = hits_of(number, context["context"]), misses_of(number, context["context"])
        assert context["accesses"] == sum(hits) + misses and context["misses"] == misses
        assert context["working_set_bytes"] == (100 * (context["context"] + 1) + number % 50) * 4096
        assert context["curve"]["bytes"] == [GROUP_BYTES * (group + 1) for group in range(GROUPS)]
        assert context["curve"]["miss_ratio"] == pytest.approx(ratios_of(hits, misses), abs=1e-6)
    assert len(last["contexts"]) == 8 and last["dropped"] == number % 3
    asleep = (number // 10 + 1) % 4
    rank = last["ranks"][1]
    assert rank["shares"]["self_refresh"] == CLOCKS * asleep // 4 / CLOCKS
    assert rank["reads"] == 100 * (4 - asleep) and rank["state"] == ("self_refresh" if asleep else "awake")
    assert last["hot"]["pages"][0] == [(0x40000 + number) * 4096, 1000]
    # Of 8 bytes of frames, those with (number + place) % 8 < 4 are set.
    assert last["heat"]["bins"] == [0.5] * 128 and last["heat"]["bin_bytes"] == FRAMES // 128 * 4096


def test_a_curve_is_that_of_the_sums(served) -> None:
    answer = served.json("/api/v1/devices/a/curves?last=5")
    models.Curves.model_validate(answer)
    assert answer["epochs"] == 5
    epochs = served.json("/api/v1/devices/a/epochs?last=100")["epochs"]
    numbers = [each["number"] for each in epochs if answer["first"] <= each["arrived"] <= answer["last"]]
    assert len(numbers) == 5
    for curve in answer["curves"]:
        context = curve["context"]
        hits = [sum(column) for column in zip(*(hits_of(number, context) for number in numbers), strict=True)]
        misses = sum(misses_of(number, context) for number in numbers)
        assert curve["accesses"] == sum(hits) + misses and curve["misses"] == misses
        assert curve["miss_ratio"] == pytest.approx(ratios_of(hits, misses), abs=1e-6)
        assert curve["dropped"] == sum(number % 3 for number in numbers)


def test_tables_hold_the_counters_in_every_format(served) -> None:
    path = "/api/v1/devices/a/epochs?last=4&context=3&format="
    arrow = pa.ipc.open_stream(served.get(path + "arrow").content).read_all()
    parquet = pq.read_table(io.BytesIO(served.get(path + "parquet").content))
    csv = pyarrow.csv.read_csv(io.BytesIO(served.get(path + "csv").content))
    for table in (arrow, parquet, csv):
        assert len(table) == 4 and set(table.column("device").to_pylist()) == {"a"}
        for row in table.to_pylist():
            hits = row["hits"]
            hits = [int(count) for count in hits.split(" ")] if isinstance(hits, str) else hits
            assert hits == hits_of(row["epoch"], 3) and row["misses"] == misses_of(row["epoch"], 3)
            assert row["group_bytes"] == GROUP_BYTES
    assert arrow.column_names == parquet.column_names == csv.column_names


def test_a_time_without_epochs_is_an_empty_table(served) -> None:
    assert served.json("/api/v1/devices/a/epochs?start=1&end=2") == {"epochs": []}
    table = pq.read_table(
        io.BytesIO(served.get("/api/v1/devices/a/epochs?start=1&end=2&format=parquet").content)
    )
    whole = pq.read_table(io.BytesIO(served.get("/api/v1/devices/a/epochs?format=parquet").content))
    assert len(table) == 0 and table.schema.equals(whole.schema)
    assert served.json("/api/v1/devices/a/curves?start=1&end=2")["curves"] == []


def test_the_overview_counts_every_epoch_once(served) -> None:
    epochs = served.json("/api/v1/devices/a/epochs?last=20")["epochs"]
    start, end = epochs[0]["arrived"], epochs[-1]["arrived"]
    answer = served.json(f"/api/v1/devices/a/history?start={start}&end={end}&points=4")
    models.HistoryPoints.model_validate(answer)
    points = answer["points"]
    assert sum(point["epochs"] for point in points) == 20 and len(points) <= 4
    numbers = [epoch["number"] for epoch in epochs]
    assert sum(point["dropped"] for point in points) == sum(number % 3 for number in numbers)
    accesses = sum(sum(hits_of(number, 2)) + misses_of(number, 2) for number in numbers)
    assert accesses == sum(
        context["accesses"] for point in points for context in point["contexts"] if context["context"] == 2
    )


@pytest.mark.parametrize(
    ("path", "status", "what"),
    [
        ("/api/v1/devices/b/epochs", 404, "no device is called 'b'"),
        ("/api/v1/devices/a/epochs?last=0", 422, "last"),
        ("/api/v1/devices/a/epochs?last=5&start=1", 422, "last excludes"),
        ("/api/v1/devices/a/epochs?start=5&end=1", 422, "before the start"),
        ("/api/v1/devices/a/epochs?start=nan", 422, "start"),
        ("/api/v1/devices/a/epochs?last=21", 413, "20 epochs"),
        ("/api/v1/devices/a/epochs?format=xml", 422, "format"),
        ("/api/v1/merged?by=color", 404, "no device has the label 'color'"),
        ("/api/v1/live?window=7", 422, "no window has 7 epochs"),
        ("/api/v1/live?devices=z", 404, "no device is called 'z'"),
        ("/static/..%2Fapp.py", 404, "Not Found"),
        ("/static/%00", 404, "no such file"),
        ("/nothing", 404, "Not Found"),
    ],
)
def test_bad_requests_name_what_is_wrong(served, monkeypatch, path: str, status: int, what: str) -> None:
    monkeypatch.setattr("litemrc.serve.api.routes.JSON_EPOCHS", 20)
    answer = served.get(path)
    assert answer.status_code == status
    record = models.Error.model_validate(answer.json())
    assert what in record.error


def test_openapi_describes_the_paths_and_their_answers(served) -> None:
    described = served.json("/openapi.json")
    assert {"/api/v1/devices", "/api/v1/devices/{name}/epochs", "/metrics"} <= set(described["paths"])
    for path, methods in described["paths"].items():
        for method in methods.values():
            answer = method["responses"]["200"]["content"]
            schema = answer.get("application/json", {"schema": True}).get("schema")
            assert answer and schema, path
            assert method["description"]


def test_answers_tell_browsers_to_be_careful(served) -> None:
    for path in ("/", "/api/v1/devices", "/nothing"):
        headers = served.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers and "server" not in headers


def test_other_hosts_and_other_origins_are_refused(served) -> None:
    assert served.get("/api/v1/devices", headers={"Host": "evil.example"}).status_code == 400
    assert served.get("/api/v1/devices", headers={"Origin": "http://evil.example"}).status_code == 403
    assert served.get("/api/v1/devices", headers={"Origin": served.url}).status_code == 200


def test_the_page_loads_nothing_from_elsewhere(served) -> None:
    page = served.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text.replace("http://www.w3.org/", "") and "https://" not in page.text
    plotly = served.get("/static/plotly.js")
    assert plotly.headers["content-type"].startswith("text/javascript") and len(plotly.content) > 1_000_000


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


def post(
    served: Serving, path: str, body: object, token: str = TOKEN, device: str = "device"
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"{served.url}/api/v1/devices/{device}/control/{path}"
    return httpx.post(url, json=body, headers=headers, timeout=scaled_timeout(20))


@pytest.fixture(scope="module")
def controlled():
    with paced(rate=20) as device, serving(device.url, token=TOKEN) as served:
        served.wait_for_epochs(1)
        yield device, served


def test_the_owner_of_the_token_changes_settings(controlled) -> None:
    device, served = controlled
    assert served.json("/api/v1/devices")["control"]
    assert post(served, "epoch", {"length": 50, "unit": "accesses"}).json() == {
        "length": 50,
        "unit": "accesses",
    }
    assert device.settings["set_epoch"] == {"unit": "accesses", "length": 50}
    assert post(served, "freeze", {"on": True}).json() == {"on": True}
    assert device.settings["freeze"] == {"on": True}
    answer = post(served, "follow", {"context": 2, "pid": 77}).json()
    assert answer == {"context": 2, "state": "following", "pid": 77, "comm": "followed"}
    answer = post(served, "budget", {"context": 2, "bytes": 8192}).json()
    assert answer == {"context": 2, "bytes": 8192, "used_bytes": 100 * 4096}
    assert device.settings["set_budget"]["pages"] == 2
    assert post(served, "budget", {"context": 2, "bytes": None}).json()["bytes"] is None


@pytest.mark.parametrize(
    "token", ["x", "wrong", TOKEN + "x", TOKEN[:-1], "\N{LATIN SMALL LETTER E WITH ACUTE}"]
)
def test_others_change_nothing(controlled, token: str) -> None:
    device, served = controlled
    before = list(device.requests)
    headers = {"Authorization": f"Bearer {token}".encode("latin-1")}
    url = f"{served.url}/api/v1/devices/device/control/freeze"
    answer = httpx.post(url, json={"on": False}, headers=headers, timeout=scaled_timeout(20))
    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert device.requests == before


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("epoch", {"length": 0, "unit": "cycles"}, 422),
        ("epoch", {"length": 5, "unit": "years"}, 422),
        ("epoch", {"length": 5}, 422),
        ("epoch", {"length": "5", "unit": "cycles", "more": 1}, 422),
        ("epoch", [], 422),
        ("follow", {"context": 256, "pid": 1}, 422),
        ("budget", {"context": 1, "bytes": 4097}, 422),
        ("budget", {"context": 1, "bytes": 1 << 60}, 409),  # more pages than the protocol has numbers for
    ],
)
def test_bad_values_are_refused_with_a_reason(controlled, path: str, body: object, status: int) -> None:
    device, served = controlled
    before = list(device.requests)
    answer = post(served, path, body)
    assert answer.status_code == status and answer.json()["error"]
    assert device.requests == before


def test_an_unknown_device_is_not_found_but_only_by_the_owner(controlled) -> None:
    _, served = controlled
    assert post(served, "freeze", {"on": True}, device="nobody").status_code == 404
    assert post(served, "freeze", {"on": True}, device="nobody", token="guess").status_code == 401


def test_without_control_every_change_is_forbidden() -> None:
    with paced(rate=20) as device, serving(device.url) as served:
        served.wait_for_epochs(1)
        answer = post(served, "freeze", {"on": True})
        assert answer.status_code == 403 and "--control" in answer.json()["remedy"]
        assert "freeze" not in device.requests and not served.json("/api/v1/devices")["control"]


def test_a_device_without_a_session_is_unavailable() -> None:
    with serving("/dev/there-is-no-such-port", token=TOKEN) as served:
        wait_until(lambda: served.fleet["device"].failure, 10, "a failure")
        answer = post(served, "freeze", {"on": True})
        assert answer.status_code == 503 and "No such file" in answer.json()["error"]


def test_only_the_very_token_is_allowed() -> None:
    tokens = Tokens("secret")
    assert tokens.allow("Bearer secret") and tokens.allow("bearer secret")
    for other in (None, "", "secret", "Bearer", "Bearer ", "Basic secret", "Bearer secret2", "Bearer Secret"):
        assert not tokens.allow(other)
    assert not Tokens(None).allow("Bearer None") and not Tokens(None).control
