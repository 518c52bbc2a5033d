# SPDX-License-Identifier: BSD-2-Clause
"""The real firmware on the simulated SoC, as hosts meet it: requests, refusals, commands in mid-run."""

import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.running import Run
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.files import read_epochs

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
TIMEOUT_S = 120.0


@pytest.fixture(scope="module")
def running(soc):
    with soc() as simulator:
        yield simulator.wait_ready(scaled_timeout(30))


def litemrc(*arguments, environment):
    command = [sys.executable, "-m", "litemrc.cli.main", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=scaled_timeout(600), env=environment
    )


def test_litemrc_device_shows_the_parameters_and_tests_the_link(running, cli_environment):
    found = litemrc(
        "device",
        "--port",
        running.url,
        "--timeout",
        round(scaled_timeout(60)),
        "--json",
        environment=cli_environment,
    )
    assert found.returncode == 0, found.stderr
    described = json.loads(found.stdout)
    expected = {
        "frames": 8192,
        "engine": "bucket_stack",
        "pages": 8192,
        "recent_pages": 1,
        "groups": 64,
        "contexts": 8,
        "range_lower": 0,
        "range_upper": 8191,
        "sampling": 0,
        "scale_log2": 0,
        "frozen": False,
        "workloads": ["zipf", "loop", "phases", "chase", "matmul", "pair", "memtest"],
    }
    assert {name: described[name] for name in expected} == expected


def test_a_refused_request_changes_nothing(running):
    with Device(running.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        device.request("set_epoch", unit="cycles", length=12345)
        for name, values in (
            ("set_epoch", {"unit": "cycles", "length": 0}),
            ("set_context", {"context": 8}),
            ("invalidate", {"frame": 8192}),
            ("set_engine", {"engine": "group_stack"}),
            ("set_range", {"lower": 0, "upper": 8192}),
            ("set_range", {"lower": 2, "upper": 1}),
            ("set_sampling", {"sampling": 14}),  # of 8192 = 2^13 frames none would be left
            ("set_sampling", {"sampling": 255}),
            ("run", {"workload": 7, "context": 0, "scale": 1}),
            ("run", {"workload": 5, "context": 7, "scale": 1}),  # its second task would have context 8
            ("run", {"workload": 0, "context": 8, "scale": 1}),
        ):
            with pytest.raises(RequestRefusedError) as refused:
                device.request(name, **values)
            assert refused.value.code == "bad_argument", name
        unit, length = device.request("get_epoch").values
        assert (device.choice("set_epoch", "unit", unit), length) == ("cycles", 12345)
        assert device.request("get_context").values == [0]
        assert device.request("get_range").values == [0, 8191]
        assert device.request("get_sampling").values == [0, 0]
        with pytest.raises(RequestRefusedError, match="lower is above upper"):
            device.request("set_range", lower=2, upper=1)


def test_bare_metal_knows_no_processes_and_says_so(running):
    with Device(running.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        hello = device.hello
        assert (hello.running, hello.system, hello.driver, hello.abi) == (0, "", "", 0)
        csr = json.loads((running.build / "csr.json").read_text())
        assert hello.identifier == csr["constants"]["config_identifier"]
        for name, values in (
            ("get_process", {"context": 0}),
            ("follow", {"context": 1, "pid": 1}),
        ):
            with pytest.raises(RequestRefusedError, match="the device has no operating system") as refused:
                device.request(name, **values)
            assert refused.value.code == "unsupported", name


def test_hosts_that_leave_in_mid_message_do_not_end_the_device(running):
    """With epochs of 12,345 cycles the device sends without a pause."""
    with Device(running.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        device.request("set_epoch", unit="cycles", length=12345)
    dice, port = random.Random(1), int(running.url.rpartition(":")[2])
    for _ in range(1000):
        with socket.create_connection(("127.0.0.1", port)) as host:
            end = time.monotonic() + dice.random() * 0.03
            host.setblocking(False)
            while time.monotonic() < end:
                with suppress(BlockingIOError):
                    host.recv(4096)
                time.sleep(0.0005)
    with Device(running.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        assert device.request("get_epoch").values[1] == 12345


def test_without_tasks_nobody_has_a_budget(running):
    with Device(running.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        for name, values in (
            ("get_budget", {"context": 1}),
            ("set_budget", {"context": 1, "pages": 100}),
            ("reclaim", {"context": 1, "pages": 1}),
        ):
            with pytest.raises(RequestRefusedError, match="the pager runs no task") as refused:
                device.request(name, **values)
            assert refused.value.code == "busy", name


def test_an_interrupted_collection_is_saved_and_readable(running, cli_environment, tmp_path):
    out = tmp_path / "curves.parquet"
    command = ["collect", "--port", running.url, "--timeout", str(round(scaled_timeout(60)))]
    command += ["--epochs", "1000", "--out", str(out)]
    command += ["--epoch-length", "4096", "--run", "zipf:1:1000"]
    with subprocess.Popen(
        [sys.executable, "-m", "litemrc.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=cli_environment,
    ) as process:
        assert process.stderr
        shown = (re.match(r" *(\d+) of 1000 epochs", line) for line in process.stderr)
        assert any(count and int(count[1]) > 1 for count in shown), "ended before its second epoch"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 130, error
    table = read_epochs(out)
    assert table.interrupted
    assert len(table.epoch) > 1
    assert table.context_names == {1: "zipf"}


def test_commands_in_mid_run_keep_their_order_with_the_accesses(soc):
    """Invalidations, a clear, contexts, switching off and on, while a program runs: still every counter."""
    with (
        soc() as simulator,
        Device(simulator.wait_ready(scaled_timeout(30)).url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        hello = device.hello
        device.request("set_epoch", unit="cycles", length=50_000)
        collector = Collector(device)
        done = 0
        for message in collector.collect(runs=[Run("phases", 6), Run("matmul", 6), Run("chase", 7)]):
            if message.name != "epoch":
                continue
            done += 1
            if done % 9 == 0:
                device.request("monitor", on=False)
                device.request("monitor", on=True)
            elif done % 3 == 0:
                device.request("invalidate", frame=3584 + done)  # phases' first pages
            elif done == 40:
                device.request("clear")
            elif done % 5 == 0:
                device.request("end_epoch")
            if done == 1:
                with pytest.raises(RequestRefusedError, match="busy"):
                    device.request("run", workload=0, context=1, scale=1)
        device.request("monitor", on=False)
    table = collector.table()
    recording = read_recording(simulator.record, hello.page_shift)
    counts = recording.counts()
    assert recording.tap.exact and counts["clear"] == 2 and counts["invalidate"] > 2968
    comparison = compare(table, replay(recording, model_of(table)), counts["access"])
    assert comparison.equal, comparison.first_difference
    assert comparison.counters > 60 * 67
    assert table.link_statistics["epoch_messages_lost"] == 0
