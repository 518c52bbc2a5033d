# SPDX-License-Identifier: BSD-2-Clause
"""Writes an initramfs: a cpio archive, newc (driver-api/early-userspace/buffer-format.rst of the kernel)."""

import stat
from pathlib import Path

FOLDERS = ("dev", "proc", "sys")


def _entry(number: int, name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4)


def write_initramfs(path: Path, files: dict[str, Path]) -> None:
    """Write an archive of programs by their names in the guest, with the folders and console of an init."""
    entries = [(name, stat.S_IFDIR | 0o755, b"", (0, 0)) for name in FOLDERS]
    entries.append(("dev/console", stat.S_IFCHR | 0o600, b"", (5, 1)))
    entries += [(name, stat.S_IFREG | 0o755, file.read_bytes(), (0, 0)) for name, file in files.items()]
    entries.append(("TRAILER!!!", 0, b"", (0, 0)))
    # Replaced atomically: another guest may be reading the present one.
    new = path.with_suffix(".new")
    new.write_bytes(b"".join(_entry(number, *entry) for number, entry in enumerate(entries, 1)))
    new.replace(path)
