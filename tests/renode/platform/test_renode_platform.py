# SPDX-License-Identifier: BSD-2-Clause
"""The platforms for Renode agree with LiteX's csr.json."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]
RENODE = REPO / "renode"
BUILDS = {
    "litemrc.repl": "sim",
    "litemrc_linux.repl": "sim-linux",
    "litemrc_ranks.repl": "sim-ranks",
    "litemrc_ulx3s.repl": "renode-ulx3s",
}
# Names of csr.json that differ in Renode or do not exist there.
PLAIN = {"cpu_timer": "cpu"}


class Entry:
    """A peripheral of a .repl: type, addresses by region, attributes, interrupts."""

    def __init__(self, text: str) -> None:
        head, *rest = text.splitlines()
        self.name, self.type = re.match(r"(\w+): ([\w.]+) @", head).groups()
        body = "\n".join([head, *rest])
        self.addresses = {
            region: int(address, 16)
            for address, region in re.findall(r"address: (0x\w+);.*region: \"(\w+)\"", body)
        }
        self.sizes = {
            region: int(size, 16) for size, region in re.findall(r"size: (0x\w+);.*region: \"(\w+)\"", body)
        }
        if registers := re.search(r"sysbus (0x\w+)", body):
            self.addresses[""] = int(registers[1], 16)
        self.attributes = dict(re.findall(r"^    (\w+): (\S+)$", body, re.MULTILINE))
        self.interrupts = [int(number) for number in re.findall(r"cpu@(\d+)", body)]


def entries(name: str) -> dict[str, Entry]:
    parts = (RENODE / name).read_text().split("\n\n")
    read = [Entry(part.strip()) for part in parts if not part.startswith("//")]
    return {PLAIN.get(entry.name, entry.name): entry for entry in read if not entry.type.startswith("CPU.")}


@pytest.fixture(params=BUILDS)
def platform(request: pytest.FixtureRequest) -> tuple[dict[str, Entry], dict]:
    csr = REPO / "build" / BUILDS[request.param] / "csr.json"
    if not csr.exists():
        pytest.skip(f"{csr} is not built: make {BUILDS[request.param]}")
    return entries(request.param), json.loads(csr.read_text())


def test_every_register_block_and_memory_is_where_litex_put_it(platform: tuple) -> None:
    found, csr = platform
    memories = {name: found.pop(name) for name in ("rom", "sram", "main_ram")}
    for name, entry in memories.items():
        assert (entry.addresses[""], int(entry.attributes["size"], 16)) == (
            csr["memories"][name]["base"],
            csr["memories"][name]["size"],
        )
    assert {name: entry.addresses[""] for name, entry in found.items()} == csr["csr_bases"]


def banks_of(csr: dict) -> int:
    """Banks of the DRAM whose commands the monitor counts, in the lowest bits."""
    return csr["constants"]["mrc_built_dram_capabilities"] & 31


def test_windows_are_where_litex_put_them_and_as_large(platform: tuple) -> None:
    """But for the commands of the banks, eight words each: the model has those of one bank."""
    found, csr = platform
    windows = {name: region for name, region in csr["memories"].items() if name.endswith("_window")}
    assert "mrc_window" in windows
    for name, region in windows.items():
        entry = found[name.removesuffix("_window")]
        size = region["size"] - (32 * (banks_of(csr) - 1) if name == "mrc_window" else 0)
        assert (entry.addresses["window"], entry.sizes["window"]) == (region["base"], size)


def test_interrupts_and_clocks_are_litex_own(platform: tuple) -> None:
    found, csr = platform
    constants = csr["constants"]
    for name, entry in found.items():
        machine = [number for number in entry.interrupts if number < 32]
        assert machine == [constants[key] for key in constants if key == f"{name}_interrupt"]
        supervisor = [number - 1000 for number in entry.interrupts if number >= 1000]
        assert supervisor == (machine if "config_cpu_variant_linux" in constants else [])
        if "frequency" in entry.attributes:
            assert int(entry.attributes["frequency"]) == constants["config_clock_frequency"]


def test_the_monitor_fits_its_memory_and_its_window(platform: tuple) -> None:
    found, csr = platform
    attributes = found["mrc"].attributes
    value = {name: int(text, 0) for name, text in attributes.items() if name != "cpu"}
    main_ram = csr["memories"]["main_ram"]
    assert value["memoryBase"] == main_ram["base"]
    assert 1 << value["framesLog2"] + value["pageShift"] == main_ram["size"]
    # Words of 4 bytes, [context][2 * groups]; two bits for each frame, and two words for each hot page.
    pages = (1 << value["framesLog2"]) // 4 + 8 * value["hotPages"] if "hotPages" in value else 0
    counters = 4 * 2 << value["contextsLog2"] + value["groupsLog2"]
    # Eight words, and eight of each bank of the DRAM.
    commands = 4 * (8 + 8 * banks_of(csr))
    assert counters + pages + commands == csr["memories"]["mrc_window"]["size"]
    assert value["l2Bytes"] == csr["constants"]["config_l2_size"]
    # VexRiscv's data cache is 4 KB of 32-byte lines in one way, LiteX's L2 has lines of 128 bits (README).
    assert (value["l1Bytes"], value["l1Ways"], value["l1LineBytes"], value["l2LineBytes"]) == (
        4096,
        1,
        32,
        16,
    )


def test_what_is_checked_in_is_what_the_gateware_exports() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "litemrc_soc.renode_export", "--check"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_a_stale_file_is_named_with_the_command_that_repairs_it(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "litemrc_soc.renode_export", "--check"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert (
        "litemrc_ranks.repl" in result.stderr
        and "repair with: python -m litemrc_soc.renode_export" in result.stderr
    )
