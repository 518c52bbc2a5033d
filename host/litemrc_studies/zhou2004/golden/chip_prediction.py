# SPDX-License-Identifier: BSD-2-Clause
"""Chips with learned idle thresholds that wake ahead of the predicted next access (ours).

The policy learns while the program runs and uses no future knowledge.
- For each chip and direction of its last access, every candidate threshold has a cost: the cost it would have
  had in the idle times seen, where old costs decay by 1/64 with each new one. The cheapest thresholds are
  used.
- A table holds the successor of each page, read or written, and of each pair of chips used in sequence: the
  next chip, the CPU time until its access, and a confidence. An entry with full confidence (3) wakes its chip
  in time. A page's entry takes precedence over a chip's.
- A chip woken ahead stays in standby until the expected time plus a margin; then the thresholds apply. If
  another chip is used first, a wake-up that has not begun is cancelled.
- The chip in use may be predicted again. If the access is near, the chip stays in standby; otherwise it naps.
States: 1 standby, 2 nap, 3 powerdown; no chip idles in 0. A chip never used is in powerdown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from litemrc_studies.zhou2004.golden.chip_energy import ChipPower, ChipTimeline, Counts, Step

STANDBY, NAP, POWERDOWN = 1, 2, 3
SURE = 3
FS_PER_NS = 10**6
LONGEST_NS = 2**32
FADING = 64


class IdleCosts:
    """Costs of thresholds relative to nap, in microwatts x nanoseconds.

    Parameters
    ----------
    price_uw
        price of delay, in addition to the exit power.
    """

    def __init__(self, power: ChipPower, price_uw: int) -> None:
        self.waiting_uw = power.waiting_uw
        self.back = [
            (uw + price_uw) * (fs // FS_PER_NS) for uw, fs in zip(power.exit_uw, power.exit_fs, strict=True)
        ]
        quarter, half = 4 * FS_PER_NS, 2 * FS_PER_NS
        self.nap = {count * power.exit_fs[NAP] // quarter: 0 for count in (0, 1, 2, 4, 8, 16)}
        self.deep = {
            count * power.exit_fs[POWERDOWN] // half: 0 for count in (1, 4, 10, 20, 50, 100, 200, 600)
        }
        self.first_deep = 50 * power.exit_fs[POWERDOWN] // half

    def learn(self, idle_fs: int) -> None:
        idle = min(idle_fs // FS_PER_NS, LONGEST_NS)
        _, standby, nap, deep = self.waiting_uw
        for after in self.nap:
            cost = (standby - nap) * min(idle, after)
            if idle < after:
                cost -= self.back[NAP] - self.back[STANDBY]
            self.nap[after] += cost - self.nap[after] // FADING
        for after in self.deep:
            cost = 0
            if idle >= after:
                cost = self.back[POWERDOWN] - self.back[NAP] - (nap - deep) * (idle - after)
            self.deep[after] += cost - self.deep[after] // FADING

    def thresholds_fs(self) -> tuple[int, int]:
        """Return the idle times until nap and powerdown; ties go to the initial one, then the shortest."""
        nap = min(self.nap, key=lambda after: (self.nap[after], after))
        deep = min(self.deep, key=lambda after: (self.deep[after], after != self.first_deep, after))
        return nap * FS_PER_NS, deep * FS_PER_NS


@dataclass
class Entry:
    """A predicted successor: a chip, the CPU time until its access, and the confidence."""

    chip: int
    gap_fs: int
    confidence: int = 1


@dataclass(frozen=True)
class Plan:
    """A wake-up that has not begun: the chip, its begin, the state it leaves, and the next nap."""

    chip: int
    wake_at: int
    state: int
    nap_at: int


def run_predictive(
    pages: Sequence[int],
    gaps_fs: Sequence[int],
    writes: Sequence[bool],
    chip_of: Sequence[int],
    chips: int,
    power: ChipPower,
    *,
    price_uw: int,
    tolerance_fs: int,
    hold_fs: int,
) -> tuple[Counts, int]:
    """Run the references of a program; the result is that of `chip_energy.run_chips`.

    Parameters
    ----------
    price_uw
        as in `IdleCosts`.
    tolerance_fs
        times agree if they differ by at most this, or an eighth; times up to nap's exit all
        agree.
    hold_fs
        standby of a chip woken ahead, after the latest expected time.
    """
    memory = [ChipTimeline(power) for _ in range(chips)]
    for timeline in memory:
        timeline.change(0, (0, POWERDOWN))
    costs: dict[tuple[int, bool], IdleCosts] = {}
    entries: dict[tuple, Entry] = {}
    used: dict[int, tuple[int, bool]] = {}  # end and direction of a chip's last access
    deep_after: dict[int, int] = {}
    keys: list[tuple] = []
    near = power.exit_fs[NAP]
    now, last_chip = 0, 0
    plan: Plan | None = None

    def tolerance(gap: int) -> int:
        return 0 if gap <= near else max(gap // 8, tolerance_fs)

    def agree(expected: int, gap: int) -> bool:
        if expected <= near and gap <= near:
            return True
        return abs(expected - gap) <= (tolerance_fs if expected <= near else tolerance(expected))

    def begin(time: int) -> None:
        """Wake the chip of the plan if its time has come."""
        if plan and plan.wake_at <= time:
            awake, nap = plan.wake_at + power.exit_fs[plan.state], plan.nap_at
            wake: list[tuple[int, Step]] = [(plan.wake_at, ("wake", plan.state)), (awake, STANDBY)]
            memory[plan.chip].change(
                plan.wake_at, *wake, (nap, NAP), (nap + deep_after[plan.chip], POWERDOWN)
            )

    for page, gap, write in zip(pages, gaps_fs, writes, strict=True):
        chip = chip_of[page]
        issued = now + gap
        for key in keys:
            entry = entries.get(key)
            if entry and entry.chip == chip and agree(entry.gap_fs, gap):
                entry.confidence = min(SURE, entry.confidence + 1)
                entry.gap_fs = gap
            elif entry and entry.confidence > 1:
                entry.confidence -= 1
            else:
                entries[key] = Entry(chip, gap)
        if chip in used:
            end, direction = used[chip]
            costs[chip, direction].learn(issued - end)
        begin(issued)
        plan = None
        nap_after, deep_after[chip] = costs.setdefault(
            (chip, write), IdleCosts(power, price_uw)
        ).thresholds_fs()
        deep = max(nap_after, deep_after[chip])
        now = memory[chip].access(issued)
        memory[chip].change(now, (now, STANDBY), (now + nap_after, NAP), (now + deep, POWERDOWN))
        used[chip] = (now, write)

        keys = [("page", page, write), ("chip", chip, last_chip, write)]
        last_chip = chip
        sure = [entries[key] for key in keys if key in entries and entries[key].confidence == SURE]
        if not sure:
            continue
        expected, about = sure[0].chip, tolerance(sure[0].gap_fs)
        ready, until = now + sure[0].gap_fs - about, now + sure[0].gap_fs + about + hold_fs
        if expected == chip and sure[0].gap_fs > near + about:
            memory[chip].change(now, (now, NAP), (now + deep, POWERDOWN))
        earliest = now if expected == chip else issued
        plan = _expect(memory[expected], expected, earliest, ready, until, deep_after[expected])
    begin(now)
    return [timeline.counts(now) for timeline in memory], now


def _expect(
    chip: ChipTimeline, number: int, earliest: int, ready: int, until: int, deep_after: int
) -> Plan | None:
    """Keep a chip awake at least from `ready` until `until`; a wake-up begins at `earliest` or later.

    A chip that is in standby then stays in standby. For any other chip, the plan is returned.
    """
    waiting: list[tuple[int, int]] = []  # steps since the last access or wake-up
    for began, what in reversed(chip.steps):
        if not isinstance(what, int):
            break
        waiting.append((began, what))
    nap_at = min(began for began, state in waiting if state >= NAP)
    deep_at = min(began for began, state in waiting if state == POWERDOWN)
    wake_at = [max(earliest, ready - exit_fs) for exit_fs in chip.power.exit_fs]
    if wake_at[NAP] <= nap_at:
        nap = max(nap_at, until)
        chip.change(nap_at, (nap_at, STANDBY), (nap, NAP), (nap + deep_after, POWERDOWN))
        return None
    state = NAP if wake_at[NAP] < deep_at else POWERDOWN
    begins = wake_at[NAP] if state == NAP else max(wake_at[POWERDOWN], deep_at)
    return Plan(number, begins, state, max(until, begins + chip.power.exit_fs[state]))
