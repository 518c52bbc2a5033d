# SPDX-License-Identifier: BSD-2-Clause
"""The words of memtest on this machine's memory, and on one whose page 5 is page 1."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware" / "baremetal"
PAGE_WORDS = 1024


@pytest.fixture(scope="module")
def memtest(tmp_path_factory):
    program = tmp_path_factory.mktemp("memtest") / "memory"
    flags = ["-O2", "-Wall", "-Werror", "-fsanitize=undefined", f"-I{FIRMWARE}"]
    subprocess.run(["gcc", *flags, HERE / "memory.c", "-o", program], check=True)
    return lambda *arguments: tuple(map(int, subprocess.check_output([program, *arguments]).split()))


def test_a_good_memory_passes(memtest) -> None:
    assert memtest() == (0, 0, 0)


def test_two_addresses_of_one_cell_are_found(memtest) -> None:
    """Of the two pages the one written last is right, in the first check and, of inverses, in the second."""
    wrong, first, bits = memtest("aliased")
    assert first == PAGE_WORDS
    assert wrong >= 2 * PAGE_WORDS
    assert bits
