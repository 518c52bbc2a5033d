# SPDX-License-Identifier: BSD-2-Clause
"""What tests do with processes, cgroups and contexts."""

from litemrc.device.bridge.layout import layout

from tests.linux.driver.guest import FAKE, S

CGROUPS = "/sys/fs/cgroup"
SWAP_BYTES = 16 << 20


def follow(guest, context, pid):
    assert guest.write(f"{S}contexts/{context}/pid", pid) == 0


def own_context(guest, name):
    """Return the context that owns a page which a process allocates."""
    return guest.do(f"@ {name} r {FAKE}owner")[0]


def claims(guest):
    """Return the frames and contexts of the claims since the log was emptied, in order."""
    places = layout().fields["mrc"]["claim"]
    found = []
    for _, value in log(guest, "k"):
        frame, context, order = (
            value >> shift & ((1 << bits) - 1)
            for shift, bits in (places[name] for name in ("frame", "context", "order"))
        )
        found += [(each, context) for each in range(frame, frame + (1 << order))]
    return found


def first_page(guest):
    """Return the page of physical memory that is the monitor's frame 0."""
    return int(guest.read(S + "parameters/first_page"))


def claimed(guest, context):
    return {frame for frame, its in claims(guest) if its == context}


def owners(guest):
    """Return the context that accesses to each frame count in."""
    return bytes.fromhex("".join(guest.do(f"hex {FAKE}owners")))


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
