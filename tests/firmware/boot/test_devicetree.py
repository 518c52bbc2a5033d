# SPDX-License-Identifier: BSD-2-Clause
"""The device tree agrees with csr.json: compiled by dtc, read back, and compared."""

import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GENERATE = ROOT / "firmware/linux/devicetree/generate.py"
CSR = {
    "csr_bases": {"ctrl": 0xF0000800, "uart": 0xF0003800, "link": 0xF0001800, "mrc": 0xF0002000},
    "constants": {
        "config_clock_frequency": 50_000_000,
        "config_identifier": "litemrc sim 01234567",
        "mrc_interrupt": 2,
        "mrc_compatible": "litex,litemrc-monitor-5",
    },
    "memories": {
        "main_ram": {"base": 0x40000000, "size": 0x2000000, "type": "cached"},
        "mrc_window": {"base": 0xB0000000, "size": 4096, "type": "io"},
    },
}
# Four power domains: field domains_log2, the lowest, of the register `capabilities` (docs/registers.md).
RANKS_CSR = {
    "csr_bases": CSR["csr_bases"] | {"ranks": 0xF0003000},
    "constants": CSR["constants"]
    | {"ranks_compatible": "litex,litemrc-ranks-1", "ranks_built_capabilities": 0x3E2}
    | {"config_dram_part": "mt41k64m16", "config_dram_chips": 1, "config_dram_phases": 4},
    "memories": CSR["memories"]
    | {
        "main_ram": {"base": 0x40000000, "size": 0x4000000, "type": "cached"},
        "ranks_window": {"base": 0xB0010000, "size": 0x120, "type": "io"},
    },
}
SMP_CSR = {
    "csr_bases": CSR["csr_bases"],
    "constants": CSR["constants"] | {"config_cpu_type_vexriscv_smp": None, "config_cpu_count": 2},
    "memories": CSR["memories"] | {"plic": {"base": 0xF0C00000, "size": 0x400000, "type": "io"}},
}
IMAGE, INITRAMFS = b"kernel" * 100, b"archive" * 1000

pytestmark = pytest.mark.skipif(shutil.which("dtc") is None, reason="dtc is not installed")


@pytest.fixture
def generate(tmp_path):
    """generate(csr, *options) -> (exit code, error message, folder)."""
    (tmp_path / "Image").write_bytes(IMAGE)
    (tmp_path / "initramfs.cpio").write_bytes(INITRAMFS)

    def run(csr, *options):
        (tmp_path / "csr.json").write_text(json.dumps(csr))
        command = [sys.executable, GENERATE, "--csr", "csr.json", "--image", "Image"]
        command += ["--initramfs", "initramfs.cpio", "--out", "out", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stderr, tmp_path / "out"

    return run


def get(dtb, node, name, kind="u"):
    """Return a property of a compiled tree by fdtget, numbers as ints."""
    said = subprocess.run(["fdtget", "-t", kind, dtb, node, name], capture_output=True, text=True, check=True)
    return [int(word) for word in said.stdout.split()] if kind == "u" else said.stdout.strip()


def test_the_tree_says_where_everything_is(generate):
    code, complaint, out = generate(CSR)
    assert (code, complaint) == (0, "")
    dtb = out / "litemrc.dtb"
    assert get(dtb, "/memory@40000000", "reg") == [0x40000000, 0x2000000]
    assert get(dtb, "/soc/serial@f0003800", "reg")[0] == 0xF0003800
    assert get(dtb, "/soc/serial@f0001800", "reg")[0] == 0xF0001800
    assert get(dtb, "/aliases", "serial0", "s") == "/soc/serial@f0003800"
    assert get(dtb, "/aliases", "serial1", "s") == "/soc/serial@f0001800"
    monitor = "/soc/monitor@f0002000"
    assert get(dtb, monitor, "compatible", "s") == "litex,litemrc-monitor-5"
    assert get(dtb, monitor, "reg") == [0xF0002000, 0x100, 0xB0000000, 4096]
    assert get(dtb, monitor, "interrupts") == [2]
    assert get(dtb, monitor, "litex,memory") == get(dtb, "/memory@40000000", "phandle")
    assert get(dtb, "/soc", "interrupt-parent") == get(dtb, "/interrupt-controller", "phandle")
    cpu_intc = get(dtb, "/cpus/cpu@0/interrupt-controller", "phandle")
    assert get(dtb, "/interrupt-controller", "interrupts-extended") == [*cpu_intc, 9]
    assert get(dtb, "/cpus", "timebase-frequency") == [50_000_000]
    assert get(dtb, "/cpus/cpu@0", "clock-frequency") == [50_000_000]
    start = get(dtb, "/chosen", "linux,initrd-start")
    assert get(dtb, "/chosen", "linux,initrd-end") == [start[0] + len(INITRAMFS)]
    assert len(get(dtb, "/chosen", "rng-seed")) == 64 // 4  # printed as words


def test_two_harts_share_a_plic_with_a_context_of_each_for_linux(generate):
    """The contexts of a hart are that of machine mode (11) and that of supervisor mode (9)."""
    code, complaint, out = generate(SMP_CSR)
    assert (code, complaint) == (0, "")
    dtb, plic = out / "litemrc.dtb", "/interrupt-controller@f0c00000"
    first, second = (get(dtb, f"/cpus/cpu@{hart}/interrupt-controller", "phandle")[0] for hart in range(2))
    assert [get(dtb, f"/cpus/cpu@{hart}", "reg") for hart in range(2)] == [[0], [1]]
    assert get(dtb, plic, "interrupts-extended") == [first, 11, first, 9, second, 11, second, 9]
    assert get(dtb, plic, "reg") == [0xF0C00000, 0x400000]
    assert get(dtb, "/soc", "interrupt-parent") == get(dtb, plic, "phandle")


def test_ranks_have_a_node_beside_the_monitor(generate):
    code, complaint, out = generate(RANKS_CSR)
    assert (code, complaint) == (0, "")
    dtb, ranks = out / "litemrc.dtb", "/soc/ranks@f0003000"
    assert get(dtb, ranks, "compatible", "s") == "litex,litemrc-ranks-1"
    assert get(dtb, ranks, "reg") == [0xF0003000, 0x100, 0xB0010000, 0x120]
    assert get(dtb, ranks, "litex,memory") == get(dtb, "/memory@40000000", "phandle")
    assert get(dtb, ranks, "litex,dram-part", "s") == "mt41k64m16"
    assert get(dtb, ranks, "litex,dram-chips") == [1]
    assert get(dtb, ranks, "litex,dram-phases") == [4]


def test_each_rank_can_be_a_numa_node(generate):
    """64 MB in four domains: 16 MB each."""
    code, complaint, out = generate(RANKS_CSR, "--numa")
    assert (code, complaint) == (0, "")
    dtb = out / "litemrc.dtb"
    for number in range(4):
        node, base = f"/memory@{0x40000000 + number * 0x1000000:x}", 0x40000000 + number * 0x1000000
        assert get(dtb, node, "reg") == [base, 0x1000000]
        assert get(dtb, node, "numa-node-id") == [number]
    assert get(dtb, "/cpus/cpu@0", "numa-node-id") == [0]
    assert get(dtb, "/distance-map", "compatible", "s") == "numa-distance-map-v1"
    triples = get(dtb, "/distance-map", "distance-matrix")
    assert triples == [n for a in range(4) for b in range(4) for n in (a, b, 10 if a == b else 20 + (b or 4))]
    for number in (1, 2, 3):
        base = 0x40000000 + number * 0x1000000
        area = f"/reserved-memory/rank@{base:x}"
        assert get(dtb, area, "reg") == [base, 0x1000000]
        assert get(dtb, area, "compatible", "s") == "shared-dma-pool"
    # Frame 0 of monitor and ranks is the first node's first page.
    first = get(dtb, "/memory@40000000", "phandle")
    for block in ("/soc/monitor@f0002000", "/soc/ranks@f0003000"):
        assert get(dtb, block, "litex,memory") == first


def test_numa_without_ranks_is_refused(generate):
    code, complaint, out = generate(CSR, "--numa")
    assert code == 2 and "--ranks" in complaint
    assert not (out / "images.json").exists()


def test_the_list_names_every_image_where_the_tree_and_the_shim_expect_it(generate):
    _, _, out = generate(CSR)
    listed = json.loads((out / "images.json").read_text())
    assert [(entry["file"], entry["address"]) for entry in listed] == [
        ("../Image", 0x40000000),
        ("litemrc.dtb", 0x40700000),
        ("../initramfs.cpio", 0x40800000),
    ]
    shim = (ROOT / "firmware/boot/litex/config.h").read_text()
    offset = re.search(r"#define DTB_ADDRESS \(MAIN_RAM_BASE \+ (0x[0-9a-f]+)\)", shim)[1]
    assert listed[1]["address"] == CSR["memories"]["main_ram"]["base"] + int(offset, 16)
    magic, size = struct.unpack(">II", (out / "litemrc.dtb").read_bytes()[:8])
    assert magic == 0xD00DFEED and size < 64 * 1024


def test_a_shim_in_the_dram_is_reserved_where_it_is_linked_and_loaded_last(generate, tmp_path):
    (tmp_path / "shim.bin").write_bytes(b"shim" * 700)
    code, complaint, out = generate(CSR, "--shim", "shim.bin")
    assert (code, complaint) == (0, "")
    linked = (ROOT / "firmware/boot/litex/config.h").read_text()
    offset = int(re.search(r"#define CODE_BASE \(MAIN_RAM_BASE \+ (0x[0-9a-f]+)\)", linked)[1], 16)
    size = int(re.search(r"#define CODE_BYTES (0x[0-9a-f]+)", linked)[1], 16)
    base = 0x40000000 + offset
    assert get(out / "litemrc.dtb", f"/reserved-memory/shim@{base:x}", "reg") == [base, size]
    boot = json.loads((out / "boot.json").read_text())
    assert list(boot) == ["Image", "litemrc.dtb", "initramfs.cpio", "shim.bin"]
    assert int(boot["shim.bin"], 16) == base


def test_a_shim_that_is_too_long_or_beside_numa_is_refused(generate, tmp_path):
    (tmp_path / "shim.bin").write_bytes(bytes(64 * 1024 + 1))
    code, complaint, out = generate(CSR, "--shim", "shim.bin")
    assert code == 2 and "65536" in complaint and not (out / "boot.json").exists()
    code, complaint, _ = generate(RANKS_CSR, "--numa", "--shim", "shim.bin")
    assert code == 2 and "--numa" in complaint


def test_equal_images_give_an_equal_tree_and_others_another_seed(generate, tmp_path):
    first = (generate(CSR)[2] / "litemrc.dtb").read_bytes()
    assert (generate(CSR)[2] / "litemrc.dtb").read_bytes() == first
    (tmp_path / "Image").write_bytes(IMAGE + b"!")
    assert (generate(CSR)[2] / "litemrc.dtb").read_bytes() != first


def test_a_lower_timebase_changes_that_alone(generate):
    dtb = generate(CSR, "--timebase-hz", "12500000")[2] / "litemrc.dtb"
    assert get(dtb, "/cpus", "timebase-frequency") == [12_500_000]
    assert get(dtb, "/cpus/cpu@0", "clock-frequency") == [50_000_000]


def test_the_csr_of_another_soc_is_refused(generate):
    other = CSR | {"memories": {"main_ram": CSR["memories"]["main_ram"]}}
    code, complaint, _ = generate(other)
    assert code == 2 and "memories.mrc_window" in complaint


@pytest.mark.parametrize(("name", "size"), [("Image", 0x700001), ("initramfs.cpio", 0x1800001)])
def test_images_too_large_for_their_place_are_refused(generate, tmp_path, name, size):
    generate(CSR)
    (tmp_path / name).write_bytes(bytes(size))
    command = [sys.executable, GENERATE, "--csr", "csr.json", "--image", "Image"]
    command += ["--initramfs", "initramfs.cpio", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "bytes" in done.stderr
