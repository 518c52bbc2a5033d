# SPDX-License-Identifier: BSD-2-Clause
"""Archives of initramfs by cpio, and the tools of a system that make them."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from litemrc.errors import UserError

# Of tools whose package has another name.
PACKAGES = {"apt-get": "apt", "dpkg-deb": "dpkg", "readelf": "binutils"}


def pack(root: Path, names: Iterable[Path], archive: Path) -> None:
    """Write files, links and folders as an archive that the kernel unpacks; all belong to root.

    Parameters
    ----------
    names
        below `root`; a folder without its contents.
    """
    ordered = sorted({*names, *(above for name in names for above in name.parents)} - {Path()})
    part = archive.with_suffix(".part")
    command = ["cpio", "--quiet", "--create", "--format=newc", "--owner=0:0", "--file", part.resolve()]
    run(*command, cwd=root, text="".join(f"{name}\n" for name in ordered))
    part.replace(archive)


def contents(root: Path) -> list[Path]:
    """Return everything below a folder, relative to it."""
    return [path.relative_to(root) for path in root.rglob("*")]


def run(*words: object, cwd: Path | None = None, text: str = "") -> str:
    """Return what a tool prints.

    Raises
    ------
    UserError
        it is not installed, or failed.
    """
    command = [str(word) for word in words]
    try:
        return subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        package = PACKAGES.get(command[0], command[0])
        raise UserError(
            "is not installed", where=command[0], remedy=f"install the Debian package {package}"
        ) from None
    except subprocess.CalledProcessError as error:
        where = " ".join([command[0], *command[-2:]])
        raise UserError(f"failed: {error.stderr.strip()}", where=where) from error
