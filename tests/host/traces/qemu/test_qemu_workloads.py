# SPDX-License-Identifier: BSD-2-Clause
"""The firmware's five programs in QEMU, with the caches of the SoC: what reaches memory is as in the RTL."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.qemu.counts import PAGE_BITS, RecordStream, read_counts
from litemrc.traces.qemu.emulator import machine_emulator, plugin_for
from litemrc.traces.qemu.monitored import Monitor, running_machine

from tests.timeouts import scaled_timeout

REPO = Path(__file__).resolve().parents[4]
PROGRAMS = ("zipf", "loop", "phases", "chase", "matmul")
EMULATOR, COMPILER = "qemu-system-riscv32", "riscv64-unknown-elf-gcc"
FIRST_PAGE = 0x81000000 >> 12
# VexRiscv's data cache, and LiteX's L2 with lines of two accesses to the DRAM: renode/litemrc.repl.
CACHES = (CacheShape(4096, 1, 32, write_through=True), CacheShape(8192, 1, 16))
ACCESSES_OF_A_LINE = 2
DIFFERENCE = 4  # Renode's from the RTL: renode/README.md


@pytest.fixture
def machine(tmp_path):
    """Return the command of a machine that runs the programs."""
    for tool in (EMULATOR, COMPILER):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    try:
        plugin_for(machine_emulator([EMULATOR]))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    firmware = REPO / "firmware/baremetal"
    sources = [Path(__file__).with_name("workload_machine.c")]
    sources += [firmware / "workloads" / f"{name}.c" for name in PROGRAMS]
    target = ["-march=rv32im_zicsr", "-mabi=ilp32", "-mcmodel=medany", "-O2", "-ffreestanding"]
    linked = ["-nostdlib", "-static", "-Wl,-Ttext=0x80000000,--no-relax"]
    folders = [f"-I{firmware}", f"-I{firmware / 'workloads'}"]
    command = [COMPILER, *target, *linked, *folders, *sources, "-o", tmp_path / "programs"]
    subprocess.run(command, check=True, timeout=scaled_timeout(60))
    board = ["-M", "virt", "-m", "64", "-display", "none", "-serial", "null"]
    return [EMULATOR, *board, "-bios", str(tmp_path / "programs")]


def pages_of_programs() -> list[int]:
    header = (REPO / "firmware/baremetal/workloads/workload.h").read_text()
    return [int(re.search(rf"{name.upper()}_PAGES (\d+)u", header)[1]) for name in PROGRAMS]


def recorded_from_the_rtl() -> list[tuple[int, int]]:
    """Return DRAM accesses and misses of each program in the RTL: the table of renode/README.md."""
    text = (REPO / "renode/README.md").read_text()
    rows = [
        [
            int(cell.replace(",", ""))
            for cell in re.search(rf"^\| {name} \| (.*) \|$", text, re.M)[1].split("|")
        ]
        for name in ("DRAM accesses, RTL", "misses, both")
    ]
    return list(zip(*rows, strict=True))


def counted(machine: list[str], caches: tuple[CacheShape, CacheShape]) -> list[tuple[int, int]]:
    """Return DRAM accesses of each program's pages, and how many pages it accessed."""
    stream = RecordStream()
    chunks = []
    monitor = Monitor(4096, caches, None, False, "exact")
    with running_machine(machine, monitor, stream=stream.writer.fileno()) as running:
        stream.started()
        for message in filter(None, stream.messages(lambda: running.process.poll() is not None)):
            chunks.append(message[1][:, 1] & np.uint64((1 << PAGE_BITS) - 1))
        (counts,) = read_counts(running.folder, EMULATOR)
    stream.close()
    reached = np.concatenate(chunks)
    assert counts.accesses == len(reached)
    ends = FIRST_PAGE + np.cumsum([0, *pages_of_programs()])
    programs = [reached[(reached >= begin) & (reached < end)] for begin, end in pairwise(ends.tolist())]
    return [(ACCESSES_OF_A_LINE * len(own), len(np.unique(own))) for own in programs]


def test_the_firmwares_programs_reach_memory_as_in_the_rtl(machine):
    found, expected = counted(machine, CACHES), recorded_from_the_rtl()
    assert [misses for _, misses in found] == [misses for _, misses in expected]
    assert max(abs(own - rtl) for (own, _), (rtl, _) in zip(found, expected, strict=True)) <= DIFFERENCE


def test_the_comparison_finds_other_caches(machine):
    """Its data cache writes back."""
    found = counted(machine, (CacheShape(4096, 1, 16), CACHES[1]))
    assert all(
        abs(own - rtl) > 1000 for (own, _), (rtl, _) in zip(found, recorded_from_the_rtl(), strict=True)
    )
