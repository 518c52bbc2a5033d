# SPDX-License-Identifier: BSD-2-Clause
"""The same programs on the RTL: VexRiscv `linux` traps by itself where qemu needs RETRAP."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from litemrc.device.simulation.recording import read_recording
from litemrc.device.simulation.simulator import Simulator

from tests.firmware.boot.boot_programs import build_program
from tests.timeouts import Deadline, scaled_timeout

ROOT = Path(__file__).resolve().parents[3]
SIM = ROOT / "build/sim-linux"
SHIM = ROOT / "build/boot/shim.bin"
KERNEL_ADDRESS = 0x4000_0000
TIMEOUT_S = 120

pytestmark = [
    pytest.mark.soc,
    pytest.mark.skipif(not SHIM.exists(), reason="the SoC for Linux is not built: make shim"),
]


@pytest.mark.parametrize("name", ["timer", "rdtime", "reflect", "misaligned", "paging"])
def test_programs_in_s_mode_see_what_they_are_promised(tmp_path, name):
    image = build_program(tmp_path, name, KERNEL_ADDRESS, "-DRETRAP=NOP").read_bytes()
    with Simulator(SIM, SHIM, tmp_path / "run", images=[(KERNEL_ADDRESS, image)]) as simulator:
        said = simulator.wait_console(f"{name}: ok", scaled_timeout(TIMEOUT_S))
        assert simulator.wait() == 0  # its shutdown ends the simulation
    assert "FAILED" not in said


def test_the_console_takes_and_gives_every_byte(tmp_path):
    image = build_program(tmp_path, "calls", KERNEL_ADDRESS).read_bytes()
    text = "".join(chr(33 + i % 47) for i in range(1000))  # more than the FIFOs hold; no Q
    with Simulator(SIM, SHIM, tmp_path / "run", images=[(KERNEL_ADDRESS, image)]) as simulator:
        simulator.type(text.encode() + b"Q")
        said = simulator.wait_console("calls: ok", scaled_timeout(TIMEOUT_S))
    assert text + "Q\ncalls: ok" in said


@pytest.fixture
def litemrc_linux(tmp_path):
    """Return the command `litemrc linux` with an S-mode program in place of Linux."""
    build_program(tmp_path, "calls", KERNEL_ADDRESS)
    size = (tmp_path / "calls.bin").stat().st_size
    images = [{"file": "calls.bin", "address": KERNEL_ADDRESS, "bytes": size}]
    (tmp_path / "images.json").write_text(json.dumps(images))
    command = [sys.executable, "-m", "litemrc.cli.main", "linux", tmp_path, "--cold"]
    return [*command, "--out", tmp_path / "run", "--sim", SIM, "--shim", SHIM]


def test_litemrc_linux_passes_on_the_console_until_the_machine_is_off(litemrc_linux):
    done = subprocess.run(
        litemrc_linux, input=b"echo Q", capture_output=True, timeout=scaled_timeout(TIMEOUT_S)
    )
    assert done.returncode == 0, done.stderr
    assert b"echo Q\ncalls: ok\n" in done.stdout


def until(terminal, text):
    """Return the terminal's output up to a text."""
    said, deadline = b"", Deadline(TIMEOUT_S)
    while text not in said:
        assert not deadline.passed, said
        said += os.read(terminal, 4096)
    return said


def test_ctrl_c_on_a_terminal_ends_it_with_the_record_complete(litemrc_linux, tmp_path):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(litemrc_linux[0], [str(word) for word in litemrc_linux])
    until(terminal, b"Ctrl-C ends the simulation")
    os.write(terminal, b"typed")
    assert until(terminal, b"typed").count(b"typed") == 1  # said by the program, not by the terminal
    os.write(terminal, b"\x03")
    with pytest.raises(OSError):  # EIO: nobody is left on the terminal
        while True:
            os.read(terminal, 4096)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert read_recording(tmp_path / "run/record.npy", page_shift=12).tap.accesses == 0
