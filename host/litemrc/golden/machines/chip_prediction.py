"""Chips that sleep by what their idle times cost, and wake ahead of the access expected next (ours).

Everything is learned while the program runs; nothing looks ahead.
- Of each chip and direction (of its last access), every candidate threshold has a cost: what it would have
  cost in the idle times seen, where an old cost fades by 1/64 with each new one. The cheapest are in use.
- What followed a page, read or written, and what followed a chip behind another chip is remembered: the next
  chip, the time the CPU computed until then, and how often that was right. An entry that was right so often
  that it is sure (3) wakes the chip in time. A page's entry comes before a chip's.
- A chip woken ahead waits in standby until it was expected, and a little longer; then it sleeps as ever. If
  another chip is used first, one that has not begun to wake does not wake.
- The chip in use may itself be expected again: soon, then it stays in standby; later, then it naps meanwhile.
States: 1 standby, 2 nap, 3 powerdown; nobody waits in 0. A chip never used is in powerdown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from litemrc.golden.machines.chip_energy import Counts
from litemrc.golden.machines.chip_timeline import ChipPower, ChipTimeline

STANDBY, NAP, POWERDOWN = 1, 2, 3
SURE = 3
FS_PER_NS = 10**6
LONGEST_NS = 2**32
FADING = 64


class IdleCosts:
    """Costs of thresholds, in microwatts x nanoseconds beyond napping.

    Parameters:
        price_uw: what a second of delay costs beside the power on the way back.
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
        """Waiting until nap and until powerdown; of equals the first in use, or else the shortest."""
        nap = min(self.nap, key=lambda after: (self.nap[after], after))
        deep = min(self.deep, key=lambda after: (self.deep[after], after != self.first_deep, after))
        return nap * FS_PER_NS, deep * FS_PER_NS


@dataclass
class Entry:
    """What followed: a chip, after a time, as often as `confidence` tells."""

    chip: int
    gap_fs: int
    confidence: int = 1


@dataclass(frozen=True)
class Plan:
    """A wake-up that has not begun: of a chip, when, out of which state, and when it naps again."""

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
    """Run a program's references; returns as `chip_energy.run_chips`.

    Parameters:
        price_uw: of a second of delay, as of `IdleCosts`.
        tolerance_fs: times agree that differ by so much, or by an eighth; those up to nap's way back all do.
        hold_fs: standby of a chip woken ahead, behind the latest time it was expected.
    """
    memory = [ChipTimeline(power) for _ in range(chips)]
    for chip in memory:
        chip.change(0, (0, POWERDOWN))
    costs: dict[tuple[int, bool], IdleCosts] = {}
    entries: dict[tuple, Entry] = {}
    used: dict[int, tuple[int, bool]] = {}  # end and direction of a chip's last access
    deep_after = [0] * chips
    keys: list[tuple] = []
    near = power.exit_fs[NAP]
    now, last_chip = 0, 0
    plan: Plan | None = None

    def tolerance(gap: int) -> int:
        return 0 if gap <= near else max(gap // 8, tolerance_fs)

    def agree(told: int, gap: int) -> bool:
        if told <= near and gap <= near:
            return True
        return abs(told - gap) <= (tolerance_fs if told <= near else tolerance(told))

    def begin(time: int) -> None:
        """Wake the chip of the plan, if that is due."""
        if plan and plan.wake_at <= time:
            awake, nap = plan.wake_at + power.exit_fs[plan.state], plan.nap_at
            wake = [(plan.wake_at, ("wake", plan.state)), (awake, STANDBY)]
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
    return [chip.counts(now) for chip in memory], now


def _expect(
    chip: ChipTimeline, number: int, earliest: int, ready: int, until: int, deep_after: int
) -> Plan | None:
    """Have a chip awake from `ready` until `until`, at the least, but not wake before `earliest`.

    One that is in standby then stays there; for another, the plan is returned.
    """
    moves = [index for index, (_, what) in enumerate(chip.steps) if not isinstance(what, int)]
    waiting = chip.steps[moves[-1] + 1 :] if moves else chip.steps
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
