# SPDX-License-Identifier: BSD-2-Clause
"""The DRAM commands that the monitor counts are those of kernels behind the caches, and of LiteX's mem_speed.

`make test-boards` builds what it needs and runs it. `make test` skips it without a build.
The simulated ULX3S has the program of firmware/baremetal/bandwidth in its ROM.
"""

import json
from collections.abc import Callable, Iterator

import pytest

from bench.bandwidth import PROGRAM, SIM, Measured, Run, constants, run_kernels
from tests.timeouts import scaled_timeout

RUN_S = 600.0
KERNELS = ("read", "memset", "memcpy", "copy", "triad", "random", "chase")

pytestmark = [
    pytest.mark.soc,
    pytest.mark.timeout(3 * RUN_S),
    pytest.mark.skipif(
        not (SIM / "gateware/obj_dir/Vsim").exists() or not PROGRAM.exists(),
        reason="not built: make test-boards",
    ),
]

WORD = 4
L2_LINE = 16  # LiteX: add_sdram's l2_cache_min_data_width of 128 bits
DATA_CACHE = 4096  # VexRiscv for Linux: one way of 128 lines of 32 bytes
ROW, BANKS = 1024, 4  # MT48LC16M16: 512 columns of 2 bytes; LiteDRAM: the next row is in the next bank
MEM_SPEED = 512 * 1024  # bytes: firmware/baremetal/bandwidth/mem_speed.c


class Caches:
    """A write-through data cache that allocates by reads, and a write-back L2 cache; both direct mapped.

    They are empty at first: after the flush they have clean lines of elsewhere, evicted without a write.
    """

    def __init__(self, l2_bytes: int, data_line: int) -> None:
        self.l2_sets, self.data_line = l2_bytes // L2_LINE, data_line
        self.data_tags: dict[int, int] = {}
        self.tags: dict[int, int] = {}
        self.dirty: set[int] = set()
        self.filled = self.written_back = 0  # bytes

    def load(self, address: int) -> None:
        line = address // self.data_line
        index = line % (DATA_CACHE // self.data_line)
        if self.data_tags.get(index) != line:
            self.data_tags[index] = line
            for part in range(line * self.data_line, (line + 1) * self.data_line, L2_LINE):
                self._use(part, written=False)

    def store(self, address: int) -> None:
        self._use(address, written=True)

    def _use(self, address: int, written: bool) -> None:
        line = address // L2_LINE
        index = line % self.l2_sets
        if self.tags.get(index) != line:
            self.tags[index] = line
            self.filled += L2_LINE
            if index in self.dirty:
                self.written_back += L2_LINE
                self.dirty.discard(index)
        if written:
            self.dirty.add(index)


def xorshift32(state: int) -> Iterator[int]:
    """firmware/baremetal/random.h."""
    while True:
        for shift in (13, -17, 5):
            state ^= (state << shift if shift > 0 else state >> -shift) & 0xFFFFFFFF
        yield state


def accesses(kernel: str, of: dict[str, int]) -> Iterator[tuple[bool, int]]:
    """Yield (stores, address) of each load and store of a kernel: firmware/baremetal/bandwidth/kernels.c."""
    first, second, third = (of[f"{name}_ARRAY"] for name in ("FIRST", "SECOND", "THIRD"))
    streams = {  # (stores, array) in turn, word after word
        "read": [(False, first)],
        "memset": [(True, first)],
        "memcpy": [(False, first), (True, second)],
        "copy": [(False, first), (True, second)],
        "triad": [(False, first), (False, second), (True, third)],
    }
    if kernel == "random":
        numbers = xorshift32(of["RANDOM_SEED"])
        for _ in range(of["RANDOM_LOADS"]):
            yield False, first + WORD * (next(numbers) % (of["RANDOM_BYTES"] // WORD))
    elif kernel == "chase":
        lines = list(range(of["ARRAY_BYTES"] // of["LINE_BYTES"]))
        numbers = xorshift32(of["RANDOM_SEED"])
        for last in reversed(range(1, len(lines))):
            other = (next(numbers) >> 8) % last
            lines[last], lines[other] = lines[other], lines[last]
        at = 0
        for _ in lines:
            yield False, first + at * of["LINE_BYTES"]
            at = lines[at]
    else:
        for offset in range(0, of["ARRAY_BYTES"], WORD):
            for stores, array in streams[kernel]:
                yield stores, array + offset


@pytest.fixture(scope="module")
def described() -> dict[str, int]:
    constants_of_soc: dict[str, int] = json.loads((SIM / "csr.json").read_text())["constants"]
    return constants_of_soc


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_kernels(tmp_path_factory.mktemp("bandwidth"), scaled_timeout(RUN_S))


def moved(measured: Measured, described: dict[str, int]) -> tuple[int, int]:
    """Bytes read from and written to the DRAM, as the monitor counted them."""
    return measured.reads * described["mrc_access_bytes"], measured.writes * described["mrc_access_bytes"]


def test_mem_speed_moves_its_bytes_and_what_the_l2_cache_adds(run: Run, described: dict[str, int]) -> None:
    l2 = described["config_l2_size"]
    # A write fills the line first. At the end all lines of the L2 cache are dirty: they are not yet written.
    assert moved(run.measured["mem_speed_write"], described) == (MEM_SPEED, MEM_SPEED - l2)
    # flush_l2_cache() of LiteX reads twice the cache's bytes: these lines replace the dirty ones.
    assert moved(run.measured["mem_speed_flush"], described) == (2 * l2, l2)
    assert moved(run.measured["mem_speed_read"], described) == (MEM_SPEED, 0)


@pytest.mark.parametrize("direction", ["Write", "Read"])
def test_the_monitors_speed_is_that_which_mem_speed_prints(
    run: Run, described: dict[str, int], direction: str
) -> None:
    measured = run.measured[f"mem_speed_{direction.lower()}"]
    counted = moved(measured, described)[direction == "Write"]
    speed = counted * described["config_clock_frequency"] / measured.epoch_cycles
    least, above = run.speeds[direction]
    assert 0.98 * least < speed < 1.02 * above
    # With the lines that stay dirty; the epoch is longer by its begin and end, and the division of 64 bits.
    owed = MEM_SPEED - counted
    assert owed == (described["config_l2_size"] if direction == "Write" else 0)
    whole = speed * MEM_SPEED / counted
    assert 0.995 * least < whole < above


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_moves_the_lines_that_its_accesses_miss(
    run: Run, described: dict[str, int], kernel: str
) -> None:
    of = constants()
    caches = Caches(described["config_l2_size"], of["LINE_BYTES"])
    loaded = stored = 0
    for stores, address in accesses(kernel, of):
        if stores:
            caches.store(address)
            stored += WORD
        else:
            caches.load(address)
            loaded += WORD
    measured = run.measured[kernel]
    assert (measured.loaded, measured.stored) == (loaded, stored)
    assert moved(measured, described) == (caches.filled, caches.written_back)


@pytest.mark.parametrize(
    ("kernel", "arrays", "dirty"),
    [
        # Arrays that are filled; bytes of stores that are still in the L2 cache at the end: all of it, or
        # the sets that the next stream behind the stores has not reached.
        ("read", 1, None),
        ("memset", 1, lambda of, l2: l2),
        ("memcpy", 2, lambda of, l2: (of["SECOND_ARRAY"] - of["FIRST_ARRAY"]) % l2),
        ("copy", 2, lambda of, l2: (of["SECOND_ARRAY"] - of["FIRST_ARRAY"]) % l2),
        ("triad", 3, lambda of, l2: (of["THIRD_ARRAY"] - of["SECOND_ARRAY"]) % l2),
        ("chase", 1, None),  # each line once
    ],
)
def test_streams_fill_their_arrays_and_write_back_all_but_the_dirty_lines(
    run: Run,
    described: dict[str, int],
    kernel: str,
    arrays: int,
    dirty: Callable[[dict[str, int], int], int] | None,
) -> None:
    of = constants()
    written = of["ARRAY_BYTES"] - dirty(of, described["config_l2_size"]) if dirty else 0
    assert moved(run.measured[kernel], described) == (arrays * of["ARRAY_BYTES"], written)


def test_sequential_reads_open_each_row_once_and_again_after_a_refresh(
    run: Run, described: dict[str, int]
) -> None:
    measured = run.measured["mem_speed_read"]
    rows = MEM_SPEED // ROW
    # A refresh closes the row that is read; it opens no other one if it comes between two rows.
    assert rows <= measured.activates <= rows + measured.refreshes
    assert measured.row_conflicts == 0  # the next row is in the next bank, which a refresh closed


def test_a_store_that_misses_conflicts_with_the_line_that_it_evicts(
    run: Run, described: dict[str, int]
) -> None:
    measured, l2 = run.measured["mem_speed_write"], described["config_l2_size"]
    # The line in its set is the size of the L2 cache behind: in the same bank, in another row.
    assert l2 % (ROW * BANKS) == 0
    fills, evictions = MEM_SPEED // L2_LINE, (MEM_SPEED - l2) // L2_LINE
    # An ACTIVATE for each, but fills before the first eviction share rows; a refresh adds one at most.
    # The first ACTIVATE of each bank after a refresh is no conflict.
    least = fills + evictions - l2 // L2_LINE
    assert least <= measured.activates <= least + l2 // L2_LINE + measured.refreshes
    assert least - BANKS * measured.refreshes <= measured.row_conflicts <= measured.activates


@pytest.mark.parametrize("kernel", KERNELS)
def test_row_hits_and_refreshes_agree_with_commands_and_cycles(run: Run, kernel: str) -> None:
    measured = run.measured[kernel]
    # The first access after an ACTIVATE is no hit, all others are. LiteDRAM opens a row for an access, but a
    # refresh may close it before that: the row is then opened a second time.
    opened_twice = measured.row_hits + measured.activates - measured.accesses
    assert 0 <= opened_twice <= measured.refreshes
    assert measured.row_conflicts <= measured.activates
    # The epoch begins earlier and ends later than the kernel, by the commands to the monitor.
    assert measured.cycles < measured.epoch_cycles < measured.cycles + 500
    # A refresh each 390 cycles (8,192 in 64 ms at 50 MHz, rounded down); one more or fewer at either end.
    assert abs(measured.refreshes - measured.epoch_cycles / 390) < 2


def test_no_rule_of_the_memory_chip_is_broken(run: Run) -> None:
    assert set(run.measured) == {*KERNELS, "mem_speed_write", "mem_speed_flush", "mem_speed_read"}
    assert run.broken - {"MR_RESERVED"} == set()  # as in test_ulx3s.py
