"""One boot of a guest for all tests of the driver; each gets a new monitor in it."""

import os
from pathlib import Path

import pytest
from linux.driver.building import ROOT, build_initramfs
from linux.driver.guest import FAKE, Guest

# Of `make linux-images`; LITEMRC_KERNEL names another, say build/linux/kernel-debug of `make linux-debug`.
KERNEL = Path(os.environ.get("LITEMRC_KERNEL", ROOT / "build" / "linux" / "kernel"))
SHIM = ROOT / "build" / "linux" / "shim-virt.bin"
# What a kernel says of its own mistakes, and those of modules.
COMPLAINTS = (
    "WARNING",
    "BUG",
    "Oops",
    "UBSAN",
    "KASAN",
    "INFO:",
    "suspicious",
    "Call Trace",
    "litemrc.0: ",
    "leaked",
)


@pytest.fixture(scope="session")
def guest():
    image = KERNEL / "arch" / "riscv" / "boot" / "Image"
    assert image.exists() and SHIM.exists(), f"needs {image} and {SHIM}; run: make linux-images"
    out = ROOT / "build" / "linux" / f"driver-tests-{KERNEL.name}"
    guest = Guest(
        SHIM, image, build_initramfs(KERNEL, out), memory_mb=int(os.environ.get("LITEMRC_MEMORY_MB", "64"))
    )
    guest.do("insmod /litemrc.ko")
    yield guest
    guest.close()


@pytest.fixture
def monitor(guest):
    """The guest with a fake monitor as after reset; at the end neither it nor the kernel has a complaint."""
    guest.do("dmesg")
    guest.do("insmod /litemrc_fake.ko")
    yield guest
    violations = guest.read(FAKE + "violations")
    guest.do("rmmod litemrc_fake")
    messages = guest.do("dmesg")
    assert violations.split()[0] == "0", violations
    assert not [line for line in messages if any(complaint in line for complaint in COMPLAINTS)]
