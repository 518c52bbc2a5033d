# SPDX-License-Identifier: BSD-2-Clause
"""`ranks/N/evacuate` empties a rank under load, names what cannot move, and makes no allocation fail."""

import re
from errno import EBUSY, EINVAL, ENODEV, ENOSPC
from signal import SIGKILL

import pytest
from litemrc.device.simulation.guest_shell import values_of

from tests.linux.driver.guest import LOAD, UNLOAD
from tests.linux.ranks.machine import PAGE
from tests.linux.ranks.placed import HOLD, LET_GO, RANK_PAGES, nodes

RANK = "/sys/class/misc/litemrc0/ranks"
ROUNDS, PAGES = 32, 800
# How the guest's C library names an errno.
MUSL = {EBUSY: "Resource busy", EINVAL: "Invalid argument", ENODEV: "No such device", ENOSPC: "No space left"}


def status(ranks, rank):
    """Return what the rank's memory is, as `evacuate`, and of its last evacuation what is in its folder."""
    return values_of(ranks.check, f"{RANK}/{rank}/evacuate", f"{RANK}/{rank}/evacuation/*")


def refused(ranks, rank, text, error):
    code, output = ranks.run(f"echo {text} >{RANK}/{rank}/evacuate")
    return code == 1 and MUSL[error] in output


def free_pages(ranks, rank):
    return int(ranks.check(f"cat {RANK}/{rank}/free_pages"))


def test_pages_leave_a_rank_with_their_contents_and_it_is_free(ranks):
    ranks.check(HOLD.format("touch 6000"))
    before = nodes(ranks.check("cat /tmp/out"))
    assert before[1] > 1000, "it fills the lower ranks first"
    ranks.check(f"echo 1 >{RANK}/1/evacuate")
    assert status(ranks, 1)["evacuate"] == "closed"
    assert int(status(ranks, 1)["moved"]) >= before[1]
    assert free_pages(ranks, 1) == RANK_PAGES
    ranks.check(LET_GO)
    after = nodes(ranks.check("cat /tmp/out"))  # printed only if every byte is as before
    assert after[1] == 0 and sum(after) == 6000
    # While it is closed, what asks for it goes elsewhere; then its pages return.
    assert nodes(ranks.check("/nodes touch 6000"))[1] == 0
    ranks.check(f"echo 0 >{RANK}/1/evacuate")
    assert status(ranks, 1)["evacuate"] == "open"
    assert nodes(ranks.check("/nodes touch 6000"))[1] > 1000


def test_what_cannot_be_moved_is_named_and_the_rank_stays_open(ranks):
    ranks.check(HOLD.format("pin 3 5"))
    assert nodes(ranks.check("cat /tmp/out")) == [0, 0, 0, 5]
    assert refused(ranks, 3, 1, EBUSY)
    last = status(ranks, 3)
    assert (last["evacuate"], last["moved"]) == ("open", "0")
    assert (last["pinned"], last["kernel"]) == ("5", "0")
    ranks.check(LET_GO)
    ranks.check(f"echo 1 >{RANK}/3/evacuate")
    assert status(ranks, 3)["pinned"] == "0"


def evacuees(ranks, rounds, pages):
    output = ranks.check(f"/nodes evacuees {rounds} {pages}", timeout_s=240)
    return {name: int(number) for name, number in re.findall(r"([a-z_]+) (\d+)", output.splitlines()[-1])}


def test_every_page_is_what_its_owner_wrote_last_after_evacuations_under_load(ranks):
    counts = evacuees(ranks, ROUNDS, PAGES)
    assert counts["wrong"] == 0
    assert counts["closed"] + counts["reopened"] + counts["busy"] + counts["no_room"] == ROUNDS
    assert counts["closed"] >= ROUNDS * 9 // 10
    assert counts["moved"] >= ROUNDS * PAGES // 16, "a fair share of the pages moves in each round"


def test_pages_that_are_being_unmapped_do_not_keep_a_rank_open(ranks):
    """A task in munmap() refers to them until all are unmapped, and yields the processor in between."""
    counts = evacuees(ranks, 200, 320)
    assert (counts["closed"], counts["busy"], counts["wrong"]) == (200, 0, 0)


def test_a_rank_opens_before_memory_runs_out(ranks):
    """Without ranks 2 and 3 there is room for one rank and what rank 0 has left: two ranks need a third."""
    for rank in (2, 3):
        ranks.check(f"echo 1 >{RANK}/{rank}/evacuate")
    before = int(re.search(r"^pswpout (\d+)", ranks.check("cat /proc/vmstat"), re.M)[1])
    output = ranks.check(f"/nodes growth {2 * RANK_PAGES}", timeout_s=60)
    after = int(re.search(r"^pswpout (\d+)", ranks.check("cat /proc/vmstat"), re.M)[1])
    assert sum(nodes(output)) >= 2 * RANK_PAGES - (after - before)
    states = {status(ranks, rank)["evacuate"] for rank in (2, 3)}
    assert "open" in states
    assert after - before < RANK_PAGES // 8, "swapping is no substitute for opening a rank"


def pages_at_a_kill(ranks):
    """Return the pages in memory and swap of two programs when the OOM killer ends the larger one."""
    ranks.check(HOLD.format("touch 6000"))
    assert ranks.run("/nodes growth 12000", timeout_s=60)[0] == 128 + SIGKILL
    ranks.check(LET_GO)
    report = ranks.check("dmesg -c")
    assert report.count("Out of memory: Killed process") == 1
    # Of each process: its number, uid, tgid, total_vm, rss, bytes of page tables, swapents ...
    processes = re.findall(r"\] +\d+ +\d+ +\d+ +(\d+) +\d+ +(\d+) +0 nodes$", report, re.M)
    assert len(processes) == 2
    return sum(int(resident) + int(swapped) for resident, swapped in processes)


def test_the_oom_killer_comes_no_earlier_because_ranks_are_closed(ranks):
    without = pages_at_a_kill(ranks)
    for rank in (2, 3):
        ranks.check(f"echo 1 >{RANK}/{rank}/evacuate")
    assert pages_at_a_kill(ranks) == pytest.approx(without, rel=0.02)
    assert {status(ranks, rank)["evacuate"] for rank in (1, 2, 3)} == {"open"}


def test_a_program_bound_to_a_closed_rank_opens_it(ranks):
    ranks.check(f"echo 1 >{RANK}/3/evacuate")
    assert nodes(ranks.check("/nodes bind 3 100")) == [0, 0, 0, 100]
    assert status(ranks, 3)["evacuate"] == "open"


def test_an_evacuation_without_room_is_refused_at_once(ranks):
    for rank in (1, 2):
        ranks.check(f"echo 1 >{RANK}/{rank}/evacuate")
    ranks.check(HOLD.format(f"hold 3 {RANK_PAGES * 7 // 8}"))
    assert refused(ranks, 3, 1, ENOSPC)
    assert status(ranks, 3)["evacuate"] == "open"
    ranks.check(LET_GO)


@pytest.mark.parametrize("text", ["2", "x", "", "1 1", "-1"])
def test_other_texts_are_refused(ranks, text):
    assert refused(ranks, 3, f"'{text}'", EINVAL)
    assert status(ranks, 3)["evacuate"] == "open"


def test_the_kernels_rank_cannot_be_emptied(ranks):
    assert status(ranks, 0)["evacuate"] == "fixed"
    for text in (0, 1):
        assert refused(ranks, 0, text, ENODEV)
    assert 0 < free_pages(ranks, 0) < RANK_PAGES


def test_an_unloaded_driver_leaves_all_ranks_open(ranks):
    free = "sed -n 's/.*MemFree: *//p' /sys/devices/system/node/node3/meminfo"
    before = int(ranks.check(free).split()[0])
    ranks.check(f"echo 1 >{RANK}/3/evacuate")
    assert int(ranks.check(free).split()[0]) == 0
    ranks.check(f"killall litemrcd; rmmod litemrc_fake; {UNLOAD}")
    assert abs(int(ranks.check(free).split()[0]) - before) < RANK_PAGES // 8 * PAGE // 1024
    ranks.check(f"{LOAD}; insmod /litemrc_fake.ko ranks=4 frames_log2=14")
