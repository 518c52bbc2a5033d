# SPDX-License-Identifier: BSD-2-Clause
"""Command traces of one DDR3 rank: random ones, what a meter counts of them, and their current's integral."""

import random
from collections import Counter

from litemrc.energy.parts.part import SdramPart
from litemrc.ranks.activity import RankActivity

BANKS = 8
BURST_CLOCKS = 4
STATE_OF = {"PDN": "power_down", "SREN": "self_refresh"}
Trace = list[tuple[int, str, int]]  # clock, command, bank


def random_trace(seed: int, part: SdramPart) -> tuple[Trace, int]:
    """A trace that keeps the rules that energy depends on, and the clock it ends with.

    Each row is open for tRAS at least and each bank closed for the rest of tRC, so that the charge of every
    activation and refresh is complete; bursts do not overlap.
    """
    dice = random.Random(seed)
    trace: Trace = []
    now = 10
    for _ in range(dice.randint(1, 12)):
        kind = dice.choice(("rows", "rows", "REF", "PDN", "SREN"))
        if kind == "rows":
            banks = dice.sample(range(BANKS), dice.randint(1, 3))
            for bank in banks:
                trace.append((now, "ACT", bank))
                now += dice.randint(1, 8)
            for _ in range(dice.randint(0, 5)):
                now += BURST_CLOCKS
                trace.append((now, dice.choice(("RD", "WR")), dice.choice(banks)))
            now += part.ras + BURST_CLOCKS
            for bank in banks:
                trace.append((now, "PRE", bank))
                now += dice.randint(1, 5)
            now += part.rc - part.ras
        elif kind == "REF":
            trace.append((now, "REF", 0))
            now += part.rfc
        else:
            trace.append((now, kind, 0))
            now += dice.randint(part.rfc, 3 * part.rfc)
            trace.append((now, "PUP" if kind == "PDN" else "SREX", 0))
        now += dice.randint(1, 50)
    return trace, now + part.rfc


def activity_of(trace: Trace, end: int) -> RankActivity:
    """What a rank meter counts of a trace that ends before clock `end`, in clocks of the memory."""
    counts: Counter[str] = Counter()
    open_banks: set[int] = set()
    state, since = "precharge_standby", 0
    counted = {"ACT": "activates", "RD": "reads", "WR": "writes", "REF": "refreshes"}
    for clock, command, bank in [*trace, (end, "END", 0)]:
        counts[state] += clock - since
        since = clock
        if command in counted:
            counts[counted[command]] += 1
        if command == "ACT":
            open_banks.add(bank)
        elif command == "PRE":
            open_banks.discard(bank)
        elif command == "PREA":
            open_banks.clear()
        if command in STATE_OF:
            state = STATE_OF[command]
            counts[f"entered_{state}"] += 1
        elif command in ("PUP", "SREX") or state not in STATE_OF.values():
            state = "active_standby" if open_banks else "precharge_standby"
    return RankActivity(**counts)


def integrate(trace: Trace, end: int, part: SdramPart) -> float:
    """mJ: the current of every single clock, added up; written down apart from `litemrc.energy.model`."""
    rail = part.rails[0]
    i = rail.currents
    current = [i["idd2n"]] * end
    commands = sorted(trace)
    open_banks: set[int] = set()
    asleep = None
    later = [*commands[1:], (end, "END", 0)]
    for (clock, command, bank), (then, _, _) in zip(commands, later, strict=True):
        if command == "ACT":
            open_banks.add(bank)
        elif command == "PRE":
            open_banks.discard(bank)
        elif command in STATE_OF:
            asleep = i["idd2p1"] if command == "PDN" else i["idd6"]
        elif command in ("PUP", "SREX"):
            asleep = None
        level = asleep if asleep is not None else i["idd3n"] if open_banks else i["idd2n"]
        for at in range(clock, then):
            current[at] = level

    def more(start: int, clocks: int, milliamperes: float) -> None:
        for at in range(start, start + clocks):
            current[at] += milliamperes

    for clock, command, _ in commands:
        if command == "ACT":  # IDD0 flows for tRAS, beyond active standby
            more(clock, part.ras, i["idd0"] - i["idd3n"])
        elif command == "PRE":  # and for the rest of tRC, beyond precharge standby
            more(clock, part.rc - part.ras, i["idd0"] - i["idd2n"])
        elif command == "RD":
            more(clock, BURST_CLOCKS, i["idd4r"] - i["idd3n"])
        elif command == "WR":
            more(clock, BURST_CLOCKS, i["idd4w"] - i["idd3n"])
        elif command == "REF":
            more(clock, part.rfc, i["idd5b"] - i["idd2n"])
        elif command == "SREN":
            more(clock, part.rfc, i["idd5b"] - i["idd6"])
    return sum(current) * rail.volts / (part.clock_mhz * 1e6)
