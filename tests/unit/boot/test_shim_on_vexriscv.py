"""The same programs on the RTL: VexRiscv `linux` traps where qemu had to be asked to."""

from pathlib import Path

import pytest
from boot_programs import build_program
from litemrc.device.simulator import Simulator

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
        said = simulator.wait_console(f"{name}: ok", TIMEOUT_S)
        assert simulator.wait() == 0  # its shutdown ends the simulation
    assert "FAILED" not in said


def test_the_console_takes_and_gives_every_byte(tmp_path):
    image = build_program(tmp_path, "calls", KERNEL_ADDRESS).read_bytes()
    text = "".join(chr(33 + i % 47) for i in range(1000))  # more than the FIFOs hold; no Q
    with Simulator(SIM, SHIM, tmp_path / "run", images=[(KERNEL_ADDRESS, image)]) as simulator:
        simulator.type(text.encode() + b"Q")
        said = simulator.wait_console("calls: ok", TIMEOUT_S)
    assert text + "Q\ncalls: ok" in said
