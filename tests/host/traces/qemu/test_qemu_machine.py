# SPDX-License-Identifier: BSD-2-Clause
"""The plugin in QEMU's system mode: physical addresses, processors, devices; and `litemrc qemu --system`."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest
from litemrc.errors import UserError
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.qemu.counts import COUNTED, PAGE_BITS, RecordStream, read_counts
from litemrc.traces.qemu.emulator import machine_emulator, mixes_processors, plugin_for
from litemrc.traces.qemu.monitored import Monitor, running_machine

from tests.host.trace_columns import columns
from tests.host.traces.qemu.qemu_programs import golden_counts, recorded, transfers
from tests.timeouts import scaled_timeout

EMULATOR, COMPILER = "qemu-system-riscv32", "riscv64-unknown-elf-gcc"
TURNS, PAGES, CROSSED = 6000, 200, 150
VIRTUAL, PHYSICAL = 0x40000000, 0x80400000

# Hart 0 accesses VIRTUAL, which is translated (mstatus.MPRV) to PHYSICAL; other harts increment one word in
# turns with it.
PROGRAM = f"""
__asm__(".globl _start\\n_start: csrr a0, mhartid\\n j run\\n");
static unsigned table[1024] __attribute__((aligned(4096)));
static volatile int ended, word;
static volatile unsigned *const finisher = (unsigned *)0x100000;
static volatile char *const uart = (char *)0x10000000;
static inline void add(void) {{
    for (int i = 0; i < 5000; i++)
        __asm__ volatile("amoadd.w zero, %1, (%0)" : : "r"(&word), "r"(1) : "memory");
}}
__attribute__((noreturn, used)) void run(unsigned hart) {{
    if (hart) {{
        add();
        __asm__ volatile("amoadd.w zero, %1, (%0)" : : "r"(&ended), "r"(1) : "memory");
        for (;;)
            __asm__ volatile("wfi");
    }}
#if HARTS > 1
    add();
    while (ended != HARTS - 1)
        ;
#else
    table[{VIRTUAL >> 22}] = ({PHYSICAL}u >> 12) << 10 | 0xCF;
    __asm__ volatile("csrw pmpaddr0, %0\\n csrw pmpcfg0, %1" : : "r"(-1), "r"(0x1f));
    __asm__ volatile("csrw satp, %0\\n sfence.vma\\n csrs mstatus, %1"
                     : : "r"(1u << 31 | (unsigned)table >> 12), "r"(1 << 17 | 1 << 11) : "memory");
    unsigned x = 1;
    volatile unsigned char *const data = (volatile unsigned char *){VIRTUAL};
    for (int i = 0; i < {TURNS}; i++) {{
        x = x * 1664525 + 1013904223;
        data[(x >> 8) % ({PAGES} * 4096)]++;
        if (i % 5 == 0)
            __asm__ volatile("lw a0, (%0)"
                             : : "r"(data + (x >> 12) % {CROSSED} * 4096 + 4094) : "a0", "memory");
    }}
    __asm__ volatile("csrc mstatus, %0" : : "r"(1 << 17));
#endif
    while (FOREVER)
        word = 1;
    *uart = 0;
    *finisher = 0x5555;
    for (;;)
        ;
}}
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Return a function: the command of a machine whose memory holds the program, for n harts."""
    for tool in (EMULATOR, COMPILER):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    try:
        plugin_for(machine_emulator([EMULATOR]))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    folder = tmp_path_factory.mktemp("machine")

    def command(harts: int = 1, *, forever: bool = False) -> list[str]:
        program = folder / f"program-{harts}-{forever}"
        options = ["-march=rv32ima_zicsr", "-mabi=ilp32", "-nostdlib", "-static", "-Wl,-Ttext=0x80000000"]
        defines = [f"-DHARTS={harts}", f"-DFOREVER={int(forever)}"]
        if not program.exists():
            subprocess.run(
                [COMPILER, "-O1", "-mcmodel=medany", *options, *defines, "-x", "c", "-", "-o", str(program)],
                input=PROGRAM,
                text=True,
                check=True,
                timeout=scaled_timeout(60),
            )
        options = ["-M", "virt", "-m", "32", "-smp", str(harts), "-display", "none", "-serial", "null"]
        return [EMULATOR, *options, "-bios", str(program)]

    return command


def finisher_stores() -> int:
    """Return how many stores to the finisher count: since version 8.2, QEMU ends after it, not within it."""
    printed = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", printed)
    assert found is not None, printed
    return int((int(found[1]), int(found[2])) >= (8, 2))


def accesses_of_hart_0() -> list[tuple[int, int, int]]:
    """Return kind, physical address and size of what the program accesses through its page table."""
    x, expected = 1, []
    for turn in range(TURNS):
        x = (x * 1664525 + 1013904223) % 2**32
        byte = PHYSICAL + (x >> 8) % (PAGES * 4096)
        expected += [(0, byte, 1), (1, byte, 1)]
        if turn % 5 == 0:
            expected.append((0, PHYSICAL + (x >> 12) % CROSSED * 4096 + 4094, 2))  # of 4 bytes, 2 on the page
    return expected


def test_accesses_are_those_of_the_program_at_physical_addresses(machine):
    monitor = Monitor(4096, (), None, False, "bucket", 256, 16, epoch=1000, raw=True)
    run = recorded(machine(), monitor, machine=True)
    (counts,) = run.counts
    program = [(kind, address, size) for _, kind, address, size in run.accesses if address >= PHYSICAL]
    assert program == accesses_of_hart_0()
    # Before: two words of QEMU's reset code, and the page-table entry. At the end devices: UART, finisher.
    assert [(kind, size) for _, kind, address, size in run.accesses if address < PHYSICAL] == [
        (0, 4),
        (0, 4),
        (1, 4),
    ]
    assert (counts.loads, counts.stores) == (TURNS + TURNS // 5 + 2, TURNS + 1)
    assert (counts.device_accesses, counts.cut) == (1 + finisher_stores(), TURNS // 5)


@pytest.mark.parametrize(
    "monitor",
    [
        Monitor(4096, (), None, False, "bucket", 256, 16, epoch=1000, raw=True),
        Monitor(4096, (), None, False, "group", 256, 64, sampling=2, raw=True),
        Monitor(
            4096, (CacheShape(512, 2, 32), CacheShape(2048, 4, 64), CacheShape(16384, 4, 64)), None, False,
            "group", 512, 16, epoch=100, raw=True,
        ),
    ],
    ids=["bucket", "group, sampled", "group, cached"],
)  # fmt: skip
@pytest.mark.parametrize("harts", [1, 3])
def test_counters_of_a_machine_equal_those_of_the_golden_models(machine, monitor, harts):
    run = recorded(machine(harts), monitor, machine=True)
    (counts,) = run.counts  # checked by read_counts: sent = taken, passed = counted
    reached = transfers(run.accesses, monitor)
    hits, misses, outside, unsampled, working_sets = golden_counts((a >> 12 for a, _ in reached), monitor)
    assert dict(enumerate(counts.hits.tolist())) == hits
    assert (counts.misses, counts.outside, counts.unsampled) == (misses, outside, unsampled)
    assert counts.working_sets == working_sets
    assert counts.accesses == len(reached) > 0


def test_references_of_intervals_are_those_of_the_stream(machine):
    """Without caches each reference is in the stream: counted there, too, by interval and page."""
    interval = 1000
    monitor = Monitor(4096, (), None, False, interval=interval)
    expected, counted = Counter(), Counter()
    stream = RecordStream()
    with running_machine(machine(), monitor, stream=stream.writer.fileno()) as running:
        stream.started()
        for message in filter(None, stream.messages(lambda: running.process.poll() is not None)):
            for time_, word in message[1].tolist():
                page = word & ((1 << PAGE_BITS) - 1)
                if time_ & COUNTED:
                    counted[(time_ ^ COUNTED, page)] += word >> PAGE_BITS
                else:
                    expected[(-(-time_ // interval) * interval, page)] += 1
    stream.close()
    assert expected.total() == 2 * TURNS + TURNS // 5 + 3
    assert counted == expected


def test_a_page_with_more_references_than_a_record_counts_has_several_records(machine):
    """One interval, in which hart 0 writes one word far more than 65,535 times."""
    monitor = Monitor(4096, (CacheShape(512, 2, 32),), None, False, interval=1 << 40)
    stream = RecordStream()
    with running_machine(machine(forever=True), monitor, stream=stream.writer.fileno()) as running:
        stream.started()
        time.sleep(scaled_timeout(2))
        running.process.terminate()  # QEMU then ends in order
        messages = list(filter(None, stream.messages(lambda: running.process.poll() is not None)))
        (counts,) = read_counts(running.folder, EMULATOR)
    stream.close()
    words = [word for _, records in messages for time_, word in records.tolist() if time_ & COUNTED]
    assert max(word >> PAGE_BITS for word in words) == 0xFFFF
    assert sum(word >> PAGE_BITS for word in words) == counts.loads + counts.stores > 0xFFFF


def test_harts_that_race_lose_no_count(machine):
    monitor = Monitor(4096, (), None, False, "exact", raw=True)
    run = recorded(machine(3), monitor, machine=True)
    (counts,) = run.counts
    # Of each hart 5,000 atomic increments, QEMU's reset code of 2 loads; of two harts one more increment.
    assert counts.stores == 3 * 5000 + 2
    assert {number for number, *_ in run.accesses} == {0, 1, 2}


def litemrc_qemu(*arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "litemrc.cli.main", "qemu", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_prints_the_curve_of_a_machine(machine):
    process = litemrc_qemu("--system", "--json", "--cache", "none", "--", *machine())
    out, messages = process.communicate(timeout=scaled_timeout(120))
    assert process.returncode == 0, messages
    curve = json.loads(out)
    references = 2 * TURNS + TURNS // 5 + 3
    assert (curve["references"], curve["accesses"]) == (references, references)
    assert curve["device_accesses"] == 1 + finisher_stores()
    # Pages of the data, of the page table, and of the ROM.
    touched = {address >> 12 for _, address, _ in accesses_of_hart_0()}
    assert curve["cold_misses"] == len(touched) + 2
    assert f"{TURNS // 5:,} accesses go on in another page" in messages


def test_ctrl_c_ends_a_machine_and_prints_what_was_counted(machine):
    process = litemrc_qemu("--system", "--json", "--cache", "none", "--", *machine(2, forever=True))
    time.sleep(scaled_timeout(2))
    process.send_signal(2)
    out, messages = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 130, messages
    curve = json.loads(out)
    assert curve["interrupted"] is True and curve["accesses"] > 10_000


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--", "true"], "no emulator of a machine"),
        (["--", "qemu-system-none"], "the emulator does not exist"),
        (["--", EMULATOR, "-enable-kvm"], "sees none of its accesses"),
        (["--", EMULATOR, "-M", "virt,accel=kvm:tcg"], "sees none of its accesses"),
        (["--", EMULATOR, "-daemonize"], "go on without this command"),
        (["--sysroot", "/", "--", EMULATOR], "is for programs"),
        (["--icache", "16k:4:64", "--", EMULATOR], "instruction fetches of a machine"),
    ],
)
def test_bad_arguments_of_a_machine_exit_with_2(machine, arguments, complaint):
    process = litemrc_qemu("--system", *arguments)
    _, messages = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode == 2 and complaint in messages and "Traceback" not in messages


def test_a_kernel_named_kvm_is_no_accelerator(machine):
    assert machine_emulator([EMULATOR, "-append", "kvm", "-kernel", "kvm"]).name == EMULATOR


def test_a_machine_is_captured_with_physical_pages(machine, tmp_path):
    trace = tmp_path / "machine.parquet"
    subprocess.run(
        [
            *(sys.executable, "-m", "litemrc.cli.main", "trace", "capture", "--system", "--cache", "none"),
            *("--out", str(trace), "--", *machine()),
        ],
        check=True,
        timeout=scaled_timeout(60),
    )
    found = columns(trace, "parquet")
    expected = [(address >> 12, bool(kind)) for kind, address, _ in accesses_of_hart_0()]
    pages = list(zip(found["pages"], found["writes"], strict=True))
    assert pages[-len(expected) :] == expected and len(pages) == len(expected) + 3
    assert set(pq.read_table(trace)["processor"].to_pylist()) == {0}


def test_options_of_programs_are_refused_for_machines(machine, tmp_path):
    out = tmp_path / "machine.parquet"
    for options, system, complaint in (
        (["--children"], True, "is for programs"),
        (["--sysroot", "/"], True, "is for programs"),
        (["--contexts", "spaces"], False, "is for whole machines"),
    ):
        command = [sys.executable, "-m", "litemrc.cli.main", "trace", "capture", *options, "--out", str(out)]
        done = subprocess.run(
            [*command, *["--system"] * system, "--", *machine()],
            capture_output=True,
            text=True,
            timeout=scaled_timeout(60),
        )
        assert done.returncode == 2 and complaint in done.stderr and not out.exists()


@pytest.mark.parametrize(
    ("options", "version", "mixed"),
    [
        (["-smp", "4", "-icount", "shift=0"], 10, True),
        (["-smp", "2,sockets=1", "-accel", "tcg,thread=single"], 9, True),
        (["-smp", "4", "-icount", "shift=0"], 7, False),
        (["-smp", "1", "-icount", "shift=0"], 10, False),
        (["-smp", "4"], 10, False),
    ],
)
def test_an_emulator_that_mixes_up_processors_in_turns_is_known(options, version, mixed, tmp_path):
    emulator = tmp_path / "qemu-system-some"
    emulator.write_text(f"#!/bin/sh\necho QEMU emulator version {version}.0.2\n")
    emulator.chmod(0o755)
    assert mixes_processors([str(emulator), *options], emulator) == mixed
