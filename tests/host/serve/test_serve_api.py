"""The API answers with the counters that the device sent, in every format, and as it is described."""

import io

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from litemrc.serve.api import models

from tests.host.paced_device import CLOCKS, FRAMES, GROUPS, hits_of, misses_of, paced
from tests.host.serve.http_serving import serving

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
