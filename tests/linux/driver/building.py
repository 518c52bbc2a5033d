# SPDX-License-Identifier: BSD-2-Clause
"""Builds modules, agent and initramfs for the guest of the driver's tests."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.setup.kept import cache_folder
from tests.linux.driver.cpio import write_initramfs
from tests.linux.qemu import bits_of
from tests.products import alone_in

ROOT = Path(__file__).parents[3]
DRIVER = ROOT / "firmware" / "linux" / "driver"
INCLUDE = ROOT / "firmware" / "include"
AGENT = Path(__file__).parent / "guest"
FAILURES = {"files": "fail_folder.h", "order": "fail_places.h"}  # of the driver's test folder
BUILD = ["ARCH=riscv", "CROSS_COMPILE=riscv64-linux-gnu-", f"-j{os.cpu_count()}"]
DISK_BYTES = 16 << 20
# The kernel of `make linux-images`, or LITEMRC_KERNEL: build/linux/kernel-debug of `make linux-debug`.
KERNEL = Path(os.environ.get("LITEMRC_KERNEL", ROOT / "build" / "linux" / "kernel"))
BITS = bits_of(KERNEL)


def compiler(bits: int) -> list[str]:
    """Return the command that compiles programs for guests."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", f"riscv{bits}-linux-musl"]
    zig += [f"-mcpu=generic_rv{bits}+m+a", "-Os", "-static", "-s", "-fno-sanitize=undefined", "-D_GNU_SOURCE"]
    return [*zig, "-Wall", "-Wextra", "-Werror"]


ZIG = compiler(BITS)


def build_modules(kernel: Path, out: Path) -> list[Path]:
    """Build driver, interrupt controller and fake against a built kernel, in copies of the sources."""
    modules = []
    for folder in ("", "test"):
        copy = out / "driver" / folder
        patterns = ("*", "tail/*", "ranks/*", "tracker/*")
        found = (source for pattern in patterns for source in (DRIVER / folder).glob(pattern))
        for source in filter(Path.is_file, found):
            target = copy / source.relative_to(DRIVER / folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                shutil.copy(source, target)
        folders = [f"M={copy}", f"LITEMRC_INCLUDE={INCLUDE}"]
        failures = [f"CFLAGS_{unit}.o=-include {DRIVER}/test/{header}" for unit, header in FAILURES.items()]
        subprocess.run(["make", "-s", "-C", str(kernel), *BUILD, *folders, *failures, "modules"], check=True)
        modules += sorted({*copy.glob("*.ko"), *copy.glob("*/*.ko")})
    return modules


def build_disk(kernel: Path, out: Path) -> dict[str, Path]:
    """Build what our kernel lacks, a RAM disk and the Minix file system, and the begin of an empty disk."""
    if "generic_block_bmap" not in (kernel / "Module.symvers").read_text():
        return {}  # a kernel without buffer heads
    copy, disk = out / "disk-modules", out / "disk"
    shutil.copytree(kernel / "source/fs/minix", copy / "minix", dirs_exist_ok=True)
    shutil.copy(kernel / "source/drivers/block/brd.c", copy)
    (copy / "Kbuild").write_text("obj-m := brd.o minix/\n")
    sizes = f"KCFLAGS=-DCONFIG_BLK_DEV_RAM_COUNT=1 -DCONFIG_BLK_DEV_RAM_SIZE={DISK_BYTES >> 10}"
    settings = [f"M={copy}", "CONFIG_MINIX_FS=m", sizes]
    subprocess.run(["make", "-s", "-C", str(kernel), *BUILD, *settings, "modules"], check=True)
    disk.write_bytes(bytes(DISK_BYTES))
    mkfs = shutil.which("mkfs.minix", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    subprocess.run([mkfs, "-3", disk], check=True, stdout=subprocess.DEVNULL)
    disk.write_bytes(disk.read_bytes().rstrip(b"\0"))
    return {"brd.ko": copy / "brd.ko", "minix.ko": copy / "minix/minix.ko", "disk": disk}


def build_agent(kernel: Path, out: Path) -> Path:
    """Compile guest/*.c for the kernel's processor if the result is out of date."""
    zig = compiler(bits_of(kernel))
    agent = out / "agent"
    sources = [*AGENT.glob("*.[ch]"), INCLUDE / "litemrc_uapi.h"]
    if not agent.exists() or agent.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        units = [str(source) for source in sources if source.suffix == ".c"]
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
        subprocess.run([*zig, f"-I{INCLUDE}", "-o", str(agent), *units], check=True, env=environment)
    return agent


def build_initramfs(kernel: Path, out: Path, more: Mapping[str, Path] | None = None) -> Path:
    """Build an initramfs of agent, modules, disk and `more` files, by their names; the agent is the init."""
    archive = out / "initramfs.cpio"
    with alone_in(out):
        agent = build_agent(kernel, out)
        files = {"init": agent, "renamed": agent}
        files |= {module.name: module for module in build_modules(kernel, out)}
        files |= build_disk(kernel, out) | dict(more or {})
        write_initramfs(archive, files)
    return archive
