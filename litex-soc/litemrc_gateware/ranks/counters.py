# SPDX-License-Identifier: BSD-2-Clause
"""Counters of the power domains: short counters that are added to one RAM in turn."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Array, Case, Cat, If, Mux, Record, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.ranks.registers import LOW_STATES, MeterWord, PowerState
from litemrc_gateware.records import width_of

# Taps, numbered from 1, whose XNOR is shifted in (Xilinx XAPP052, table 3): 2^n - 1 states, including 0.
TAPS = {3: (3, 2), 4: (4, 3), 5: (5, 3), 6: (6, 5), 7: (7, 6), 8: (8, 6, 5, 4), 9: (9, 5)}
WORDS = MeterWord.TOP_PAGES  # the words counted here: all but the pages


def shift_bits(most: int) -> int:
    """Bits of a register that counts up to `most`."""
    return next(bits for bits in TAPS if 2**bits - 1 > most)


def next_state(state: int, bits: int) -> int:
    """The state after one more event; no event is state 0, one event is state 1."""
    tapped = sum(state >> tap - 1 & 1 for tap in TAPS[bits])
    return (state << 1 | (tapped + 1) % 2) % 2**bits


def shifted(state: Signal):
    """The same for a Signal."""
    feedback = 1
    for tap in TAPS[len(state)]:
        feedback = feedback ^ state[tap - 1]
    return Cat(feedback, state[:-1])


class ShiftCountDecoder(LiteXModule):
    """Decodes a state into its number of events, a cycle later.

    Parameters
    ----------
    bits : int

    Attributes
    ----------
    state, number : Signal(bits), in and out
    """

    def __init__(self, bits: int) -> None:
        self.state, self.number = Signal(bits), Signal(bits)

        # # #

        numbers, state = {}, 0
        for number in range(2**bits - 1):
            numbers[state] = self.number.eq(number)
            state = next_state(state, bits)
        self.sync += Case(self.state, numbers)


class RankCounters(LiteXModule):
    """Counts the events of each domain in each cycle; bit-identical to hls/rank_meter.

    Time is divided into rounds. Short counters, shift registers to save space, count during a round. At its
    end, the `boundary`, all of them are latched and restarted in the same cycle; in the next round they are
    added, one a cycle, to the long counters in a RAM. The counters of all domains therefore cover the same
    cycles, and none is missed. The last round of a snapshot (`last`, to be held until the boundary) is added
    like the others; its sums are the snapshot and are shown, and the long counters except IDLE restart from
    zero.

    Cycles of a round: 15 * domains.

    Parameters
    ----------
    domains : int
        a power of two.
    counter_bits : int
        of the long counters; fewer than 32 only to test saturation, but enough for the cycles of a round.

    Attributes
    ----------
    access, access_domain, write : in
        at most one access a cycle.
    activate, activate_domain : in
    refresh, waking, wakes : Signal(domains), in
    state : list of Signal(3), in
        PowerState of each domain.
    last : Signal, in
        the round that ends next is the last one of a snapshot.
    boundary : Signal, out
        this cycle is the first one of a round.
    shown, shown_domain, shown_word, shown_count : out
        strobe: a sum of the snapshot, for each domain and each MeterWord except TOP_PAGES.
    complete : Signal, out
        strobe: all sums were shown.
    overflow : Signal, out
        one of them, except IDLE, saturated; valid with `complete`.
    """

    def __init__(self, domains: int, counter_bits: int = 32) -> None:
        clocks = WORDS * domains
        short_bits, domain_bits = shift_bits(clocks), width_of(domains)
        if counter_bits < short_bits:
            raise ValueError(f"RankCounters: {domains} domains need counters of at least {short_bits} bits")
        self.access, self.access_domain, self.write = Signal(), Signal(domain_bits), Signal()
        self.activate, self.activate_domain = Signal(), Signal(domain_bits)
        self.refresh, self.waking, self.wakes = (Signal(domains) for _ in range(3))
        self.state = [Signal(max=len(PowerState), name=f"state{d}") for d in range(domains)]
        self.last, self.boundary = Signal(), Signal()
        self.shown, self.complete, self.overflow = Signal(), Signal(), Signal()
        self.shown_domain, self.shown_word = Signal(domain_bits), Signal(max=len(MeterWord))
        self.shown_count = Signal(counter_bits)

        # # #

        # Rounds.
        word, domain = Signal(max=len(MeterWord)), Signal(domain_bits)
        self.comb += self.boundary.eq((word == WORDS - 1) & (domain == domains - 1))
        self.sync += If(
            word == WORDS - 1,
            word.eq(0),
            domain.eq(0 if domains == 1 else domain + 1),
        ).Else(word.eq(word + 1))

        # Short counters, and their latched values.
        caught = []
        for d, state in enumerate(self.state):
            accessed, last_state = Signal(), Signal(max=len(PowerState), reset=PowerState.PRECHARGE_STANDBY)
            self.sync += last_state.eq(state)
            self.comb += accessed.eq(self.access & (self.access_domain == d if domains > 1 else 1))
            events = {
                MeterWord.READS: accessed & ~self.write,
                MeterWord.WRITES: accessed & self.write,
                MeterWord.ACTIVATES: self.activate & (self.activate_domain == d if domains > 1 else 1),
                MeterWord.REFRESHES: self.refresh[d],
                MeterWord.WAKE_UPS: self.wakes[d],
                MeterWord.WAKING: self.waking[d],
            }
            for number in PowerState:
                events[MeterWord.ACTIVE_STANDBY + number] = state == number
            for number in LOW_STATES:
                entered = MeterWord.ENTERED_POWER_DOWN + number - PowerState.POWER_DOWN
                events[entered] = (state == number) & (last_state != number)
            row = []
            for number in range(MeterWord.IDLE):
                event, count, caught_count = Signal(), Signal(short_bits), Signal(short_bits)
                self.comb += event.eq(events[number])
                self.sync += [
                    If(event, count.eq(shifted(count))),
                    If(self.boundary, count.eq(event), caught_count.eq(count)),
                ]
                row.append(caught_count)
            # IDLE continues from the round before unless there was an access.
            idle, caught_idle = Signal(short_bits), Signal(short_bits)
            idle_anew, caught_anew = Signal(), Signal()
            self.sync += [
                If(accessed, idle.eq(0), idle_anew.eq(1))
                .Elif(self.boundary, idle.eq(1), idle_anew.eq(0))
                .Else(idle.eq(shifted(idle))),
                If(self.boundary, caught_idle.eq(idle), caught_anew.eq(idle_anew)),
            ]
            row.append(caught_idle)
            caught.append((row, caught_anew))

        # Stages of the addition: 0 the domain's short counters are selected; 1 one of them is, and the long
        # counter is addressed; 2 read and decoded; 3 added; 4 written and shown. The round after reset zeroes
        # the RAM.
        self.long = long = SimpleDualPort(counter_bits, len(MeterWord) * max(2, domains))
        self.decoder = decoder = ShiftCountDecoder(short_bits)
        rows, anews = zip(*caught, strict=True)
        row = [Signal(short_bits) for _ in range(WORDS)]
        limit = (1 << counter_bits) - 1
        old, count = Signal(counter_bits), Signal(counter_bits)
        total = Signal(counter_bits + 1)
        blank, sums, overflows = Signal(reset=1), Signal(), Signal()
        layout = [("valid", 1), ("word", len(word)), ("domain", domain_bits)]
        layout += [("sums", 1), ("anew", 1)]
        stages = [Record(layout) for _ in range(5)]
        self.comb += [
            stages[0].valid.eq(1),
            stages[0].word.eq(word),
            stages[0].domain.eq(domain),
            stages[0].sums.eq(sums),
            stages[0].anew.eq(blank | (Array(anews)[domain] & (word == MeterWord.IDLE))),
            long.read.adr.eq(Cat(stages[1].word, stages[1].domain)),
            total.eq(old + decoder.number),
            overflows.eq(stages[3].valid & total[-1] & (stages[3].word != MeterWord.IDLE)),
            long.write.adr.eq(Cat(stages[4].word, stages[4].domain)),
            long.write.dat_w.eq(Mux(stages[4].sums & (stages[4].word != MeterWord.IDLE), 0, count)),
            long.write.we.eq(stages[4].valid),
            self.shown.eq(stages[4].valid & stages[4].sums),
            self.shown_word.eq(stages[4].word),
            self.shown_domain.eq(stages[4].domain),
            self.shown_count.eq(count),
            self.complete.eq(self.shown & (stages[4].word == WORDS - 1) & (stages[4].domain == domains - 1)),
        ]
        self.sync += [
            If(self.boundary, sums.eq(self.last), blank.eq(0)),
            *(row[w].eq(Array(of_domain[w] for of_domain in rows)[domain]) for w in range(WORDS)),
            *(after.eq(before) for before, after in pairwise(stages)),
            decoder.state.eq(Array(row)[stages[1].word]),
            old.eq(Mux(stages[2].anew, 0, long.read.dat_r)),
            count.eq(Mux(total[-1], limit, total)),
            If(self.complete, self.overflow.eq(overflows)).Elif(overflows, self.overflow.eq(1)),
        ]
