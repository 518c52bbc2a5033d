# SPDX-License-Identifier: BSD-2-Clause
"""Boot the kernel of `make linux-numa` once, with a monitor in software that has four ranks."""

import os
import subprocess
from pathlib import Path

import pytest

from scripts.setup.kept import cache_folder
from tests.linux.console import Console
from tests.linux.driver.building import ROOT, ZIG, build_modules
from tests.linux.driver.cpio import write_initramfs
from tests.linux.driver.guest import DRIVER_MODULES
from tests.linux.qemu import IMAGES
from tests.linux.ranks.machine import PAGE, RANKS, RanksMachine
from tests.products import alone_in

HERE = Path(__file__).parent
GUIDE = ROOT / "firmware" / "linux" / "guide"
KERNEL = IMAGES / "kernel-numa"
INTENTS = """\
INTENT MEM-INTENSITY
INTENT MEM-CAPACITY
INTENT MEM-RECYCLE
MEM-INTENSITY HOT 0
MEM-INTENSITY COLD 1
MEM-CAPACITY SCRATCH 10
MEM-RECYCLE SCRATCH 1
"""
ISOLATED = """\
INTENT MEM-INTENSITY
INTENT MEM-CAPACITY
INTENT MEM-ISOLATION
MEM-INTENSITY HOT 0
MEM-CAPACITY OWN 50
MEM-ISOLATION OWN 1
"""


def build_overlay(out: Path) -> Path:
    """Compile the tests' programs, the driver and the fake monitor; they are unpacked over the initramfs."""
    out.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    sources = [*sorted((HERE / "guest").glob("*.c")), GUIDE / "color.c"]
    with alone_in(out):
        subprocess.run([*ZIG, f"-I{GUIDE}", "-o", out / "nodes", *sources], check=True, env=environment)
        (out / "intents").write_text(INTENTS)
        (out / "isolated").write_text(ISOLATED)
        modules = {module.name: module for module in build_modules(KERNEL, out)}
        files = {name: out / name for name in ("nodes", "intents", "isolated")}
        files |= {
            "litemrc_fake.ko": modules["litemrc_fake.ko"],
            **{f"lib/modules/{module}.ko": modules[f"{module}.ko"] for module in DRIVER_MODULES},
        }
        write_initramfs(out / "overlay.cpio", files)
    return out / "overlay.cpio"


def monitor_of(rank_mb: int) -> str:
    """Return the options of the fake monitor for four such ranks."""
    frames = RANKS * (rank_mb << 20) // PAGE
    return f"ranks={RANKS} frames_log2={frames.bit_length() - 1}"


@pytest.fixture(scope="session")
def ranks_machine(tmp_path_factory):
    if not (IMAGES / "Image-numa").exists() or not (IMAGES / "initramfs-numa.cpio").exists():
        pytest.skip(f"needs {IMAGES}/Image-numa: make linux-numa")
    overlay = build_overlay(ROOT / "build" / "linux" / "ranks-tests")
    machine = RanksMachine(tmp_path_factory.mktemp("ranks"), overlay=[overlay])
    with machine as console:
        console.check(f"insmod /litemrc_fake.ko {monitor_of(machine.rank_mb)}")
        yield console


@pytest.fixture
def ranks(ranks_machine) -> Console:
    """The shell, with all ranks open; afterwards the kernel must not have complained."""
    ranks_machine.check("dmesg -c >/dev/null")
    yield ranks_machine
    ranks_machine.run("killall -9 nodes; while pidof nodes; do sleep 0.1; done; rm -f /tmp/go /tmp/out")
    ranks_machine.check("for r in 1 2 3; do echo 0 >/sys/class/misc/litemrc0/ranks/$r/evacuate; done")
    messages = ranks_machine.check("dmesg")
    assert not [
        word for word in ("WARNING", "BUG", "Oops", "Call Trace", "Out of memory") if word in messages
    ], messages
