# SPDX-License-Identifier: BSD-2-Clause
"""Hundreds of thousands of hostile strings: the daemon keeps running and gives no order out of bounds.

The daemon runs under AddressSanitizer and UndefinedBehaviorSanitizer, which end it at the first fault.
tests/firmware/link fuzzes its frames alone; here the effects on the driver's files are checked.
"""

import os
import random
import re
import select
import threading

import pytest
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import host_requests

from tests.firmware.daemon.cable import write_all
from tests.firmware.daemon.fake_driver import CONTEXTS, FRAMES, PARAMETERS, FakeDriver
from tests.firmware.daemon.fake_pages import FakePages
from tests.firmware.link.link_messages import random_message

STRINGS = 1_000_000
HOT_PAGES = 128
CONFIG = "quick = /bin/true {scale}\nother [children] = /bin/true\n"

# All orders that are allowed, by file.
_N = r"\d{1,10}"
ORDERS = {
    "enable": "[01]",
    "epoch_length": f"({_N})",
    "epoch_unit": "accesses|cycles",
    "end_epoch": "1",
    "clear": "1",
    "arm": "1",
    "freeze": "[01]",
    "single_shot": "[01]",
    "range_lower": f"({_N})",
    "range_upper": f"({_N})",
    "sampling": r"\d|1[0-3]",
    "invalidate": f"({_N})",
    "split": "[01]",
    "keep_bitmap": "[01]",
    **{f"hot/{name}": "[01]" for name in ("enable", "reads", "writes", "always_on")},
    "hot/sampling": r"\d|1[0-5]",
    "hot/threshold": f"({_N})",
    "hot/wanted": r"[1-9]\d?|1[01]\d|12[0-8]",
    "hot/lower": f"({_N})",
    "hot/upper": f"({_N})",
    "hot/watermark": r"[1-9]|1[0-6]",
}
AT_ITS_END = ("cgroup/memory.low", 0, "0")  # the daemon guarantees no memory to programs any more
FOLLOW = re.compile(rf"contexts/[1-{CONTEXTS - 1}]/(pid|cgroup)$")


@pytest.fixture
def driver(folder):
    with FakeDriver(folder, pages=FakePages(FRAMES, HOT_PAGES)) as made:
        yield made


def any_request(dice):
    """A well-formed request with values of the schema's ranges; edges and small values are frequent."""
    edges = (0, 1, 2, 3, CONTEXTS, 13, 14, FRAMES - 1, FRAMES, 2**22, 2**31, 2**32 - 1)
    return host_requests().encode(random_message(host_requests(), dice, edges=edges))


def damaged(dice):
    """Bytes without a valid frame: noise, or a frame with a wrong CRC."""
    kind = dice.randrange(3)
    if kind == 0:
        return dice.randbytes(dice.randrange(300)) + b"\0"
    if kind == 1:
        noise = dice.randbytes(dice.randrange(5, 120)).replace(b"\0", b"x")
        return bytes([len(noise) + 1]) + noise + b"\0"
    whole = bytearray(frame(any_request(dice)))
    at = dice.randrange(len(whole) - 1)
    whole[at] ^= 1 << dice.randrange(8)
    return bytes(whole)


def mutated(dice):
    """A request with some wrong bytes and a matching CRC."""
    payload = bytearray(any_request(dice))
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(payload))
        payload[at : at + dice.randrange(2)] = dice.randbytes(dice.randrange(3))
        payload = payload or bytearray(b"\0")
    return frame(bytes(payload))


def whole(dice):
    return frame(any_request(dice))


@pytest.fixture
def throw(start_daemon):
    """Write many strings to the daemon's port and end it; return its orders and its counters."""

    def throw(makers, seed, count):
        daemon = start_daemon(config=CONFIG)
        dice = random.Random(seed)
        with daemon.host(60):
            pass
        before = len(daemon.driver.orders())
        master, ended = daemon.cable._master, threading.Event()

        def listen():
            while not ended.is_set():
                if select.select([master], [], [], 0.02)[0]:
                    os.read(master, 65536)

        listener = threading.Thread(target=listen)
        listener.start()
        for _ in range(count // 100):
            write_all(master, b"\0" + b"".join(dice.choice(makers)(dice) for _ in range(100)))
        ended.set()
        listener.join()
        with daemon.host(60):
            pass
        daemon.end()
        counted = re.search(r"(\d+) requests answered, (\d+) frames damaged", daemon.said())
        return daemon.driver.orders()[before:], int(counted[1]), int(counted[2])

    return throw


@pytest.mark.parametrize("seed", range(2))
def test_a_broken_frame_never_reaches_the_kernel(throw, seed):
    orders, answered, broken = throw([damaged], seed, STRINGS // 4)

    assert orders == [AT_ITS_END]
    assert answered <= 4, "the hellos before and after"
    assert broken > STRINGS // 4 * 0.9


@pytest.mark.parametrize("seed", range(2))
def test_requests_of_all_kinds_give_orders_within_bounds_only(throw, seed):
    orders, answered, _ = throw([mutated, whole, whole, damaged], seed, STRINGS // 2)

    seen, limits = set(), {"range_lower": 0, "range_upper": FRAMES - 1}
    for path, _, text in orders:
        monitor, _, name = path.rpartition("class/misc/litemrc0/")
        if not monitor:
            assert path.startswith("cgroup/"), path
            continue
        if FOLLOW.match(name):
            assert re.fullmatch(r"\d{1,7}|/quick|/other", text), text
        else:
            assert re.fullmatch(ORDERS[name], text), (name, text)
            if name == "epoch_length":
                assert PARAMETERS["epoch_least"] <= int(text) < 2**32
            if name == "hot/threshold":
                assert int(text) > 0
            if name in ("range_lower", "range_upper", "invalidate", "hot/lower", "hot/upper"):
                assert int(text) < FRAMES
                limits[name] = int(text)
                assert limits["range_lower"] <= limits["range_upper"]
        seen.add(name)
    assert seen > set(ORDERS), "all kinds of orders occurred"
    assert answered > STRINGS // 4 * 0.5
