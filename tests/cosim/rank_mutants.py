# SPDX-License-Identifier: BSD-2-Clause
"""Faults seeded into rank power, each with the mode of rank_bench that must find it, and the reason."""

from dataclasses import dataclass

from tests.cosim.mutants import GATEWARE, Mutant


@dataclass(frozen=True)
class RankMutant(Mutant):
    """A mutant, the bench's arguments, and the data rate."""

    mode: tuple = ("random", 1, 60_000)
    rate: str = "800"


RANK_MUTANTS = (
    # A read comes before tXSDLL is over.
    RankMutant(
        "gate_opens_a_clock_early",
        f"{GATEWARE}/ranks/clock_enable.py",
        "GATE_TO_ACTIVATE = 4",
        "GATE_TO_ACTIVATE = 5",
    ),
    # CKE falls a second time behind self-refresh without a refresh between: SRX_REFRESH.
    RankMutant(
        "extra_refresh_is_forgotten",
        f"{GATEWARE}/ranks/power.py",
        "If(self.self_refresh, extra.eq(1))",
        "If(self.self_refresh, extra.eq(0))",
    ),
    # More than 8 refreshes are postponed after enough sleeps: REFRESH_DEBT.
    RankMutant(
        "debts_are_forgotten",
        f"{GATEWARE}/ranks/power.py",
        "self.due.eq(extra | (owed > MOST_POSTPONED))",
        "self.due.eq(extra)",
        mode=("sleeps",),
    ),
    # Self-refresh is entered with rows open: SRE_OPEN_ROWS.
    RankMutant(
        "one_bank_only_is_precharged",
        f"{GATEWARE}/ranks/entry.py",
        "refresher.own_a.eq(PRECHARGE_ALL),",
        "refresher.own_a.eq(0),",
    ),
    # Ranks that stay awake get the REFRESH of the entry, and commands within tRFC of it.
    RankMutant(
        "entry_selects_every_rank",
        f"{GATEWARE}/ranks/power.py",
        "dfi.selectable[rank].eq(cke.selectable & entry.select[rank]),",
        "dfi.selectable[rank].eq(cke.selectable),",
    ),
    # Another rank than the one that sleeps loses its commands.
    RankMutant(
        "another_rank_is_masked",
        f"{GATEWARE}/ranks/power.py",
        "dfi.selectable[rank].eq(cke.selectable & entry.select[rank]),",
        "dfi.selectable[nranks - 1 - rank].eq(cke.selectable & entry.select[rank]),",
    ),
    # A rank falls asleep over what its bank machines have taken: commands while CKE is low, or none any more.
    RankMutant(
        "requests_taken_do_not_count",
        f"{GATEWARE}/ranks/gate.py",
        "requested | reduce(or_, [down.lock for down in downs])",
        "requested",
    ),
    # Requests reach a rank that sleeps.
    RankMutant(
        "gate_stays_open_in_sleep",
        f"{GATEWARE}/ranks/clock_enable.py",
        "self.open.eq(served & self.cke & ~self.asleep),",
        "self.open.eq(1),",
    ),
    # The refresh of a rank that wakes comes before tXS is over.
    RankMutant(
        "refresh_comes_before_txs",
        f"{GATEWARE}/ranks/clock_enable.py",
        "(since + 1 >= by_depth(t.tXP, t.tXS))",
        "(since + 1 >= by_depth(t.tXP, t.tXP))",
    ),
    # Self-refresh is entered with ODT on: SRE_ODT.
    RankMutant(
        "odt_stays_on_at_entry",
        f"{GATEWARE}/ranks/power.py",
        "dfi.odt[rank].eq(cke.odt & ~parked),",
        "dfi.odt[rank].eq(cke.odt),",
    ),
    # Rows are closed sooner than tRAS behind their ACTIVATE, which LiteDRAM alone does at this rate.
    RankMutant(
        "tras_is_left_to_litedram",
        f"{GATEWARE}/ranks/power.py",
        "entry.row_open_enough.eq(~dfi.activate & (open_clocks == 0))",
        "entry.row_open_enough.eq(1)",
        rate="1600",
    ),
    # An idle rank is raised by the first refresh and sleeps no more.
    RankMutant(
        "refresh_ends_self_refresh",
        f"{GATEWARE}/ranks/clock_enable.py",
        "(self.nap & ~self.deep)",
        "self.nap",
        mode=("residency",),
    ),
    # A rank in power-down is never refreshed; LiteDRAM's refresher waits for it for ever.
    RankMutant(
        "power_down_is_not_raised_for_a_refresh",
        f"{GATEWARE}/ranks/power.py",
        "cke.nap.eq((refresher.refreshing & ~refresher.own) | entry.nap[rank]),",
        "cke.nap.eq(entry.nap[rank]),",
    ),
    # Self-refresh keeps the whole array, or the part of the time before.
    RankMutant(
        "mr2_is_set_to_the_whole_array",
        f"{GATEWARE}/ranks/entry.py",
        "(mr2 & ~(2**PASR_BITS - 1)) | partial",
        "(mr2 & ~(2**PASR_BITS - 1)) | 0",
        mode=("partial",),
    ),
    # Ranks lose data though software allows none to.
    RankMutant(
        "partial_needs_no_permission",
        f"{GATEWARE}/ranks/policy.py",
        "loses = self.partial_allowed & (settings.partial != 0)",
        "loses = settings.partial != 0",
    ),
    # The working ranks sleep, the others do not.
    RankMutant(
        "mrc_takes_working_ranks_for_idle",
        f"{GATEWARE}/ranks/policy.py",
        "If(~self.working, base.mrc.eq(settings.mrc_state))",
        "If(self.working, base.mrc.eq(settings.mrc_state))",
        mode=("policies",),
    ),
    # Power-down comes later than the threshold and 4 cycles.
    RankMutant(
        "entry_begins_at_the_threshold",
        f"{GATEWARE}/ranks/power.py",
        "ENTRY_LEAD = 6",
        "ENTRY_LEAD = 0",
        mode=("threshold",),
    ),
)
