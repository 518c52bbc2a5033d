# SPDX-License-Identifier: BSD-2-Clause
"""Kernel and programs from Debian's packages: apt fetches and verifies them, and nothing is installed.

No script of a package runs, and no right of root is needed.
"""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from litemrc.errors import UserError

from scripts.guests.archives import pack, run

SUITE = "trixie"
MIRROR = "http://deb.debian.org/debian"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = ("busybox-static", "redis-server", "redis-tools", "sqlite3")
PROGRAMS = ("busybox", "redis-benchmark", "redis-cli", "redis-server", "sqlite3")
LINKS = ("bin", "lib", "lib64", "sbin")  # Debian 13 has them all in /usr


def fetch(folder: Path, architecture: str, kernel: str) -> tuple[Path, Path]:
    """Return the kernel and an archive of the programs, fetched where they are missing.

    Parameters
    ----------
    folder
        of this guest; what an interrupted run left there is fetched again.
    architecture
        Debian's name.
    kernel
        Debian's package.

    Raises
    ------
    UserError
        a tool or the keys are missing, or a package cannot be had.
    """
    image, programs = folder / "vmlinuz", folder / "programs.cpio"
    if not programs.exists():
        print(f"{architecture}: fetching a kernel and programs of Debian 13 (150 MB)", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        packages, root = folder / "packages", folder / "root"
        _download(packages, architecture, kernel)
        unpack(packages, root, image)
        pack(
            root, [*needed(root, [Path("usr/bin") / name for name in PROGRAMS]), *map(Path, LINKS)], programs
        )
        shutil.rmtree(packages)
        shutil.rmtree(root)
    return image, programs


def _download(packages: Path, architecture: str, kernel: str) -> None:
    """Fetch the kernel, the programs and what they depend on; apt checks the signatures."""
    if not KEYS.exists():
        raise UserError(
            "the keys of Debian are missing",
            where=str(KEYS),
            remedy="install the Debian package debian-archive-keyring",
        )
    own = packages.resolve()
    for empty in ("lists/partial", "archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (own / empty).mkdir(parents=True)
    (own / "status").touch()
    (own / "etc/sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {SUITE} main\n")
    choices = {
        "Dir": own,
        "Dir::State": own,
        "Dir::State::status": own / "status",
        "Dir::Cache": own,
        "Dir::Etc": own / "etc",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "false",
    }
    options = [word for name, value in choices.items() for word in ("-o", f"{name}={value}")]
    run("apt-get", *options, "update", "--error-on=any")
    run("apt-get", *options, "--yes", "--download-only", "install", kernel, *PACKAGES)
    for archive in (own / "archives").glob("*.deb"):
        archive.rename(own / archive.name)


def unpack(packages: Path, root: Path, image: Path) -> None:
    """Unpack a folder of packages; of the kernel's only the kernel, to `image`."""
    for place in LINKS:
        (root / "usr" / place).mkdir(parents=True)
        (root / place).symlink_to(f"usr/{place}")
    for archive in sorted(packages.glob("*.deb")):
        if archive.name.startswith("linux-image"):
            boot = packages / "boot"
            run("dpkg-deb", "-x", archive, boot)
            for kernel in boot.glob("boot/vmlinu*"):
                kernel.replace(image)
            shutil.rmtree(boot)
        else:
            run("dpkg-deb", "-x", archive, root)


def needed(root: Path, programs: Iterable[Path]) -> set[Path]:
    """Return programs and the libraries that they are linked with, below `root`; links with their targets.

    Raises
    ------
    UserError
        a program or a library is in none of the packages.
    """
    libraries = defaultdict(list)
    for path in root.glob("usr/lib*/**/*.so*"):
        libraries[path.name].append(path.relative_to(root))
    found: set[Path] = set()
    wanted = list(programs)
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        found.add(path)
        if (root / path).is_symlink():
            wanted.append(
                ((root / path).parent / (root / path).readlink()).resolve().relative_to(root.resolve())
            )
        elif not (root / path).is_file():
            raise UserError("is in none of the packages", where=str(path))
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", root / path)):
            if not libraries[name]:
                raise UserError(f"needs {name}, which is in none of the packages", where=str(path))
            wanted += libraries[name]
    return found
