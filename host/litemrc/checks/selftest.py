# SPDX-License-Identifier: BSD-2-Clause
"""The self-test of a device: link, memory, and counts that are known without a recording of its accesses.

`memtest` passes three times over P pages in ascending order (firmware/baremetal/workloads): it writes; checks
and writes; checks. A direct-mapped, write-back L2 of less than P pages has evicted a line before the next
pass comes to it. So each pass fetches the 256 lines of 16 bytes of each page, and each line is written back
after the first two passes: 5 x 256 x P lines. A line is a burst of 1 to 16 accesses, by the width of the
DRAM's port. The first fetch of a page is a miss; in later passes it has LRU position P, as all other pages
were accessed since. Every other access is to one of the last three pages. So on every DRAM and at any clock:

    misses = P    accesses = 5 x 256 x P x burst    hits at position P = 2 x P    others in the first group

An engine that is not exact may count a hit one group off. The counts of the programs `KNOWN` do not follow by
arithmetic: selftest_counts.json has those of the simulator, written by scripts/boards/selftest_counts.py.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from litemrc.curves.sizes import size_text
from litemrc.device.bridge.layout import layout
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device, system_text
from litemrc.device.errors import LinkError, RequestRefusedError
from litemrc.device.link.protocol import Message, host_requests
from litemrc.device.link.schema import version_text
from litemrc.device.running import Run, get_split
from litemrc.texts import printable

BLOCK_PAGES = 16  # pages that memtest tests at each step of its scale
LINES_OF_A_PAGE = 256
BURSTS = (1, 2, 4, 8, 16)
KNOWN = ("loop", "chase", "matmul")
COUNTS = Path(__file__).with_name("selftest_counts.json")

OK, FAILED, NOT_DONE = "ok", "FAILED", "not done"
_MEMTEST = "memtest"
_EPOCH_CYCLES = 1 << 24
_ECHOES = 32
_CONTEXTS = len(KNOWN) + 2  # context 0, and one for memtest behind those of the programs
_CANNOT = ("busy", "read_only", "unknown", "unsupported")
_RESULT = re.compile(r"memtest: (\d+) pages, (\d+) wrong words, first (\d+), bits (0x[0-9a-f]+)")


@dataclass(frozen=True)
class Step:
    """A part of the self-test: its verdict (`OK`, `FAILED` or `NOT_DONE`), why, and what was measured."""

    name: str
    verdict: str
    detail: str
    measured: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """Sums over all epochs of one context; `hits` by page group."""

    hits: tuple[int, ...] = ()
    accesses: int = 0
    misses: int = 0


class _NotDoneError(Exception):
    """A step that this device cannot do, with the reason."""


def self_test(
    device: Device,
    memory_pages: int | None = None,
    say: Callable[[str], object] = lambda text: None,
    board: str | None = None,
) -> Iterator[Step]:
    """Yield one step after the other; stops behind one in which the device was lost.

    On bare metal it sets range, sampling, freezing and split to what they are after boot, and clears the
    stacks.

    Parameters
    ----------
    memory_pages
        how much of the DRAM to test, from its start, at least; None: all.
    say
        takes a line at the begin of a step that takes long.
    board
        the board that the gateware must be of, by its identifier; None: any.
    """
    test = _SelfTest(device, memory_pages, say, board)
    for name in ("identity", "link", "memory", "monitor", "counts"):
        try:
            yield Step(name, *getattr(test, name)())
        except _NotDoneError as error:
            yield Step(name, NOT_DONE, str(error))
        except RequestRefusedError as error:
            yield Step(name, NOT_DONE if error.code in _CANNOT else FAILED, error.what)
        except LinkError as error:
            yield Step(name, FAILED, error.what)
            return


def run_known(device: Device) -> tuple[dict[int, Counts], list[str]]:
    """Run the programs of `KNOWN` in contexts 1, 2 ...; nothing of earlier programs is in L2 and stacks.

    Returns
    -------
    The counts by context, and what must not happen: losses and drops.
    """
    _run(device, [Run(_MEMTEST, _CONTEXTS - 1)])
    device.request("clear")
    runs = [Run(name, context) for context, name in enumerate(KNOWN, 1)]
    counts, _, wrong = _run(
        device, [*runs, Run(_MEMTEST, _CONTEXTS - 1)]
    )  # it evicts the last modified lines
    return counts, wrong


def memtest_problems(found: Counts, pages: int, group_pages: int, engine: str) -> list[str]:
    """Compare the counts of `memtest` with those that follow for `pages` pages."""
    wrong = []
    lines = 5 * LINES_OF_A_PAGE * pages
    if found.misses != pages:
        wrong.append(f"{found.misses} misses, not {pages}")
    if found.accesses not in [lines * burst for burst in BURSTS]:
        wrong.append(f"{found.accesses} accesses, not 1, 2, 4, 8 or 16 times {lines}")
    group, near = (pages - 1) // group_pages, engine not in layout().exact_engines
    deep = set(range(group - near, group + near + 1))
    if strange := [g for g, hits in enumerate(found.hits) if hits and g and g not in deep]:
        wrong.append(f"hits in group {strange[0]}, not in {group}")
    elif 0 not in deep and (hits := sum(found.hits[1:])) != 2 * pages:
        wrong.append(f"{hits} hits at position {pages}, not {2 * pages}")
    return wrong


def known_problems(
    found: dict[int, Counts], hello: Message, expected: dict[str, Any]
) -> tuple[list[str], str]:
    """Compare with the file's counts; returns what differs, and what could not be compared."""
    key = {name: getattr(hello, name) for name in ("engine", "frames", "groups", "recent_pages")}
    groups = next((each["hits"] for each in expected["monitors"] if key.items() <= each.items()), None)
    wrong, bursts = [], set()
    for context, name in enumerate(KNOWN, 1):
        counts, lines = found.get(context, Counts()), expected["lines"][name]
        burst, rest = divmod(counts.accesses, lines)
        bursts.add(burst)
        if rest or burst not in BURSTS:
            wrong.append(f"{name}: {counts.accesses} accesses, not 1, 2, 4, 8 or 16 times {lines}")
        if counts.misses != expected["misses"][name]:
            wrong.append(f"{name}: {counts.misses} misses, not {expected['misses'][name]}")
        if groups is None or wrong:
            continue
        hits = {int(group): each for group, each in groups[name].items()}
        hits[0] = hits.get(0, 0) + (burst - 1) * lines  # the rest of each burst
        for group, each in enumerate(counts.hits):
            if each != hits.get(group, 0):
                wrong.append(f"{name}: {each} hits in group {group}, not {hits.get(group, 0)}")
                break
    if len(bursts) > 1 and not wrong:
        wrong.append(f"a line is {sorted(bursts)} accesses in different programs")
    kind = f"{hello.engine}, {hello.frames} frames in {hello.groups} groups"
    return wrong, "" if groups else f"; hits by group not compared: no counts of {kind}"


class _SelfTest:
    def __init__(
        self, device: Device, memory_pages: int | None, say: Callable[[str], object], board: str | None
    ) -> None:
        self._device, self._memory_pages, self._say, self._board = device, memory_pages, say, board
        self._hello = device.hello
        self._tested: tuple[int, Counts, list[str]] | None = None

    def identity(self) -> tuple[str, str]:
        hello = self._hello
        memory = size_text(hello.frames, 1 << hello.page_shift)
        name = printable(hello.identifier)
        if self._board and not name.startswith(f"litemrc {self._board} "):
            return FAILED, f"the gateware calls itself {name!r}, not litemrc {self._board}"
        system = system_text(hello.system, hello.driver, hello.abi)
        return OK, (
            f"{name or 'no identifier'}; {system}; protocol {version_text(hello.protocol)}, gateware"
            f" {hello.gateware}, {hello.clock_hz / 1e6:g} MHz, {memory} in {hello.frames} frames,"
            f" {hello.engine}, {hello.groups} groups"
        )

    def link(self) -> tuple[str, str, dict[str, Any]]:
        device, before = self._device, self._device.link_counts
        payload = host_requests().field("echo", "payload")
        length = payload.most
        patterns = [bytes([each]) * length for each in (0x00, 0xFF, 0x55, 0xAA)]
        patterns += [bytes(range(256))[start : start + length] for start in (0, 256 - length)]
        test, failed = device.echo_test(_ECHOES), 0
        start = time.perf_counter()
        for sent in patterns:
            failed += device.request("echo", payload=sent).payload != sent
        seconds = time.perf_counter() - start
        failed += test.failed
        after = device.link_counts
        names = ("damaged", "oversized", "lost", "restarts")
        losses = {name: getattr(after, name) - getattr(before, name) for name in names}
        measured = {
            **{"echoes": test.echoes + len(patterns), "failed": failed, **losses},
            "round_trip_ms": test.round_trip_ms,
            "bytes_per_s": round(2 * length * len(patterns) / seconds) if seconds else None,
        }
        wrong = [f"{count} {name}" for name, count in losses.items() if count]
        if failed:
            wrong.insert(0, f"{failed} of {measured['echoes']} echoes lost or different")
        if wrong:
            return FAILED, ", ".join(wrong), measured
        rate = f"{test.round_trip_ms or 0:.1f} ms a round trip, {measured['bytes_per_s']} bytes/s of payload"
        return OK, f"{measured['echoes']} echoes intact; {rate}", measured

    def memory(self) -> tuple[str, str, dict[str, Any]]:
        self._prepare()
        hello = self._hello
        wanted = min(self._memory_pages or hello.frames, hello.frames)
        scale = -(-wanted // BLOCK_PAGES)
        self._say(f"testing {size_text(scale * BLOCK_PAGES, 1 << hello.page_shift)} of memory")
        _run(self._device, [Run(_MEMTEST, 1)])  # afterwards the L2 holds no modified line of another program
        counts, logs, wrong = _run(self._device, [Run(_MEMTEST, 1, scale)])
        results = [match for line in logs if (match := _RESULT.match(line))]
        if len(results) != 1:
            return FAILED, f"{len(results)} results of memtest, not 1", {"log": logs}
        pages, bad, first = map(int, results[0].group(1, 2, 3))
        self._tested = pages, counts.get(1, Counts()), wrong
        measured = {"pages": pages, "wrong_words": bad, "first": first, "bits": results[0][4]}
        if bad:
            address = f"offset {first * 4:#x}"
            return (
                FAILED,
                f"{bad} wrong words in {pages} pages, the first at {address}, bits {results[0][4]}",
                measured,
            )
        if pages != scale * BLOCK_PAGES:
            return FAILED, f"{pages} pages tested, not {scale * BLOCK_PAGES}", measured
        share = "all of it" if pages == hello.frames else f"{pages / hello.frames:.1%} of it (--memory)"
        return OK, f"{pages} pages, {share}: each bit written and read as 0 and 1", measured

    def monitor(self) -> tuple[str, str, dict[str, Any]]:
        if not self._tested:
            raise _NotDoneError("needs memtest, whose accesses are known")
        hello, (pages, counts, wrong) = self._hello, self._tested
        measured = {"pages": pages, **_measured(counts)}
        wrong = [*wrong, *memtest_problems(counts, pages, hello.pages // hello.groups, hello.engine)]
        if wrong:
            return FAILED, "; ".join(wrong), measured
        burst = counts.accesses // (5 * LINES_OF_A_PAGE * pages)
        return (
            OK,
            f"memtest: {pages} misses, {5 * LINES_OF_A_PAGE} x {burst} accesses a page, as computed",
            measured,
        )

    def counts(self) -> tuple[str, str, dict[str, Any]]:
        self._prepare(KNOWN)
        self._say(f"running {', '.join(KNOWN)}")
        found, wrong = run_known(self._device)
        measured = {name: _measured(found.get(context, Counts())) for context, name in enumerate(KNOWN, 1)}
        differing, left_out = known_problems(found, self._hello, json.loads(COUNTS.read_text()))
        if wrong := [*wrong, *differing]:
            return FAILED, "; ".join(wrong) + left_out, measured
        return OK, f"{', '.join(KNOWN)}: as in the simulator{left_out}", measured

    def _prepare(self, programs: Sequence[str] = ()) -> None:
        """Check that the device can run the programs; set what else decides what is counted."""
        device, hello = self._device, self._hello
        if hello.system:
            raise _NotDoneError(
                "programs share the memory with Linux; the BIOS has tested it: see the console"
            )
        if missing := [name for name in (_MEMTEST, *programs) if name not in hello.workloads]:
            raise _NotDoneError(f"the device has no program {missing[0]}")
        if hello.contexts < _CONTEXTS or hello.pages != hello.frames or hello.engine not in layout().engines:
            raise _NotDoneError(
                f"{hello.engine} holds {hello.pages} of {hello.frames} pages in {hello.contexts} contexts"
            )
        for name in ("freeze", "single_shot"):
            device.request(name, on=False)
        if get_split(device):
            device.request("set_split", on=False)
        device.request("set_range", lower=0, upper=hello.frames - 1)
        device.request("set_sampling", sampling=0)
        device.request("set_epoch", unit="cycles", length=_EPOCH_CYCLES)
        device.start_counting()


def _run(device: Device, runs: Sequence[Run]) -> tuple[dict[int, Counts], list[str], list[str]]:
    """Run programs in turn; return the counts by context, the device's log, and what must not happen."""
    collector = Collector(device)
    logs = [printable(each.line) for each in collector.collect(runs=runs) if each.name == "log"]
    table = collector.table()
    counts: dict[int, Counts] = {}
    for context in np.unique(table.context).tolist():
        rows = table.rows_of(context)
        hits = table.hits[rows].sum(axis=0, dtype=np.uint64)
        counts[context] = Counts(
            tuple(hits.tolist()), int(table.accesses[rows].sum()), int(table.misses[rows].sum())
        )
    wrong = {
        "epochs lost on the link": collector.link_statistics["epoch_messages_lost"],
        "accesses dropped": table.sum_of_epochs("dropped"),
        "accesses out of range": table.sum_of_epochs("outside"),
    }
    return counts, logs, [f"{count} {what}" for what, count in wrong.items() if count]


def _measured(counts: Counts) -> dict[str, Any]:
    hits = {str(group): hits for group, hits in enumerate(counts.hits) if hits}
    return {"accesses": counts.accesses, "misses": counts.misses, "hits": hits}
