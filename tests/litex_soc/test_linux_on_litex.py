# SPDX-License-Identifier: BSD-2-Clause
"""examples/linux_on_litex.py: make.py of linux-on-litex-vexriscv with the monitor in SoC and device tree.

A clone that LITEMRC_LINUX_ON_LITEX names, or one beside this repository, is elaborated for some boards by
the Python that LITEMRC_LITEX_PYTHON names, or this one. It needs LiteSDCard, LiteSPI and VexRiscv-SMP's
netlists (docs/linux-on-litex.md).
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
EXAMPLE = REPO / "examples/linux_on_litex.py"
BINDINGS = REPO / "firmware/linux/driver/bindings"
CHECKOUT = Path(os.environ.get("LITEMRC_LINUX_ON_LITEX", REPO.parent / "linux-on-litex-vexriscv"))
PYTHON = os.environ.get("LITEMRC_LITEX_PYTHON", sys.executable)
NEEDED = ("litedram", "liteeth", "litesdcard", "litespi", "litex_boards", "pythondata_cpu_vexriscv_smp")
# Their netlists are in the package; the default, with hardware breakpoints, needs sbt.
CPU = "--hardware-breakpoints=0"

# What make.py does with a SoC, in its order, and nothing else.
MAKE = """
import argparse, json, shutil, subprocess
from pathlib import Path
from litex.build.sim import SimPlatform
from litex.soc.integration.builder import Builder
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCCore
from tests.gateware.sdram_soc import CLOCK_HZ, add_sdram
from soc_linux import SoCLinux

class BaseSoC(SoCCore):
    def __init__(self, **options):
        options |= {"integrated_rom_size": 0x1000, "uart_name": "stub"}
        super().__init__(SimPlatform("SIM", []), CLOCK_HZ, **options)
        add_sdram(self)

TREE = '''/dts-v1/; / { #address-cells = <1>; #size-cells = <1>;
intc0: i { interrupt-controller; #interrupt-cells = <1>; };
memory: memory@40000000 { reg = <0x40000000 0x2000000>; };
led: led { }; soc { #address-cells = <1>; #size-cells = <1>; interrupt-parent = <&intc0>; }; };'''
MORE = '/dts-v1/; /plugin/; &led { status = "okay"; };'

def dtc(source, target):
    subprocess.run(["dtc", "-q", "-@", "-O", "dtb", "-o", target], input=source.encode(), check=True)

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--board")
    parser.add_argument("--fdtoverlays", default="")
    args = parser.parse_args()
    soc = SoCLinux(BaseSoC, cpu_type="vexriscv")
    folder = Path("build") / args.board
    folder.mkdir(parents=True)
    print("software:", Builder(soc, output_dir=str(folder)).compile_software)
    soc.finalize()
    (folder / "csr.json").write_text(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    dtc(MORE, "more.dtbo")
    dtc(TREE, folder / "tree.dtb")
    overlays = args.fdtoverlays
    if hasattr(soc, "get_fdtoverlays"):
        overlays = soc.get_fdtoverlays(args.board, overlays)
    command = ["fdtoverlay", "-i", folder / "tree.dtb", "-o", "images/rv32.dtb", *overlays.split()]
    subprocess.run(command, check=True)
"""
SOC_LINUX = """
def SoCLinux(soc_class, **options):
    class _SoCLinux(soc_class):
        pass
    return _SoCLinux(**options)
"""


def run(python, checkout, *options):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(REPO), str(REPO / "litex-soc")])}
    command = [python, EXAMPLE, checkout, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def node_of(tree):
    """The name of the monitor's node, and get(property, kind) of it or of another."""
    listed = subprocess.run(["fdtget", "-l", tree, "/soc"], capture_output=True, text=True, check=True)
    (node,) = [each for each in listed.stdout.split() if each.startswith("monitor@")]

    def get(name, kind="u", node=f"/soc/{node}"):
        found = subprocess.run(
            ["fdtget", "-t", kind, tree, node, name], capture_output=True, text=True, check=True
        )
        return [int(word) for word in found.stdout.split()] if kind == "u" else found.stdout.strip()

    return node, get


def assert_describes(csr, tree):
    """The tree's monitor is where csr.json has it; the interrupt controllers here count as LiteX does."""
    node, get = node_of(tree)
    base, window = csr["csr_bases"]["mrc"], csr["memories"]["mrc_window"]
    assert node == f"monitor@{base:x}"
    assert get("reg") == [base, 0x100, window["base"], window["size"]]
    assert get("interrupts") == [csr["constants"]["mrc_interrupt"]]
    memory = f"/memory@{csr['memories']['main_ram']['base']:x}"
    assert get("litex,memory") == get("phandle", node=memory)


@pytest.fixture
def imitation(tmp_path):
    """A checkout with a make.py that takes the same steps."""
    (tmp_path / "images").mkdir()
    for name, text in {"make.py": MAKE, "soc_linux.py": SOC_LINUX, "boards.py": ""}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_monitor_is_in_the_soc_and_in_its_device_tree(imitation):
    done = run(sys.executable, imitation, "--board=some", "--no-software")
    assert done.returncode == 0, done.stderr
    assert "8192 pages (all sampled)" in done.stderr + done.stdout
    assert "software: False" in done.stdout
    assert_describes(
        json.loads((imitation / "build/some/csr.json").read_text()), imitation / "images/rv32.dtb"
    )


def test_the_users_own_overlays_and_options_are_kept(imitation):
    options = ("--board=some", "--fdtoverlays", "more.dtbo", "--block-rams=21")
    done = run(sys.executable, imitation, *options)
    assert done.returncode == 0, done.stderr
    # All 8,192 pages take 25 block RAMs, 4,096 take 23, 2,048 take 21: docs/targets.md.
    assert "2048 pages (1 of 4 sampled)" in done.stderr + done.stdout
    assert "software: True" in done.stdout
    _, get = node_of(imitation / "images/rv32.dtb")
    assert get("status", "s", "/led") == "okay"


def test_a_folder_that_is_no_checkout_gives_a_sentence_and_exit_code_2(tmp_path):
    done = run(sys.executable, tmp_path, "--board=arty")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        rf"linux_on_litex.py: {tmp_path}: no make.py; give the folder of a clone of .*\n", done.stderr
    )


def test_a_monitor_that_does_not_fit_gives_a_sentence_and_exit_code_2(imitation):
    done = run(sys.executable, imitation, "--board=some", "--block-rams=2")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("linux_on_litex.py: add_monitor: no monitor fits into 2 block RAMs")


def test_a_make_py_that_asks_for_no_overlays_is_refused(imitation):
    (imitation / "make.py").write_text(MAKE.replace("get_fdtoverlays", "other_hook"))
    done = run(sys.executable, imitation, "--board=some", "--fdtoverlays", "more.dtbo")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("update the clone to November 2025 or later")


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """A clone of its own, as make.py writes into the checkout."""
    if not (CHECKOUT / "make.py").exists():
        pytest.skip(
            "no clone of linux-on-litex-vexriscv: LITEMRC_LINUX_ON_LITEX=PATH (docs/linux-on-litex.md)"
        )
    code = f"from importlib.util import find_spec; print(*[m for m in {NEEDED} if not find_spec(m)])"
    missing = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    if missing:
        pytest.skip(f"{PYTHON} has no {missing}: LITEMRC_LITEX_PYTHON=PYTHON (docs/linux-on-litex.md)")
    folder = tmp_path_factory.mktemp("clone") / "checkout"
    subprocess.run(["git", "clone", "-q", CHECKOUT, folder], check=True)
    return folder


def validated(tree, folder):
    """What dtschema says of the tree's nodes of ours."""
    pytest.importorskip("dtschema", reason="dtschema of the extra linux")
    tools, schemas = Path(sys.executable).parent, folder / "schemas.json"
    subprocess.run([tools / "dt-mk-schema", "-o", schemas, BINDINGS], check=True)
    said = subprocess.run([tools / "dt-validate", "-s", schemas, tree], capture_output=True, text=True)
    return [line for line in (said.stdout + said.stderr).splitlines() if "litemrc" in line]


TWO_HARTS = (
    *("--cpu-count=2", "--with-coherent-dma", "--icache-width=64", "--dcache-width=64"),
    *("--icache-size=8192", "--dcache-size=8192", "--icache-ways=2", "--dcache-ways=2"),
)


@pytest.mark.parametrize(
    ("board", "options"),
    [
        ("arty", ()),
        ("arty", TWO_HARTS),
        ("ulx3s", ()),
        ("nexys_video", ()),
        ("sipeed_tang_primer_20k", ()),
    ],
    ids=["arty", "arty-2-harts", "ulx3s", "nexys_video", "sipeed_tang_primer_20k"],
)
def test_linux_on_litex_has_the_monitor(clone, tmp_path, board, options):
    done = run(PYTHON, clone, "--no-software", f"--board={board}", CPU, *options)
    assert done.returncode == 0, done.stderr[-2000:]
    folder, tree = clone / "build" / board, clone / "images/rv32.dtb"
    csr = json.loads((folder / "csr.json").read_text())
    assert_describes(csr, tree)
    assert (
        csr["constants"]["mrc_built_capabilities"] >> 5 & 31
        == (csr["memories"]["main_ram"]["size"] // 4096).bit_length() - 1
    )
    verilog = (folder / f"gateware/{board}.v").read_text()
    assert "mrc_tap" in verilog
    # All that LiteX describes is still there.
    before = subprocess.run(["fdtget", "-l", folder / f"{board}.dtb", "/soc"], capture_output=True, text=True)
    after = subprocess.run(["fdtget", "-l", tree, "/soc"], capture_output=True, text=True)
    assert sorted(after.stdout.split()) == sorted([*before.stdout.split(), node_of(tree)[0]])
    assert validated(tree, tmp_path) == []
