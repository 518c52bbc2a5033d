# SPDX-License-Identifier: BSD-2-Clause
"""What tests do with processes, cgroups and contexts."""

from tests.linux.driver.guest import FAKE, S

CGROUPS = "/sys/fs/cgroup"
SWAP_BYTES = 16 << 20


def follow(guest, context, pid):
    assert guest.write(f"{S}contexts/{context}/pid", pid) == 0


def own_context(guest, name):
    """Return the context register while a process runs."""
    return guest.do(f"@ {name} r {S}context")[0]


def enable(guest):
    assert guest.write(S + "enable", 1) == 0


def enable_swap(guest):
    """Give the guest swap on zram and the memory controller, once in its life."""
    if len(guest.do("r /proc/swaps")) < 2:
        guest.do(f"swap {SWAP_BYTES}")
        guest.do(f"w {CGROUPS}/cgroup.subtree_control +memory")


def log(guest, kinds):
    """Pairs of kind and value."""
    return [(line.split()[0], int(line.split()[1])) for line in guest.do(f"log {kinds}")]


def frames_of(guest, *names):
    """Return the frames that processes have mapped; the log is empty before."""
    guest.do(f"w {FAKE}forget 1")
    for name in names:
        guest.do(f"@ {name} frames")
    return {value for _, value in log(guest, "f")}


def free_unmapped(guest):
    """Have unmapped pages freed: Linux 7.2 keeps the last new ones, up to 31, until others follow them."""
    guest.spawn("filler")
    guest.do("@ filler map 31")
    guest.end("filler")
