# SPDX-License-Identifier: BSD-2-Clause
"""Frames of the tray machine: faults, recycling, migration, the views; and the scrambler."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc_studies.jantz2013.machine.machine import Scrambler
from litemrc_studies.jantz2013.machine.memory import HELD, NOBODY, Memory
from litemrc_studies.jantz2013.machine.views import backing, by_color, outside
from litemrc_studies.jantz2013.policies.intents import parse_intents
from litemrc_studies.jantz2013.policies.recycling import Residents, victims
from litemrc_studies.jantz2013.tests.tray_machines import TRAY_PAGES, small

RECYCLED_LOCALLY = parse_intents(
    "INTENT MEM-RECYCLE\nMEM-RECYCLE RED 1\nINTENT MEM-CAPACITY\nMEM-CAPACITY RED 10\n"
)


def check(memory: Memory) -> None:
    """Every page is where its process thinks, nobody shares a frame, and views add up."""
    for process in memory.processes():
        frame = memory.space(process).frame
        pages = np.flatnonzero(frame >= 0)
        assert (memory.owner[frame[pages]] == process).all()
        assert (memory.page[frame[pages]] == pages).all()
        assert np.unique(frame[pages]).size == pages.size
        trays = backing(memory, process, 0, frame.size)
        assert trays.sum() == pages.size == (memory.owner == process).sum()
    trays = memory.trays()
    assert sum(tray.free_pages for tray in trays) == (memory.owner == NOBODY).sum()
    assert memory.physical.used == (memory.owner != NOBODY).sum()
    used = memory.physical.unit_rows().reshape(-1, 4)[:, 1]
    assert [tray.pages - tray.free_pages for tray in trays] == used.tolist()


@pytest.mark.parametrize("allocator", ["buddy", "tray"])
@pytest.mark.parametrize("seed", [1, 2])
def test_frames_belong_to_the_context_that_touched_them_in_any_sequence(allocator, seed):
    memory = Memory(small(), allocator)
    rng = np.random.default_rng(seed)
    Scrambler(1500, 3).run(memory, rng)
    for step in range(120):
        process = int(rng.integers(0, 5))
        begin = int(rng.integers(0, 3000))
        pages = begin + rng.integers(0, 400, 300)
        frames, fresh, read = memory.touch(process, pages, file=rng.random(300) < 0.5)
        assert (memory.page[frames] == pages).all()
        assert not (fresh & read).any()
        if step % 7 == 0:
            memory.release(process, begin, begin + 200)
        if step % 31 == 0:
            memory.exit(process)
        if allocator == "tray" and step % 5 == 0:
            mine = np.flatnonzero(memory.owner >= 0)
            moving = rng.choice(mine, min(mine.size, 50), replace=False)
            before = memory.owner[moving], memory.page[moving]
            to = memory.migrate(moving, int(rng.integers(0, 4)))
            assert (memory.owner[to] == before[0][: to.size]).all()
            assert (memory.page[to] == before[1][: to.size]).all()
        check(memory)
    assert memory.recycled > 0
    for process in memory.processes():
        memory.exit(process)
    assert (memory.owner >= 0).sum() == 0
    memory.let_go(np.flatnonzero(memory.owner == HELD))
    assert memory.physical.used == 0


def test_a_page_is_new_once_and_read_from_disk_when_it_was_recycled():
    memory = Memory(small(), "tray")
    everything = np.arange(4 * TRAY_PAGES)
    _, fresh, read = memory.touch(1, everything)
    assert (fresh.all(), read.any()) == (True, False)
    assert not memory.touch(1, np.array([5, 5]))[1].any()
    memory.touch(2, np.array([0, 0, 1]))  # the pages of 1 that were not used for longest go
    assert memory.space(1).on_disk.sum() == memory.recycled > 0
    assert not memory.space(1).on_disk[5]
    gone = int(np.flatnonzero(memory.space(1).on_disk)[0])
    _, fresh, read = memory.touch(1, np.array([gone, gone]))
    assert (fresh.tolist(), read.tolist()) == ([False, False], [True, False])


def test_memnice_keeps_a_process_and_its_children_within_their_trays():
    memory = Memory(small(), "tray")
    memory.guidance.nice.limit(1, (2,))
    memory.guidance.fork(1, 2)
    for begin in range(0, 3000, 100):
        for process in (1, 2, 3):
            memory.touch(process, np.arange(begin, begin + 100))
        assert outside(memory, 1) == outside(memory, 2) == 0
    assert backing(memory, 1, 0, 3000)[[0, 1, 3]].sum() == 0
    assert backing(memory, 2, 0, 3000).sum() > 0
    assert memory.recycled > 0
    memory.exit(3)
    moved = memory.migrate(memory.space(1).frame[memory.space(1).frame >= 0][:10], 0)
    assert outside(memory, 1) + outside(memory, 2) == moved.size > 0  # it would be seen


def test_a_color_recycled_locally_leaves_what_others_have():
    memory = Memory(small(), "tray")
    memory.touch(1, np.arange(2000))
    memory.guidance.intend(2, RECYCLED_LOCALLY, 1000, memory.trays())
    memory.guidance.paint(2, 0, 4000, "RED")
    for begin in range(0, 4000, 100):
        memory.touch(2, np.arange(begin, begin + 100))
        assert (memory.space(1).frame[:2000] >= 0).all()
    assert memory.recycled > 0
    assert (backing(memory, 2, 0, 4000) > 0).sum() == 1
    # Without the color, what was used longest ago goes: the other's pages.
    memory.guidance.paint(2, 0, 8000, None)
    memory.touch(2, np.arange(4000, 7500))
    assert (memory.space(1).frame[:2000] < 0).any()


def test_pages_painted_anew_count_as_of_their_new_color():
    memory = Memory(small(), "tray")
    memory.guidance.intend(1, RECYCLED_LOCALLY, 1000, memory.trays())
    memory.touch(1, np.arange(100))
    memory.guidance.paint(1, 20, 60, "RED")
    memory.recolor(1, 0, 200)
    told = {use: pages.sum() for use, pages in by_color(memory).items()}
    assert told == {(None, None): 60, (1, "RED"): 40}
    memory.guidance.paint(1, 0, 50, None)
    memory.recolor(1, 0, 50)
    assert {color: pages.sum() for (_, color), pages in by_color(memory).items()} == {None: 90, "RED": 10}


def test_uncolored_pages_keep_off_isolated_trays():
    memory = Memory(small(), "tray")
    intents = parse_intents(
        "INTENT MEM-ISOLATION\nMEM-ISOLATION OLD 1\nINTENT MEM-CAPACITY\nMEM-CAPACITY OLD 25\n"
    )
    memory.guidance.intend(1, intents, 4000, memory.trays())
    memory.guidance.paint(1, 0, 1000, "OLD")
    memory.touch(1, np.arange(2500))
    memory.touch(2, np.arange(1500))
    old, others = (
        backing(memory, 1, 0, 1000) > 0,
        backing(memory, 1, 1000, 2500) + backing(memory, 2, 0, 1500) > 0,
    )
    assert old.tolist() == [False, False, False, True]
    assert others.tolist() == [True, True, True, False]


def test_a_request_for_more_than_can_be_evicted_is_reported():
    memory = Memory(small(), "tray")
    memory.guidance.nice.limit(1, (0,))
    with pytest.raises(UserError, match="needs 1 pages more than") as error:
        memory.touch(1, np.arange(TRAY_PAGES + 1))
    assert error.value.where == "trays 0"


def test_a_fault_in_a_full_memory_reclaims_a_512th_of_it_or_what_is_needed():
    """8 of 4,096 pages; the first ones, which were used longest ago."""
    for pages, gone in ((1, 8), (8, 8), (9, 9)):
        memory = Memory(small(), "tray")
        for begin in range(0, 4096, 512):
            memory.touch(1, np.arange(begin, begin + 512))
        memory.touch(1, np.arange(3))
        memory.touch(2, np.arange(pages))
        assert memory.recycled == gone
        assert np.flatnonzero(memory.space(1).on_disk).min() >= 3
        assert np.flatnonzero(memory.space(1).on_disk).max() < 512


def test_pages_of_files_are_reclaimed_first_also_those_named_twice_or_out_of_order():
    memory = Memory(small(), "tray")
    memory.touch(1, np.array([9, 4, 9, 7]), np.array([False, True, False, True]))
    memory.touch(1, np.arange(10, 4096), file=False)
    memory.touch(1, np.arange(7))
    memory.touch(2, np.array([0]), file=True)  # the last free frame
    memory.touch(1, np.arange(4096, 4104))
    assert memory.space(2).on_disk[0]
    # Of 8 pages 3 are of files; then page 9, which was used longest ago, and 4 of those used next.
    assert {4, 7, 9} < set(np.flatnonzero(memory.space(1).on_disk)) and memory.recycled == 8
    frame = memory.touch(2, np.array([0]))[0]
    assert not memory.file[frame].any()  # what is in its place now is none


def test_a_request_beyond_all_memory_is_refused_without_trays_to_name():
    for allocator in ("buddy", "tray"):
        with pytest.raises(UserError, match="process 1 needs 4 pages more than") as error:
            Memory(small(), allocator).touch(1, np.arange(4100))
        assert error.value.where == ""


def test_a_color_without_pages_on_its_full_trays_takes_those_of_others():
    memory = Memory(small(), "tray")
    memory.touch(1, np.arange(4096))
    memory.guidance.intend(2, RECYCLED_LOCALLY, 1000, memory.trays())
    memory.guidance.paint(2, 0, 100, "RED")
    memory.touch(2, np.arange(20))
    assert memory.space(1).on_disk.sum() == memory.recycled == 20
    assert (backing(memory, 2, 0, 20) > 0).sum() == 1


def test_the_view_by_tray_has_nodes_and_sleeping_ranks():
    memory = Memory(small(nodes=2), "tray")
    memory.touch(1, np.arange(5))
    memory.hold(1)
    trays = memory.trays([False, True, False, True])
    assert [(tray.number, tray.node, tray.pages, tray.asleep) for tray in trays] == [
        (0, 0, 1024, False),
        (1, 0, 1024, True),
        (2, 1, 1024, False),
        (3, 1, 1024, True),
    ]
    assert not any(tray.asleep for tray in memory.trays())
    assert (sum(tray.used_pages for tray in trays), sum(tray.free_pages for tray in trays)) == (5, 4096 - 6)


def test_pages_move_while_the_tray_has_room_and_with_trays_only():
    memory = Memory(small(), "tray")
    frames, _, _ = memory.touch(1, np.arange(1000), file=True)
    used = memory.last_used[frames[0]]
    memory.guidance.nice.limit(2, (3,))
    memory.touch(2, np.arange(1020))
    to = memory.migrate(frames[:9], 3)
    assert (to // TRAY_PAGES).tolist() == [3] * 4
    assert memory.space(1).frame[:9].tolist() == [*to, *frames[4:9]]
    assert memory.file[to].all() and (memory.last_used[to] == used).all()
    assert (memory.owner[frames[:4]] == NOBODY).all()
    with pytest.raises(ValueError, match="allocator tray only"):
        Memory(small(), "buddy").migrate(frames[:1], 0)


def test_what_is_released_is_new_again_and_not_on_disk():
    memory = Memory(small(), "tray")
    memory.touch(1, np.arange(4096))
    memory.touch(2, np.arange(1))
    gone = np.flatnonzero(memory.space(1).on_disk)
    memory.release(1, int(gone[0]), int(gone[0]) + 2)
    _, fresh, read = memory.touch(1, gone[:4])
    assert (fresh.tolist(), read.tolist()) == ([True, True, False, False], [False, False, True, True])


def test_chunks_are_scrambled_whole(monkeypatch):
    """1,001 pages held in chunks of 4: of one chunk a part is held."""
    memory, allocated = Memory(small(), "buddy"), []
    hold = memory.hold
    monkeypatch.setattr(memory, "hold", lambda pages: allocated.append(hold(pages)) or allocated[0])
    Scrambler(1001, 4).run(memory, np.random.default_rng(1))
    held = (memory.owner[allocated[0]] == HELD).reshape(-1, 4).sum(axis=1)
    assert sorted(held.tolist()) == [0] * (1024 - 251) + [1] + [4] * 250
    assert Scrambler(1).chunk_pages == 16
    Scrambler(4096, 4).run(Memory(small(), "tray"), np.random.default_rng(1))  # all of it can be held


def test_the_scrambler_leaves_no_tray_whole_and_holds_the_given_share():
    for allocator in ("buddy", "tray"):
        memory = Memory(small(), allocator)
        Scrambler(1000, 4).run(memory, np.random.default_rng(1))
        held = [tray.pages - tray.free_pages for tray in memory.trays()]
        assert sum(held) == 1000
        # Each of 1024 chunks is held with a chance of 250 / 1024: 62.5 of 256 in a tray, deviation 6.9.
        assert all(4 * (62.5 - 35) < each < 4 * (62.5 + 35) for each in held)
    with pytest.raises(UserError, match="must hold 5,000 pages, but only 4,096 are free"):
        Scrambler(5000, 4).run(Memory(small(), "tray"), np.random.default_rng(1))


def test_file_pages_go_first_however_recently_they_were_used():
    pages = Residents(
        last_used=np.array([5, 10**15, 3, 10**15 + 1]),
        tray=np.zeros(4, np.int64),
        color=np.zeros(4, np.int64),
        file=np.array([False, True, False, True]),
        pinned=np.zeros(4, bool),
    )
    assert victims(pages, 4).tolist() == [1, 3, 2, 0]
    assert victims(pages, 3).tolist() == [1, 3, 2]
