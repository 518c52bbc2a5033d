# SPDX-License-Identifier: BSD-2-Clause
"""N_mrc of each context: set by a register, or computed at the end of each epoch."""

from litex.gen import LiteXModule
from migen import If, Mux, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.records import width_of

EPSILON_BITS = 16


class NMrc(LiteXModule):
    """Sets N_mrc of `WorkingPages`; the same result as find_n_mrc in hls/rank_meter.

    By register: every context gets `size` when it is `written`, and when `automatic` falls.

    Automatic: when an epoch is in the window of `HitCounters`, each context with accesses gets the smallest
    size, at least 1, with at most (epsilon * hits) >> 16 of its hits beyond. The window is read in cycles in
    which the bus does not read it, 4 cycles a word: at most contexts * (8 * groups + 20) cycles, plus those
    that `WorkingPages` and the bus take. No other epoch may be published while `busy` is 1.

    Parameters
    ----------
    groups, contexts : int
        those of the hit counters.
    counter_bits : int
        width of a hit counter.

    Attributes
    ----------
    automatic, epsilon, size, written : Signal, in
        registers n_mrc_auto and n_mrc, and the strobe of a write to the latter.
    epoch : Signal, in
        strobe: a new epoch is in the window from this cycle on (`HitCounters.finished`).
    bus_reads, bus_adr : Signal, in
        the bus reads the window in this cycle; the address.
    window_adr, window_dat_r : Signal, out and in
        the window's port, also for the bus: a word comes two cycles after its address.
    set, set_context, set_size : Signal, out
    done : Signal, in
        to `WorkingPages`.
    busy : Signal, out
        sizes are being computed or set.
    """

    def __init__(self, groups: int, contexts: int, counter_bits: int = 32) -> None:
        group_bits, context_bits = width_of(groups), width_of(contexts)
        sum_bits = counter_bits + group_bits
        self.automatic, self.written, self.epoch = Signal(), Signal(), Signal()
        self.epsilon, self.size = Signal(EPSILON_BITS), Signal(group_bits + 1)
        self.bus_reads, self.bus_adr = Signal(), Signal(context_bits + group_bits + 1)
        self.window_adr, self.window_dat_r = Signal.like(self.bus_adr), Signal(counter_bits)
        self.set, self.done = Signal(), Signal()
        self.set_context, self.set_size = Signal(context_bits), Signal(group_bits + 1)
        self.busy = Signal()

        # # #

        # Pending work: first the search in an epoch, then a size from the register.
        seek_due, size_due, was_automatic, seeks, sizes = (Signal() for _ in range(5))
        context = self.set_context
        self.comb += [
            seeks.eq(self.automatic & self.epoch),
            sizes.eq(~self.automatic & (self.written | was_automatic)),
        ]
        self.sync += [
            was_automatic.eq(self.automatic),
            If(seeks, seek_due.eq(1)),
            If(sizes, size_due.eq(1)),
        ]

        # The window's port: `word` is requested until it is granted; its counter comes two cycles later.
        word, asks, asked, comes, counter = (
            Signal(group_bits + 1),
            Signal(),
            Signal(),
            Signal(),
            Signal(counter_bits),
        )
        arrived = Signal()
        self.comb += self.window_adr.eq(
            Mux(self.bus_reads, self.bus_adr, (context << (group_bits + 1)) | word)
        )
        self.sync += [
            asked.eq(asks & ~self.bus_reads),
            comes.eq(asked),
            arrived.eq(comes),
            counter.eq(self.window_dat_r),
        ]
        pending = Signal()
        self.comb += pending.eq(asked | comes | arrived)

        # Sums: all hits; their product with epsilon, bit by bit; the hits beyond, from the last group on.
        all_hits, allowed, beyond = Signal(sum_bits), Signal(sum_bits), Signal(sum_bits)
        rest, step = Signal(EPSILON_BITS), Signal(max=EPSILON_BITS)
        partial, group = Signal(sum_bits + 1), Signal(group_bits)
        with_counter = Signal(sum_bits)
        self.comb += [
            partial.eq(allowed + Mux(rest[0], all_hits, 0)),
            with_counter.eq(beyond + counter),
        ]

        self.fsm = fsm = FSM(reset_state="IDLE")
        self.comb += self.busy.eq(~fsm.ongoing("IDLE") | seek_due | size_due | seeks | sizes)
        fsm.act(
            "IDLE",
            NextValue(context, 0),
            If(seek_due, NextValue(seek_due, 0), NextState("ASK")).Elif(
                size_due,
                NextValue(size_due, 0),
                NextState("TAKE"),
            ),
        )

        def next_context(state):
            return [
                NextValue(context, context + 1),
                If(context == contexts - 1, NextState("IDLE")).Else(NextState(state)),
            ]

        # The register's size, for all contexts.
        fsm.act(
            "TAKE", NextValue(self.set_size, Mux(self.size > groups, groups, self.size)), NextState("SET_ALL")
        )
        fsm.act("SET_ALL", self.set.eq(1), If(self.done, *next_context("TAKE")))

        # Does the context have accesses?
        fsm.act(
            "ASK",
            asks.eq(~pending),
            NextValue(all_hits, 0),
            NextValue(allowed, 0),
            NextValue(beyond, 0),
            NextValue(rest, self.epsilon),
            NextValue(step, 0),
            NextValue(group, 0),
            If(arrived, If(counter == 0, *next_context("ASK")).Else(NextState("SUM"))),
        )
        self.comb += If(fsm.ongoing("ASK"), word.eq(groups + 1)).Else(word.eq(group))
        fsm.act(
            "SUM",
            asks.eq(~pending),
            If(
                arrived,
                NextValue(all_hits, all_hits + counter),
                NextValue(group, group + 1),
                If(group == groups - 1, NextState("MULTIPLY")),
            ),
        )
        # The low bits of the product are shifted out: the result is the product >> EPSILON_BITS.
        fsm.act(
            "MULTIPLY",
            NextValue(allowed, partial[1:]),
            NextValue(rest, rest[1:]),
            NextValue(step, step + 1),
            NextValue(group, groups - 1),
            NextValue(self.set_size, groups),
            If(step == EPSILON_BITS - 1, NextState("SEEK")),
        )
        fsm.act(
            "SEEK",
            asks.eq(~pending & (group != 0)),
            If(group == 0, NextState("SET")),
            If(
                arrived,
                NextValue(beyond, with_counter),
                If(with_counter > allowed, NextState("SET")).Else(
                    NextValue(self.set_size, group),
                    NextValue(group, group - 1),
                ),
            ),
        )
        fsm.act("SET", self.set.eq(1), If(self.done, *next_context("ASK")))
