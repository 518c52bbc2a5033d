# SPDX-License-Identifier: BSD-2-Clause
"""Contexts by address space: which instructions load the root of page tables, and what counts where."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device

from tests.host.device.qemu.served_machine import EMULATOR, command, compiled_machine, machine, served
from tests.products import REPO
from tests.timeouts import scaled_timeout

# Encodings of the manuals (Intel SDM, MOV to control registers; Arm ARM, MSR; RISC-V privileged, satp is
# 0x180), and the number of the register that holds the new root; -1: the instruction loads none.
ENCODINGS = [
    ("x86_64", "0f22d8", 0),  # mov cr3, rax
    ("x86_64", "0f22df", 7),  # mov cr3, rdi
    ("x86_64", "410f22da", 10),  # mov cr3, r10
    ("x86_64", "0f22e0", -1),  # mov cr4, rax
    ("x86_64", "440f22d8", -1),  # mov cr11, rax
    ("x86_64", "0f20d8", -1),  # mov rax, cr3
    ("i386", "0f22db", 3),  # mov cr3, ebx
    ("aarch64", "002018d5", 0),  # msr ttbr0_el1, x0
    ("aarch64", "1c2018d5", 28),  # msr ttbr0_el1, x28
    ("aarch64", "202018d5", -1),  # msr ttbr1_el1, x0
    ("aarch64", "002038d5", -1),  # mrs x0, ttbr0_el1
    ("riscv64", "73900718", 15),  # csrw satp, a5
    ("riscv64", "f3175018", -1),  # csrrwi a5, satp, 0
    ("riscv64", "f3270018", -1),  # csrr a5, satp
    ("riscv32", "73900514", -1),  # csrw sscratch, a1
    ("riscv32", "73900518", 11),  # csrw satp, a1
    ("riscv64", "8280", -1),  # ret, compressed
]
PROGRAM = """
#include "qemu/root_writes.hpp"
#include <cstdio>
int main() {
    char target[16], hex[16];
    while (scanf("%15s %15s", target, hex) == 2) {
        uint8_t code[16];
        size_t length = 0;
        for (unsigned byte; sscanf(hex + 2 * length, "%2x", &byte) == 1; ++length)
            code[length] = uint8_t(byte);
        printf("%d\\n", litemrc_qemu::root_source(target, code, length));
    }
}
"""

# Three address spaces, of equal page tables; they make 1, 2 and 4 accesses in turn.
SPACES = """
__asm__(".globl _start\\n_start: j run\\n");
static unsigned tables[3][1024] __attribute__((aligned(4096)));
__attribute__((noreturn, used)) void run(void) {
    for (int i = 0; i < 3; i++)
        tables[i][0x80000000u >> 22] = 0x80000000u >> 12 << 10 | 0xCF;
    __asm__ volatile("csrw pmpaddr0, %0\\n csrw pmpcfg0, %1" : : "r"(-1), "r"(0x1f));
    for (unsigned turn = 0;; turn++)
        for (int i = 0; i < 3; i++) {
            unsigned long root = 1u << 31 | (unsigned)tables[i] >> 12;
            __asm__ volatile("csrw satp, %0\\n sfence.vma" : : "r"(root) : "memory");
            for (int n = 0; n < 1 << i; n++)
                *(volatile char *)(0x80100000u + i * 0x10000 + n * 4096);
            for (int n = 0; n < 2000; n++)
                __asm__ volatile("");
        }
}
"""


def qemu_version() -> int:
    if shutil.which(EMULATOR) is None:
        pytest.skip(f"{EMULATOR} is not installed")
    printed = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)", printed)
    assert found, printed
    return int(found[1])


def test_instructions_that_load_the_root_of_page_tables_are_found(tmp_path: Path) -> None:
    reader = tmp_path / "reader"
    native = REPO / "host/litemrc/native"
    subprocess.run(
        ["g++", "-std=c++17", "-I", native, "-x", "c++", "-", "-o", reader],
        input=PROGRAM,
        text=True,
        check=True,
    )
    lines = "".join(f"{target} {code}\n" for target, code, _ in ENCODINGS)
    found = subprocess.run([reader], input=lines, capture_output=True, text=True, check=True).stdout.split()
    assert [int(number) for number in found] == [number for _, _, number in ENCODINGS]


def test_accesses_count_in_the_context_of_their_address_space(tmp_path: Path) -> None:
    if qemu_version() < 9:
        pytest.skip("plugins of QEMU below 9 do not see address spaces")
    guest = compiled_machine(SPACES, tmp_path)
    options = ("--contexts", "spaces", "--cache", "none")
    with served(guest, *options) as running, Device(running.url, timeout_s=scaled_timeout(10)) as device:
        device.request("set_epoch", unit="accesses", length=7000)
        device.request("clear")
        device.request("monitor", on=True)
        collector = Collector(device)
        for _ in collector.collect(2):
            pass
    table = collector.table()
    last = table.epoch == table.epoch.max()
    counted = {int(c): int(n) for c, n in zip(table.context[last], table.accesses[last], strict=True)}
    # The epoch's length is 1,000 turns of 1 + 2 + 4 accesses. Numbers follow the order after the clear.
    assert running.process.stderr is not None
    tables = re.findall(r"context \d: page tables at 0x(8000\w000)\n", running.process.stderr.read())
    assert len(set(tables)) == 3, "the program's page tables are behind its code, at the start of the memory"
    assert sorted(counted) == [1, 2, 3] and sorted(counted.values()) == pytest.approx(
        [1000, 2000, 4000], rel=0.002
    )


def test_an_emulator_that_shows_no_address_spaces_is_named(tmp_path: Path) -> None:
    if qemu_version() >= 9:
        pytest.skip("this QEMU shows them")
    done = subprocess.run(
        command(machine(tmp_path), "--serve", "0", "--contexts", "spaces"),
        capture_output=True,
        text=True,
        timeout=scaled_timeout(30),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2 and "use QEMU 9 or later" in done.stderr
