# SPDX-License-Identifier: BSD-2-Clause
"""Accesses that the plugin recorded, in the RTL of the monitor: its counters are the same."""

from pathlib import Path

import pytest
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.traces.qemu.counts import PAGE_BITS, Counts, RecordStream, read_counts
from litemrc.traces.qemu.monitored import Monitor, running

from tests.cosim.builder import FilterSizes, rtl_bench
from tests.cosim.running import counts_of
from tests.host.traces.qemu.qemu_programs import HOSTILE
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.cosim

# Of benches of tests/cosim/test_monitor_cosim.py, which builds them, too.
SIZES = {
    "group_stack": FilterSizes(8192, 64, 8, memory_frames=8192, recent_pages=4),
    "bucket_stack": FilterSizes(8192, 64, 8, memory_frames=8192, recent_pages=1),
}
MONITOR = Monitor(4096, (), None, False, "group", 8192, 64)


@pytest.fixture(scope="module")
def observed(compiled) -> tuple[list[int], Counts]:
    """Return the frames that the first process accessed, in the order of the engine, and its counts."""
    stream, pages = RecordStream(), []
    program = compiled("hostile", HOSTILE, "-pthread")
    with running([program], MONITOR, stream=stream.writer.fileno()) as process:
        stream.started()
        for message in filter(None, stream.messages(lambda: process.process.poll() is not None)):
            if message[0] == process.process.pid:
                pages += [word & (1 << PAGE_BITS) - 1 for word in message[1][:, 1].tolist()]
        assert process.process.wait(scaled_timeout(60)) == 0
        counts = read_counts(process.folder, program)
    stream.close()
    frames: dict[int, int] = {}
    found = [frames.setdefault(page, len(frames)) for page in pages]
    assert len(found) > 20_000 and len(frames) > 256 and counts[0].accesses == len(found)
    return found, counts[0]


def counted_by_the_rtl(engine: str, frames: list[int], file: Path) -> tuple[list[int], int, int]:
    """Return hits by group, misses and accesses of context 0; the bench compares them with the C++, too."""
    file.write_text(" ".join(map(str, frames)) + "\n")
    sizes = SIZES[engine]
    printed = counts_of(rtl_bench("monitor", f"monitor-{engine}", sizes), "stream", file)
    words = [int(printed[f"word_{number}"]) for number in range(sizes.groups + 2)]
    return words[: sizes.groups], words[-2], words[-1]


def test_group_stack_in_the_rtl_counts_as_the_plugin(observed, tmp_path):
    frames, counts = observed
    expected = counts.hits.tolist(), counts.misses, counts.accesses
    assert sum(count > 0 for count in expected[0]) > 2
    assert counted_by_the_rtl("group_stack", frames, tmp_path / "frames") == expected
    # One access less is found.
    assert counted_by_the_rtl("group_stack", frames[:1000] + frames[1001:], tmp_path / "frames") != expected


def test_bucket_stack_in_the_rtl_counts_as_its_golden_model(observed, tmp_path):
    """The model has the RTL's eight contexts, and so as many bucket ids; that of the plugin has one."""
    frames, _ = observed
    model = MonitorModel(8192, 64, 8, "bucket_stack", recent_pages=1)
    for frame in frames:
        model.access(frame, 0)
    epoch = model.end_epoch()
    expected = list(epoch.hits[0]), epoch.misses[0], len(frames)
    assert counted_by_the_rtl("bucket_stack", frames, tmp_path / "frames") == expected
