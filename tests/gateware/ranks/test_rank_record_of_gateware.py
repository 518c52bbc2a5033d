# SPDX-License-Identifier: BSD-2-Clause
"""The host's counts from a record of the DFI equal the gateware's counts of the same DFI."""

import random
from pathlib import Path

import numpy as np
import pytest
from litedram.common import GeomSettings
from litedram.phy import dfi
from litemrc.checks.rank_record import COMMANDS, RECORDED, Command, snapshots_of
from litemrc.golden.ranks.dram_activity import Slices
from litemrc.ranks.activity import COUNTERS
from litemrc_gateware.ranks import counters as rank_counters
from litemrc_gateware.ranks.registers import AWAKE, PowerState
from litemrc_gateware.tap import dfi_activity
from litex.gen import LiteXModule
from migen import Mux, Signal

from tests.gateware.dram_bench import command_pins
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

GEOM = GeomSettings(bankbits=2, rowbits=12, colbits=8)
COLUMN_BYTES, PHASES = 2, 2
ROW_OF_SLICE = 1 << GEOM.rowbits - 2  # of four slices, the row above the bank in the address


class Bench(LiteXModule):
    """The DFI, its observer and the counters, connected as in `RankMeter`."""

    def __init__(
        self,
        ranks: int,
        domains: int,
        activity=dfi_activity.DFIActivity,
        counters=rank_counters.RankCounters,
    ) -> None:
        self.pins = dfi.Interface(GEOM.rowbits, GEOM.bankbits, ranks, 16, PHASES)
        self.activity = activity = activity(self.pins, GEOM, COLUMN_BYTES, domains)
        self.counters = counters = counters(domains)
        self.rank_state = [Signal(max=len(PowerState), name=f"rank{rank}") for rank in range(ranks)]
        names = ("access", "access_domain", "write", "activate", "activate_domain", "refresh")
        self.comb += [getattr(counters, name).eq(getattr(activity, name)) for name in names]
        for domain, state in enumerate(counters.state):
            low = self.rank_state[domain if ranks > 1 else 0]
            awake = Mux(activity.open[domain], PowerState.ACTIVE_STANDBY, PowerState.PRECHARGE_STANDBY)
            self.comb += state.eq(Mux(low == AWAKE, awake, low))


class Ranks:
    """Random valid commands, and their rows in the simulator's record."""

    def __init__(self, ranks: int, seed: int) -> None:
        self.count, self.dice = ranks, random.Random(seed)
        self.open = [set() for _ in range(ranks)]
        self.low = [AWAKE] * ranks
        self.partial = [0] * ranks
        self.rows = []

    def clock(self, now: int) -> tuple[Command, int, int, int]:
        """Command, ranks it is for, bank and address of this cycle; CKE is in `low`."""
        dice, rank = self.dice, self.dice.randrange(self.count)
        selected, bank, address = 1 << rank, dice.randrange(4), dice.getrandbits(GEOM.rowbits)
        was_low = list(self.low)
        choices = [Command.NONE, Command.ACTIVATE, Command.READ, Command.WRITE, Command.PRECHARGE]
        command = dice.choice([*choices, *choices, Command.REFRESH, Command.MODE])
        if self.low[rank] != AWAKE:
            # Asleep: wakes, or ignores commands to all ranks.
            if dice.random() < 0.15:
                self.low[rank], command = AWAKE, Command.NONE
            else:
                selected = (1 << self.count) - 1
                others_closed = not any(self.open)
                command = Command.REFRESH if others_closed and dice.random() < 0.2 else Command.NONE
        elif not self.open[rank] and dice.random() < 0.1:
            deep = (self.partial[rank] and PowerState.SELF_REFRESH_PARTIAL) or PowerState.SELF_REFRESH
            command = dice.choice([Command.NONE, Command.REFRESH])
            self.low[rank] = deep if command == Command.REFRESH else PowerState.POWER_DOWN
        elif command in (Command.READ, Command.WRITE):
            if bank not in self.open[rank]:
                command = Command.NONE
            elif address >> 10 & 1:
                self.open[rank].discard(bank)
        elif command == Command.ACTIVATE:
            if bank in self.open[rank]:
                command = Command.NONE
            self.open[rank].add(bank)
        elif command == Command.PRECHARGE:
            self.open[rank] -= set(range(4)) if address >> 10 & 1 else {bank}
        elif command == Command.REFRESH and self.open[rank]:
            command = Command.NONE
        elif command == Command.MODE and bank == 2:
            self.partial[rank] = address & 7
        self._record(now, command, selected, bank, address, was_low)
        return command, selected, bank, address

    def _record(self, now, command, selected, bank, address, was_low) -> None:
        for rank in range(self.count):
            cke = self.low[rank] == AWAKE
            if command != Command.NONE and selected >> rank & 1:
                self.rows.append((now, 0, rank, command, cke, bank, address))
            elif cke != (was_low[rank] == AWAKE):
                self.rows.append((now, 0, rank, Command.NONE, cke, 0, 0))


def counted(ranks: int, domains: int, clocks: int, **units):
    """Snapshots of the gateware: counters by domain and word; and the record with their marks."""
    bench, source = Bench(ranks, domains, **units), Ranks(ranks, seed=ranks + domains)
    shown, snapshots = {}, []

    def run():
        for now in range(1, clocks):  # pins are set for the next cycle
            command, selected, bank, address = source.clock(now)
            phase = bench.pins.phases[0]
            for pin, shift in ((phase.ras_n, 2), (phase.cas_n, 1), (phase.we_n, 0)):
                yield pin.eq(command >> shift & 1)
            for each in bench.pins.phases:
                yield each.cs_n.eq(~selected if each is phase and command != Command.NONE else -1)
                yield each.cke.eq(sum((low == AWAKE) << rank for rank, low in enumerate(source.low)))
            yield phase.bank.eq(bank)
            yield phase.address.eq(address)
            for state, low in zip(bench.rank_state, source.low, strict=True):
                yield state.eq(low)
            yield bench.counters.last.eq(1)  # every round is a snapshot
            yield
            if (yield bench.counters.boundary):
                source.rows.insert(_first_of(source.rows, now), (now, 0, 0, Command.SNAPSHOT, 0, 0, 0))
            if (yield bench.counters.shown):
                place = (yield bench.counters.shown_domain), (yield bench.counters.shown_word)
                shown[place] = yield bench.counters.shown_count
            if (yield bench.counters.complete):
                snapshots.append(dict(shown))

    counters = bench.counters
    shown_by = [counters.shown, counters.shown_domain, counters.shown_word, counters.shown_count]
    signals = [
        *command_pins(bench.pins),
        *bench.rank_state,
        counters.last,
        counters.boundary,
        counters.complete,
        *shown_by,
    ]
    run_simulation(bench, [run()], signals)
    return snapshots, np.array(source.rows, COMMANDS)


def _first_of(rows, clock: int) -> int:
    place = len(rows)
    while place and rows[place - 1][0] == clock:
        place -= 1
    return place


def first_difference(found, expected) -> str:
    """The first counter in which gateware and record differ, or nothing."""
    for number, (counters, snapshot) in enumerate(zip(found, expected, strict=False)):
        for domain, row in enumerate(snapshot.counters):
            for name in RECORDED:
                place = COUNTERS.index(name)
                if counters[domain, place] != row[place]:
                    return f"{number}, {domain}, {name}: {counters[domain, place]}, record {row[place]}"
    return ""


def of_record(record, ranks: int, domains: int, **options):
    slices = None if ranks > 1 else Slices(domains, GEOM.bankbits, GEOM.rowbits)
    return snapshots_of(record, domains, slices=slices, **options)


@pytest.mark.parametrize(("ranks", "domains"), [(2, 2), (4, 4), (1, 1), (1, 4)])
def test_a_record_gives_the_counters_of_the_gateware(ranks, domains):
    found, record = counted(ranks, domains, clocks=3000)
    expected = of_record(record, ranks, domains)
    assert len(found) >= 3000 // (15 * domains) - 2
    assert first_difference(found, expected) == ""
    tried = np.sum([snapshot.counters for snapshot in expected], axis=(0, 1))
    assert all(tried[: len(RECORDED)]), f"some counters were never tried: {tried}"


def test_commands_without_their_clock_of_delay_are_noticed():
    found, record = counted(2, 2, clocks=600)
    assert first_difference(found, of_record(record, 2, 2)) == ""
    assert first_difference(found, of_record(record, 2, 2, activity_clocks=0))


MUTANTS = {
    "rows are open a clock early": (
        dfi_activity,
        "any_open = [now != 0 for now in self.rows_open]",
        "any_open = [now != 0 for now in rows_open]",
    ),
    "commands to a sleeping rank count": (dfi_activity, "~phase.cs_n & phase.cke", "~phase.cs_n"),
    "every clock in a low state is an entry": (rank_counters, "& (last_state != number)", ""),
    "a round forgets the event of its first clock": (
        rank_counters,
        "count.eq(event), caught_count.eq(count)",
        "count.eq(0), caught_count.eq(count)",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    module, old, new = MUTANTS[mutant]
    mutated = mutated_module(Path(module.__file__), old, new)
    units = (
        {"activity": mutated.DFIActivity} if module is dfi_activity else {"counters": mutated.RankCounters}
    )
    found, record = counted(2, 2, clocks=600, **units)
    assert first_difference(found, of_record(record, 2, 2))
