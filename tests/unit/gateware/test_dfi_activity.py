"""DFIActivity names by domain what DFI commands do: random ones against a plain model, and LiteDRAM's."""

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import litemrc_gateware.dfi_activity as dfi_activity
import pytest
from dram_bench import DRAMBench, drive
from litedram.common import GeomSettings
from litedram.phy import dfi
from litex.gen import LiteXModule
from migen import passive, run_simulation
from mutation import mutated_module

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


@dataclass
class Activity:
    """What one clock's commands did."""

    access: tuple[int, bool] | None = None  # domain, write
    activate: int | None = None
    refresh: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)


class Model:
    """The definition: rows open by rank and bank; the domain of a row by its lowest address."""

    def __init__(self, ranks: int, domains: int, alignment: int) -> None:
        self.ranks, self.domains, self.alignment = ranks, domains, alignment
        self.rows: dict[tuple[int, int], int] = {}

    def domain(self, rank: int, bank: int, row: int) -> int:
        if self.ranks > 1:
            return rank
        row_bytes = COLUMN_BYTES << GEOM.colbits
        banks = 2**GEOM.bankbits
        address = bank * BANK_BYTES + row * row_bytes if self.alignment else (row * banks + bank) * row_bytes
        return address * self.domains // (banks * BANK_BYTES)

    def clock(self, commands) -> Activity:
        done = Activity()
        for name, selected, awake, bank, address in commands:
            for rank in {r for r in range(self.ranks) if selected >> r & awake >> r & 1}:
                everyone = range(self.domains) if self.ranks == 1 else [rank]
                if name == "activate":
                    self.rows[rank, bank] = address
                    done.activate = self.domain(rank, bank, address)
                elif name in ("read", "write"):
                    done.access = self.domain(rank, bank, self.rows[rank, bank]), name == "write"
                elif name == "refresh":
                    done.refresh |= set(everyone)
                all_banks = name == "refresh" or (name == "precharge" and address >> 10 & 1)
                this_bank = name == "precharge" or (name in ("read", "write") and address >> 10 & 1)
                for r, b in list(self.rows):
                    if r == rank and (all_banks or (this_bank and b == bank)):
                        del self.rows[r, b]
        ranks_open = {rank for rank, _ in self.rows}
        done.open = ranks_open if self.ranks > 1 else set(range(self.domains)) if ranks_open else set()
        return done


def random_clock(dice: random.Random, model: Model):
    """Commands of a clock, in the order of phases: at most one access and one activate, of other banks."""
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
        is_open = (rank, bank) in model.rows and (rank, bank) not in used
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


def seen_by(unit):
    """What the unit shows now."""
    done = Activity()
    if (yield unit.access):
        done.access = (yield unit.access_domain), bool((yield unit.write))
    if (yield unit.activate):
        done.activate = yield unit.activate_domain
    refresh, is_open = (yield unit.refresh), (yield unit.open)
    done.refresh = {d for d in range(16) if refresh >> d & 1}
    done.open = {d for d in range(16) if is_open >> d & 1}
    return done


def differences(ranks: int, domains: int, alignment: int, unit=dfi_activity.DFIActivity) -> Counter:
    """Fields in which the unit differs from the model over random commands, and "clocks"."""
    bench, model, dice = (
        Bench(unit, ranks, domains, alignment),
        Model(ranks, domains, alignment),
        random.Random(7),
    )
    found = Counter()

    def run():
        expected = Activity()
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
            found.update(name for name in vars(seen) if getattr(seen, name) != getattr(expected, name))
            found["clocks"] += 1
            expected = model.clock(commands)

    run_simulation(bench, run())
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
        if done.access:
            accesses.append(done.access)
            assert done.access[0] in was_open  # its own auto-precharge may have closed it
        was_open = done.open
        activates += [done.activate] if done.activate is not None else []
        refreshes += done.refresh


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
    run_simulation(bench, drivers)
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
    with pytest.raises(ValueError, match="3 domains"):
        dfi_activity.DFIActivity(one, GEOM, COLUMN_BYTES, 3)
