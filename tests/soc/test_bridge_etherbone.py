# SPDX-License-Identifier: BSD-2-Clause
"""Epochs over Etherbone: UDP packets of a simulated SoC without a processor, on a tap device."""

import fcntl
import os
import struct
import time
from pathlib import Path

import pytest
from litemrc.checks.counters import compare, model_of, replay
from litemrc.device import ref_counters
from litemrc.device.bridge.client import BridgeClient
from litemrc.device.bridge.csr_file import read_csr_file
from litemrc.device.bridge.layout import BridgeURL
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.simulation.recording import read_recording
from litemrc.device.simulation.simulator import Simulator
from litemrc.traces.generators.traffic import Traffic
from litemrc_soc.sim_bridge import INTERFACE, SOC_IP

from scripts.bridged_soc import start_dram
from tests.soc.bridge_server import ROOT, litex_server
from tests.timeouts import scaled_timeout

SIM = ROOT / "build/sim-etherbone"
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x4004_54CA, 0x0002, 0x1000  # linux/if_tun.h


def why_no_tap() -> str:
    """Return why a tap device cannot be made here; empty if it can."""
    try:
        with open("/dev/net/tun", "r+b", buffering=0) as tun:
            fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", INTERFACE.encode(), IFF_TAP | IFF_NO_PI))
    except OSError as error:
        return f"a tap device cannot be made: {os.strerror(error.errno)}"
    return ""


pytestmark = [pytest.mark.soc, pytest.mark.skipif(bool(why_no_tap()), reason=why_no_tap())]


@pytest.fixture
def simulator(tmp_path):
    with Simulator(SIM, None, tmp_path / "run") as simulator:
        deadline = time.monotonic() + scaled_timeout(30)
        while not Path("/sys/class/net", INTERFACE).exists():  # litex_server then probes the SoC
            assert simulator.running and time.monotonic() < deadline, simulator.console.read_text()
            time.sleep(0.1)
        yield simulator


def test_epochs_collected_over_etherbone_equal_the_golden_model(simulator, tmp_path):
    with litex_server(tmp_path / "server.log", "--udp", "--udp-ip", SOC_IP) as (_, port):
        url = f"litex://localhost:{port}?csr={SIM / 'csr.json'}"
        soc = read_csr_file(SIM / "csr.json")
        words = BridgeClient(url, BridgeURL.parse(url), soc, scaled_timeout(60))
        start_dram(words, SIM)
        with Device(url, timeout_s=scaled_timeout(60)) as device:
            assert device.echo_test(8).failed == 0
            device.request("set_epoch", unit="accesses", length=3000)
            device.request("monitor", on=True)
            collector = Collector(device)
            stream = Traffic(base=0, words_log2=18, random=True, stride=0, writes=64, seed=2004)
            ref_counters.start_traffic(device, stream, gap=10, count=12_000)
            for _ in collector.collect(1):  # while the window is held, the second one grows beyond 3000
                pass
            while ref_counters.get_traffic(device).left:
                pass
            for _ in collector.finish():
                pass
            hello = device.hello
        words.close()
    simulator.stop()
    table = collector.table()
    recording = read_recording(simulator.record, hello.page_shift)
    assert recording.tap.exact and recording.counts()["access"] == 12_000
    comparison = compare(table, replay(recording, model_of(table)), 12_000)
    assert comparison.equal, comparison.first_difference
    assert table.accesses.sum() == 12_000
