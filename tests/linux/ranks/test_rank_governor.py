# SPDX-License-Identifier: BSD-2-Clause
"""Under the policy mrc the driver empties ranks that the working set does not need, and opens them."""

import re
import time
from errno import EINVAL

import pytest
from litemrc.device.simulation.guest_shell import values_of

from tests.linux.ranks.placed import HOLD, LET_GO, RANK_PAGES, nodes
from tests.linux.ranks.test_rank_evacuation import MUSL, RANK, status
from tests.timeouts import scaled_timeout

MONITOR = "/sys/class/misc/litemrc0"
FAKE = f"{MONITOR}/device/fake"
POLICY = f"{MONITOR}/rank_policy/kind"
MARGIN_FILE = f"{MONITOR}/rank_governor/margin"
MARGIN = RANK_PAGES // 8
PAUSE = 4  # epochs without a closing after an opening, at least


@pytest.fixture
def governed(ranks):
    """The shell, under the policy mrc and with a small working set; afterwards without."""
    ranks.check(f"echo 10 >{FAKE}/top_pages; echo mrc >{POLICY}")
    yield ranks
    ranks.check(f"echo {MARGIN} >{MARGIN_FILE}; echo none >{POLICY}")
    wait_until(ranks, lambda: governor(ranks)["closed"] == 0)


def governor(ranks):
    """Return the numbers of `rank_governor/` by their names."""
    return {name: int(text) for name, text in values_of(ranks.check, f"{MONITOR}/rank_governor/*").items()}


def closed(ranks):
    return [rank for rank in (1, 2, 3) if status(ranks, rank)["evacuate"] == "closed"]


def wait_until(ranks, condition):
    deadline = time.monotonic() + scaled_timeout(30)
    while not condition():
        assert time.monotonic() < deadline, state(ranks)
        time.sleep(0.1)


def state(ranks):
    return f"closed {closed(ranks)}; {governor(ranks)}; {ranks.check('dmesg')}"


def end_epochs(ranks, count):
    """End epochs, each some ticks of 20 ms after the one before."""
    ranks.check(f"for i in $(seq {count}); do echo 1 >{MONITOR}/end_epoch; sleep 0.2; done", timeout_s=120)


def end_epochs_until(ranks, condition, most=12 * PAUSE):
    """End epochs until the condition holds: a page may be busy at an attempt to move it."""
    for _ in range(most):
        end_epochs(ranks, 1)
        if condition():
            return
    wait_until(ranks, condition)


def pages_swapped(ranks):
    return int(re.search(r"^pswpout (\d+)", ranks.check("cat /proc/vmstat"), re.M)[1])


def test_at_most_one_rank_is_closed_per_epoch_and_one_is_left_for_programs(governed):
    assert closed(governed) == []
    end_epochs_until(governed, lambda: closed(governed))
    assert len(closed(governed)) == 1
    end_epochs_until(governed, lambda: len(closed(governed)) == 2)
    end_epochs(governed, 3)
    assert len(closed(governed)) == 2
    assert governor(governed)["working_set"] == 3 * 10, "rank 0 is the kernel's"


def test_a_large_working_set_keeps_ranks_open_that_are_nearly_empty(governed):
    """3 x 1250 + 512 pages need two ranks of 4096; 3 x 3000 + 512 need three."""
    governed.check(f"echo 1250 >{FAKE}/top_pages")
    end_epochs_until(governed, lambda: closed(governed))
    end_epochs(governed, 4 * PAUSE)
    assert len(closed(governed)) == 1
    governed.check(f"echo 3000 >{FAKE}/top_pages")
    end_epochs(governed, 1)
    wait_until(governed, lambda: closed(governed) == [])


def test_pages_that_do_not_fit_elsewhere_keep_a_rank_open(governed):
    """Of 6,000 pages and two margins of 512, one rank holds 4,096."""
    governed.check(HOLD.format("touch 6000"))
    end_epochs_until(governed, lambda: closed(governed))
    end_epochs(governed, 4 * PAUSE)
    assert len(closed(governed)) == 1
    governed.check(LET_GO)


def test_ranks_follow_a_load_that_shrinks_and_grows_and_no_page_is_lost(governed):
    governed.check(HOLD.format("touch 1000"))
    end_epochs_until(governed, lambda: len(closed(governed)) == 2)
    swapped, before = pages_swapped(governed), governor(governed)
    for _ in range(2):
        output = governed.check(f"/nodes growth {2 * RANK_PAGES}", timeout_s=120)
        assert sum(nodes(output)) >= 2 * RANK_PAGES * 7 // 8
        assert len(closed(governed)) < 2, "a rank was opened"
        end_epochs(governed, 1)
        assert len(closed(governed)) < 2, "and is not closed at once"
        end_epochs_until(governed, lambda: len(closed(governed)) == 2)
    assert pages_swapped(governed) - swapped < RANK_PAGES // 8, "swapping is no substitute"
    after = governor(governed)
    assert after["openings"] - before["openings"] == after["evacuations"] - before["evacuations"] >= 2
    governed.check(LET_GO)
    assert sum(nodes(governed.check("cat /tmp/out"))) == 1000, "printed only if every byte is as before"


def test_a_rank_that_cannot_be_emptied_is_named_and_another_is_tried_after_a_pause(governed):
    governed.check(HOLD.format("pin 3 5"))
    before = governor(governed)["busy"]
    end_epochs(governed, 1)
    wait_until(governed, lambda: governor(governed)["busy"] == before + 1)
    named = "rank 3 was not emptied (-16; pinned 5, kernel 0, busy 0); next attempt after 4 epochs"
    assert named in governed.check("dmesg")
    end_epochs(governed, PAUSE)
    assert closed(governed) == [], "no attempt in the pause"
    end_epochs_until(governed, lambda: closed(governed) == [2])
    governed.check(LET_GO)
    end_epochs_until(governed, lambda: len(closed(governed)) == 2)


def test_another_policy_opens_what_the_governor_has_closed_and_nothing_else(governed):
    governed.check(f"echo 1 >{RANK}/1/evacuate")
    end_epochs_until(governed, lambda: len(closed(governed)) == 2)
    governed.check(f"echo dynamic >{POLICY}")
    wait_until(governed, lambda: closed(governed) == [1])
    assert governor(governed)["governs"] == 0
    end_epochs(governed, 2)
    assert closed(governed) == [1]


def test_a_margin_of_0_ends_it(governed):
    end_epochs_until(governed, lambda: closed(governed))
    governed.check(f"echo 0 >{MARGIN_FILE}")
    wait_until(governed, lambda: closed(governed) == [])


@pytest.mark.parametrize("margin", [RANK_PAGES // 2 + 1, "x", "", -1])
def test_other_margins_are_refused(ranks, margin):
    code, output = ranks.run(f"echo '{margin}' >{MARGIN_FILE}")
    assert code == 1 and MUSL[EINVAL] in output
    assert governor(ranks)["margin"] == MARGIN
