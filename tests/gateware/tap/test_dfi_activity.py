# SPDX-License-Identifier: BSD-2-Clause
"""DFIActivity reports DFI commands by domain: random ones against a plain model, and LiteDRAM's."""

import random
from collections import Counter
from pathlib import Path

import litemrc_gateware.tap.dfi_activity as dfi_activity
import pytest
from litedram.common import GeomSettings
from litedram.phy import dfi
from litemrc.golden.ranks.dram_activity import Command, DRAMActivity, Slices
from litemrc.golden.ranks.meter import PowerState
from litex.gen import LiteXModule
from migen import passive

from tests.gateware.dram_bench import DRAMBench, command_pins, drive, driven
from tests.mutation import mutated_module
from tests.verilated_simulation import run_simulation

GEOM = GeomSettings(bankbits=2, rowbits=12, colbits=8)
COLUMN_BYTES, PHASES = 2, 2
BANK_BYTES = COLUMN_BYTES << (GEOM.rowbits + GEOM.colbits)
CLOCKS = 1500
# command: ras_n, cas_n, we_n
COMMANDS = {
    "none": (1, 1, 1),
    "activate": (0, 1, 1),
    "read": (1, 0, 1),
    "write": (1, 0, 0),
    "precharge": (0, 1, 0),
    "refresh": (0, 0, 1),
    "mode": (0, 0, 0),
}
NAMES = {command.name.lower(): command for command in Command}


class Recorder:
    """A meter that keeps the events of one cycle."""

    def __init__(self, domains: int) -> None:
        self.domains, self.open = domains, set()
        self.begin()

    def begin(self) -> None:
        self.accesses, self.activates, self.refreshes = [], [], set()

    def access(self, _clock, domain, write) -> None:
        self.accesses.append((domain, write))

    def activate(self, _clock, domain) -> None:
        self.activates.append(domain)

    def refresh(self, _clock, domain) -> None:
        self.refreshes.add(domain)

    def enter(self, _clock, domain, state) -> None:
        # A rank with CKE low for a cycle keeps its rows open.
        if state == PowerState.ACTIVE_STANDBY:
            self.open.add(domain)
        elif state == PowerState.PRECHARGE_STANDBY:
            self.open.discard(domain)

    def seen(self) -> dict:
        return {
            "access": self.accesses,
            "activate": self.activates,
            "refresh": set(self.refreshes),
            "open": set(self.open),
        }


class Model:
    """The golden model of a bus with phases, and the open rows, to choose valid commands."""

    def __init__(self, ranks: int, domains: int, alignment: int) -> None:
        self.ranks, self.recorder = ranks, Recorder(domains)
        slices = Slices(domains, GEOM.bankbits, GEOM.rowbits, alignment > 0) if ranks == 1 else None
        self.activity = DRAMActivity(self.recorder, ranks, slices)
        self.open_banks: set[tuple[int, int]] = set()

    def clock(self, commands) -> dict:
        self.recorder.begin()
        for name, selected, awake, bank, address in commands:
            for rank in (r for r in range(self.ranks) if selected >> r & 1 and name in NAMES):
                if not awake >> rank & 1:
                    self.activity.sleep(0, rank, PowerState.POWER_DOWN)
                self.activity.command(0, NAMES[name], rank, bank, address)
                self.activity.awake(0, rank)
                if awake >> rank & 1:
                    self._follow(name, rank, bank, address)
        return self.recorder.seen()

    def _follow(self, name: str, rank: int, bank: int, address: int) -> None:
        if name == "activate":
            self.open_banks.add((rank, bank))
        elif name == "refresh" or (name == "precharge" and address >> 10 & 1):
            self.open_banks -= {(rank, b) for b in range(2**GEOM.bankbits)}
        elif name == "precharge" or address >> 10 & 1:
            self.open_banks.discard((rank, bank))


def random_clock(dice: random.Random, model: Model):
    """Commands of a cycle, in the order of phases: at most one access and one activate, of other banks."""
    commands, used = [], set()
    for _ in range(PHASES):
        name = dice.choice(["none", *COMMANDS])
        bank, address = dice.randrange(4), dice.getrandbits(GEOM.rowbits)
        rank = dice.randrange(model.ranks)
        selected, awake = 1 << rank, dice.getrandbits(model.ranks) if dice.random() < 0.2 else -1
        awake &= 2**model.ranks - 1
        if name in ("refresh", "precharge", "mode") and dice.random() < 0.5:
            selected = dice.getrandbits(model.ranks)
        kind = "access" if name in ("read", "write") else name
        is_open = (rank, bank) in model.open_banks and (rank, bank) not in used
        if (
            kind in used
            or (kind == "access" and not is_open)
            or (kind == "activate" and (rank, bank) in used)
        ):
            name = "none"
        used |= {kind, (rank, bank)} if name != "none" else set()
        if name in ("refresh", "precharge"):
            used |= {(r, b) for r in range(model.ranks) for b in range(4)}
        commands.append((name, selected, awake, bank, address))
    return commands


class Bench(LiteXModule):
    def __init__(self, unit, ranks: int, domains: int, alignment: int) -> None:
        self.pins = dfi.Interface(GEOM.rowbits, GEOM.bankbits, ranks, 16, PHASES)
        self.unit = unit(self.pins, GEOM, COLUMN_BYTES, domains, alignment)


def outputs(unit):
    """The signals that `seen_by` reads."""
    accesses = [unit.access, unit.access_domain, unit.write]
    return [*accesses, unit.activate, unit.activate_domain, unit.refresh, unit.open]


def seen_by(unit):
    """The unit's outputs in this cycle."""
    access = [((yield unit.access_domain), bool((yield unit.write)))] if (yield unit.access) else []
    activate = [(yield unit.activate_domain)] if (yield unit.activate) else []
    refresh, is_open = (yield unit.refresh), (yield unit.open)
    return {
        "access": access,
        "activate": activate,
        "refresh": {d for d in range(16) if refresh >> d & 1},
        "open": {d for d in range(16) if is_open >> d & 1},
    }


def differences(ranks: int, domains: int, alignment: int, unit=dfi_activity.DFIActivity) -> Counter:
    """Fields in which the unit differs from the model over random commands, and "cycles"."""
    bench, model, dice = (
        Bench(unit, ranks, domains, alignment),
        Model(ranks, domains, alignment),
        random.Random(7),
    )
    found = Counter()

    def run():
        expected = model.clock([])
        for _ in range(CLOCKS):
            commands = random_clock(dice, model)
            for phase, (name, selected, awake, bank, address) in zip(
                bench.pins.phases, commands, strict=True
            ):
                for pin, level in zip((phase.ras_n, phase.cas_n, phase.we_n), COMMANDS[name], strict=True):
                    yield pin.eq(level)
                yield phase.cs_n.eq(~selected)
                yield phase.cke.eq(awake)
                yield phase.bank.eq(bank)
                yield phase.address.eq(address)
            yield
            seen = yield from seen_by(bench.unit)
            found.update(name for name in seen if seen[name] != expected[name])
            found["clocks"] += 1
            expected = model.clock(commands)

    run_simulation(bench, [run()], [*command_pins(bench.pins), *outputs(bench.unit)])
    return found


SHAPES = [
    (1, 1, 0),
    (1, 4, 0),
    (1, 16, BANK_BYTES),
    (1, 2, BANK_BYTES),
    (1, 16, 0),
    (2, 2, 0),
    (4, 4, BANK_BYTES),
]


@pytest.mark.parametrize(("ranks", "domains", "alignment"), SHAPES)
def test_random_commands_are_named_as_the_model_names_them(ranks, domains, alignment):
    assert differences(ranks, domains, alignment) == {"clocks": CLOCKS}


@passive
def listen(unit, accesses, activates, refreshes):
    was_open = set()
    while True:
        yield
        done = yield from seen_by(unit)
        accesses += done["access"]
        assert all(domain in was_open for domain, _ in done["access"])  # auto-precharge may close it
        was_open = done["open"]
        activates += done["activate"]
        refreshes += done["refresh"]


@pytest.mark.parametrize(("ranks", "domains", "bank_row_column"), [(2, 2, True), (1, 4, True), (1, 8, False)])
def test_accesses_of_litedram_are_in_the_domain_of_their_address(ranks, domains, bank_row_column):
    bench = DRAMBench("SDR", ranks=ranks, bank_row_column=bank_row_column)
    bench.unit = unit = dfi_activity.DFIActivity(
        bench.phy.dfi, bench.geom, bench.column_bytes, domains, bench.alignment
    )
    memory_bytes = ranks * bench.column_bytes << (
        bench.geom.bankbits + bench.geom.rowbits + bench.geom.colbits
    )
    asked, accesses, activates, refreshes = [], [], [], []
    drivers = [
        drive(bench.ports[0], random.Random(1), 60, asked),
        listen(unit, accesses, activates, refreshes),
    ]
    run_simulation(bench, drivers, [*driven(bench.ports[0]), *outputs(unit)])
    assert accesses == [(address * domains // memory_bytes, bool(write)) for address, write in asked]
    assert set(activates) == {domain for domain, _ in accesses} == set(range(domains))
    counts = Counter(refreshes)
    assert len(counts) == domains and len(set(counts.values())) == 1  # LiteDRAM refreshes all ranks at once


MUTANTS = {
    "commands to a sleeping rank count": ("~phase.cs_n & phase.cke", "~phase.cs_n"),
    "auto-precharge leaves the row open": ("If(accesses & a10, then", "If(accesses & 0, then"),
    "precharge closes all banks": ("Mux(a10, all_banks, this_bank)", "all_banks"),
    "a refresh leaves rows open": ("If(refreshes, then.eq(now & ~all_banks)),", ""),
    "mode registers are refreshes": (
        "~phase.ras_n & ~phase.cas_n & phase.we_n",
        "~phase.ras_n & ~phase.cas_n",
    ),
    "later phases forget earlier ones": (
        "rows_open = behind",
        "rows_open = behind if phase is dfi.p1 else rows_open",
    ),
    "the rank accessed is the first": ("rank.eq(number),", "rank.eq(0),"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_is_caught(mutant):
    unit = mutated_module(Path(dfi_activity.__file__), *MUTANTS[mutant]).DFIActivity
    found = differences(2, 2, 0, unit)
    assert len(found) > 1, found


def test_domains_that_do_not_fit_are_refused():
    one, two = (dfi.Interface(GEOM.rowbits, GEOM.bankbits, ranks, 16, PHASES) for ranks in (1, 2))
    with pytest.raises(ValueError, match="4 domains, but 2 ranks"):
        dfi_activity.DFIActivity(two, GEOM, COLUMN_BYTES, 4)
    with pytest.raises(ValueError, match=r"power of two up to 16 \(got 3\)"):
        dfi_activity.DFIActivity(one, GEOM, COLUMN_BYTES, 3)
