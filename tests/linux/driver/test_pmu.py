# SPDX-License-Identifier: BSD-2-Clause
"""perf's events count what the finished epochs have, and outlive their monitor."""

from errno import EACCES, EAGAIN, EINVAL, ENODEV

import pytest

from tests.linux.driver.following import enable, follow
from tests.linux.driver.guest import FAKE, S, parse_epoch
from tests.linux.driver.test_banks import ACCESS_BYTES, bank_word, head_word
from tests.linux.driver.test_ranks_driver import RANKS, counter

PMU = "/sys/bus/event_source/devices/litemrc/"
DRIVER = "/sys/bus/platform/drivers/litemrc/"
ALL = (-1, 0)  # pid, cpu: the whole machine
CONTEXT = 3


class Pmu:
    """The PMU of a guest, by what its files say of events and terms."""

    def __init__(self, guest):
        self.guest = guest

    @property
    def type(self):
        return int(self.guest.read(PMU + "type"))

    def config(self, event, **terms):
        """Encode an event as perf does."""
        name, number = self.guest.read(f"{PMU}events/{event}").split("=")
        config = 0
        for term, value in {name: int(number), **terms}.items():
            first, last = map(int, self.guest.read(f"{PMU}format/{term}").removeprefix("config:").split("-"))
            assert value < 1 << last - first + 1
            config |= value << first
        return config

    def open(self, config, where=ALL, period=0):
        """Open an event; return its index, or minus an errno."""
        return self.guest.ask(f"counter {self.type} {config} {where[0]} {where[1]} {period}").result

    def counts(self):
        return [int(line) for line in self.guest.do("counts")]


@pytest.fixture
def pmu(monitor):
    if monitor.ask(f"r {PMU}type").result < 0:
        pytest.skip(
            "a kernel without CONFIG_PERF_EVENTS; run with LITEMRC_KERNEL=build/linux-perf/kernel-perf"
        )
    yield Pmu(monitor)
    if not monitor.silent:
        monitor.do("uncount")


def test_an_ordinary_user_opens_no_event(pmu, spawn):
    order = f"counter {pmu.type} {pmu.config('accesses')} {ALL[0]} {ALL[1]} 0"
    spawn("user")
    assert pmu.guest.ask(f"@ user {order}").result == 0
    pmu.guest.do("@ user user 1000")
    pmu.guest.write("/proc/sys/kernel/perf_event_paranoid", -1)  # a kernel with it: perf refuses nothing
    assert pmu.guest.ask(f"@ user {order}").result == -EACCES


def end_epoch(guest):
    assert guest.write(S + "end_epoch", 1) == 0


def test_counts_are_the_sums_of_the_finished_epochs(pmu, spawn):
    guest = pmu.guest
    follow(guest, CONTEXT, spawn("worker"))
    enable(guest)
    for event in ("accesses", "misses", "hits"):
        assert pmu.open(pmu.config(event, context=CONTEXT)) >= 0
    for event in ("accesses", "dropped"):  # context 0: all that is not followed; dropped: of all
        assert pmu.open(pmu.config(event)) >= 0
    guest.do("open /dev/litemrc0")
    for hits, others in ((70, 11), (0, 5), (1, 0)):
        guest.do(f"@ worker w {FAKE}hit 2 {hits}")
        guest.do(f"@ worker w {FAKE}access 30")
        guest.do(f"w {FAKE}access {others}")
        end_epoch(guest)
    epochs = [parse_epoch(line) for line in guest.do("read 10000 3")]
    guest.do("close")
    accesses = sum(epoch.accesses[CONTEXT] for epoch in epochs)
    assert accesses == 71 + 3 * 30
    dropped = sum(epoch.number * 7 + 3 for epoch in epochs)  # the fake's
    assert pmu.counts() == [accesses, 3 * 30, 71, sum(epoch.accesses[0] for epoch in epochs), dropped]
    guest.do(f"w {FAKE}access 100")
    assert pmu.counts()[3] == 16  # the running epoch does not count


def test_an_event_counts_the_epochs_that_finish_while_it_is_enabled(pmu):
    guest = pmu.guest
    enable(guest)
    guest.do(f"w {FAKE}access 1000")
    end_epoch(guest)
    assert pmu.open(pmu.config("accesses")) >= 0
    assert pmu.counts() == [0]
    for counting, accesses in ((1, 10), (0, 200), (1, 3000)):
        guest.do(f"counting {counting}")
        guest.do(f"w {FAKE}access {accesses}")
        end_epoch(guest)
    assert pmu.counts() == [3010]


def test_what_the_monitor_cannot_count_is_refused(pmu):
    rank_reads = 4  # not in events/ without a meter
    for config in (
        pmu.config("accesses", context=8),
        pmu.config("dropped", context=1),
        pmu.config("misses", rank=1),
        pmu.config("accesses") | 6,
        pmu.config("accesses") | rank_reads,
        pmu.config("accesses") | 1 << 24,
        pmu.config("accesses") | 1 << 63,
    ):
        assert pmu.open(config) == -EINVAL, config
    accesses = pmu.config("accesses", context=7)
    assert pmu.open(accesses, where=(0, -1)) == -EINVAL  # of a process
    assert pmu.open(accesses, where=(0, 0)) == -EINVAL
    assert pmu.open(accesses, period=1000) == -EINVAL  # there is no interrupt to sample by
    assert pmu.open(accesses) >= 0
    assert pmu.guest.read(PMU + "cpumask") == "0"
    names = {line.split()[0] for line in pmu.guest.do(f"ls {PMU}events")}
    assert names == {"accesses", "misses", "hits", "dropped"}


DRAM_EVENTS = ("dram_reads", "dram_writes", "dram_row_hits", "dram_activates", "dram_row_conflicts")


def dram_count(event, epochs, banks):
    """What the fake's DRAM counts in these epochs, by the formulas of test_banks.py."""
    if event in DRAM_EVENTS:
        word = DRAM_EVENTS.index(event)
        return sum(bank_word(epoch, bank, word) for epoch in epochs for bank in range(banks))
    if event == "dram_cycles":
        return sum(head_word(epoch, 0) + (head_word(epoch, 1) << 32) for epoch in epochs)
    return sum(head_word(epoch, 2) for epoch in epochs)


@pytest.fixture
def reloaded(pmu):
    """Load both modules anew, the fake with these parameters: a PMU keeps its files until then."""

    def load(parameters):
        pmu.guest.do("uncount")
        pmu.guest.do("rmmod litemrc_fake")
        pmu.guest.unload_driver()
        pmu.guest.load_driver()
        pmu.guest.do(f"insmod /litemrc_fake.ko {parameters}")
        return pmu

    yield load
    if not pmu.guest.silent:
        load("")


@pytest.mark.parametrize(("rows", "banks"), [(1, 8), (0, 1)])
def test_events_of_the_dram_are_the_sums_of_the_banks(reloaded, rows, banks):
    """Events that the monitor does not know are absent: their files, and the numbers."""
    pmu = reloaded(f"banks={banks} rows={rows}")
    guest = pmu.guest
    events = (*DRAM_EVENTS, "dram_cycles", "dram_refreshes") if rows else DRAM_EVENTS[:2]
    files = {line.split()[0] for line in guest.do(f"ls {PMU}events")}
    units = {f"{event}.{kind}" for event in DRAM_EVENTS[:2] for kind in ("scale", "unit")}
    assert files == {"accesses", "misses", "hits", "dropped"} | set(events) | units
    for event in events:
        assert pmu.open(pmu.config(event)) >= 0
    last = pmu.config(events[-1])
    for config in (last + 1, last | 1 << 8, last | 1 << 16):  # no further event, no context, no rank
        assert pmu.open(config) == -EINVAL, config
    first = int(guest.read(S + "epoch"))
    for _ in range(3):
        end_epoch(guest)
    epochs = range(first, first + 3)
    assert pmu.counts() == [dram_count(event, epochs, banks) for event in events]


def test_perf_prints_reads_and_writes_of_the_dram_in_mib(reloaded):
    guest = reloaded("banks=4").guest
    for event in ("dram_reads", "dram_writes"):
        assert guest.read(f"{PMU}events/{event}.unit") == "MiB"
        assert float(guest.read(f"{PMU}events/{event}.scale")) == ACCESS_BYTES / 2**20


def test_an_open_event_survives_that_its_monitor_goes_and_counts_the_next_one(pmu):
    guest = pmu.guest
    accesses = pmu.config("accesses")
    enable(guest)
    assert pmu.open(accesses) >= 0
    guest.do(f"w {FAKE}access 40")
    end_epoch(guest)
    guest.do(f"W {DRIVER}unbind litemrc.0")
    assert pmu.counts() == [40]
    assert pmu.open(accesses) == -ENODEV
    guest.unload_driver(clients=True)
    assert guest.ask("rmmod litemrc").result == -EAGAIN
    guest.do(f"W {DRIVER}bind litemrc.0")
    enable(guest)
    guest.do(f"w {FAKE}access 2")
    end_epoch(guest)
    assert pmu.counts() == [42]
    guest.do("uncount")
    guest.do("rmmod litemrc")
    assert guest.ask(f"r {PMU}type").result < 0
    guest.load_driver()
    assert pmu.open(accesses) >= 0


def test_events_of_ranks_are_the_sums_of_the_meters(pmu):
    guest = pmu.guest
    guest.do("rmmod litemrc_fake")
    guest.unload_driver()
    guest.load_driver()
    guest.do(f"insmod /litemrc_fake.ko ranks={RANKS}")
    for rank in range(RANKS):
        for event in ("rank_reads", "rank_writes"):
            assert pmu.open(pmu.config(event, rank=rank)) >= 0
    assert pmu.open(pmu.config("rank_reads", rank=RANKS)) == -EINVAL
    assert pmu.open(pmu.config("rank_reads", context=1)) == -EINVAL
    first = int(guest.read(S + "epoch"))
    for _ in range(3):
        end_epoch(guest)
    epochs = range(first, first + 3)
    assert pmu.counts() == [
        sum(counter(epoch, rank, word) for epoch in epochs) for rank in range(RANKS) for word in (0, 1)
    ]
    guest.do("uncount")
    guest.do("rmmod litemrc_fake")
    guest.unload_driver()
    guest.load_driver()
    guest.do("insmod /litemrc_fake.ko")
