# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc top`: programs by bandwidth as the counters say, refreshes as plain text or on a terminal."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest
from litemrc.cli.device.top_lines import Program, programs, top_text
from litemrc.device.link.link import LinkCounts
from litemrc.epochs.columns import Rows, joined_rows
from litemrc.epochs.processes import Process
from litemrc.epochs.traffic import Traffic, bandwidth_text
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.table import NO_RANKS

from tests.host.epoch_rows import PARAMETERS, row
from tests.host.epochs.traffic_rows import CLOCK_HZ, traffic, unobserved
from tests.host.in_process import litemrc
from tests.host.paced_device import ACCESS_BYTES, PacedDevice, bank_of, paced
from tests.host.scripted_device import told
from tests.timeouts import scaled_timeout, wait_until

TOP = [sys.executable, "-m", "litemrc.cli.main", "top", "--port"]
DEVICE = DeviceParameters(session=1, clock_hz=CLOCK_HZ, banks=2, access_bytes=16, **PARAMETERS)
SORT = Process(1, 57, "sort", 0, 1)


def epoch(number: int, *rows: Rows, counted: Traffic | None = None, **others: object) -> FeedEpoch:
    lost, names = others.pop("lost", 0), {2: "zipf"}
    return FeedEpoch(
        1,
        number,
        0.0,
        joined_rows(rows),
        names,
        NO_RANKS,
        None,
        None,
        lost,
        LinkCounts(),
        traffic=counted,
        **others,
    )


def counts(number: int, context: int, hits: int, misses: int, touched: int, **others: object) -> Rows:
    return row(
        **{
            "epoch": number,
            "context": context,
            "hits": [hits, 0, 0, 0],
            "misses": misses,
            "touched": touched,
        },
        **{"accesses": hits + misses} | others,
    )


def two_epochs(*counted: Traffic | None) -> list[FeedEpoch]:
    """800 accesses: 600 of context 2 in the first epoch, 100 of context 1 in each."""
    rows = [(counts(0, 1, 90, 10, 20), counts(0, 2, 600, 0, 5)), (counts(1, 1, 70, 30, 30),)]
    return [
        epoch(number, *each, counted=of, followed={1: SORT})
        for number, (each, of) in enumerate(zip(rows, counted, strict=True))
    ]


def test_programs_are_sorted_by_bandwidth() -> None:
    """Two epochs of 0.01 s each, an access moves 16 bytes, a page has 4 KiB."""
    assert programs(DEVICE, two_epochs(traffic(), traffic())) == [
        Program(2, "zipf", None, 600, pytest.approx(600 * 16 / 0.02), 0.75, 5 * 4096, 0.0),
        Program(1, "sort", 57, 200, pytest.approx(200 * 16 / 0.02), 0.25, 30 * 4096, 40 / 200),
    ]


def test_the_text_has_the_device_its_dram_and_a_line_for_each_context() -> None:
    text = top_text("socket://board", DEVICE, two_epochs(traffic(), traffic()))
    device, dram, _, *_, first, second = text.splitlines()
    assert device == "socket://board: bare metal, 1 MHz, epochs 0 to 1"
    assert dram == "DRAM: 1.12 MB/s read, 480 kB/s written, 10.0% of the peak of 16 MB/s, 74.0% row hits"
    assert first.split() == ["zipf", "2", "-", "480", "kB/s", "75.0%", "20", "KiB", "0.0000"]
    assert second.split() == ["sort", "1", "57", "160", "kB/s", "25.0%", "120", "KiB", "0.2000"]


@pytest.mark.parametrize(
    ("counted", "dram", "bandwidth"),
    [
        ((None, None), "DRAM: the device does not count its commands", ["-"]),
        ((None, traffic()), "DRAM: the device does not count its commands", ["-"]),
        ((unobserved(500, 1), unobserved(12, 3)), "DRAM: 8 KiB read, 64 B written", ["-"]),
        (
            (unobserved(500, 1, 1.0), unobserved(12, 3, 1.0)),
            "DRAM: 4.1 kB/s read, 32 B/s written",
            ["4.8", "kB/s"],
        ),
    ],
)
def test_what_is_not_known_is_left_out(counted: Sequence, dram: str, bandwidth: list[str]) -> None:
    """512 reads and 4 writes of 16 bytes, in 2 s where the device has a clock."""
    lines = top_text("x", DEVICE, two_epochs(*counted)).splitlines()
    assert lines[1] == dram
    assert lines[-2].split() == ["zipf", "2", "-", *bandwidth, "75.0%", "20", "KiB", "0.0000"]


def test_sampled_accesses_and_pages_stand_for_all() -> None:
    """1 page of 4 is sampled; an epoch from before that setting does not count."""
    before = epoch(0, counts(0, 1, 9, 0, 9), counted=traffic())
    after = epoch(1, counts(1, 1, 30, 10, 6, scale_log2=2), counted=traffic())
    (found,) = programs(DEVICE, [after])
    assert (found.accesses, found.working_set, found.miss_ratio) == (4 * 40, 4 * 6 * 4096, 0.25)
    assert found.bandwidth == pytest.approx(4 * 40 * 16 / 0.01)
    assert "epoch 1\n" in top_text("x", DEVICE, [before, after])


def test_writes_that_count_apart_are_their_owners() -> None:
    reads, writes = counts(0, 1, 40, 0, 8, split=True), counts(0, 5, 9, 1, 2, split=True)
    (found,) = programs(DEVICE, [epoch(0, reads, writes, counted=traffic())])
    assert (found.context, found.accesses, found.miss_ratio, found.working_set) == (1, 50, 0.02, 10 * 4096)


def test_an_idle_device_and_losses_are_said() -> None:
    text = top_text("x", replace(DEVICE, system="Linux 6.1"), [epoch(3, counts(3, 0, 0, 0, 0), lost=4)])
    assert text.splitlines()[0] == "x: Linux 6.1, 1 MHz, epoch 3, 4 lost"
    assert text.endswith("no context had an access")


def test_a_batch_prints_so_many_refreshes_as_plain_text() -> None:
    with paced(rate=20, banks=4, contexts=3) as device:
        done = litemrc("top", "--port", device.url, "-n", 2, "-d", 0)
    assert (done.returncode, done.stderr) == (0, "")
    blocks = re.split(r"\n(?=socket)", done.stdout)
    assert len(blocks) == 2 and "\033" not in done.stdout
    for block in blocks:
        lines = block.splitlines()
        found = re.fullmatch(r"socket://\S+: Linux 6\.1, 1 MHz, epoch (\d+)", lines[0])
        assert found, lines[0]
        reads = sum(bank_of(int(found[1]), bank)["reads"] for bank in range(4))  # in 1 s
        assert lines[1].startswith(f"DRAM: {bandwidth_text(reads * ACCESS_BYTES)} read, 32 kB/s written")
        assert sum("context" in line or "kernel" in line for line in lines[5:]) == 3


def test_a_delay_sums_the_epochs_of_its_time() -> None:
    with paced(rate=50) as device:
        done = litemrc("top", "--port", device.url, "-n", 1, "-d", 0.5, "-b")
    found = re.search(r"epochs (\d+) to (\d+)$", done.stdout, re.MULTILINE)
    assert found and int(found[2]) - int(found[1]) > 5
    assert "does not count" in done.stdout


def test_ctrl_c_ends_it_with_exit_code_0() -> None:
    with paced(rate=20) as device, subprocess.Popen([*TOP, device.url], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline().startswith(b"socket")
        process.send_signal(signal.SIGINT)
        assert process.wait(scaled_timeout(30)) == 0


def test_on_a_terminal_each_refresh_clears_it() -> None:
    parent, child = pty.openpty()
    with paced(rate=20, banks=2) as device:
        command = [*TOP, device.url, "-n", "1", "-d", "0"]
        with subprocess.Popen(command, stdout=child, env=os.environ | {"TERM": "xterm"}) as process:
            assert process.wait(scaled_timeout(30)) == 0
    os.close(child)
    shown = os.read(parent, 65536)
    os.close(parent)
    assert shown.startswith(b"\033[H\033[Jsocket://") and b"DRAM: " in shown


def test_a_port_that_cannot_be_opened_and_a_lost_link_end_a_batch() -> None:
    done = litemrc("top", "--port", "socket://127.0.0.1:1", "-b")
    assert done.returncode == 2 and "cannot open the port" in done.stderr
    with paced(rate=20) as device:
        process = subprocess.Popen(
            [*TOP, device.url, "-d", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout and process.stdout.readline().startswith("socket")
    _, errors = process.communicate(timeout=scaled_timeout(60))
    assert process.returncode and "the device is gone" in errors


def test_epochs_that_never_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = PacedDevice.answer

    def without_length(self: PacedDevice, request):
        if request.name == "get_epoch":
            return told("ack", request=request.sequence, values=[1, 0])
        return answer(self, request)

    monkeypatch.setattr(PacedDevice, "answer", without_length)
    with paced() as device:
        done = litemrc("top", "--port", device.url, "-b")
    assert done.returncode == 2 and "its epochs never end" in done.stderr and "--epoch-length" in done.stderr


def test_programs_of_run_are_started_and_the_epoch_length_is_set() -> None:
    with paced(rate=20) as device:
        done = litemrc("top", "--port", device.url, "-b", "-n", 1, "--run", "zipf:2", "--epoch-length", 77)
        assert done.returncode == 0, done.stderr
        wait_until(lambda: "run" in device.settings, 10, "the program")
    assert device.settings["run"]["context"] == 2
    assert device.settings["set_epoch"]["length"] == 77
