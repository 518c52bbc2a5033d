# SPDX-License-Identifier: BSD-2-Clause
"""Guests: machines that run a load on Linux in QEMU, and end."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from litemrc.errors import UserError

from scripts.guests.archives import contents, pack
from scripts.guests.debian_guest import fetch
from scripts.guests.vexriscv import processor

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/guests"
IMAGES = ROOT / "build/linux"
HERE = Path(__file__).parent
LOADS, OVERLAYS = HERE / "loads", HERE / "overlays"


@dataclass(frozen=True)
class Guest:
    """A machine and its loads.

    Attributes
    ----------
    machine
        QEMU's emulator and its options.
    console
        the kernel's name of the first serial port.
    memory_mib
        RAM.
    loads
        names of scripts in `loads/`.
    kernel
        package of Debian; empty: our own kernel and initramfs, of `make linux-images`.
    """

    machine: tuple[str, ...]
    console: str
    memory_mib: int
    loads: tuple[str, ...]
    kernel: str = ""


DATABASES = ("redis", "sqlite")
GUESTS = {
    "amd64": Guest(("qemu-system-x86_64", "-M", "q35"), "ttyS0", 1024, DATABASES, "linux-image-amd64"),
    "arm64": Guest(
        ("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72"),
        "ttyAMA0",
        1024,
        DATABASES,
        "linux-image-arm64",
    ),
    "riscv64": Guest(("qemu-system-riscv64", "-M", "virt"), "ttyS0", 1024, DATABASES, "linux-image-riscv64"),
    "riscv32": Guest(  # like VexRiscv: firmware/boot/README.md
        (
            *("qemu-system-riscv32", "-M", "virt", "-cpu", processor()),
            *("-bios", str(IMAGES / "shim-virt.bin")),
        ),
        "ttyS0",
        64,
        ("sort",),
    ),
}


def log_of(name: str, load: str) -> Path:
    """Return the file to which the console of a guest is copied."""
    return OUT / name / f"{load}.log"


def command(name: str, load: str) -> list[str]:
    """Return the command that runs a guest until its load ends; kernel and initramfs are made where missing.

    Raises
    ------
    UserError
        no guest or load of this name, or parts that cannot be made.
    """
    if name not in GUESTS:
        raise UserError(f"there is no guest {name!r}", remedy=f"choose one of {', '.join(GUESTS)}")
    guest = GUESTS[name]
    if load not in guest.loads:
        raise UserError(
            f"the guest {name} has no load {load!r}", remedy=f"choose one of {', '.join(guest.loads)}"
        )
    folder = OUT / name
    kernel, programs = fetch(folder, name, guest.kernel) if guest.kernel else _own_images()
    initramfs = folder / "initramfs.cpio"
    folder.mkdir(parents=True, exist_ok=True)
    write_initramfs(programs, OVERLAYS / ("debian" if guest.kernel else name), initramfs)
    options = {
        "-accel": "tcg",
        "-m": f"{guest.memory_mib}M",
        "-display": "none",
        "-chardev": f"stdio,id=console,logfile={_escaped(log_of(name, load))}",
        "-serial": "chardev:console",
        "-kernel": str(kernel),
        "-initrd": str(initramfs),
        # The kernel hands what it does not know on to init, as variables.
        "-append": f"console={guest.console} quiet panic=-1 load={load}",
    }
    return [
        *guest.machine,
        "-nodefaults",
        "-no-reboot",
        *(word for option in options.items() for word in option),
    ]


def write_initramfs(programs: Path, overlay: Path, initramfs: Path) -> None:
    """Write an archive of programs, and one of the loads and of what starts them; the kernel unpacks both."""
    with tempfile.TemporaryDirectory() as name:
        root, loads = Path(name) / "root", Path(name) / "loads.cpio"
        shutil.copytree(overlay, root)
        shutil.copytree(LOADS, root / "loads")
        pack(root, contents(root), loads)
        part = initramfs.with_suffix(".new")
        part.write_bytes(programs.read_bytes() + loads.read_bytes())
        part.replace(initramfs)


def check_log(name: str, load: str) -> None:
    """Raise UserError unless the console says that the load succeeded."""
    log = log_of(name, load)
    if f"{load}: exit status 0 " not in log.read_text(errors="replace"):
        raise UserError("the load failed, or the machine ended before it", where=str(log))


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")  # of QEMU's options


def _own_images() -> tuple[Path, Path]:
    images = IMAGES / "Image", IMAGES / "initramfs.cpio"
    if not all(image.exists() for image in images):
        raise UserError("there is no Linux of our own", where=str(IMAGES), remedy="make linux-images")
    return images
