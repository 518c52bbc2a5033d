# SPDX-License-Identifier: BSD-2-Clause
"""The demo of Linux: what it makes of page tables, and how many epochs' pages it may miss, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from litemrc.cli.soc.demo_results import Results, with_pages
from litemrc.cli.soc.linux_demo import EPOCH_ACCESSES, epoch_accesses, start_owners, with_page_tables
from litemrc.device.running import Run
from litemrc.epochs.processes import Process
from litemrc.pages.files import PageBitmapWriter
from litemrc.pages.page_bitmaps import PagesShown

from tests.host.recordings import recording_of, whole_memory

FRAMES = 64
EPOCHS = 10


def recorded():
    """In each epoch an access to frame 3."""
    listed = [("access", 3, 0, False)] * EPOCHS
    return recording_of(listed, ends=[True] * EPOCHS, settings=whole_memory(FRAMES), setting=1)


def results_of(processes=(), **more):
    epochs = range(EPOCHS)
    table = SimpleNamespace(frames=FRAMES, epoch=SimpleNamespace(tolist=lambda: list(epochs)))
    table.processes = processes
    hello = SimpleNamespace(frames=FRAMES, page_bitmap=True, hot_pages=0)
    return Results(hello, (), table, recorded(), None, None, **more)


def write_bitmaps(folder, epochs):
    shown = PagesShown(page_bytes=4096, base_address=0, ranges=(range(FRAMES),))
    writer = PageBitmapWriter(folder / "pages.parquet", shown, clock_hz=1, source="test")
    for epoch in epochs:
        writer.append(epoch, b"\x08" + bytes(7), bytes(8), accesses=1)
    writer.close(interrupted=False)


@pytest.mark.parametrize(
    ("missing", "early_ends", "followed", "right"),
    [(0, 0, 0, True), (1, 0, 0, False), (2, 0, 1, True), (3, 0, 1, False), (4, 2, 1, True), (5, 2, 1, False)],
)
def test_as_many_epochs_may_be_overwritten_as_ended_early(tmp_path, missing, early_ends, followed, right):
    """Two for each process, where it is followed and where it ends, and those ended on command."""
    processes = tuple(Process(1, 10 + number, "a", number, number) for number in range(followed))
    write_bitmaps(tmp_path, range(missing, EPOCHS))
    checked = with_pages(results_of(processes, early_ends=early_ends), tmp_path)
    assert (not checked.wrong) == right
    assert ("overwritten" in checked.remarks["page bitmap"]) == (right and missing > 0)


def test_each_snapshot_of_page_tables_ends_two_epochs():
    printed = "process 1 20 3 5+1\nkernel 3+1\nsnapshot 1 2\n"
    none = results_of()
    assert with_page_tables(none, printed).early_ends == 2
    assert with_page_tables(none, printed + printed.replace("1 2", "4 6")).early_ends == 4
    assert with_page_tables(replace(none, early_ends=0), "").wrong == [
        "page tables: no snapshot was made while the programs ran"
    ]


def test_page_owners_begins_with_the_last_of_the_runs():
    assert start_owners([Run("intr", 1), Run("linear", 2)]).startswith("page_owners 4 100 2 >")


def test_an_epoch_has_twice_the_accesses_where_no_l2_takes_them():
    assert epoch_accesses({"config_l2_size": 8192}) == EPOCH_ACCESSES
    assert epoch_accesses({"config_cpu_count": 2}) == 2 * EPOCH_ACCESSES
