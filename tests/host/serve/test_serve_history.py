# SPDX-License-Identifier: BSD-2-Clause
"""Epochs of any time come from the history as they came from the device; damage is stated."""

import io
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.device.link.link import LinkCounts
from litemrc.feed.history.history import sealed_files
from litemrc.feed.history.kinds import EPOCHS
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.table import NO_RANKS
from litemrc.serve.api import models
from litemrc.serve.api.queries import _tables_of_rows, counted, merged_contexts
from litemrc.serve.kept import KeptEpochs

from tests.host.epoch_rows import row
from tests.host.paced_device import GROUPS, hits_of, misses_of, paced
from tests.host.serve.http_serving import serving
from tests.host.synthetic_epochs import START, keep
from tests.timeouts import wait_until

API = "/api/v1/devices/board"
LATER = [START + 100, START + 101]


def curve_of(numbers: list[int], context: int) -> tuple[int, list[float]]:
    """Accesses, and miss ratios of the summed counters."""
    hits = [sum(column) for column in zip(*(hits_of(number, context) for number in numbers), strict=True)]
    total = sum(hits) + sum(misses_of(number, context) for number in numbers)
    return total, [1 - sum(hits[: groups + 1]) / total for groups in range(GROUPS)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory):
    """Two sessions of a device, of which the server keeps no epoch of the first one in memory."""
    folder = tmp_path_factory.mktemp("history")
    with paced(rate=40) as device:
        device.hot_on = True
        with serving(device.url, history=folder) as served:
            served.wait_for_epochs(20)
            served.fleet["device"].feed.call(lambda device: device._link.close())
            wait_until(lambda: served.fleet["device"].feed.sessions == 2, 20, "the second session")
            served.wait_for_epochs(served.fleet["device"].recent.arrived + 10)
            served.stop(device)
            recent = served.fleet["device"].recent
            time.sleep(0.2)  # the history is written behind the recent epochs
            yield served, recent.arrived


def test_the_epochs_of_both_sessions_are_there(kept) -> None:
    served, count = kept
    epochs = served.json("/api/v1/devices/device/epochs?start=0")["epochs"]
    models.Epochs.model_validate({"epochs": epochs})
    assert len(epochs) == count and len({epoch["session"] for epoch in epochs}) == 2
    for epoch in epochs:
        assert len(epoch["contexts"]) == 8 and len(epoch["ranks"]) == 4 and epoch["link"] is None
        context = epoch["contexts"][5]
        accesses, ratios = curve_of([epoch["number"]], 5)
        assert context["accesses"] == accesses
        assert context["curve"]["miss_ratio"] == pytest.approx(ratios, abs=1e-6)
        assert epoch["hot"]["pages"][0][0] == (0x40000 + epoch["number"]) * 4096
        assert epoch["heat"]["bins"] == [0.5] * 128


def test_live_and_kept_epochs_are_the_same(kept) -> None:
    served, _ = kept
    live = served.json("/api/v1/devices/device/epochs?last=5")["epochs"]
    start, end = live[0]["arrived"] - 1e-5, live[-1]["arrived"] + 1e-5  # files have microseconds
    again = served.json(f"/api/v1/devices/device/epochs?start={start}&end={end}")["epochs"]
    for one, other in zip(live, again, strict=True):
        for name in ("arrived", "curve_first"):
            assert one.pop(name) == pytest.approx(other.pop(name), abs=2e-6)
        for each in (one, other):
            each.pop("link")
            each.pop("epochs_lost")
        assert one == other


def test_the_curves_of_a_time_are_sums_over_both_sessions(kept) -> None:
    served, count = kept
    numbers = [epoch["number"] for epoch in served.json("/api/v1/devices/device/epochs?start=0")["epochs"]]
    answer = served.json("/api/v1/devices/device/curves?start=0")
    assert answer["epochs"] == count and len(answer["curves"]) == 8
    for curve in answer["curves"]:
        accesses, ratios = curve_of(numbers, curve["context"])
        assert curve["accesses"] == accesses
        assert curve["miss_ratio"] == pytest.approx(ratios, abs=1e-6)


def test_a_table_has_a_row_for_each_epoch_and_context(kept) -> None:
    served, count = kept
    content = served.get("/api/v1/devices/device/epochs?start=0&format=parquet").content
    rows = pq.read_table(io.BytesIO(content)).to_pylist()
    assert len(rows) == 8 * count
    for each in rows:
        assert each["hits"] == hits_of(each["epoch"], each["context"])


def test_the_overview_and_the_extent_count_all_epochs(kept) -> None:
    served, count = kept
    points = served.json("/api/v1/devices/device/history?points=7")["points"]
    assert sum(point["epochs"] for point in points) == count and len(points) <= 7

    def extent() -> dict:
        return served.json("/api/v1/devices")["devices"][0]["history"]

    wait_until(lambda: extent()["epochs"] == count, 10, "an extent that is not of seconds ago")
    first = served.json("/api/v1/devices/device/epochs?start=0")["epochs"][0]
    assert extent()["first"] == pytest.approx(first["arrived"])
    wait_until(lambda: extent()["bytes"] > 0, 10, "the size of the files")


def test_a_context_that_had_two_programs_has_a_curve_for_each(tmp_path: Path) -> None:
    parameters = DeviceParameters(
        **{"session": 1, "clock_hz": 1, "page_bytes": 4096, "frames": 8, "engine": "bucket_stack"},
        **{"pages": 8, "groups": 2, "contexts": 2, "recent_pages": 0},
    )
    kept = KeptEpochs(tmp_path, "device", None, print)
    kept(parameters)
    ran = [("sort (pid 1)", (3, 1)), ("gzip (pid 2)", (1, 0)), ("sort (pid 1)", (5, 0))]
    for number, (name, hits) in enumerate(ran):
        rows = row(epoch=number, context=1, accesses=sum(hits) + 2, misses=2, touched=1, hits=hits)
        kept(FeedEpoch(1, number, 100.0 + number, rows, {1: name}, NO_RANKS, None, None, 0, LinkCounts()))
    (part,) = kept.parts(EPOCHS, 0, 200)
    found = merged_contexts([counted(table) for table in _tables_of_rows(part.parameters, part.rows)])
    kept.close()
    curves = {curve.name: curve for context, curve, _ in found if context == 1}
    # sort: 6 + 7 accesses, of which 8 hit in the first group and 1 in the second; gzip: 3, of which 1 hits.
    assert curves["sort (pid 1)"].miss_ratio == pytest.approx([5 / 13, 4 / 13])
    assert curves["gzip (pid 2)"].miss_ratio == pytest.approx([2 / 3, 2 / 3])


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory):
    """A history with a damaged file of three epochs, one of two epochs, and those of a device."""
    folder: Path = tmp_path_factory.mktemp("history")
    keep(folder, [[START, START + 1, START + 2], LATER])
    path = min(sealed_files(folder, "board", EPOCHS))
    content = bytearray(path.read_bytes())
    content[200] ^= 4
    path.write_bytes(content)
    with paced(rate=20) as device, serving({"board": device.url}, history=folder) as served:
        served.wait_for_epochs(2, "board")
        yield served, str(path.relative_to(folder))


@pytest.mark.parametrize(
    ("request_", "model"),
    [("epochs", models.Epochs), ("curves", models.Curves), ("history", models.HistoryPoints)],
)
def test_an_answer_states_what_is_lost(damaged, request_, model) -> None:
    served, name = damaged
    answer = served.json(f"{API}/{request_}?start={START}&end={START + 200}")
    model.model_validate(answer)
    (damage,) = answer["damages"]
    assert damage["file"] == name
    assert damage["lost"].startswith("3 epochs that arrived from 2026-")
    assert (damage["first"], damage["last"]) == (START, START + 2)
    count = {"epochs": lambda: len(answer["epochs"]), "curves": lambda: answer["epochs"]}
    assert count.get(request_, lambda: sum(point["epochs"] for point in answer["points"]))() == 2
    assert "damages" not in served.json(f"{API}/{request_}?start={LATER[0]}&end={LATER[1]}")


def test_a_table_has_what_is_whole_and_a_header(damaged) -> None:
    served, name = damaged
    answer = served.get(f"{API}/epochs?start={START}&end={START + 200}&format=parquet")
    rows = pq.read_table(io.BytesIO(answer.content))
    assert {time.timestamp() for time in rows.column("arrived").to_pylist()} == set(LATER)
    assert answer.headers["litemrc-damage"].startswith(f"{name}: ")
    assert "lost: 3 epochs" in answer.headers["litemrc-damage"]
    later = served.get(f"{API}/epochs?start={LATER[0]}&end={LATER[1]}&format=csv")
    assert "litemrc-damage" not in later.headers
