"""Can a VexRiscv without FPU and compressed instructions run the images? Is a bad configuration refused?"""

import re
import subprocess

import pytest
from linux.qemu import ROOT

LINUX = ROOT / "firmware/linux"


def instruction_sets(path):
    text = subprocess.run(
        ["riscv64-linux-gnu-readelf", "-A", path], capture_output=True, text=True, check=True
    ).stdout
    return re.search(r'Tag_RISCV_arch: "([^"]*)"', text)[1]


@pytest.mark.parametrize(
    "name", ["kernel/vmlinux", "init", "busybox", *(f"programs/{p.stem}" for p in LINUX.glob("programs/*.c"))]
)
def test_programs_are_for_rv32ima_with_soft_float(images, name):
    architecture = instruction_sets(images / name)
    assert architecture.startswith("rv32i")
    assert not re.search(r"(^rv32\w*?_|_)(f|d|c)\d", "_" + architecture)
    header = subprocess.run(
        ["riscv64-linux-gnu-readelf", "-h", images / name], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r"Flags: +0x0\b", header)  # neither RVC nor a floating-point ABI


def test_a_fragment_the_kernel_does_not_take_is_refused_by_name(images, tmp_path):
    fragment = tmp_path / "fragment"
    fragment.write_text("CONFIG_MULTIUSER=y\nCONFIG_NO_SUCH_THING=y\n# CONFIG_RISCV is not set\n")
    done = subprocess.run(
        [LINUX / "configure_kernel.sh", images / "linux-source-6.1", tmp_path / "out", fragment],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "CONFIG_NO_SUCH_THING=y" in done.stderr
    assert "# CONFIG_RISCV is not set" in done.stderr
    assert "CONFIG_MULTIUSER=y" not in done.stderr.split("\n", 1)[1]
