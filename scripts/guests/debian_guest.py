"""Guests of Debian's kernels and packages: apt fetches and verifies them, an initramfs holds the programs.

Packages are unpacked, not installed: no script of theirs runs, and no right of root is needed.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SUITE = "trixie"
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = ("busybox-static", "redis-server", "redis-tools", "sqlite3")
LOADS = Path(__file__).with_name("loads")
# Of what a package needs, its programs do not need these.
LEFT_OUT = (
    "adduser",
    "coreutils",
    "debconf",
    "dpkg",
    "initramfs-tools",
    "libperl",
    "libpython",
    "linux-base",
)
LEFT_OUT += ("media-types", "openssl", "passwd", "perl", "python3", "udev")
NO_FILES = ("usr/share", "usr/lib/systemd", "var")
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp
/bin/busybox --install -s /bin
export PATH=/usr/bin:/usr/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
ip link set lo up
cd /tmp && sh "/loads/$load.sh"
echo "$load: exit status $?, after $(cut -d ' ' -f 1 /proc/uptime) s"
poweroff -f
"""


@dataclass(frozen=True)
class Architecture:
    """Where the kernel and the packages of an architecture come from, and the machine that runs them.

    Attributes:
        kernel: package of the kernel.
        machine: QEMU's emulator and its options.
        console: the kernel's name of the first serial port.
    """

    kernel: str
    machine: tuple[str, ...]
    console: str


ARCHITECTURES = {
    "amd64": Architecture("linux-image-amd64", ("qemu-system-x86_64", "-M", "q35"), "ttyS0"),
    "arm64": Architecture(
        "linux-image-arm64",
        ("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72"),
        "ttyAMA0",
    ),
    "riscv64": Architecture("linux-image-riscv64", ("qemu-system-riscv64", "-M", "virt"), "ttyS0"),
}


class GuestError(Exception):
    """A guest cannot be made: a tool is missing, or packages cannot be had."""


@dataclass(frozen=True)
class Guest:
    """Kernel and initramfs, on this machine."""

    architecture: Architecture
    kernel: Path
    initramfs: Path

    def command(self, load: str, memory: str, processors: int = 1) -> list[str]:
        """Return the command that runs the machine until a load of `LOADS` ends."""
        return [
            *self.architecture.machine,
            *("-accel", "tcg", "-m", memory, "-smp", str(processors)),
            *("-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot"),
            *("-kernel", str(self.kernel), "-initrd", str(self.initramfs)),
            # The kernel hands what it does not know on to init, as variables.
            *("-append", f"console={self.architecture.console} quiet panic=-1 load={load}"),
        ]


def made(folder: Path, name: str) -> Guest:
    """Return the guest of an architecture, made where it is missing.

    Parameters:
        folder: of guests; each has a folder of its own there.
        name: of the architecture, as Debian's.

    Raises:
        GuestError: a tool is missing, or a package cannot be had.
    """
    architecture, own = ARCHITECTURES[name], folder.resolve() / name
    kernel, initramfs = own / "vmlinuz", own / "initramfs.cpio"
    if not initramfs.exists():
        shutil.rmtree(own, ignore_errors=True)
        _download(own, name, architecture)
        root = own / "root"
        _unpack(own, root, kernel)
        _pack(root, initramfs)
        shutil.rmtree(root)
    return Guest(architecture, kernel, initramfs)


def _download(own: Path, name: str, architecture: Architecture) -> None:
    """Fetch the kernel, the programs and what they depend on; apt checks the signatures."""
    places = {"Dir": f"{own}/", "Dir::State::status": f"{own}/status", "Dir::Etc": f"{own}/etc"}
    places |= {"Dir::State": f"{own}/state", "Dir::Cache": f"{own}/cache"}
    choices = {"APT::Architecture": name, "APT::Architectures": name, "APT::Install-Recommends": "false"}
    for needed in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (own / needed).mkdir(parents=True)
    (own / "status").touch()
    (own / "etc/sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {SUITE} main\n")
    options = [word for option, value in (places | choices).items() for word in ("-o", f"{option}={value}")]
    _run("apt-get", *options, "update")
    _run("apt-get", *options, "--yes", "--download-only", "install", architecture.kernel, *PACKAGES)


def _unpack(own: Path, root: Path, kernel: Path) -> None:
    for place in ("bin", "lib", "lib64", "sbin"):  # Debian 13 has them all in /usr
        (root / "usr" / place).mkdir(parents=True)
        (root / place).symlink_to(f"usr/{place}")
    for archive in sorted((own / "cache/archives").glob("*.deb")):
        package = archive.name.split("_")[0]
        if package.startswith("linux-image"):
            boot = own / "boot"
            _run("dpkg-deb", "-x", archive, boot)
            for image in boot.glob("boot/vmlinu*"):
                image.replace(kernel)
            shutil.rmtree(boot)
        elif not package.startswith(LEFT_OUT):
            _run("dpkg-deb", "-x", archive, root)
    for unwanted in NO_FILES:
        shutil.rmtree(root / unwanted, ignore_errors=True)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    shutil.copytree(LOADS, root / "loads")


def _pack(root: Path, initramfs: Path) -> None:
    names = "".join(f"{path.relative_to(root)}\n" for path in sorted(root.rglob("*")))
    part = initramfs.with_suffix(".part")
    command = ["cpio", "--quiet", "--create", "--format=newc", "--owner=0:0", "--file", str(part)]
    _run(*command, cwd=root, text=names)
    part.replace(initramfs)


def _run(*words: object, cwd: Path | None = None, text: str = "") -> None:
    command = [str(word) for word in words]
    try:
        subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise GuestError(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as error:
        raise GuestError(f"{' '.join(command)}: {error.stderr.strip()}") from error
