# SPDX-License-Identifier: BSD-2-Clause
"""A simulation continued from a snapshot is the saved one, in every cycle; a part that is not saved shows."""

import json
import re
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from litemrc.device.simulation.recording import read_recording
from litemrc.device.simulation.simulator import Simulator
from litemrc_soc.soc import VARIANTS

from tests.firmware.boot.boot_programs import build_program
from tests.mutation import mutated_source
from tests.timeouts import scaled_timeout

ROOT = Path(__file__).resolve().parents[3]
SIM = ROOT / "build/sim-linux"
SHIM = ROOT / "build/boot/shim.bin"
MODULES = ROOT / "litex-soc/sim_modules"
KERNEL_ADDRESS = 0x4000_0000
TIMEOUT_S = 120
# Bytes sent to each UART: more than its FIFO holds, so that the module keeps the others. A round takes one.
WAITING = max(VARIANTS["linux"].console_fifo_bytes, VARIANTS["linux"].link_fifo_bytes) + 144
ROUNDS = WAITING + 50

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(not SHIM.exists(), reason="the SoC for Linux is not built: make shim"),
]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    registers = json.loads((SIM / "csr.json").read_text())["csr_registers"]
    used = {"CONTROL": "mrc_control", "LINK_DATA": "link_rxtx", "LINK_FULL": "link_txfull"}
    used |= {"LINK_EMPTY": "link_rxempty", "LINK_PENDING": "link_ev_pending"}
    defines = [f"-D{name}={registers[register]['addr']:#x}" for name, register in used.items()]
    folder = tmp_path_factory.mktemp("program")
    return build_program(folder, "busy", KERNEL_ADDRESS, f"-DROUNDS={ROUNDS}", *defines).read_bytes()


class Outcome:
    """What a run of the program to its end left, and what its link sent to a client."""

    def __init__(self, simulator, sent=b""):
        self.exit_code = simulator.wait(scaled_timeout(TIMEOUT_S))
        self.said = re.sub(
            r"^\[.*\n", "", simulator.console.read_text(), flags=re.M
        )  # LiteX's, with addresses
        self.clocks = simulator.clocks.read_text()
        self.record = simulator.record.read_bytes()
        self.sent = sent

    def differences(self, other):
        names = ("exit_code", "said", "clocks", "record")
        return [name for name in names if getattr(self, name) != getattr(other, name)]


def save_halfway(build, image, run_dir, run_on=True):
    """Return the state of a run with bytes under way everywhere, and the outcome of that run."""
    with Simulator(build, SHIM, run_dir, images=[(KERNEL_ADDRESS, image)]) as simulator:
        port = int(simulator.wait_ready(scaled_timeout(30)).url.rpartition(":")[2])
        client = socket.create_connection(("localhost", port))
        client.sendall(bytes(ord("0") + i % 10 for i in range(WAITING)))
        simulator.wait_console("link: ", scaled_timeout(TIMEOUT_S))
        client.close()  # what the link sends from now on waits for a client
        simulator.type(bytes(ord("a") + i % 26 for i in range(WAITING)))
        simulator.wait_console("rounds: ", scaled_timeout(TIMEOUT_S))
        state = simulator.save()
        assert "busy: ok" not in simulator.console.read_text(), "saved too late"
        return state, Outcome(simulator) if run_on else None


def continued(build, run_dir, state):
    with Simulator(build, None, run_dir, state=state) as simulator:
        port = int(simulator.wait_ready(scaled_timeout(30)).url.rpartition(":")[2])
        received = []
        with socket.create_connection(("localhost", port)) as client:
            reader = threading.Thread(target=lambda: received.extend(iter(lambda: client.recv(4096), b"")))
            reader.start()
            outcome = Outcome(simulator)
            reader.join(scaled_timeout(30))
        outcome.sent = b"".join(received)
        return outcome


@pytest.fixture(scope="module")
def saved(image, tmp_path_factory):
    """Return the state, and the outcome of the run that went on."""
    return save_halfway(SIM, image, tmp_path_factory.mktemp("saved") / "run")


def test_two_runs_from_one_snapshot_are_the_run_that_went_on(saved, tmp_path):
    """The same console in the same cycles, the same record, the same exit; nothing sent is lost."""
    state, went_on = saved
    assert went_on.exit_code == 0 and "busy: ok" in went_on.said
    for name in ("first", "second"):
        run = continued(SIM, tmp_path / name, state)
        assert run.differences(went_on) == []
        assert run.sent == bytes(round % 256 for round in range(ROUNDS))
    recording = read_recording(tmp_path / "second/record.npy", page_shift=12)
    # Each round touches 16 pages, one line in each; lines 4 KB apart share the sets of both caches.
    assert recording.tap.exact and recording.tap.accesses > 16 * ROUNDS


def test_a_state_of_another_simulator_is_refused(saved, tmp_path):
    state = tmp_path / "state"
    state.write_bytes(saved[0].read_bytes().replace(b"serial_link", b"serial_like"))
    with Simulator(SIM, None, tmp_path / "run", state=state) as simulator:
        assert simulator.wait(scaled_timeout(30)) == 1
    assert (
        "has the state of module 'serial_like' where that of 'serial_link' belongs"
        in simulator.console.read_text()
    )


MUTANTS = {
    "the recorder's cycle": ("recorder", "snapshot->bytes(snapshot, &r->now, sizeof(r->now));"),
    "the recorded accesses": ("recorder", "snapshot_file(snapshot, file);"),
    "what was typed": ("console", "snapshot_evbuffer(snapshot, console->input);"),
    "what the link received": ("serial_link", "snapshot_evbuffer(snapshot, link->from_client);"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_part_that_is_not_saved_is_found(name, image, tmp_path):
    module, line = MUTANTS[name]
    build = build_with(tmp_path, module, mutated_source(MODULES / module / f"{module}.c", line, ""))
    state, went_on = save_halfway(build, image, tmp_path / "saved")
    assert continued(build, tmp_path / "run", state).differences(went_on)


def build_with(folder, module, source):
    """Return the simulator's build with another source of a module."""
    gateware = SIM / "gateware"
    build, sources = folder / "build", folder / "sim_modules"
    shutil.copytree(gateware / "modules", build / "gateware/modules")
    for name in ("obj_dir", "sim_config.js", *(path.name for path in gateware.glob("*.init"))):
        (build / "gateware" / name).symlink_to(gateware / name)
    (build / "dram.json").symlink_to(SIM / "dram.json")
    (core,) = re.findall(r"SRC_DIR = (.*)", (gateware / "variables.mak").read_text())
    shutil.copytree(MODULES / "snapshot", sources / "snapshot")
    shutil.copytree(MODULES / module, sources / module)
    (sources / module / f"{module}.c").write_text(source)
    library = build / "gateware/modules" / f"{module}.so"
    command = ["gcc", "-O1", "-fPIC", "-shared", "-I", core, "-o", library, sources / module / f"{module}.c"]
    subprocess.run([*command, "-levent", "-ljson-c", "-lz"], check=True)
    return build
