# SPDX-License-Identifier: BSD-2-Clause
"""Random accesses, commands and policies on the library's ranks and on the golden model, cycle for cycle.

Runs by itself, too, so that a library with a seeded fault can be tried: random_power.py LIBRARY
"""

import random
import sys
from pathlib import Path

from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.ranks.meter import MeterWord, PowerState, RankMeterModel
from litemrc.golden.ranks.power import PowerSettings, RankPowerModel
from litemrc.golden.ranks.working_pages import WorkingPages

from tests.models.model_library import SIZES, Model
from tests.models.random_operations import golden_of

SIZE = SIZES[-1]
DOMAINS = 4
POLICIES = ("none", "static", "dynamic", "mrc")
STATES = (1 << len(PowerState)) - 1  # a DRAM that reaches all
REST = 8  # RankPower::REST
EXITS = {
    PowerState.POWER_DOWN: 3,
    PowerState.SELF_REFRESH: 128,
    PowerState.SELF_REFRESH_PARTIAL: 128,
}
# Not counted by a functional simulator.
ZERO = (MeterWord.ACTIVATES, MeterWord.REFRESHES, MeterWord.ACTIVE_STANDBY)


class Pair:
    """The library and its golden model, with the same ranks."""

    def __init__(self, library: Path, *, slices: bool) -> None:
        self.model = Model(library, SIZE)
        self.model.set_ranks(0, slices, STATES, EXITS[PowerState.POWER_DOWN], EXITS[PowerState.SELF_REFRESH])
        self.model.control(1, 1, 0, 0, 0)
        self.monitor: MonitorModel = golden_of(self.model)
        self.pages = WorkingPages(
            self.model.pages, self.model.groups, self.model.contexts, DOMAINS, engine=self.monitor.engine
        )
        self.meter = RankMeterModel(DOMAINS, self.pages)
        self.power = RankPowerModel(self.meter, REST, EXITS, slices=slices)
        self.working = self.pages.working()

    def access(self, frame: int, write: bool) -> None:
        self.model.set_time(self.power.clock)
        self.model.access_frame(frame, write)
        self.power.access(frame * DOMAINS // self.model.frames, write)
        self.monitor.access(frame, 0)
        self.working = self.pages.working()

    def command(self, domain: int, state: int) -> None:
        self.model.set_time(self.power.clock)
        self.model.command(domain, state)
        self.power.command(domain, state)

    def set_policy(self, settings: PowerSettings, may_lose: list[bool]) -> None:
        self.model.set_time(self.power.clock)
        self.power.settings, self.power.may_lose = settings, may_lose
        allowed = sum(1 << domain for domain, may in enumerate(may_lose) if may)
        self.model.set_policy(
            POLICIES.index(settings.policy),
            settings.static_state,
            settings.mrc_state,
            POLICIES.index(settings.mrc_base),
        )
        self.model.set_thresholds(settings.threshold_power_down, settings.threshold_self_refresh)
        self.model.set_partial(settings.partial, allowed)

    def set_n_mrc(self, size: int) -> None:
        self.model.set_time(self.power.clock)
        self.model.set_n_mrc(size)
        for context in range(self.model.contexts):
            self.pages.set_n_mrc(context, size)
        self.working = self.pages.working()

    def tick(self) -> None:
        self.power.tick(self.working)

    def compare(self) -> dict[MeterWord, int]:
        """End the epoch and compare all counters; returns their sums over the domains."""
        self.model.set_time(self.power.clock)
        self.model.end_epoch()
        self.model.release()
        self.monitor.end_epoch()
        golden = self.meter.snapshot(self.power.clock)
        found = [[self.model.meter_window(d * 16 + word) for word in MeterWord] for d in range(DOMAINS)]
        assert found == golden.counters, f"before cycle {self.power.clock}: {found} != {golden.counters}"
        assert self.model.snapshot_clocks() == golden.clocks
        assert not any(row[word] for row in found for word in ZERO)
        return {word: sum(row[word] for row in found) for word in MeterWord}

    def compare_states(self) -> None:
        self.model.set_time(self.power.clock)
        found = [self.model.state(domain) for domain in range(DOMAINS)]
        # The library already shows what becomes of this cycle.
        cycle = self.power.clock
        self.tick()
        expected = [self.power.state(domain) for domain in range(DOMAINS)]
        assert found == expected, f"in cycle {cycle}: {found} != {expected}"


def random_settings(draw: random.Random) -> PowerSettings:
    return PowerSettings(
        draw.choice(POLICIES),
        draw.choice([2, 3, 4, draw.randrange(8)]),
        draw.choice([2, 3, 4, draw.randrange(8)]),
        draw.choice(POLICIES[:3]),
        draw.choice([0, 1, 5, REST, 20, 60]),
        draw.choice([0, 3, 40, 60, 300]),
        draw.randrange(2),
    )


def run(library: Path, seed: int, cycles: int, *, slices: bool) -> dict[MeterWord, int]:
    """Returns the sums of all counters."""
    draw, pair = random.Random(seed), Pair(library, slices=slices)
    sums = dict.fromkeys(MeterWord, 0)
    gap, place = 10, 0
    while pair.power.clock < cycles:
        for _ in range(draw.choice([0, 1, 1, 1, 3])):
            frame = (place + draw.randrange(20)) % pair.model.frames
            pair.access(frame, draw.random() < 0.3)
        if draw.random() < 0.02:
            gap, place = draw.choice([1, 5, 12, 12, 40, 150]), draw.randrange(pair.model.frames)
        if draw.random() < 0.02:
            pair.command(draw.randrange(DOMAINS), draw.randrange(5))
        if draw.random() < 0.03:
            never = draw.choice([-1, 0, 1])  # the domain that may not lose data
            pair.set_policy(random_settings(draw), [domain != never for domain in range(DOMAINS)])
        if draw.random() < 0.03:
            pair.set_n_mrc(draw.randrange(1, 3))
        if draw.random() < 0.1:
            pair.compare_states()
        for _ in range(draw.randrange(gap) + 1):
            pair.tick()
        if draw.random() < 0.02:
            for word, count in pair.compare().items():
                sums[word] += count
    return sums


if __name__ == "__main__":
    for together in (False, True):
        print(run(Path(sys.argv[1]), seed=1, cycles=60_000, slices=together))
