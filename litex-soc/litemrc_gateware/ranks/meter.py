# SPDX-License-Identifier: BSD-2-Clause
"""The rank meter: events and residencies of each power domain, and its pages of the working set."""

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal, log2_int
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.counters.working_pages import WorkingPages
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.ranks.counters import RankCounters
from litemrc_gateware.ranks.n_mrc import NMrc
from litemrc_gateware.ranks.registers import AWAKE, MeterWord, PowerState


class RankMeter(LiteXModule):
    """Counters of all power domains and N_mrc, in snapshots; bit-identical to hls/rank_meter.

    Operation
    ---------
    - The meter counts in every cycle. `snapshot`, or the end of an epoch (`epoch`), requests a snapshot: when
      N_mrc is known and the stack engine is between two operations, the engine is held, and a new snapshot
      starts with the next round of `RankCounters`, at most 15 * domains cycles later. One round after that
      the window shows all words of the old one at once, `published` is 1 for a cycle and `snapshots` is
      incremented.
    - Each cycle is in exactly one snapshot: the five residencies of each domain add up to `snapshot_clocks`.
      TOP_PAGES and N_mrc are those of the cycle in which the snapshot ends.
    - `working` follows moves of pages and changes of N_mrc within a few cycles.
    - While the engine is held, accesses wait in the monitor's queue: domains + contexts cycles and a round
      for a snapshot, domains + 1 cycles for each page group of a change of N_mrc.

    Connections in a monitor: the meter connects itself to `engine.moves`. `epoch` is `HitCounters.finished`.
    The port of the hit counters' window is shared: its address is `n_mrc.window_adr`, its word goes to
    `n_mrc.window_dat_r`; the bus's address goes to `n_mrc.bus_adr`, cyc & stb to `n_mrc.bus_reads`. `busy`
    delays the next end of an epoch, like a window that is held. Pages are those of the engine, which are the
    memory's unless they are sampled.

    Parameters
    ----------
    engine : GroupStack
        built `with_moves`; other engines do not report the moves of their pages.
    pages, groups, contexts : int
        those of the engine.
    domains : int
        a power of two, 1 to 16.
    counter_bits : int
        of the counters here and of the hit counters; fewer than 32 only to test saturation.

    Attributes
    ----------
    counters : RankCounters
        takes `access`, `access_domain`, `write`, `activate`, `activate_domain`, `refresh` from `DFIActivity`
        and `waking`, `wakes` from `RankPower`.
    open : Signal(domains), in
        from `DFIActivity`: a row is open.
    rank_state : list of Signal(3), in
        from `RankPower`, of each domain: `AWAKE` or a low state.
    n_mrc : NMrc
        takes `automatic`, `epsilon`, `size`, `written` from registers, and reads the hit counters' window.
    epoch, snapshot : Signal, in
        strobes: an epoch is in the window of the hit counters; a snapshot is requested.
    window_adr, window_dat_r : Signal, in and out
        domain * 16 + MeterWord, or domains * 16 + context for N_mrc; the word comes two cycles later.
    working : Signal(domains), out
        bit d: domain d holds pages of the working set.
    taken, published : Signal, out
        strobes: this cycle is the first of a new snapshot; the previous one is in the window.
    snapshots, snapshot_clocks : Signal(32), out
        snapshots since reset; cycles of the snapshot in the window.
    overflow : Signal, out
        a counter in the window saturated.
    busy : Signal, out
        N_mrc or a snapshot is in progress: no other epoch may be published, see `NMrc`.
    """

    def __init__(
        self, engine, pages: int, groups: int, contexts: int, domains: int, counter_bits: int = 32
    ) -> None:
        if not hasattr(engine, "moves"):
            raise ValueError(
                f"RankMeter: {type(engine).__name__} does not report the moves of its pages; "
                "use GroupStack with with_moves=True"
            )
        self.counters = counters = RankCounters(domains, counter_bits)
        self.pages = working = WorkingPages(pages, groups, contexts, domains)
        self.n_mrc = n_mrc = NMrc(groups, contexts, counter_bits)
        words = domains * len(MeterWord) + contexts
        window_bits = (words - 1).bit_length()
        self.open = Signal(domains)
        self.rank_state = [Signal(max=len(PowerState), name=f"rank_state{d}") for d in range(domains)]
        self.epoch, self.snapshot = Signal(), Signal()
        self.window_adr, self.window_dat_r = Signal(window_bits), Signal(counter_bits)
        self.working = Signal(domains)
        self.taken, self.published = Signal(), Signal()
        self.snapshots, self.snapshot_clocks = Signal(32), Signal(32)
        self.overflow, self.busy = Signal(), Signal()

        # # #

        moves = engine.moves
        self.comb += [
            working.move.eq(moves.move),
            working.cleared.eq(moves.cleared),
            working.held.eq(moves.held),
            moves.hold.eq(working.hold),
            working.set.eq(n_mrc.set),
            working.set_context.eq(n_mrc.set_context),
            working.set_size.eq(n_mrc.set_size),
            n_mrc.done.eq(working.done),
            n_mrc.epoch.eq(self.epoch),
            self.working.eq(working.working),
            *(
                state.eq(
                    Mux(
                        rank_state == AWAKE,
                        Mux(is_open, PowerState.ACTIVE_STANDBY, PowerState.PRECHARGE_STANDBY),
                        rank_state,
                    )
                )
                for state, rank_state, is_open in zip(counters.state, self.rank_state, self.open, strict=True)
            ),
        ]

        # Window: two halves; one is shown, the other written.
        self.window = window = SimpleDualPort(counter_bits, 2 << window_bits)
        half = Signal()
        self.comb += window.read.adr.eq(Cat(self.window_adr, half))
        self.sync += self.window_dat_r.eq(window.read.dat_r)

        # Snapshots: hold the engine, copy TOP_PAGES and N_mrc, wait for the round's end, then take the sums.
        due, number = Signal(), Signal(max=max(2, domains, contexts))
        clocks, ended, publishes = Signal(32), Signal(32), Signal()
        top_adr, n_mrc_adr, sum_adr = (Signal(window_bits) for _ in range(3))
        self.comb += [
            working.domain.eq(number),
            working.context.eq(number),
            top_adr.eq((number << log2_int(len(MeterWord))) | MeterWord.TOP_PAGES),
            n_mrc_adr.eq(domains * len(MeterWord) + number),
            sum_adr.eq(Cat(counters.shown_word, counters.shown_domain)),
        ]
        self.sync += [
            If(clocks != 2**32 - 1, clocks.eq(clocks + 1)),
            If(self.taken, ended.eq(clocks), clocks.eq(1)),
            self.published.eq(publishes),
            If(
                publishes,
                half.eq(~half),
                self.snapshots.eq(self.snapshots + 1),
                self.snapshot_clocks.eq(ended),
                self.overflow.eq(counters.overflow),
            ),
        ]
        self.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += self.busy.eq(n_mrc.busy | due | ~fsm.ongoing("IDLE"))
        fsm.act("IDLE", If(due & ~n_mrc.busy, NextState("FREEZE")))
        fsm.act(
            "FREEZE",
            working.freeze.eq(1),
            NextValue(number, 0),
            If(working.frozen, NextState("TOP_PAGES")),
        )
        fsm.act(
            "TOP_PAGES",
            working.freeze.eq(1),
            window.write.adr.eq(Cat(top_adr, ~half)),
            window.write.dat_w.eq(working.top_pages),
            window.write.we.eq(1),
            NextValue(number, number + 1),
            If(number == domains - 1, NextValue(number, 0), NextState("N_MRC")),
        )
        fsm.act(
            "N_MRC",
            working.freeze.eq(1),
            window.write.adr.eq(Cat(n_mrc_adr, ~half)),
            window.write.dat_w.eq(working.n_mrc),
            window.write.we.eq(1),
            NextValue(number, number + 1),
            If(number == contexts - 1, NextState("LAST_ROUND")),
        )
        fsm.act(
            "LAST_ROUND",
            working.freeze.eq(1),
            counters.last.eq(1),
            If(counters.boundary, self.taken.eq(1), NextState("SUMS")),
        )
        fsm.act(
            "SUMS",
            window.write.adr.eq(Cat(sum_adr, ~half)),
            window.write.dat_w.eq(counters.shown_count),
            window.write.we.eq(counters.shown),
            If(counters.complete, publishes.eq(1), NextState("IDLE")),
        )
        self.sync += [
            If(fsm.ongoing("IDLE") & ~n_mrc.busy, due.eq(0)),
            If(self.snapshot | self.epoch, due.eq(1)),
        ]
