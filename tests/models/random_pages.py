# SPDX-License-Identifier: BSD-2-Clause
"""Random accesses through the registers and on the golden bitmap, hot pages and reference counters."""

import random

from litemrc.golden.monitor.hot_pages import HotPages, HotSettings
from litemrc.golden.monitor.working_set import PageBitmap
from litemrc.golden.refs.ref_counters import Counter, RefCounters, Selector

from tests.models.model_bus import ModelBus
from tests.models.model_library import HOT_PAGES

ENABLE, HOLD, FREEZE = 1, 2, 8  # of control
CLEAR, END, RELEASE = 1, 2, 4  # of command


def frames_of(words: list[int]) -> frozenset[int]:
    return frozenset(32 * n + bit for n, word in enumerate(words) for bit in range(32) if word >> bit & 1)


def run_pages(bus: ModelBus, seed: int) -> int:
    """Compare bitmap and hot pages of each epoch with the golden models; return how many pages were hot."""
    draw, frames = random.Random(seed), bus.model.frames
    bitmap, hot = PageBitmap(), HotPages(frames)
    settings = HotSettings(8, 250, True, seed != 1, seed, 4, 20, True)
    hot.settings = settings
    for name, value in {
        "threshold": settings.threshold,
        "wanted": settings.wanted,
        "lower": settings.lower,
        "upper": settings.upper,
        "control": 1 | settings.reads << 1 | settings.writes << 2 | 1 << 3 | settings.sampling_log2 << 4,
    }.items():
        bus.write("mrc", f"hot_{name}", value)
    bus.write("mrc", "range_lower", 3)
    behind_counters = bus.model.contexts * 2 * bus.model.groups
    listed = 0
    for _ in range(40):
        frozen = draw.random() < 0.2
        bus.write("mrc", "control", ENABLE | HOLD | FREEZE * frozen)
        for _ in range(draw.randrange(1, 1500)):
            frame, write = int(draw.random() ** 3 * frames), draw.random() < 0.3
            bus.model.access_frame(frame, write)
            if frozen:
                continue
            if frame >= 3:
                bitmap.access(frame, write)
            hot.access(frame, write)
        if draw.random() < 0.1:
            bus.write("mrc", "command", CLEAR)
            bitmap.clear()
            hot.clear()
        bus.write("mrc", "command", END)
        bitmap.end_epoch()
        golden = hot.end_epoch()
        words = frames // 32
        assert frames_of(bus.window("mrc", behind_counters, words)) == bitmap.accessed
        assert frames_of(bus.window("mrc", behind_counters + words, words)) == bitmap.written
        status = bus.fields("mrc", "hot_status")
        listing = bus.window("mrc", behind_counters + 2 * words, 2 * status["listed"])
        assert list(zip(listing[::2], listing[1::2], strict=True)) == golden.pages
        assert (status["more"], status["saturated"]) == (golden.more, golden.saturated)
        assert bus.read("mrc", "hot_accesses") == golden.accesses
        assert status["queue_overflow"] == hot.queue_overflow
        while hot.queue:
            assert bus.fields("mrc", "hot_queue") == {"frame": hot.queue.popleft()[0], "valid": 1}
            bus.write("mrc", "hot_command", 1)
        assert bus.fields("mrc", "hot_queue") == {"frame": 0, "valid": 0}
        bus.write("mrc", "hot_command", 2)
        hot.queue_overflow = False
        bus.write("mrc", "command", RELEASE)
        listed += status["listed"]
    assert settings.wanted < HOT_PAGES
    return listed


def run_references(bus: ModelBus, seed: int) -> int:
    """Compare reference counters and events with the golden model; return how many events there were."""
    draw, pages = random.Random(seed), bus.model.frames
    golden = RefCounters(pages)
    golden.selectors = [
        Selector(True, False, {0, 2}, {0, 1, 5}, 10, 200),
        Selector(True, True, {1, 2, 3}, {1, 2}, 0, 255),
    ]
    golden.initials = [2, 5]
    for counter, selector in zip(Counter, golden.selectors, strict=True):
        name = counter.name.lower()
        masters, contexts = (sum(1 << n for n in s) for s in (selector.masters, selector.contexts))
        select = selector.reads | selector.writes << 1 | masters << 8 | contexts << 16
        for register, value in {
            "initial": golden.initials[counter],
            "select": select,
            "lower": selector.lower,
            "upper": selector.upper,
        }.items():
            bus.write("refs", f"{name}_{register}", value)
    bus.write("refs", "command", 1)
    golden.reset()
    bus.model.request(20, 0, 0, 0)  # before they are enabled
    bus.write("refs", "control", 1)
    for _ in range(20_000):
        page, kind = int(draw.random() ** 2 * pages), draw.random()
        counter = draw.choice(list(Counter))
        if kind < 0.8:
            write, master, context = draw.getrandbits(1), draw.randrange(4), draw.randrange(8)
            bus.model.request(page, write, master, context)
            golden.request(page, bool(write), master, context)
        elif kind < 0.82:
            value = draw.randrange(4096)
            bus.write_window("refs", 2 * page + counter, value)
            golden.load(page, counter, value)
        elif kind < 0.96:
            bus.write_window("refs", 2 * page + counter, 1 << 31)
            golden.rearm(page, counter)
        elif kind < 0.9603:
            bus.write("refs", "command", 1)
            golden.reset()
        else:
            event, expected = bus.fields("refs", "event"), golden.take()
            assert event["valid"] == (expected is not None)
            if expected:
                assert (event["page"], event["counter"]) == (expected.page, expected.counter)
                bus.write("refs", "command", 2)
        assert bus.window("refs", 2 * page + counter, 1) == [golden.read(page, counter)]
    assert (bus.read("refs", "fired"), bus.read("refs", "lost")) == (golden.fired, golden.lost)
    return golden.fired
