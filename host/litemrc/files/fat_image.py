# SPDX-License-Identifier: BSD-2-Clause
"""A disk image with one FAT16 partition: what the SD card of a board has to hold.

Own code: the library for it, pyfatfs, does not start beside a setuptools of today. Source: Microsoft, FAT
specification 1.03.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from litemrc.errors import UserError
from litemrc.files.outputs import replacing

SECTOR = 512
FIRST_SECTOR = 2048  # of the partition: 1 MiB, as partitioning programs align it
PARTITION_SECTORS = 131_072  # 64 MiB
CLUSTER_SECTORS = 4
FAT_SECTORS = 128  # of each of the two tables: 2 bytes for each of 32,768 clusters
ROOT_ENTRIES = 512
_ENTRY, _NAME_UNITS = 32, 13  # bytes of a directory entry, and characters of a long name in one
_FAT16_LBA = 0x0E  # type of the partition
_MEDIA, _END_OF_FILE = 0xF8, 0xFFFF
_FIRST_DAY = 1 << 5 | 1  # 1 January 1980: an image depends on its contents only
_ROOT = 1 + 2 * FAT_SECTORS  # sectors before the root directory
_DATA = _ROOT + ROOT_ENTRIES * _ENTRY // SECTOR
_CLUSTERS = (PARTITION_SECTORS - _DATA) // CLUSTER_SECTORS
_PLAIN = set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")  # characters of short names


def write_fat_image(path: str | Path, files: Mapping[str, bytes], *, label: str) -> None:
    """Write a disk image of 65 MiB whose partition has `files` in its root folder, each without fragments.

    The same files make the same image. Parts without data are holes, if the file system has them.

    Parameters
    ----------
    path
        the image, or a block device.
    files
        contents by name.
    label
        of the volume, up to 11 characters.

    Raises
    ------
    UserError
        a name or the label is not one of FAT, two names differ by case alone, or they do not fit.
    OutputError
        the operating system refused the write.
    """
    _check(files, label)
    table, places = [_MEDIA | 0xFF00, _END_OF_FILE], []
    for content in files.values():
        first, clusters = len(table), -(-len(content) // (CLUSTER_SECTORS * SECTOR))
        places.append(first if clusters else 0)
        table += [*range(first + 1, first + clusters), _END_OF_FILE][:clusters]
    if len(table) - 2 > _CLUSTERS:
        raise UserError(
            f"{sum(map(len, files.values())):,} bytes do not fit on a partition of "
            f"{_CLUSTERS * CLUSTER_SECTORS * SECTOR:,}",
            remedy="leave out a file",
        )
    folder = b"".join(_folder(files, places, label))
    if len(folder) > ROOT_ENTRIES * _ENTRY:
        raise UserError(f"more than {ROOT_ENTRIES} entries of a folder", remedy="leave out files")
    fat = struct.pack(f"<{len(table)}H", *table)
    serial = hashlib.sha256(b"".join(files.values())).digest()[:4]
    with replacing(path) as written, written.open("wb") as image:
        image.write(_partition_table(serial))
        parts = [(0, _boot_sector(serial, label)), (1, fat), (1 + FAT_SECTORS, fat), (_ROOT, folder)]
        data = ((place - 2) * CLUSTER_SECTORS + _DATA for place in places)
        for sector, content in [*parts, *zip(data, files.values(), strict=True)]:
            if content:
                image.seek((FIRST_SECTOR + sector) * SECTOR)
                image.write(content)
        if not written.is_block_device():
            image.truncate((FIRST_SECTOR + PARTITION_SECTORS) * SECTOR)


def _check(files: Mapping[str, bytes], label: str) -> None:
    folded = [name.upper() for name in files]
    for name in files:
        # No other letters: FAT compares names without case, and each system does so by a table of its own.
        if (
            not name
            or not name.isascii()
            or not name.isprintable()
            or set(name) & set('"*/:<>?\\|')
            or name[-1] in ". "
        ):
            raise UserError("no name of a FAT file system has these characters", where=repr(name))
        if len(name) > 255 or folded.count(name.upper()) > 1:
            raise UserError("two names that differ by case alone, or one of over 255 characters", where=name)
    if not label or len(label) > 11 or set(label.upper()) - _PLAIN:
        raise UserError("a label has up to 11 letters, digits, _ or -", where=repr(label))


def _partition_table(serial: bytes) -> bytes:
    # Addresses of cylinder, head and sector are those of a disk too large for them.
    entry = struct.pack(
        "<B3sB3sII", 0, b"\xfe\xff\xff", _FAT16_LBA, b"\xfe\xff\xff", FIRST_SECTOR, PARTITION_SECTORS
    )
    return bytes(440) + serial + bytes(2) + entry + bytes(48) + b"\x55\xaa"


def _boot_sector(serial: bytes, label: str) -> bytes:
    jump, small = b"\xeb\x3c\x90", 0  # sectors of a partition of less than 32 MiB
    fixed = struct.pack(
        "<3s8sHBHBHHBHHHII", jump, b"LITEMRC ", SECTOR, CLUSTER_SECTORS, 1, 2, ROOT_ENTRIES, small, _MEDIA,
        FAT_SECTORS, 63, 255, FIRST_SECTOR, PARTITION_SECTORS,
    )  # fmt: skip
    sector = fixed + struct.pack("<BBB4s11s8s", 0x80, 0, 0x29, serial, _padded(label), b"FAT16   ")
    return sector.ljust(SECTOR - 2, b"\0") + b"\x55\xaa"


def _padded(label: str) -> bytes:
    return label.upper().ljust(11).encode("ascii")


def _folder(files: Mapping[str, bytes], places: list[int], label: str) -> Iterator[bytes]:
    """Yield the entries of the root folder."""
    yield _entry(_padded(label), 0x08, 0, 0)
    for number, ((name, content), place) in enumerate(zip(files.items(), places, strict=True), 1):
        short = _short_name(name, number)
        yield from _long_entries(name, _checksum(short))
        yield _entry(short, 0x20, place, len(content))


def _entry(name: bytes, attributes: int, cluster: int, length: int) -> bytes:
    return struct.pack("<11sB10xHHHI", name, attributes, 0, _FIRST_DAY, cluster, length)


def _short_name(name: str, number: int) -> bytes:
    """The 11 characters for systems without long names; a number keeps each apart from the others."""
    stem, _, suffix = name.upper().rpartition(".") if "." in name[1:] else (name.upper(), "", "")
    plain = ["".join(letter for letter in part if letter in _PLAIN) for part in (stem, suffix)]
    tail = f"~{number}"
    return (f"{plain[0][: 8 - len(tail)]}{tail}".ljust(8) + plain[1][:3].ljust(3)).encode("ascii")


def _checksum(short: bytes) -> int:
    """The checksum of a short name that its long name carries."""
    result = 0
    for letter in short:
        result = ((result & 1) << 7) + (result >> 1) + letter & 0xFF
    return result


def _long_entries(name: str, checksum: int) -> Iterator[bytes]:
    """Yield the entries of a long name, its end first."""
    pieces = [name[at : at + _NAME_UNITS] for at in range(0, len(name), _NAME_UNITS)]
    for number in range(len(pieces), 0, -1):
        units = [ord(letter) for letter in pieces[number - 1]]
        units += ([0] + [0xFFFF] * _NAME_UNITS)[: _NAME_UNITS - len(units)]
        words = struct.pack(f"<{_NAME_UNITS}H", *units)
        order = number | (0x40 if number == len(pieces) else 0)
        yield struct.pack("<B10sBBB12sH4s", order, words[:10], 0x0F, 0, checksum, words[10:22], 0, words[22:])
