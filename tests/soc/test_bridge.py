# SPDX-License-Identifier: BSD-2-Clause
"""A SoC without a processor behind UARTBone and LiteX's server: every command, and every counter."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.device import ref_counters
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import HotSettings, page_messages, set_hot
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.files import read_epochs
from litemrc.traces.generators.traffic import Traffic, traffic_stream

from scripts.bridged_soc import free_port
from tests.soc.bridge_server import ROOT, bridged
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
SIM = ROOT / os.environ.get("LITEMRC_BRIDGE_SIM", "build/sim-bridge")
TIMEOUT_S = 60.0
CSR = json.loads((SIM / "csr.json").read_text()) if (SIM / "csr.json").exists() else {}
RANDOM = Traffic(base=0, words_log2=18, random=True, stride=0, writes=64, seed=2004)  # 2 MB
LOOP = Traffic(base=1 << 19, words_log2=17, random=False, stride=512, writes=0, seed=1)  # 256 pages in turn
CONTROL_ENABLE, CONTROL_HOLD = 1, 2


@pytest.fixture(scope="module")
def soc(tmp_path_factory):
    with bridged(SIM, tmp_path_factory.mktemp("bridge") / "run") as found:
        yield found


@pytest.fixture
def device(soc):
    with Device(soc.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device:
        yield device


def run_traffic(device, traffic, count, gap=3):
    ref_counters.start_traffic(device, traffic, gap=gap, count=count)
    while ref_counters.get_traffic(device).left:
        pass


def litemrc(*arguments, environment):
    command = [sys.executable, "-m", "litemrc.cli.main", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=scaled_timeout(120), env=environment
    )


def test_every_counter_collected_over_the_bridge_equals_the_golden_model(tmp_path):
    """Contexts, invalidations, a clear, a range, sampling, and reads of the bridge itself, all in order."""
    with (
        bridged(SIM, tmp_path / "run") as soc,
        Device(soc.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        device.request("set_epoch", unit="accesses", length=3000)
        device.request("monitor", on=True)
        collector = Collector(device)
        for context, traffic in ((0, RANDOM), (5, LOOP), (7, replace(RANDOM, seed=7))):
            device.request("set_context", context=context)
            ref_counters.start_traffic(device, traffic, gap=20, count=20_000)
            for _ in collector.collect(1):
                pass
            device.request("invalidate", frame=3)
            while ref_counters.get_traffic(device).left:
                pass
        soc.words.read(CSR["memories"]["main_ram"]["base"] + (16 << 20), 64)  # through the L2 cache
        device.request("clear")
        device.request("set_range", lower=0, upper=300)
        run_traffic(device, RANDOM, 5000)
        device.request("set_sampling", sampling=2)
        run_traffic(device, RANDOM, 5000)
        for _ in collector.finish():
            pass
        hello = device.hello
    table = collector.table()
    recording = read_recording(soc.simulator.record, hello.page_shift)
    counts = recording.counts()
    assert recording.tap.exact and counts["access"] > 70_000 and counts["invalidate"] == 3
    comparison = compare(table, replay(recording, model_of(table)), counts["access"])
    assert comparison.equal, comparison.first_difference
    assert comparison.counters > 5 * 67
    assert {0, 5, 7} <= set(table.context.tolist()) and set(table.scale_log2.tolist()) == {0, 2}
    assert table.link_statistics["epoch_messages_lost"] == 0
    assert table.accesses.sum() + table.outside.sum() > 0


def test_single_pages_read_over_the_bridge_equal_the_golden_models(tmp_path):
    settings = HotSettings(True, True, True, True, 0, 30, 64, 8, 6000, 4)
    queued = []
    with (
        bridged(SIM, tmp_path / "run") as soc,
        Device(soc.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        device.request("set_epoch", unit="accesses", length=8000)
        device.request("set_split", on=True)
        assert set_hot(device, settings) == settings
        device.request("monitor", on=True)
        with page_messages(device, accessed=True, hot=True) as messages:
            assert messages.base_address == CSR["memories"]["main_ram"]["base"]
            collector = Collector(device, messages=messages)
            for context, traffic in ((0, RANDOM), (3, LOOP)):
                device.request("set_context", context=context)
                ref_counters.start_traffic(device, traffic, gap=20, count=25_000)
                while ref_counters.get_traffic(device).left:
                    pass
                queued += [m for m in collector.collect(2) if m.name == "queued"]
            queued += [m for m in collector.finish() if m.name == "queued"]
        hello = device.hello
    table = collector.table()
    recording = read_recording(soc.simulator.record, hello.page_shift)
    comparison = compare(table, replay(recording, model_of(table)), recording.counts()["access"])
    assert recording.tap.exact and comparison.equal, comparison.first_difference
    assert table.split.all() and 4 in table.context.tolist(), "writes of context 0"
    epochs = len(set(table.epoch.tolist()))
    accessed = check_accessed(recording, collector.accessed, hello.frames)
    assert (accessed.difference, accessed.epochs) == ("", epochs) and epochs > 3
    golden = replay_hot(recording, settings, hello.frames)
    lists = check_hot(golden, collector.hot)
    assert (lists.difference, lists.epochs) == ("", epochs)
    assert any(row.frames for row in collector.hot)
    frames, remaining = [frame for message in queued for frame in message.frames], iter(golden.queued)
    assert frames and all(frame in remaining for frame in frames)


def test_without_hold_every_epoch_read_is_whole_and_the_others_are_counted_as_lost(tmp_path):
    with (
        bridged(SIM, tmp_path / "run") as soc,
        Device(soc.url, timeout_s=scaled_timeout(TIMEOUT_S)) as device,
    ):
        soc.write("mrc_control", CONTROL_ENABLE)  # hold is 0
        device.request("set_epoch", unit="accesses", length=12_000)
        ref_counters.start_traffic(device, RANDOM, gap=5, count=4_000_000)
        collector = Collector(device)
        for _ in collector.collect(4):
            before = soc.words.read(soc.address("mrc_epoch"), 1)[0]
            while soc.words.read(soc.address("mrc_epoch"), 1)[0] < before + 2:
                time.sleep(0.02)
        device.request("monitor", on=False)
        hello = device.hello
        finished = soc.words.read(soc.address("mrc_epoch"), 1)[0]
    table = collector.table()
    golden = replay(recording := read_recording(soc.simulator.record, hello.page_shift), model_of(table))
    received = table.epoch.tolist()
    assert recording.tap.exact and finished == len(golden.epochs) > received[-1]
    lost = received[-1] - received[0] + 1 - len(received)
    assert table.link_statistics["epoch_messages_lost"] >= lost > 0
    for row, epoch in enumerate(received):
        assert table.hits[row].tolist() == golden.epochs[epoch].hits[0], epoch
        assert table.misses[row] == golden.epochs[epoch].misses[0], epoch


def test_litemrc_device_shows_the_parameters_and_tests_the_bridge(soc, cli_environment):
    found = litemrc("device", "--port", soc.url, "--json", environment=cli_environment)
    assert found.returncode == 0, found.stderr
    described = json.loads(found.stdout)
    expected = {
        "frames": 8192,
        "engine": "bucket_stack",
        "pages": 8192,
        "groups": 64,
        "contexts": 8,
        "ranks": 1,
        "clock_hz": 50_000_000,
        "workloads": [],
        "system": "",
    }
    assert {name: described[name] for name in expected} == expected
    assert described["self_test"]["failed"] == 0


def test_commands_collect_a_table_of_the_generators_traffic(soc, cli_environment, tmp_path):
    out = tmp_path / "epochs.parquet"
    port = ["--port", soc.url]
    begin = litemrc(
        "refcounters",
        *port,
        "traffic",
        *["--pages", "0:1023", "--gap", "200", "--count", "200000"],
        environment=cli_environment,
    )
    assert begin.returncode == 0, begin.stderr
    options = ["--epochs", 2, "--epoch-length", 2000, "--out", out, "--json"]
    found = litemrc("collect", *port, *options, environment=cli_environment)
    assert found.returncode == 0, found.stderr
    table = read_epochs(out)
    assert len(set(table.epoch.tolist())) == 2
    assert (table.hits.sum(axis=1) + table.misses == table.accesses).all()
    stop = litemrc(
        "refcounters", *port, "traffic", *["--pages", "0:1", "--count", "0"], environment=cli_environment
    )
    assert stop.returncode == 0, stop.stderr


def test_reference_counters_count_the_generators_accesses(device):
    traffic = Traffic(base=0, words_log2=11, random=True, stride=0, writes=90, seed=2026)  # 16 pages of 1 KB
    ref_counters.arm(device, "delay", ref_counters.CounterSetting(9, True, True, 0b100, 0xFF, 0, 15))
    device.waiting()
    run_traffic(device, traffic, 1000)
    seen, order = {}, []
    for word, _ in islice(traffic_stream(traffic), 1000):
        page = word // 128
        seen[page] = seen.get(page, 0) + 1
        if seen[page] == 9:
            order.append(page)
    events = [each for each in iter(lambda: device.receive(0.5), None) if each.name == "count"]
    assert [event.page for event in events] == order and len(order) == 16
    ref_counters.set_count(device, "delay", 3, 77)
    assert ref_counters.get_count(device, "delay", 3) == 77
    unit = ref_counters.get_unit(device)
    assert (unit.pages, unit.events_lost, unit.accesses_lost) == (32768, 0, 0)


def test_what_a_bridge_cannot_do_is_refused_with_a_sentence(device):
    for name, values, sentence in (
        ("get_process", {"context": 1}, "no operating system"),
        ("run", {"workload": 0, "context": 0, "scale": 1}, "runs no programs"),
        ("set_lease", {"cycles": 1000}, "nothing here ends a lease"),
        ("get_dram", {}, "no rank power"),
    ):
        with pytest.raises(RequestRefusedError, match=sentence) as refused:
            device.request(name, **values)
        assert refused.value.code == "unsupported", name


def test_the_script_of_the_page_runs_a_soc_until_it_is_told_to_end(cli_environment, tmp_path):
    port = free_port()
    script = [sys.executable, ROOT / "scripts/bridged_soc.py", "--sim", SIM, "--port", str(port)]
    with subprocess.Popen([*script, "--out", tmp_path / "run"], stdout=subprocess.PIPE, text=True) as running:
        url = running.stdout.readline().strip()
        found = litemrc("device", "--port", url, "--json", environment=cli_environment)
        second = subprocess.run([*script, "--out", tmp_path / "second"], capture_output=True, text=True)
        running.send_signal(signal.SIGTERM)
    assert running.returncode == 130
    assert url == f"litex://localhost:{port}?csr={SIM}/csr.json"
    assert found.returncode == 0 and json.loads(found.stdout)["self_test"]["failed"] == 0
    assert (second.returncode, second.stdout) == (2, "") and f"port {port}: " in second.stderr
    assert free_port(port) == port  # the server has ended
    read_recording(tmp_path / "run" / "record.npy", 12)  # the simulator has ended, and its record is whole


def test_without_its_simulator_the_script_says_what_to_build(tmp_path):
    command = [sys.executable, ROOT / "scripts/bridged_soc.py", "--sim", tmp_path]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 2 and f"{tmp_path}: " in found.stderr and "make sim-bridge" in found.stderr


def test_ctrl_c_ends_a_collection_that_waits_for_epochs(soc, cli_environment, tmp_path):
    command = [sys.executable, "-m", "litemrc.cli.main", "collect", "--port", soc.url, "--epochs", "9"]
    command += ["--epoch-length", "100000000", "--out", str(tmp_path / "out.parquet")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=cli_environment) as process:
        assert "collecting" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=scaled_timeout(30))
    assert process.returncode == 130
    assert "interrupted" in said and "Traceback" not in said


def test_a_server_that_dies_in_a_collection_gives_one_line_and_exit_code_1(cli_environment, tmp_path):
    with bridged(SIM, tmp_path / "run") as soc:
        command = [sys.executable, "-m", "litemrc.cli.main", "collect", "--port", soc.url, "--epochs", "9"]
        command += ["--epoch-length", "100000000", "--out", str(tmp_path / "out.parquet")]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=cli_environment) as process:
            assert "collecting" in process.stderr.readline()
            soc.server.kill()
            _, said = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 1
    (line,) = [line for line in said.splitlines() if "error" in line]
    assert soc.url in line and "litex_server" in line and "Traceback" not in said
