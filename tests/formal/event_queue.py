# SPDX-License-Identifier: BSD-2-Clause
"""Proof of `refs.event_queue.EventQueue`: order, no loss below depth, every loss counted."""

from litemrc_gateware.refs.event_queue import EventQueue
from migen import Array, If, Mux, Signal, log2_int

from tests.formal.proof import ALWAYS, Proof

LATENCY = 5  # cycles from an event to the output of an empty queue


class EventQueueProof(Proof):
    """The reference numbers entries modulo twice the depth and remembers the one with a free number."""

    def __init__(self, unit_class=EventQueue, pages=2, depth=2) -> None:
        super().__init__()
        self.parameters = f"{pages} pages, depth {depth}"
        self.unit = unit = unit_class(pages, depth)
        self.constants = [unit.memory.enable]
        fires, events = unit.fires, unit.events

        # Entries that came and that are gone; whether each has two events; the first of the oldest is taken.
        place_bits = log2_int(depth) + 1
        came, gone = Signal(place_bits), Signal(place_bits)
        both = Array(Signal(name=f"both{n}") for n in range(depth))
        half, kept, last = Signal(), Signal(), Signal()
        comes, leaves = fires != 0, events.valid & events.ready
        self.comb += [
            kept.eq(comes & ((came ^ gone) != depth)),
            last.eq(~both[gone[:-1]] | half),
        ]
        self.sync += [
            If(kept, came.eq(came + 1), both[came[:-1]].eq(fires == 0b11)),
            If(leaves, half.eq(~last), If(last, gone.eq(gone + 1))),
        ]
        number = self.any_constant(place_bits, "number")
        page, fired = Signal.like(unit.page), Signal(2)
        self.sync += If(kept & (came == number), page.eq(unit.page), fired.eq(fires))

        waits = Signal(max=LATENCY + 2)
        self.sync += If(events.valid | (came == gone), waits.eq(0)).Elif(
            waits != LATENCY + 1, waits.eq(waits + 1)
        )
        self.prove("no event comes out that was not kept", came != gone, when=events.valid)
        self.prove(
            "the entries kept below depth come out in order, each event once",
            (events.page == page) & Mux(events.counter, fired[1] & (half | ~fired[0]), fired[0] & ~half),
            when=events.valid & (gone == number),
            cases={"the second event of an entry": half, "the places wrap": gone == 2 * depth - 1},
        )
        self.prove(
            f"a kept event is at the output after {LATENCY} cycles",
            waits < LATENCY,
            when=ALWAYS,
            cases={"one waits": waits == LATENCY - 1},
        )
        self.prove_stream("events", events)

        # Modulo 4: what is counted is modulo 2^32.
        count, lost = Signal(2), Signal(2)
        self.sync += [
            count.eq(count + fires[0] + fires[1]),
            If(comes & ~kept, lost.eq(lost + fires[0] + fires[1])),
        ]
        self.prove(
            "fired counts every event",
            self.before(count) == unit.fired[:2],
            when=ALWAYS,
            cases={"three events": count == 3},
        )
        self.prove(
            "lost counts the events that find the queue full, and no others",
            self.before(lost) == unit.lost[:2],
            when=ALWAYS,
            cases={"an event is lost": unit.lost != 0},
        )
