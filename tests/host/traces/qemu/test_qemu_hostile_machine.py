# SPDX-License-Identifier: BSD-2-Clause
"""A machine whose harts make accesses that are hard to count, and count them: `hostile_machine.c`."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces.cache_shape import CacheShape
from litemrc.traces.qemu.emulator import machine_emulator, plugin_for
from litemrc.traces.qemu.monitored import Monitor

from tests.host.traces.qemu.qemu_programs import Recorded, golden_counts, recorded, transfers
from tests.timeouts import scaled_timeout

EMULATOR, COMPILER = "qemu-system-riscv32", "riscv64-unknown-elf-gcc"
HARTS, TURNS, PAGES, ARENA = 4, 800, 600, 0x80400000
FIELDS = ("loads", "stores", "atomics", "devices", "crossing", "stale", "wrong")
REPORT_BYTES = HARTS * len(FIELDS) * 4

SAMPLED = Monitor(4096, (), None, False, "bucket", 256, 16, sampling=1, epoch=1000, raw=True)
CACHED = Monitor(
    4096, (CacheShape(512, 2, 32), CacheShape(2048, 4, 64), CacheShape(16384, 4, 64)), None, False,
    "group", 512, 16, epoch=777, raw=True,
)  # fmt: skip


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Return a function: the command of the machine, given the file for its UART and further options."""
    for tool in (EMULATOR, COMPILER):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    try:
        plugin_for(machine_emulator([EMULATOR]))
    except UserError as error:
        pytest.skip(f"{error.what}; {error.remedy}")
    folder = tmp_path_factory.mktemp("hostile")

    def command(uart: Path, *options: str, go_on: bool = False) -> list[str]:
        program = folder / f"program-{go_on}"
        target = ["-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-mcmodel=medany", "-O1", "-ffreestanding"]
        defines = [f"-DHARTS={HARTS}", f"-DTURNS={TURNS}", f"-DPAGES={PAGES}", f"-DGO_ON={int(go_on)}"]
        linked = ["-nostdlib", "-static", "-Wl,-Ttext=0x80000000,--no-relax"]
        source = Path(__file__).with_name("hostile_machine.c")
        if not program.exists():
            subprocess.run(
                [COMPILER, *target, *defines, *linked, source, "-o", program],
                check=True, timeout=scaled_timeout(60),
            )  # fmt: skip
        board = ["-M", "virt", "-m", "32", "-smp", str(HARTS), "-display", "none", "-serial", f"file:{uart}"]
        return [EMULATOR, *board, *options, "-bios", str(program)]

    return command


def emulator_version() -> tuple[int, int]:
    printed = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", printed)
    assert found is not None, printed
    return int(found[1]), int(found[2])


def check_against_golden(run: Recorded, monitor: Monitor) -> None:
    (counts,) = run.counts  # checked by read_counts: sent = taken, passed = counted
    kinds = Counter(kind for _, kind, _, _ in run.accesses)
    assert (counts.loads, counts.stores) == (kinds[0], kinds[1])
    reached = transfers(run.accesses, monitor)
    hits, misses, outside, unsampled, working_sets = golden_counts((a >> 12 for a, _ in reached), monitor)
    assert dict(enumerate(counts.hits.tolist())) == hits
    assert (counts.misses, counts.outside, counts.unsampled) == (misses, outside, unsampled)
    assert counts.working_sets == working_sets
    assert sum(hits.values()) + misses + outside + unsampled == len(reached) > 8000


@pytest.mark.parametrize("monitor", [SAMPLED, CACHED], ids=["sampled", "cached"])
@pytest.mark.parametrize("clock", [(), ("-icount", "shift=7")], ids=["harts in parallel", "harts in turns"])
def test_each_access_of_hostile_harts_is_counted_once(machine, tmp_path, monitor, clock):
    uart = tmp_path / "uart"
    run = recorded(machine(uart, *clock), monitor, machine=True)
    (counts,) = run.counts
    made = np.frombuffer(uart.read_bytes(), np.dtype([(name, "<u4") for name in FIELDS]))
    assert len(made) == HARTS and not made["wrong"].any() and run.code == 0
    # In parallel, QEMU may run code again that a hart has rewritten: `tlb_set_dirty` after a store races with
    # another hart's `tlb_reset_dirty` (N. Piggin, "Fix TCG TLB coherency race ...", qemu-devel, 2024-02-20).
    if clock:
        assert not made["stale"].any()
    # An atomic operation is translated to a load and a store where harts take turns. In parallel, QEMU calls
    # the plugin once for it, for a store, and since 9.2 twice.
    both = bool(clock) or emulator_version() >= (9, 2)
    seen = Counter((hart, kind) for hart, kind, address, _ in run.accesses if address >= ARENA)
    expected = Counter()
    for hart, own in enumerate(made.tolist()):
        loads, stores, atomics, *_ = own
        # Where harts take turns, QEMU 10 names the hart for which the code was translated (gen_cpu_index).
        named = 0 if clock and emulator_version() >= (10, 0) else hart
        expected[named, 0] += loads + both * atomics
        expected[named, 1] += stores + atomics
    if clock and emulator_version() >= (10, 0):
        seen = Counter({(0, kind): sum(seen[hart, kind] for hart in range(HARTS)) for kind in (0, 1)})
    assert seen == expected
    # The report, and the finisher's register since QEMU 8.2 (earlier ones end within the store).
    assert counts.device_accesses == made["devices"].sum() + REPORT_BYTES + (emulator_version() >= (8, 2))
    assert counts.cut == made["crossing"].sum() >= HARTS * TURNS // 5 * 2
    check_against_golden(run, monitor)
    assert monitor is CACHED or min(counts.outside, counts.unsampled) > 100


def test_a_machine_that_ends_amid_a_storm_loses_no_count(machine, tmp_path):
    run = recorded(machine(tmp_path / "uart", go_on=True), SAMPLED, machine=True)
    assert {hart for hart, *_ in run.accesses} == set(range(HARTS))
    check_against_golden(run, SAMPLED)
