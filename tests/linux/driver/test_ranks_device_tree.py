# SPDX-License-Identifier: BSD-2-Clause
"""The driver binds to the ranks' node beside the monitor's in qemu's device tree; a wrong one is an error."""

import json
import struct
import subprocess
import sys

import pytest
from litemrc_soc.renode_export import description

from tests.linux.driver import guest as guests
from tests.linux.driver.building import build_initramfs
from tests.linux.driver.conftest import KERNEL, SHIM
from tests.linux.driver.test_device_tree import HOLE, WINDOW, tree_with

RANKS, RANKS_WINDOW = HOLE + 0x1000, WINDOW + 0x8000
CLOCK_HZ = 100_000_000


@pytest.fixture(scope="module")
def csr():
    """csr.json of the Linux SoC with ranks, its blocks moved into the hole."""
    found = description(variant="linux", ranks=4, engine="group_stack", groups=256)
    for name, base in (("mrc", HOLE), ("ranks", RANKS)):
        moved = base - found["csr_bases"][name]
        found["csr_bases"][name] = base
        for register in found["csr_registers"]:
            if register.startswith(f"{name}_") and not register.startswith(("ranks_power", "ranks_activity")):
                found["csr_registers"][register]["addr"] += moved
    found["memories"]["mrc_window"]["base"] = WINDOW
    found["memories"]["ranks_window"]["base"] = RANKS_WINDOW
    return found


def registers_of(csr):
    """The registers after reset that say what was built in."""
    constants, content = csr["constants"], bytearray(RANKS + 0x100 - HOLE)
    words = {
        "mrc_version": int(constants["mrc_compatible"].rpartition("-")[2]),
        "mrc_capabilities": constants["mrc_built_capabilities"],
        "mrc_stack_capabilities": constants["mrc_built_stack_capabilities"],
        "ranks_version": int(constants["ranks_compatible"].rpartition("-")[2]),
        "ranks_capabilities": constants["ranks_built_capabilities"],
    }
    for name, word in words.items():
        struct.pack_into("<I", content, csr["csr_registers"][name]["addr"] - HOLE, word)
    return bytes(content)


def nodes_of(csr, folder):
    file = folder / "csr.json"
    file.write_text(json.dumps(csr))
    command = [sys.executable, "-m", "litemrc_gateware.export", "dts", file]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def boot(csr, tmp_path, monkeypatch):
    """boot(nodes, clock) -> guest with the driver loaded, in a tree with these nodes."""
    started = []

    def start(nodes, clock=True):
        registers = tmp_path / "registers.bin"
        registers.write_bytes(registers_of(csr))
        tree = tree_with(nodes, tmp_path)
        if clock:
            cells = ["fdtput", "-t", "u", tree, "/cpus/cpu@0", "clock-frequency", str(CLOCK_HZ)]
            subprocess.run(cells, check=True)
        loaded = f"loader,file={registers},addr={HOLE:#x},force-raw=on"
        monkeypatch.setattr(guests, "QEMU", [*guests.QEMU, "-dtb", str(tree), "-device", loaded])
        initramfs = build_initramfs(KERNEL, KERNEL.parent / f"driver-tests-{KERNEL.name}")
        started.append(guests.Guest(SHIM, KERNEL, initramfs))
        started[-1].load_driver()
        return started[-1]

    yield start
    for guest in started:
        guest.close()


def test_the_ranks_of_the_node_are_in_sysfs(csr, boot, tmp_path):
    guest = boot(nodes_of(csr, tmp_path))
    described = {"ranks": "4", "virtual": "0", "states": "31", "chips": "1", "phases": "4"}
    assert guest.values(guests.S + "dram") == described | {"part": "mt41k64m16"}
    # Memory does not obey, but the driver reads what it wrote there.
    for name, text in (("threshold_power_down", "7"), ("mrc_state", "self_refresh"), ("kind", "dynamic")):
        assert guest.write(f"{guests.S}rank_policy/{name}", text) == 0
        assert guest.read(f"{guests.S}rank_policy/{name}") == text
    assert guest.read(guests.S + "ranks/2/state") == "active"


@pytest.mark.parametrize(
    ("right", "wrong", "clock", "said"),
    [
        ("litex,litemrc-ranks-1", "litex,litemrc-ranks-1", False, "no clock-frequency of cpu@0"),
        (f"<{RANKS:#x} 0x100>", f"<{RANKS:#x} 0x38>", True, "shorter than 0x"),
        (f"<{RANKS_WINDOW:#x} 0x120>", f"<{RANKS_WINDOW:#x} 0xfc>", True, "shorter than 0x"),
    ],
    ids=["no clock", "registers", "window"],
)
def test_a_node_that_is_wrong_is_an_error(csr, boot, tmp_path, right, wrong, clock, said):
    nodes = nodes_of(csr, tmp_path)
    assert right in nodes
    guest = boot(nodes.replace(right, wrong), clock)
    assert [line for line in guest.do("dmesg") if "litemrc" in line and said in line]
    names = {line.split()[0] for line in guest.do(f"ls {guests.S}")}
    assert "contexts" in names and not {"ranks", "dram"} & names, "the monitor works without them"


def test_ranks_of_another_memory_are_left_alone(csr, boot, tmp_path):
    nodes = nodes_of(csr, tmp_path)
    before, _, after = nodes.rpartition("litex,memory = <&memory>;")
    other = "memory2: memory@f0000000 { reg = <0xf0000000 0x1000>; };"
    nodes = f"{before}litex,memory = <&memory2>;{after}&{{/soc}} {{ {other} }};\n"
    guest = boot(nodes)
    names = {line.split()[0] for line in guest.do(f"ls {guests.S}")}
    assert "parameters" in names and "dram" not in names
