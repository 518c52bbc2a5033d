# SPDX-License-Identifier: BSD-2-Clause
"""One guest for all tests of the driver, booted again if it falls silent; each test gets a new monitor."""

import os

import pytest

from tests.linux.driver.building import KERNEL, build_initramfs
from tests.linux.driver.following import CGROUPS
from tests.linux.driver.guest import FAKE, Guest, Guests

SHIM = KERNEL.parent / "shim-virt.bin"
# Words in the kernel's reports of errors, its own and those of modules.
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


def complaints(messages):
    """Return those of the kernel's messages that complain."""
    return [line for line in messages if any(complaint in line for complaint in COMPLAINTS)]


def boot(firmware, kernel, out, **machine):
    """Boot a guest with the driver; `out` is the folder of what is built for it, `machine` as of `Guest`."""
    guest = Guest(firmware, kernel, build_initramfs(kernel, out), **machine)
    guest.load_driver()
    return guest


@pytest.fixture(scope="session")
def guests():
    image = KERNEL / "arch" / "riscv" / "boot" / "Image"
    assert image.exists() and SHIM.exists(), f"needs {image} and {SHIM}; run: make linux-images"
    out = KERNEL.parent / f"driver-tests-{KERNEL.name}"

    memory_mb = int(os.environ.get("LITEMRC_MEMORY_MB", "64"))
    guests = Guests(lambda: boot(SHIM, KERNEL, out, memory_mb=memory_mb))
    yield guests
    guests.close()


@pytest.fixture
def monitor(guests):
    """Yield the guest with a fake monitor after reset; at the end neither it nor the kernel may complain."""
    guest = guests.running()
    guest.do("dmesg")
    guest.do("insmod /litemrc_fake.ko")
    yield guest
    if guest.silent:
        return  # the test has failed, and its failure says so
    guest.ask("close")  # what the test has opened would keep the driver loaded
    violations = guest.read(FAKE + "violations")
    guest.do("rmmod litemrc_fake")
    messages = guest.do("dmesg")
    assert violations.split()[0] == "0", violations
    assert not complaints(messages)


@pytest.fixture
def spawn(monitor):
    """Start processes that end with the test."""
    names = []

    def start(name):
        names.append(name)
        return monitor.spawn(name)

    yield start
    for name in names:
        if monitor.ask(f"kill {name} 9").result == 0:
            monitor.do(f"wait {name}")


@pytest.fixture
def cgroup(monitor):
    """Make cgroups that are removed with the test."""
    paths = []

    def make(path):
        monitor.do(f"mkdir {CGROUPS}{path}")
        paths.insert(0, path)
        return path

    yield make
    for path in paths:
        for pid in monitor.ask(f"r {CGROUPS}{path}/cgroup.procs").lines:
            monitor.do(f"w {CGROUPS}/cgroup.procs {pid}")
        monitor.ask(f"rmdir {CGROUPS}{path}")
