# SPDX-License-Identifier: BSD-2-Clause
"""The tracker without hardware, held to its golden model: each fault, each scan, and the counts."""

from itertools import islice

import pytest
from litemrc.golden.monitor.os_tracker import OsTracker

from tests.linux.driver.conftest import COMPLAINTS
from tests.linux.driver.following import CGROUPS, enable, follow, free_unmapped
from tests.linux.driver.guest import FAKE, S
from tests.linux.driver.test_tail import positions, walked

T = "/sys/devices/platform/litemrc.0.auto/tracker/"
EVENTS = ("faults", "scans", "bitmaps", "scanned", "accessed", "crossed", "untracked")
CONTEXT = 1
GROUP_PAGES = 1 << 14 >> 6  # frames of the device, in 64 groups


class Model(OsTracker):
    """The golden model, told what other pages of the process are accessed; scans come when ordered.

    A page is a frame. Own pages are those whose accesses the test knows.
    """

    def __init__(self, scan_list):
        super().__init__(scan_list, period=1 << 60, group_pages=GROUP_PAGES)

    def group(self, frame):
        """The group of a page that would fault now; -1: a miss."""
        assert not self.permits(frame), "no fault"
        return self._stack.index(frame) // GROUP_PAGES if frame in self._stack else -1

    def permits(self, frame):
        return frame in self._stack[: self._permitted]

    def free(self, frame):
        position = self._stack.index(frame)
        del self._stack[position]
        self._permitted -= position < self._permitted
        for pages in (self._accessed, self._faulted, self._known):
            pages.discard(frame)

    def see(self, frame):
        """Another page's accessed bit is set."""
        assert self.permits(frame) and frame not in self._faulted
        self._accessed.add(frame)

    def accessed(self):
        """The pages that a scan counts."""
        return [
            page
            for page in self._stack[: self._permitted]
            if page in self._accessed and page not in self._faulted
        ]

    def scan(self):
        self.events = self.events.plus(self._scan())


class Replay:
    """Follows the log of the tracker with the model, and the accesses of the program."""

    def __init__(self, guest, scan_list):
        self.guest, self.model = guest, Model(scan_list)
        self.first = None  # number of the program's first page
        self.frames = {}  # by page of the program
        self.own = set()

    def check(self, pages):
        """Check all that was logged while the program accessed these pages; then the log begins anew."""
        entries = [line.split() for line in self.guest.do(f"counted {T}entries")]
        self.guest.do(f"w {T}log 1")
        if self.first is None:  # asked once: the program's other pages fault then
            self.first = self.guest.ask("@ worker first_page").result
        left = iter(pages)
        seen = []
        for kind, *numbers in entries:
            frame, page, group = map(int, numbers)
            own = self.own_page(page, pages)
            if kind == "f" and own is not None:
                self.access_until(left, own)
                self.frames[own] = frame
                self.own.add(frame)
            if kind == "f":
                assert group == self.model.group(frame)
                self.model.access(frame)
            elif kind == "i":
                assert frame not in self.own
                self.model.free(frame)
            elif kind == "a":
                seen.append((frame, group))
            elif kind == "s":
                self.access_until(left, None)
                self.scan(seen)
                seen = []
        self.access_until(left, None)
        return len(entries)

    def own_page(self, page, pages):
        return page - self.first if 0 <= page - self.first < 1 + max([*pages, *self.frames]) else None

    def access_until(self, left, fault):
        """The accesses before the one that faults need none."""
        for page in left:
            if page == fault:
                return
            assert self.model.permits(self.frames[page]), "a fault is missing"
            self.model.access(self.frames[page])
        assert fault is None, "a fault without an access"

    def scan(self, seen):
        for frame, _ in seen:
            if frame not in self.own:
                self.model.see(frame)
        expected = self.model.accessed()
        assert [frame for frame, _ in seen] == expected
        positions = {frame: self.model._stack.index(frame) for frame in expected}
        assert [group for _, group in seen] == [positions[frame] // GROUP_PAGES for frame in expected]
        self.model.scan()


@pytest.fixture
def tracker(guests):
    """Load the tracker, with the parameters given, instead of the fake; the kernel may not complain."""
    guest = guests.running()
    guest.do("dmesg")

    def load(**parameters):
        words = " ".join(f"{name}={value}" for name, value in parameters.items())
        guest.do(f"insmod /litemrc_os.ko {words}")
        return guest

    yield load
    if guest.silent:
        return
    guest.ask("kill worker 9")
    guest.ask("wait worker")
    guest.do("rmmod litemrc_os")
    messages = guest.do("dmesg")
    complaints = [line for line in messages if any(words in line for words in COMPLAINTS)]
    assert not complaints, "\n".join(messages)


@pytest.fixture
def cgroup_of():
    """Make a cgroup with a swap behind it."""
    made = []

    def make(guest):
        if len(guest.do("r /proc/swaps")) < 2:
            guest.do(f"swap {16 << 20}")
            guest.do(f"w {CGROUPS}/cgroup.subtree_control +memory")
        guest.do(f"mkdir {CGROUPS}/tracked")
        made.append(guest)
        return f"{CGROUPS}/tracked"

    yield make
    for guest in made:
        guest.ask("kill worker 9")
        guest.ask("wait worker")
        guest.do(f"rmdir {CGROUPS}/tracked")


def counters(guest):
    guest.do(f"w {S}end_epoch 1")
    folder = f"{S}contexts/{CONTEXT}/"
    hits = [int(word) for word in guest.read(folder + "hits").split()]
    return {group: count for group, count in enumerate(hits) if count}, int(guest.read(folder + "misses"))


def followed(guest, name="worker"):
    """A process that is followed by the enabled tracker."""
    pid = guest.spawn(name)
    follow(guest, CONTEXT, pid)
    enable(guest)
    return pid


@pytest.mark.parametrize("scan_list", [60, 200, 1000])
def test_faults_and_scans_are_those_of_the_golden_model(tracker, scan_list):
    pages, steps, seeds, centres = 1200, 60, range(20), [16, 150, 300, 700, 1100]
    guest = tracker(scan_list=scan_list, period_ms=0)
    followed(guest)
    guest.do(f"w {T}log 1")
    replay = Replay(guest, scan_list)
    guest.do(f"@ worker fill {pages} 0 -")
    checked = replay.check(range(pages))
    used = walked(pages, (position for seed in seeds for position in positions(steps, seed, centres)))
    for seed in seeds:
        guest.do(f"@ worker walk {steps} {seed} {' '.join(map(str, centres))}")
        guest.do(f"w {T}scan 1")
        checked += replay.check(list(islice(used, steps)))
    model = replay.model
    hits, misses = counters(guest)
    assert (hits, misses) == (dict(sorted(model.hits.items())), model.misses)
    events = events_of(guest)
    assert events["accessed"] == model.events.accessed
    assert model.events.accessed or scan_list <= steps  # if all pages of a short list fault in each period
    assert events["crossed"] == model.events.crossed
    assert (events["scans"], events["untracked"]) == (20, 0)
    assert checked > pages


def test_a_process_that_ran_before_faults_on_each_page_once(tracker):
    pages, steps, centres = 900, 400, [20, 400]
    guest = tracker(scan_list=300, period_ms=0)
    pid = guest.spawn("worker")
    guest.do(f"@ worker fill {pages} 0 -")
    enable(guest)
    follow(guest, CONTEXT, pid)
    guest.do("@ worker spin 200")  # a tick sees that it runs
    guest.do(f"w {T}sweep 1")
    guest.do(f"w {T}log 1")
    counters(guest)
    guest.do(f"@ worker walk {steps} 1 {' '.join(map(str, centres))}")
    used = list(walked(pages, positions(steps, 1, centres)))
    accessed = [entry for entry in guest.do(f"counted {T}entries") if entry.startswith("f")]
    first = guest.ask("@ worker first_page").result
    own = [int(entry.split()[2]) - first for entry in accessed]
    own = [page for page in own if 0 <= page < pages]
    assert [page for place, page in enumerate(own) if page not in own[:place]] == list(dict.fromkeys(used))
    assert counters(guest)[1] >= len(set(used))


def events_of(guest):
    return {name: int(guest.read(T + name)) for name in EVENTS}


def test_nothing_is_scanned_while_no_page_is_tracked(tracker):
    guest = tracker(scan_list=64, period_ms=5)
    enable(guest)
    guest.do("sleep 200")
    assert events_of(guest)["scans"] == 0
    followed(guest)
    guest.do("@ worker fill 100 0 -")
    guest.do("sleep 100")
    assert events_of(guest)["scans"] > 1
    guest.do("kill worker 9")
    guest.do("wait worker")
    guest.do("sleep 100")
    scans = events_of(guest)["scans"]
    guest.do("sleep 200")
    assert events_of(guest)["scans"] == scans


@pytest.mark.parametrize(("never_young", "found", "message"), [(0, "yes", 0), (1, "no", 1)])
def test_periodic_scans_end_where_the_processor_sets_no_accessed_bits(tracker, never_young, found, message):
    pages = 100  # of which 64 decide
    guest = tracker(scan_list=500, period_ms=10, never_young=never_young)
    followed(guest)
    assert guest.read(f"{T}accessed_bits") == "unknown"
    guest.do(f"@ worker fill {pages} 0 -")
    guest.do("sleep 100")
    assert guest.read(f"{T}accessed_bits") == found
    assert sum("sets no accessed bits" in line for line in guest.do("dmesg")) == message
    before = events_of(guest)["scans"]
    guest.do("sleep 100")
    guest.do(f"@ worker fill {pages} 0 -")  # a fault orders no scan either
    guest.do("sleep 100")
    assert (events_of(guest)["scans"] > before) == (not never_young)
    guest.do(f"w {T}period_ms 0")
    guest.do("sleep 50")
    before = events_of(guest)["scans"]
    guest.do(f"w {T}scan 1")
    assert events_of(guest)["scans"] == before + 1


HARDWARE = "/sys/class/misc/litemrc1/"


@pytest.fixture
def hardware(tracker):
    """Load the tracker on a processor without accessed bits, then a monitor in hardware."""
    loaded = []

    def load(scan_list, **parameters):
        guest = tracker(scan_list=scan_list, period_ms=10, never_young=1)
        loaded.append(guest)
        words = " ".join(f"{name}={value}" for name, value in parameters.items())
        guest.do(f"insmod /litemrc_fake.ko page_bitmap=1 {words}")
        guest.do(f"w {HARDWARE}enable 1")
        follow(guest, CONTEXT + 1, guest.spawn("other"))
        enable(guest)
        guest.do("@ other fill 100 0 -")  # of which 64 pages decide
        guest.do("sleep 100")
        assert guest.read(f"{T}accessed_bits") == "no"
        guest.end("other")
        free_unmapped(guest)
        return guest

    yield load
    for guest in loaded:
        violations = guest.read(FAKE + "violations")
        guest.do("rmmod litemrc_fake")
        assert violations.split()[0] == "0", violations


@pytest.mark.parametrize("scan_list", [200, 1000])
def test_without_accessed_bits_scans_are_those_of_the_golden_model_by_a_bitmap(hardware, scan_list):
    pages, steps, seeds, centres = 1200, 60, range(10), [16, 150, 300, 700, 1100]
    guest = hardware(scan_list)
    guest.do(f"w {T}log 1")  # the tracker is enabled
    followed(guest)
    replay = Replay(guest, scan_list)
    guest.do(f"@ worker fill {pages} 0 -")
    replay.check(range(pages))
    before = events_of(guest)
    used = walked(pages, (position for seed in seeds for position in positions(steps, seed, centres)))
    for seed in seeds:
        guest.do(f"@ worker walk {steps} {seed} {' '.join(map(str, centres))}")
        replay.check(list(islice(used, steps)))
        protected = [frame for frame in sorted(replay.own) if not replay.model.permits(frame)][:5]
        for frame in (*replay.model.accessed(), *protected, *replay.model._faulted, (1 << 14) - 1):
            guest.do(f"w {FAKE}touch {frame}")
        guest.do(f"w {HARDWARE}end_epoch 1")
        guest.do("sleep 20")
        replay.check([])
    after = events_of(guest)
    assert {name: after[name] - before[name] for name in ("scans", "bitmaps")} == {"scans": 10, "bitmaps": 10}
    assert after["accessed"] == replay.model.events.accessed > 0


def test_a_bitmap_of_other_frames_is_refused_with_a_message(hardware):
    guest = hardware(500, frames_log2=13)
    before = events_of(guest)
    guest.do(f"w {HARDWARE}end_epoch 1")
    guest.do("sleep 50")
    assert events_of(guest) == before
    assert any(
        "a monitor sees other frames: set memory= and frames_log2=" in line for line in guest.do("dmesg")
    )


def test_pages_that_leave_the_list_for_those_of_another_process_are_protected_before_the_next_scan(
    tracker, cgroup_of
):
    pages, steps, centres = 300, 60, [20, 200]
    guest = tracker(scan_list=16, period_ms=60_000)
    path = cgroup_of(guest)
    for name in ("worker", "other"):
        guest.do(f"w {path}/cgroup.procs {guest.spawn(name)}")
    guest.do(f"w {S}contexts/{CONTEXT}/cgroup /tracked")
    enable(guest)
    for name in ("worker", "other"):
        guest.do(f"@ {name} fill {pages} 0 -")
    guest.do("sleep 50")
    guest.do(f"w {T}log 1")
    guest.do(f"@ worker walk {steps} 1 {' '.join(map(str, centres))}")
    first = guest.ask("@ worker first_page").result
    own = {int(entry.split()[2]) - first for entry in guest.do(f"counted {T}entries") if entry[0] == "f"}
    guest.end("other")
    assert own & set(range(pages)) == set(walked(pages, positions(steps, 1, centres)))


@pytest.mark.parametrize("period_ms", [0, 1])
def test_processes_that_fork_exec_unmap_and_end_are_survived(tracker, period_ms):
    guest = tracker(scan_list=16, period_ms=period_ms)
    followed(guest)
    guest.do("@ worker fill 300 0 -")
    guest.do("@ worker spawn kid")
    guest.do("@ worker walk 200 1 20 200")
    guest.do("@ worker @ kid walk 200 1 20 200")  # it has inherited protected pages, and nobody counts them
    guest.do("@ worker kill kid 9")
    guest.do("@ worker wait kid")
    guest.do("@ worker churn 30")
    guest.do("@ worker map 100 shared")
    guest.do("@ worker unmap")
    guest.do(f"w {S}contexts/{CONTEXT}/pid 0")
    guest.do("@ worker walk 200 2 20 200")
    guest.do("@ worker exec /renamed")
    guest.do("kill worker 9")
    guest.do("wait worker")
    followed(guest)
    guest.do("@ worker fill 100 0 -")
    assert counters(guest)[1] >= 100


@pytest.mark.parametrize("kind", ["", "locked", "shared"])
def test_locked_and_shared_pages_are_misses_once_and_do_not_fault_while_they_are_in_the_list(tracker, kind):
    pages = 100
    guest = tracker(scan_list=500, period_ms=0)
    followed(guest)
    guest.do(f"@ worker map {pages} {kind}")
    assert pages <= counters(guest)[1] < 2 * pages
    guest.do("@ worker touch")
    guest.do("@ worker touch")
    assert events_of(guest)["faults"] + counters(guest)[1] < pages


def test_a_process_keeps_running_when_the_tracker_is_disabled_or_unloaded(tracker):
    guest = tracker(scan_list=16, period_ms=5)
    followed(guest)
    guest.do("@ worker fill 300 0 -")
    guest.do(f"w {S}enable 0")
    events = events_of(guest)
    guest.do("@ worker walk 200 1 20 200")  # a page that were still protected would never be given back
    assert events_of(guest) == events
    enable(guest)
    for _ in range(3):
        guest.do("& worker churn 40")
        guest.do("sleep 30")
        guest.do("rmmod litemrc_os")
        guest.do("? worker")
        guest.do("@ worker walk 100 1 20 200")
        guest.do("insmod /litemrc_os.ko scan_list=16 period_ms=5")
        follow(guest, CONTEXT, guest.spawn("next"))
        enable(guest)
        guest.end("next")


def test_pages_that_the_kernel_evicts_are_misses_when_they_return(tracker, cgroup_of):
    guest = tracker(scan_list=64, period_ms=10)
    path = cgroup_of(guest)
    guest.do(f"w {path}/memory.max {600 * 4096}")
    pid = followed(guest)
    guest.do(f"w {path}/cgroup.procs {pid}")
    guest.do("@ worker fill 900 0 -")
    counters(guest)
    guest.do("@ worker walk 300 1 20 300 800")
    hits, misses = counters(guest)
    assert misses > 60 and sum(hits.values()) > 60


def test_settings_out_of_range_are_refused(tracker):
    guest = tracker(scan_list=64, period_ms=0)
    assert guest.write(f"{T}scan_list", 0) == 22  # EINVAL
    assert guest.write(f"{T}scan_list", (1 << 14) + 1) == 22
    assert guest.write(f"{T}scan", 1) == 61  # ENODATA: it is disabled
    enable(guest)
    assert guest.write(f"{T}scan_list", 32) == 16  # EBUSY
    guest.do(f"w {S}enable 0")
    assert guest.write(f"{T}scan_list", 32) == 0
    assert guest.read(f"{T}scan_list") == "32"
    guest.do("rmmod litemrc_os")
    for words in ("scan_list=0", "frames_log2=5", "frames_log2=21", "scan_list=20000"):
        assert guest.ask(f"insmod /litemrc_os.ko {words}").result == -22
    guest.do("dmesg")
    guest.do("insmod /litemrc_os.ko")


@pytest.mark.parametrize(("clock_hz", "least", "most"), [(1_000_000, 1, 10), (50_000_000, 20, 1000)])
def test_an_epoch_is_as_long_as_its_cycles_of_the_clock(tracker, clock_hz, least, most):
    """500,000 cycles, half a second at 1 MHz and 10 ms at 50 MHz, in 600 ms of the guest's time."""
    guest = tracker(scan_list=64, period_ms=0, clock_hz=clock_hz)
    guest.write(f"{S}epoch_unit", "cycles")
    guest.write(f"{S}epoch_length", 500000)
    enable(guest)
    before = int(guest.read(f"{S}epoch"))
    guest.do("sleep 600")
    assert least <= int(guest.read(f"{S}epoch")) - before <= most
    guest.do(f"w {S}enable 0")
