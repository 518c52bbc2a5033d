# SPDX-License-Identifier: BSD-2-Clause
"""A machine of two harts in QEMU whose monitor `litemrc qemu --serve` serves."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from litemrc.errors import UserError
from litemrc.traces.qemu.emulator import machine_emulator, plugin_for

from tests.timeouts import scaled_timeout

EMULATOR, COMPILER = "qemu-system-riscv32", "riscv64-unknown-elf-gcc"
BASE, MEMORY_BYTES, PAGE_BYTES = 0x80000000, 64 << 20, 4096
PAGES = 300  # of each hart
# Of each hart, in different eighths of the memory.
FIRST_FRAMES = (1024, 5120)

# Each hart accesses its own pages at random, one in eight by a store, at 10^4 to 10^5 accesses a second.
PROGRAM = f"""
__asm__(".globl _start\\n_start: csrr a0, mhartid\\n j run\\n");
__attribute__((noreturn, used)) void run(unsigned hart) {{
    unsigned x = 1 + hart;
    const unsigned first = hart ? {FIRST_FRAMES[1]} : {FIRST_FRAMES[0]};
    volatile char *const data = (char *)({BASE}u + first * {PAGE_BYTES}u);
    for (;;) {{
        x = x * 1664525 + 1013904223;
        volatile char *const byte = data + (x >> 8) % ({PAGES} * {PAGE_BYTES});
        if (x >> 29)
            *byte;
        else
            *byte = 1;
        for (int i = 0; i < 3000; i++)
            __asm__ volatile("");
    }}
}}
"""


@dataclass(frozen=True)
class Served:
    """A running machine; `messages` reads what its command says after it has ended."""

    url: str
    process: "subprocess.Popen[str]"


def machine(folder: Path) -> list[str]:
    """The command of the machine; the test is skipped where something is missing."""
    return compiled_machine(PROGRAM, folder)


def compiled_machine(source: str, folder: Path) -> list[str]:
    """The command of a machine that runs a C program; the test is skipped where something is missing."""
    for tool in (EMULATOR, COMPILER):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    try:
        plugin_for(machine_emulator([EMULATOR]))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    program = folder / "program"
    options = ["-march=rv32ima_zicsr", "-mabi=ilp32", "-nostdlib", "-static", f"-Wl,-Ttext={BASE:#x}"]
    subprocess.run(
        [COMPILER, "-O1", "-mcmodel=medany", *options, "-x", "c", "-", "-o", program],
        input=source,
        text=True,
        check=True,
        timeout=scaled_timeout(60),
    )
    options = [
        "-M",
        "virt",
        "-m",
        "64M",
        "-smp",
        "2",
        "-display",
        "none",
        "-serial",
        "null",
        "-monitor",
        "none",
    ]
    return [EMULATOR, *options, "-bios", str(program)]


def command(machine: list[str], *options: str) -> list[str]:
    return [sys.executable, "-m", "litemrc.cli.main", "qemu", "--system", *options, "--", *machine]


@contextmanager
def served(machine: list[str], *options: str) -> Iterator[Served]:
    """Serve a machine on a free port until the end of the block; then everything it wrote is complete."""
    process = subprocess.Popen(
        command(machine, "--serve", "0", *options),
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    try:
        assert process.stderr is not None
        said = ""  # QEMU's own messages may come first
        while not (found := re.search(r"--port (socket://\S+)\n", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        yield Served(found[1], process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(scaled_timeout(30))
        except subprocess.TimeoutExpired:
            process.kill()
            raise
