# SPDX-License-Identifier: BSD-2-Clause
"""After a clear the frames in use, and no others, are claimed for context 0."""

import re

import pytest

from tests.linux.driver.guest import FAKE, S

MEMORY = "/sys/devices/platform/litemrc.0/memory/"


def claimed(guest):
    """Return the frames that the driver read since the last clear."""
    bits = bytes.fromhex("".join(guest.do(f"hex {MEMORY}claimed")))
    return {8 * at + bit for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1}


def logged(guest):
    return {int(line.split()[1]) for line in guest.do("log f")}


def zone(guest, name):
    """Return a number of /proc/zoneinfo, in frames; there is one zone."""
    text = "\n".join(guest.do("r /proc/zoneinfo"))
    return int(re.search(rf"\b{name}:? +(\d+)", text)[1])


def test_every_frame_of_every_kernel_stack_is_claimed(monitor):
    for number in range(8):
        monitor.spawn(f"s{number}")
    assert monitor.write(S + "enable", 1) == 0
    monitor.do(f"w {FAKE}forget 1")
    monitor.do(f"w {MEMORY}stacks 1")
    stacks = logged(monitor)
    assert len(stacks) >= 2 * 20, "two frames each, and there are some twenty threads"
    # Those of threads that began after the claim were free then.
    assert len(stacks - claimed(monitor)) <= 2
    for number in range(8):
        monitor.end(f"s{number}")


@pytest.mark.parametrize("compound", [0, 1])
@pytest.mark.parametrize("order", [0, 1, 4])
def test_every_frame_of_an_allocation_is_claimed(monitor, order, compound):
    for _ in range(4):
        monitor.do(f"w {MEMORY}allocate {order} {compound}")
    frames = logged(monitor)
    assert len(frames) == 4 << order
    assert monitor.write(S + "enable", 1) == 0
    assert frames <= claimed(monitor)


@pytest.mark.parametrize(("order", "blocks"), [(9, 2), (0, 40)])
def test_free_frames_are_not_claimed(monitor, order, blocks):
    """Blocks of 512 go to the buddy system, single frames to the processor's list."""
    monitor.write(S + "enable", 1)  # has the driver allocate now what it needs
    monitor.write(S + "enable", 0)
    for _ in range(blocks):
        monitor.do(f"w {MEMORY}allocate {order} 0")
    frames = logged(monitor)
    monitor.do(f"w {MEMORY}release now")
    assert monitor.write(S + "enable", 1) == 0
    # The command itself allocates a few frames.
    assert len(frames & claimed(monitor)) <= len(frames) // 4


def test_claimed_and_free_frames_are_all_frames(monitor):
    """Free are those of the buddy system and of the processor's lists. The guest hardly runs in between."""
    assert monitor.write(S + "enable", 1) == 0
    used = zone(monitor, "present") - zone(monitor, "pages free") - zone(monitor, "count")
    assert len(claimed(monitor)) == pytest.approx(used, abs=40)


def test_frames_that_become_free_during_the_claim_are_not_claimed(monitor):
    """All are freed when the driver claims the first frame of memory, so that they come later."""
    for _ in range(4):
        monitor.do(f"w {MEMORY}allocate 4 0")
    frames = logged(monitor)
    monitor.do(f"w {MEMORY}release claim")
    assert monitor.write(S + "enable", 1) == 0
    assert len(frames & claimed(monitor)) <= len(frames) // 4
