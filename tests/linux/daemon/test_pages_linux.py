# SPDX-License-Identifier: BSD-2-Clause
"""Single pages and banks on Linux in qemu, from the driver's files to the host's: the monitor is software.

See touch_pages() of guest.c for what its epochs have.
"""

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import get_hot, set_hot
from litemrc.epochs.files import read_epochs
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists

from tests.linux.daemon.conftest import LITEMRC, booted
from tests.linux.driver.test_banks import ACCESS_BYTES, REFRESH_CYCLES, bank_word, head_word
from tests.timeouts import scaled_timeout, wait_until

FRAMES, CONTEXTS, HOT_PAGES, BANKS = 1 << 14, 8, 16, 8
MEMORY = 0x80000000  # of the fake
FAKE = f'"fake=page_bitmap=1 hot_pages={HOT_PAGES} banks={BANKS}"'
TOUCH, QUEUE = range(2)  # pages.conf
CONTEXT = 2
EPOCH_ACCESSES = 1000
TOUCHED_EPOCHS = 6
LONGEST = 150  # its frames are in the memory


@pytest.fixture(scope="module")
def pages_port(tmp_path_factory):
    with booted(tmp_path_factory.mktemp("pages") / "qemu.log", FAKE) as port:
        yield port


@pytest.fixture
def pages_device(pages_port):
    with Device(pages_port, timeout_s=scaled_timeout(30)) as device:
        device.waiting()
        yield device


def litemrc(*words):
    command = [*LITEMRC, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(120))


def frames_of(packed):
    return set(np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist())


def touched(epoch):
    """Frames accessed and written, and the list of hot pages."""
    first = 100 * epoch
    written = {first + 1000}
    return {*range(first, first + epoch + 1)} | written, written, ((first, 3),)


def test_collect_writes_the_pages_of_each_epoch(pages_port, tmp_path):
    files = {name: tmp_path / f"{name}.parquet" for name in ("out", "pages", "hot")}
    words = [word for name, file in files.items() for word in (f"--{name}", file)]
    words += ["--epochs", 100, "--epoch-length", EPOCH_ACCESSES, "--timeout", 30]
    done = litemrc("collect", "--port", pages_port, *words, "--run", f"touch:{CONTEXT}:{TOUCHED_EPOCHS}")
    assert done.returncode == 0, done.stderr

    curves, pages, hot = (
        read_epochs(files["out"]),
        read_page_bitmaps(files["pages"]),
        read_hot_lists(files["hot"]),
    )
    assert pages.shown.base_address == hot.base_address == MEMORY
    assert pages.shown.ranges == (range(FRAMES),)
    assert hot.settings["enable"] and hot.settings["wanted"] == HOT_PAGES
    listed = {row.epoch: tuple(zip(row.frames, row.counts, strict=True)) for row in hot.rows}
    seen = []
    for row, epoch in enumerate(pages.epoch.tolist()):
        accessed, written = frames_of(pages.accessed[row]), frames_of(pages.written[row])
        if accessed:
            seen.append((accessed, written, listed.get(epoch)))
            counted = curves.accesses[(curves.epoch == epoch) & (curves.context == CONTEXT)]
            assert counted.tolist() == [EPOCH_ACCESSES]
    assert seen == [touched(epoch) for epoch in range(1, TOUCHED_EPOCHS + 1)]
    assert all(row.accesses == 11 * row.epoch + 4 for row in hot.rows), "as of the fake"


def test_hot_shows_the_pages_of_a_running_device(pages_port):
    words = ("hot", "--port", pages_port, "--epochs", 2, "--json", "--timeout", 30)
    with Device(pages_port, timeout_s=scaled_timeout(30)) as device:
        device.request("set_epoch", unit="accesses", length=EPOCH_ACCESSES)
        device.request("run", workload=TOUCH, context=CONTEXT, scale=LONGEST)
    done = litemrc(*words)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    (first, count), (second, _) = (page for row in rows for page in row["pages"])
    assert (first % 100, second, count) == (0, first + 100, 3)
    assert [row["accesses"] for row in rows] == [11 * row["epoch"] + 4 for row in rows]


def test_pages_that_become_hot_are_reported_at_once(pages_device):
    before = get_hot(pages_device)
    set_hot(pages_device, replace(before, always_on=True, watermark=16))
    pages_device.request("run", workload=QUEUE, context=CONTEXT + 1, scale=5)
    frames = []
    while len(frames) < 5:
        message = pages_device.receive(scaled_timeout(10))
        assert message is not None, frames
        frames += message.frames if message.name == "queued" else []
    set_hot(pages_device, before)
    assert frames == list(range(1, 6))


def test_settings_that_the_driver_refuses_change_nothing(pages_device):
    before = get_hot(pages_device)
    with pytest.raises(RequestRefusedError) as refused:
        set_hot(
            pages_device, replace(before, lower=5, upper=9, threshold=1 << 20)
        )  # the register has 20 bits
    assert refused.value.code == "bad_argument"
    assert get_hot(pages_device) == before


def test_contexts_of_writes_are_given_to_nobody(pages_device):
    half = CONTEXTS // 2
    pages_device.request("follow", context=half, pid=1)
    with pytest.raises(RequestRefusedError, match="busy"):
        pages_device.request("set_split", on=True)
    pages_device.request("follow", context=half, pid=0)
    wait_until(lambda: not pages_device.say_hello().running, 60)
    pages_device.request("run", workload=TOUCH, context=half, scale=1)
    wait_until(lambda: not pages_device.say_hello().running)
    assert pages_device.request("set_split", on=True).values == [1]
    with pytest.raises(RequestRefusedError, match="bad_argument"):
        pages_device.request("follow", context=half, pid=1)
    assert pages_device.request("follow", context=half - 1, pid=1).values[0] == 2
    pages_device.waiting()
    pages_device.request("end_epoch")
    while (message := pages_device.receive(scaled_timeout(10))).name != "epoch":
        pass
    assert message.record.flag("split")
    pages_device.request("follow", context=half - 1, pid=0)
    assert pages_device.request("set_split", on=False).values == [0]


def test_the_drams_commands_of_an_epoch_reach_the_host(pages_device):
    """Beside the bits of the frames and the hot pages."""
    assert (pages_device.hello.banks, pages_device.hello.access_bytes) == (BANKS, ACCESS_BYTES)
    pages_device.request("end_epoch")
    while (message := pages_device.receive(scaled_timeout(10))).name != "epoch":
        pass
    record = message.record
    names = ("reads", "writes", "row_hits", "activates", "row_conflicts")
    assert [[bank[name] for name in names] for bank in record.banks] == [
        [bank_word(record.epoch, bank, word) for word in range(len(names))] for bank in range(BANKS)
    ]
    low, high, refreshes, peak = (head_word(record.epoch, word) for word in range(4))
    expected = {"cycles": low + (high << 32), "refreshes": refreshes, "queue_peak": peak}
    expected |= {"access_bytes": ACCESS_BYTES, "refresh_cycles": REFRESH_CYCLES}
    assert {name: record.head[name] for name in expected} == expected
    assert record.flag("dram_rows")
