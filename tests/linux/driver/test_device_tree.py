# SPDX-License-Identifier: BSD-2-Clause
"""The driver binds to the node that `python -m litemrc_gateware.export dts` prints, in qemu's device tree."""

import json
import re
import struct
import subprocess
import sys

import pytest
from litemrc_soc.renode_export import description

from tests.linux.driver import guest as guests
from tests.linux.driver.building import build_initramfs
from tests.linux.driver.conftest import KERNEL, SHIM

# A hole in the memory that Linux gets, where qemu has RAM: what the driver reads there are the registers.
HOLE, WINDOW = 0x8300_0000, 0x8301_0000
MEMORY = "0 80000000 0 3000000 0 83100000 0 f00000"


@pytest.fixture(scope="module")
def csr():
    """csr.json of the Linux SoC, its monitor moved into the hole."""
    found = description(variant="linux")
    moved = HOLE - found["csr_bases"]["mrc"]
    found["csr_bases"]["mrc"] += moved
    for name, register in found["csr_registers"].items():
        register["addr"] += moved if name.startswith("mrc_") else 0
    found["memories"]["mrc_window"]["base"] = WINDOW
    return found


def registers_of(csr):
    """The bytes of the monitor's registers after reset, from csr.json's description."""
    constants = csr["constants"]
    words = {
        "version": int(constants["mrc_compatible"].rpartition("-")[2]),
        "capabilities": constants["mrc_built_capabilities"],
        "stack_capabilities": constants["mrc_built_stack_capabilities"],
        "dram_capabilities": constants["mrc_built_dram_capabilities"],
    }
    content = bytearray(0x100)
    for name, word in words.items():
        struct.pack_into("<I", content, csr["csr_registers"][f"mrc_{name}"]["addr"] - HOLE, word)
    return bytes(content)


def tree_with(nodes, folder):
    """qemu's device tree with the nodes on a bus of 32-bit addresses, compiled."""
    dumped, tree = folder / "virt.dtb", folder / "tree.dtb"
    words = [*guests.QEMU, "-m", "64", "-bios", SHIM, "-machine", f"dumpdtb={dumped}"]
    subprocess.run(words, check=True, capture_output=True)
    subprocess.run(["fdtput", "-t", "x", dumped, "/memory@80000000", "reg", *MEMORY.split()], check=True)
    command = ["dtc", "-q", "-I", "dtb", "-O", "dts", dumped]
    source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bus = (
        "memory: &{/memory@80000000} { };\n"
        '&{/} { litex { compatible = "simple-bus"; #address-cells = <1>; #size-cells = <1>; '
        "ranges = <0 0 0 0xffffffff>; interrupt-parent = <&{/soc/plic@c000000}>; }; };\n"
    )
    command = ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tree]
    subprocess.run(command, input=source + bus + nodes.replace("&{/soc}", "&{/litex}"), text=True, check=True)
    return tree


def too_short(node):
    """Copies of the monitor's node with ranges that are too short, in front of it."""
    begin = node.index("mrc: monitor@")
    node = node[: node.index("};", begin) + 3]
    reg = re.search(r"reg = <(\S+) (\S+)>, <(\S+) (\S+)>;", node[begin:])
    copies = []
    for name, ranges in {
        "registers": (reg[1], "0x58", reg[3], reg[4]),
        "window": (reg[1], reg[2], reg[3], "0x109c"),
    }.items():
        changed = node[begin:].replace("mrc: monitor@", f"short-{name}@")
        copies.append(changed.replace(reg[0], "reg = <{} {}>, <{} {}>;".format(*ranges)))
    return node[:begin] + "".join(copies) + node[begin:] + "};\n"


def test_the_driver_binds_to_the_exported_node_and_not_to_one_whose_ranges_are_too_short(
    csr, tmp_path, monkeypatch
):
    file = tmp_path / "csr.json"
    file.write_text(json.dumps(csr))
    command = [sys.executable, "-m", "litemrc_gateware.export", "dts", file]
    nodes = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    registers = tmp_path / "registers.bin"
    registers.write_bytes(registers_of(csr))
    loaded = f"loader,file={registers},addr={HOLE:#x},force-raw=on"
    arguments = ["-dtb", str(tree_with(too_short(nodes), tmp_path)), "-device", loaded]
    monkeypatch.setattr(guests, "QEMU", [*guests.QEMU, *arguments])

    initramfs = build_initramfs(KERNEL, KERNEL.parent / f"driver-tests-{KERNEL.name}")
    guest = guests.Guest(SHIM, KERNEL, initramfs)
    try:
        guest.load_driver()
        parameters = guest.values(guests.S + "parameters")
        interrupts = guest.read("/proc/interrupts")
        messages = guest.do("dmesg")
    finally:
        guest.close()
    assert not [line for line in messages if "monitor" in line and "error" in line]
    refused = [line for line in messages if ".short-" in line and ": reg " in line]
    assert re.search(r"short-registers: .*reg 0: .* is shorter than 0x0*60 bytes", refused[0]), messages
    # 8 contexts of a row of 128 words; 8 of the whole DRAM, and 8 of each of its 4 banks
    assert re.search(r"short-window: .*reg 1 has 0x0*109c bytes, .* banks need 4256", refused[1]), messages
    # 32 MB in pages of 4 KB; 64 groups; 8 contexts: the SoC of `make sim-linux`.
    expected = {"frames": "8192", "groups": "64", "banks": "4", "access_bytes": "8"}
    assert parameters.items() >= expected.items(), parameters
    number = csr["constants"]["mrc_interrupt"]
    assert re.search(rf"\bSiFive PLIC +{number} .*{HOLE:x}\.monitor", interrupts), interrupts
