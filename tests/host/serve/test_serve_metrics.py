# SPDX-License-Identifier: BSD-2-Clause
"""Metrics count what the device sent, go on over sessions, and are those that the dashboard asks for."""

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from litemrc.serve.metrics.exporter import FAMILIES
from prometheus_client.parser import text_string_to_metric_families

from tests.host.paced_device import CLOCKS, GROUPS, hits_of, misses_of, paced
from tests.host.serve.http_serving import Serving, serving
from tests.timeouts import scaled_timeout, wait_until

DOCS = Path(__file__).parents[3] / "docs"
DASHBOARD = DOCS / "grafana" / "litemrc.json"
GROUP_BYTES = 524288


def samples(served: Serving) -> dict[tuple[str, tuple], float]:
    """Values by name and labels in order."""
    text = served.get("/metrics").text
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def text_of(groups: int) -> str:
    """The size of n groups of 512 KiB, as a legend has it."""
    return "512 KiB" if groups == 1 else f"{groups // 2} MiB"


def key(metric: str, **labels: str) -> tuple[str, tuple]:
    return metric, tuple(sorted(({"device": "device"} | labels).items()))


def stopped(device, served: Serving) -> list[int]:
    """Stop the device; return the numbers of all epochs that the server has."""
    served.stop(device)
    numbers = [epoch.number for epoch in served.fleet["device"].recent.last()]
    epochs = key("litemrc_epochs_total")
    wait_until(lambda: samples(served)[epochs] == len(numbers), 10, "all listeners")
    return numbers


def test_counters_are_sums_of_what_the_device_sent() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(20)
        numbers = stopped(device, served)
        found = samples(served)
    of = {"context": "3", "name": "context 3"}
    hits = [sum(column) for column in zip(*(hits_of(number, 3) for number in numbers), strict=True)]
    misses = sum(misses_of(number, 3) for number in numbers)
    assert found[key("litemrc_epochs_total")] == len(numbers)
    assert found[key("litemrc_accesses_total", **of)] == sum(hits) + misses
    assert found[key("litemrc_misses_total", **of)] == misses
    for groups in (1, 2, 4, 8, 16, 32, 64):
        size = {"size_bytes": str(groups * GROUP_BYTES), "size": text_of(groups)}
        assert found[key("litemrc_hits_total", **of, **size)] == sum(hits[:groups])
    assert found[key("litemrc_dropped_accesses_total")] == sum(number % 3 for number in numbers)
    last = numbers[-1]
    assert found[key("litemrc_working_set_bytes", **of)] == (400 + last % 50) * 4096
    asleep = [(number // 10 + 1) % 4 for number in numbers]
    seconds = sum(CLOCKS * each // 4 for each in asleep) / 1_000_000  # of a clock of 1 MHz
    of = {"rank": "1", "state": "self_refresh"}
    assert found[key("litemrc_rank_state_seconds_total", **of)] == pytest.approx(seconds)
    assert found[key("litemrc_rank_state_ratio", **of)] == asleep[-1] / 4
    assert found[key("litemrc_rank_reads_total", rank="1")] == sum(100 * (4 - each) for each in asleep)


def test_the_miss_ratio_is_that_of_the_last_epochs() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(10)
        numbers = stopped(device, served)[-100:]
        found = samples(served)
    hits = [sum(column) for column in zip(*(hits_of(number, 2) for number in numbers), strict=True)]
    total = sum(hits) + sum(misses_of(number, 2) for number in numbers)
    for groups in (GROUPS // 8, GROUPS // 4, GROUPS // 2, GROUPS):
        labels = {"context": "2", "name": "context 2", "size_bytes": str(groups * GROUP_BYTES)}
        labels["size"] = text_of(groups)
        assert found[key("litemrc_miss_ratio", **labels)] == pytest.approx(1 - sum(hits[:groups]) / total)


def test_counters_go_on_over_sessions() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(10)
        before = samples(served)
        served.fleet["device"].feed.call(lambda device: device._link.close())
        wait_until(lambda: served.fleet["device"].feed.sessions == 2, 20, "the second session")
        count = served.fleet["device"].recent.arrived
        served.wait_for_epochs(count + 5)
        after = samples(served)
    assert after[key("litemrc_sessions_total")] == 2
    counters = [name for name in before if name[0].endswith("_total")]
    assert len(counters) > 100
    for name in counters:
        assert after[name] >= before[name], name
    assert after[key("litemrc_link_frames_total")] > before[key("litemrc_link_frames_total")]


def test_a_lost_device_has_no_miss_ratio_and_is_not_connected() -> None:
    with serving("/dev/there-is-no-such-port") as served:
        wait_until(lambda: served.fleet["device"].failure, 10, "a failure")
        found = samples(served)
    assert found[key("litemrc_connected")] == 0
    assert not [name for name, _ in found if name == "litemrc_miss_ratio"]


@pytest.mark.skipif(not shutil.which("promtool"), reason="no promtool (Debian: prometheus)")
def test_promtool_finds_the_names_and_units_conventional(tmp_path: Path) -> None:
    with paced(rate=40) as device, serving(device.url, history=tmp_path) as served:
        served.wait_for_epochs(5)
        text = served.get("/metrics").text
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    for family in FAMILIES:
        assert f"# TYPE {family.shown} " in text


@contextmanager
def prometheus(served: Serving, folder: Path) -> Iterator[str]:
    """Run Prometheus; it scrapes the server each second."""
    config = folder / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 1s}\nscrape_configs:\n"
        f"- {{job_name: litemrc, static_configs: [{{targets: ['127.0.0.1:{served.port}']}}]}}\n"
    )
    subprocess.run(["promtool", "check", "config", config], check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        listening = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data"]
    with (folder / "log").open("w") as log:
        running = subprocess.Popen([*command, f"--web.listen-address={listening}"], stdout=log, stderr=log)
    try:
        yield f"http://{listening}"
    finally:
        running.terminate()
        running.wait(scaled_timeout(20))


@pytest.mark.skipif(not shutil.which("prometheus"), reason="no prometheus (Debian: prometheus)")
def test_every_query_of_the_dashboard_finds_something_in_prometheus(tmp_path: Path) -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(queries) > 12
    with ExitStack() as stack:
        device = stack.enter_context(paced(rate=20, banks=8))
        served = stack.enter_context(serving(device.url, history=tmp_path / "history"))
        url = stack.enter_context(prometheus(served, tmp_path))

        def result(query: str) -> list:
            query = re.sub(r"\$(device|name|job)\b", ".+", query).replace("$__rate_interval", "15s")
            try:
                answer = httpx.get(f"{url}/api/v1/query", params={"query": query}, timeout=scaled_timeout(10))
            except httpx.TransportError:  # it starts
                return []
            assert answer.status_code in (200, 503), answer.text
            return answer.json()["data"]["result"] if answer.status_code == 200 else []

        wait_until(lambda: result("rate(litemrc_rank_wake_ups_total[15s])"), 30, "the second scrape")
        for query in queries:
            wait_until(lambda query=query: result(query), 10, query)
        (target,) = httpx.get(f"{url}/api/v1/targets", timeout=scaled_timeout(10)).json()["data"][
            "activeTargets"
        ]
        assert target["health"] == "up" and not target["lastError"]
        misses = sum(misses_of(number, 3) for number in stopped(device, served))
        stored = "litemrc_misses_total{context='3'}"
        wait_until(lambda: float(result(stored)[0]["value"][1]) == misses, 10, "a scrape of the last epoch")


def test_the_dashboard_uses_metrics_that_are_there() -> None:
    text = DASHBOARD.read_text()
    known = {family.shown for family in FAMILIES}
    known |= {"litemrc_live_readers", "litemrc_live_missed_epochs_total", "litemrc_build_info"}
    assert set(re.findall(r"litemrc_[a-z_]+", text)) <= known
    panels = json.loads(text)["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:  # of 24 columns
        assert (
            panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 and panel["fieldConfig"]["defaults"]["unit"]
        )
