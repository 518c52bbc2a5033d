# SPDX-License-Identifier: BSD-2-Clause
"""The images run on a VexRiscv without FPU and compressed instructions; a bad configuration is refused."""

import re
import subprocess

import pytest

from tests.linux.qemu import ROOT

LINUX = ROOT / "firmware/linux"


def readelf(option, path):
    done = subprocess.run(
        ["riscv64-linux-gnu-readelf", option, path], capture_output=True, text=True, check=True
    )
    return done.stdout


PROGRAMS = ["init", "busybox", "programs/programs"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_no_instructions_but_those_of_rv32ima(images, name):
    architecture = re.search(r'Tag_RISCV_arch: "([^"]*)"', readelf("-A", images / name))[1]
    extensions = {re.match(r"[a-z]+", extension)[0] for extension in architecture.split("_")}
    # zmmul, zaamo and zalrsc are parts of m and a.
    assert extensions <= {"rv", "m", "a", "zmmul", "zaamo", "zalrsc"}
    assert architecture.startswith("rv32i")


@pytest.mark.parametrize("name", ["kernel/vmlinux", *PROGRAMS])
def test_nothing_is_compressed_or_passes_floating_point_in_registers(images, name):
    """The flags of the ELF header: bit 0 RVC, bits 1 and 2 the floating-point ABI."""
    assert int(re.search(r"Flags: +0x([0-9a-f]+)", readelf("-h", images / name))[1], 16) & 7 == 0


def test_a_kernel_that_is_not_in_the_cache_is_built_though_there_are_images(images, tmp_path):
    """As when its patches or its configuration have changed: its folder in the cache is named after them."""
    command = ["make", "--dry-run", "-f", LINUX / "Makefile", f"OUT={images}", f"CACHE={tmp_path}", "images"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "configure_kernel.sh" in planned


def test_a_fragment_the_kernel_does_not_take_is_refused_by_name(images, tmp_path):
    fragment = tmp_path / "fragment"
    fragment.write_text("CONFIG_MULTIUSER=y\nCONFIG_NO_SUCH_THING=y\n# CONFIG_RISCV is not set\n")
    done = subprocess.run(
        [LINUX / "configure_kernel.sh", images / "kernel" / "source", tmp_path / "out", fragment],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "CONFIG_NO_SUCH_THING=y" in done.stderr
    assert "# CONFIG_RISCV is not set" in done.stderr
    assert "CONFIG_MULTIUSER=y" not in done.stderr.split("\n", 1)[1]
