# SPDX-License-Identifier: BSD-2-Clause
"""Loads on Linux in QEMU by one command; the machine is riscv32, of `make linux-images`."""

import json
import shutil
import subprocess
import sys

import pytest
from litemrc.errors import UserError
from litemrc.traces.qemu.emulator import machine_emulator, plugin_for

from scripts.guests.archives import run
from scripts.guests.guests import GUESTS, IMAGES, LOADS, OVERLAYS, write_initramfs
from tests.timeouts import scaled_timeout


def guest_curve(*arguments):
    command = [sys.executable, "-m", "scripts.guests.guest_curve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(200))


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["mips"], "invalid choice: 'mips'"),
        (["riscv32", "--load", "redis"], "the guest riscv32 has no load 'redis' (choose one of sort)"),
    ],
)
def test_an_unknown_guest_or_load_exits_with_2_and_names_those_there_are(arguments, complaint):
    ended = guest_curve(*arguments)
    assert ended.returncode == 2 and complaint in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.parametrize("load", sorted({load for guest in GUESTS.values() for load in guest.loads}))
def test_each_load_is_a_script_of_the_shell(load):
    subprocess.run(["sh", "-n", LOADS / f"{load}.sh"], check=True)


@pytest.mark.skipif(shutil.which("cpio") is None, reason="cpio is not installed")
def test_an_initramfs_is_the_programs_then_the_loads_and_init(tmp_path):
    programs, initramfs = tmp_path / "programs.cpio", tmp_path / "initramfs.cpio"
    programs.write_bytes(bytes(512))
    write_initramfs(programs, OVERLAYS / "debian", initramfs)
    assert initramfs.read_bytes()[:512] == bytes(512)
    second = tmp_path / "second.cpio"
    second.write_bytes(initramfs.read_bytes()[512:])
    listed = run("cpio", "--quiet", "--list", "--verbose", "--file", second).splitlines()
    assert any(line.startswith("-rwxr-xr-x") and line.endswith(" init") for line in listed)
    assert any(line.endswith(" loads/redis.sh") for line in listed)


@pytest.fixture(scope="module")
def machine():
    if shutil.which("cpio") is None:
        pytest.skip("cpio is not installed")
    if not (IMAGES / "initramfs.cpio").exists():
        pytest.skip(f"{IMAGES} has no Linux: make linux-images")
    try:
        plugin_for(machine_emulator(GUESTS["riscv32"].machine))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")


def test_the_curve_of_our_linux_takes_one_command(machine):
    ended = guest_curve("riscv32", "--json")
    assert ended.returncode == 0, ended.stderr
    assert "99999" in ended.stderr.splitlines()  # the largest of the texts 1 to 100000
    curve = json.loads(ended.stdout)
    # sort holds 100,000 lines, 588,895 bytes with their ends, and pointers of 4 bytes: 241.4 pages.
    # 64 MiB are 16,384 pages.
    assert 242 < curve["cold_misses"] < 16_384
    # Each byte is written by seq, by the pipe and by sort, at most a word at a time.
    assert curve["references"] > 3 * 588_895 / 4
    assert curve["miss_ratio"] == sorted(curve["miss_ratio"], reverse=True)
