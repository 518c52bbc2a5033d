# SPDX-License-Identifier: BSD-2-Clause
"""The event queue of the reference counters: every event is delivered once, or counted as lost."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Signal, log2_int

from litemrc_gateware.memory import RegisteredMemory
from litemrc_gateware.records import width_of
from litemrc_gateware.refs.registers import event_layout


class EventQueue(LiteXModule):
    """Keeps events until they are taken; two events of one page share an entry.

    An entry that comes while `depth` entries are kept is lost. An entry is kept until the last of its events
    is taken.

    Parameters
    ----------
    pages, depth : int
        powers of two.

    Attributes
    ----------
    page, fires : Signal(width_of(pages)), Signal(2), in
        bit n of `fires`: counter n of this page fires in this cycle.
    events : stream.Endpoint(event_layout(pages)), out
        one event at a time, the lower counter first. The next page's event comes four cycles later, the first
        one of an empty queue five cycles after `fires`.
    fired, lost : Signal(32), out
        events, and lost events, up to two cycles ago; modulo 2^32.
    """

    def __init__(self, pages: int, depth: int) -> None:
        page_bits, place_bits = width_of(pages), log2_int(depth) + 1
        self.page, self.fires = Signal(page_bits), Signal(2)
        self.events = events = stream.Endpoint(event_layout(pages))
        self.fired, self.lost = Signal(32), Signal(32)

        # # #

        self.memory = memory = RegisteredMemory((page_bits + 2,), max(2, depth))
        # Places are counted modulo 2 * depth, so that an entry that waits in the output keeps its own.
        write_place, written_place, read_place = (Signal(place_bits) for _ in range(3))
        kept, done, full = Signal(), Signal(), Signal()
        self.comb += [
            full.eq((write_place ^ read_place) == depth),
            kept.eq((self.fires != 0) & ~full),
        ]
        self.sync += [
            memory.write.adr.eq(write_place),
            memory.write.dat_w.eq(Cat(self.page, self.fires)),
            memory.write.we.eq(kept),
            written_place.eq(write_place),
            If(kept, write_place.eq(write_place + 1)),
            If(done, read_place.eq(read_place + 1)),
        ]

        # Counts of events.
        more_fired, more_lost, events_here = Signal(2), Signal(2), Signal(2)
        self.comb += events_here.eq(self.fires[0] + self.fires[1])
        self.sync += [
            more_fired.eq(events_here),
            more_lost.eq(0),
            If(full, more_lost.eq(events_here)),
            self.fired.eq(self.fired + more_fired),
            self.lost.eq(self.lost + more_lost),
        ]

        # The oldest entry.
        waiting, fetches, fetched, comes_out = Signal(2), Signal(), Signal(), Signal()
        self.comb += [
            fetches.eq((waiting == 0) & ~fetched & ~comes_out & (read_place != written_place)),
            memory.adr.eq(read_place),
            events.valid.eq(waiting != 0),
            events.counter.eq(~waiting[0]),
            done.eq(events.valid & events.ready & (waiting != 0b11)),
        ]
        self.sync += [
            fetched.eq(fetches),
            comes_out.eq(fetched),
            If(
                comes_out,
                events.page.eq(memory.dat_r[:page_bits]),
                waiting.eq(memory.dat_r[page_bits:]),
            ).Elif(
                events.ready,
                If(waiting[0], waiting[0].eq(0)).Else(waiting.eq(0)),
            ),
        ]
