# SPDX-License-Identifier: BSD-2-Clause
"""Programs and a machine for `measure.py`, and runs of QEMU without and with the plugin."""

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from litemrc.traces.qemu.counts import Counts, read_counts
from litemrc.traces.qemu.monitored import Monitor, plugin_option

REPO = Path(__file__).resolve().parents[2]
OUT = REPO / "build/bench/qemu"
ROUNDS = 3

# Two passes over 64 MiB, of a load and a store per word, then 6 M loads and stores of random bytes.
TOUCH = """
static char data[64 << 20];
int main(void)
{
	unsigned x = 1;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < sizeof(data); i += 4)
			(*(volatile int *)(data + i))++;
	for (int i = 0; i < 6000000; i++) {
		x = x * 1664525 + 1013904223;
		(*(volatile char *)(data + (x >> 6)))++;
	}
	return 0;
}
"""

# A load from each of PAGES pages of RAM; the host maps its page of zeros there, so that it needs no memory.
PAGES = """
.globl _start
_start:	csrr t0, mhartid
	li t1, 1
	slli t1, t1, 31
	li t2, PAGES
	li t3, 4096
1:	lb t4, 0(t1)
	add t1, t1, t3
	addi t2, t2, -1
	bnez t2, 1b
	li t5, 0x100000
	li t6, 0x5555
	sw t6, 0(t5)
2:	j 2b
"""

# A process of little memory of its own: that of its parent before exec is part of ru_maxrss (getrusage(2)).
_LAUNCH = """
import os, sys
process = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(process, 0)
with open(sys.argv[1], "w") as file:
    print(used.ru_utime + used.ru_stime, used.ru_maxrss << 10, file=file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def lines(name: str, size: int) -> Path:
    """Return a file of `size` bytes of random numbers as text, a number a line."""
    generator = random.Random(2004)
    path = OUT / name
    text = "".join(f"{generator.random()}\n" for _ in range(size // 18))
    path.write_text(text[:size])
    return path


def touch() -> Path:
    """Return the compiled program `TOUCH`."""
    command = ["gcc", "-O1", "-static", "-x", "c", "-", "-o", OUT / "touch"]
    subprocess.run(command, input=TOUCH, text=True, check=True)
    return OUT / "touch"


def machine(pages: int) -> list[str]:
    """Return the arguments of a machine of `pages` pages that loads from each."""
    program = OUT / f"pages-{pages}"
    options = ["-march=rv64ima_zicsr", "-mabi=lp64", "-nostdlib", "-static", "-Wl,-Ttext=0x80000000"]
    source = ["-x", "assembler-with-cpp", "-", "-o", program]
    command = ["riscv64-unknown-elf-gcc", *options, f"-DPAGES={pages}", *source]
    subprocess.run(command, input=PAGES, text=True, check=True)
    board = ["-M", "virt", "-m", f"{pages >> 8}M", "-display", "none", "-serial", "null"]
    return [*board, "-bios", str(program)]


def used(command: Sequence[str | Path]) -> tuple[float, int]:
    """Run a command; return its processor time in seconds and its peak resident memory in bytes."""
    report = OUT / "used"
    environment = os.environ | {"LC_ALL": "C"}
    launch = [sys.executable, "-S", "-E", "-c", _LAUNCH, report]
    subprocess.run([*launch, *command], check=True, env=environment, stdout=subprocess.DEVNULL)
    seconds, peak = report.read_text().split()
    return float(seconds), int(peak)


def observed(emulator: Path, monitor: Monitor, words: Sequence[str]) -> tuple[float, int, Counts]:
    """Run QEMU with the plugin; return processor time, peak memory and the counts."""
    with plugin_option(emulator, monitor, None) as (folder, option):
        seconds, peak = used([emulator, "-plugin", option, *words])
        (counts,) = read_counts(folder, words[-1])
    return seconds, peak, counts
