# SPDX-License-Identifier: BSD-2-Clause
"""Boot one guest whose init starts the daemon on its serial port; the host package opens the other end."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import SilentDeviceError

from scripts.setup.kept import cache_folder
from tests.linux.driver.building import BITS, KERNEL, ROOT, ZIG, build_modules
from tests.linux.driver.cpio import write_initramfs
from tests.linux.qemu import machine
from tests.products import alone_in
from tests.timeouts import Deadline, scaled_timeout

HERE = Path(__file__).parent
SHIM = Path(os.environ.get("LITEMRC_SHIM", KERNEL.parent / "shim-virt.bin"))
QEMU = [*machine(BITS), "-m", "64", "-display", "none", "-no-reboot"]
BOOT_S = 60
PAGES = 7  # of litemrcd.conf
LITEMRC = (sys.executable, "-m", "litemrc.cli.main")


def build_initramfs(out: Path) -> Path:
    """The daemon, the guest's init and programs (guest.c), the driver's modules."""
    compiler = " ".join(word for word in ZIG if not word.startswith(("-O", "-W", "-s", "-D")))
    makefile = ROOT / "firmware" / "daemon" / "Makefile"
    options = [f"OUT={out / 'daemon'}", f"PYTHON={sys.executable}", f"CC={compiler}", "LDFLAGS=-static -s"]
    # The C library is in this cache already; to compile it takes minutes.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    make = ["make", "-s", "-f", makefile, *options]
    subprocess.run(make, check=True, stdout=subprocess.DEVNULL, env=environment)
    guest = out / "guest"
    subprocess.run([*ZIG, "-o", guest, HERE / "guest.c"], check=True, env=environment)
    files = {"init": guest, "guest": guest, "litemrcd": out / "daemon" / "litemrcd"}
    files |= {file.name: file for file in HERE.glob("*.conf")}
    files |= {module.name: module for module in build_modules(KERNEL, out)}
    write_initramfs(out / "initramfs.cpio", files)
    return out / "initramfs.cpio"


def wait_for_hello(port: str) -> None:
    deadline = Deadline(BOOT_S)
    while True:
        try:
            with Device(port, timeout_s=scaled_timeout(8)):
                return
        except SilentDeviceError:
            if deadline.passed:
                raise


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The host's end of the guest's serial port, once the daemon answers there."""
    with booted(tmp_path_factory.mktemp("guest") / "qemu.log") as port:
        yield port


@contextmanager
def booted(qemu_log: Path, bootargs: str = "") -> Iterator[str]:
    """Boot a guest and yield the host's end of its serial port.

    bootargs: more of the kernel's command line, for init (guest.c).
    """
    image = KERNEL / "arch" / "riscv" / "boot" / "Image"
    missing = [str(file) for file in (image, SHIM) if not file.exists()]
    assert not missing, f"there is no {', '.join(missing)}; run: make linux-images"
    folder = KERNEL.parent / f"daemon-tests-{KERNEL.name}"
    with alone_in(folder):
        initramfs = build_initramfs(folder)
    files = ["-bios", SHIM, "-kernel", image, "-initrd", initramfs]
    words = ["-append", f"console=ttyS0 loglevel=1 panic=-1 {bootargs}", "-monitor", "none", "-serial", "pty"]
    with qemu_log.open("w+") as log:
        qemu = subprocess.Popen([*QEMU, *files, *words], stdout=log, stderr=log)
        try:
            while not (match := re.search(r"/dev/pts/\d+", Path(log.name).read_text())):
                assert qemu.poll() is None, Path(log.name).read_text()
            wait_for_hello(match[0])
            yield match[0]
        finally:
            qemu.terminate()
            qemu.wait()


def loop_over(device: Device, pages: int) -> None:
    """Have the worker of guest.c loop over pages; it orders the hits and misses of the fake. 1: no more."""
    device.request("run", workload=PAGES, context=1, scale=pages)
    deadline = Deadline(20)
    while device.say_hello().running >> PAGES & 1:
        assert not deadline.passed
        time.sleep(0.1)


@pytest.fixture
def device(port: str) -> Iterator[Device]:
    with Device(port, timeout_s=scaled_timeout(30)) as opened:
        opened.waiting()
        yield opened
