# SPDX-License-Identifier: BSD-2-Clause
"""Disk images with a FAT16 partition, read and checked by other programs: mtools and dosfstools."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc.errors import UserError
from litemrc.files.fat_image import FIRST_SECTOR, PARTITION_SECTORS, SECTOR, write_fat_image

START = FIRST_SECTOR * SECTOR
needs_readers = pytest.mark.skipif(
    not (shutil.which("mcopy") and shutil.which("fsck.fat")), reason="apt-get install mtools dosfstools"
)
BOOT = {
    "boot.json": b'{"Image": "0x40000000"}',
    "Image": random.Random(1).randbytes(3_118_640),
    "initramfs.cpio": random.Random(2).randbytes(1_147_392),
    "a file with a name of over thirteen characters.x.y": b"text",
    "shim.bin": random.Random(3).randbytes(2048),  # one cluster, full
    "empty": b"",
}


def written(folder: Path, files: dict[str, bytes]) -> Path:
    image = folder / "sd.img"
    write_fat_image(image, files, label="LITEMRC")
    return image


def read_back(image: Path, name: str) -> bytes:
    """The file as mtools reads it."""
    command = ["mcopy", "-n", "-i", f"{image}@@{START}", f"::{name}", "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout


@needs_readers
def test_another_program_reads_every_file(tmp_path: Path) -> None:
    image = written(tmp_path, BOOT)
    assert {name: read_back(image, name) for name in BOOT} == BOOT


@needs_readers
@pytest.mark.parametrize("files", [BOOT, {}, {f"file {n}": bytes(n) for n in range(120)}])
def test_a_check_of_the_partition_finds_no_fault(tmp_path: Path, files: dict[str, bytes]) -> None:
    partition = tmp_path / "partition"
    partition.write_bytes(written(tmp_path, files).read_bytes()[START:])
    done = subprocess.run(["fsck.fat", "-nv", partition], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    clusters = sum(-(-len(content) // 2048) for content in files.values())
    # 131,072 sectors less 1 of boot, 2 x 128 of tables, 32 of the folder; 4 to a cluster.
    # fsck.fat counts the root folder as a file.
    assert f"{1 + len(files)} files, {clusters}/32695 clusters" in done.stdout


@needs_readers
def test_a_check_of_the_partition_finds_a_fault(tmp_path: Path) -> None:
    content = bytearray(written(tmp_path, BOOT).read_bytes()[START:])
    content[SECTOR + 2 * 4] ^= 1  # the link behind a cluster of the kernel, in the first table only
    partition = tmp_path / "partition"
    partition.write_bytes(content)
    assert subprocess.run(["fsck.fat", "-n", partition], capture_output=True, check=False).returncode == 1


def test_the_partition_is_where_the_table_says(tmp_path: Path) -> None:
    content = written(tmp_path, BOOT).read_bytes()
    assert len(content) == START + PARTITION_SECTORS * SECTOR
    assert content[510:512] == content[START + 510 : START + 512] == b"\x55\xaa"
    entry = content[446:462]  # of the first partition: status, start, type, end, first sector, sectors
    assert (entry[0], entry[4]) == (0, 0x0E)
    assert int.from_bytes(entry[8:12], "little") == 1 << 20 >> 9
    assert int.from_bytes(entry[12:16], "little") == 64 << 20 >> 9
    assert content[462:510] == bytes(48), "no other partition"


def test_the_same_files_make_the_same_image_and_others_another_serial(tmp_path: Path) -> None:
    first = written(tmp_path, BOOT).read_bytes()
    assert written(tmp_path, BOOT).read_bytes() == first
    other = written(tmp_path, BOOT | {"shim.bin": b"changed"}).read_bytes()
    assert other[440:444] != first[440:444]


def test_what_holds_no_data_takes_no_room(tmp_path: Path) -> None:
    image = written(tmp_path, {"Image": b"x"})
    if os.stat_result.st_blocks and image.stat().st_blocks * 512 > 10_000_000:
        pytest.skip("this file system has no holes")
    assert image.stat().st_blocks * 512 < 1_000_000


@pytest.mark.parametrize(
    ("files", "label", "words"),
    [
        ({"a/b": b""}, "LITEMRC", "a/b"),
        ({"naïve": b""}, "LITEMRC", "characters"),
        ({"": b""}, "LITEMRC", "characters"),
        ({"dot.": b""}, "LITEMRC", "characters"),
        ({"x" * 256: b""}, "LITEMRC", "255"),
        ({"Image": b"", "IMAGE": b""}, "LITEMRC", "case alone"),
        ({"Image": bytes(66_959_361)}, "LITEMRC", "66,959,361 bytes do not fit"),
        ({f"a name of three entries, {n}": b"" for n in range(171)}, "LITEMRC", "512 entries"),
        ({}, "TWELVE_CHARS", "label"),
        ({}, "", "label"),
    ],
)
def test_what_is_no_fat_is_refused_and_nothing_written(
    tmp_path: Path, files: dict[str, bytes], label: str, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        write_fat_image(tmp_path / "sd.img", files, label=label)
    assert not list(tmp_path.iterdir())


@needs_readers
def test_a_partition_is_filled_to_its_last_cluster(tmp_path: Path) -> None:
    content = bytes(66_959_358) + b"xy"
    assert read_back(written(tmp_path, {"Image": content}), "Image") == content
