"""Reference counters: two down-counters a page, DELAY and UPDATE, that tell when they reach zero."""

from functools import reduce
from itertools import pairwise
from operator import or_

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Cat, If, Mux, Record, Signal

from litemrc_gateware.event_queue import EventQueue
from litemrc_gateware.records import width_of
from litemrc_gateware.ref_counter_banks import BANKS, CounterBanks
from litemrc_gateware.ref_counter_generations import TAG_BITS, CounterGenerations
from litemrc_gateware.ref_counter_records import (
    MAX_CONTEXTS,
    MAX_MASTERS,
    Counter,
    command_layout,
    request_layout,
    selector_layout,
)
from litemrc_gateware.ref_counter_selector import RequestSelector

READ, CHOOSE, MERGE, CHANGE, WRITE = 1, 3, 4, 5, 6  # stages
WINDOW = WRITE - READ  # an operation's page is read before those so many ahead are written


class RefCounters(LiteXModule):
    """The reference counters of the DELAY and UPDATE paper; held bit-equal to hls/ref_counters.

    Operation
    ---------
    - A counter holds a value from 0 to 2^width - 1. A request that it counts takes 1 away. The one that
      brings it to 0 makes one event (page, counter); at 0 it is silent until it is loaded or reset. So a
      counter loaded with v tells the v-th request, and one loaded with 0 is off.
    - `selectors`, one a counter, say which requests it counts: reads, writes, masters, contexts and a range
      of pages, all of which must let a request pass. Either, both or none may count it.
    - A request a clock, always: there is no `ready`, whatever pages follow one another and whatever else
      goes on.
    - Commands read or load one counter of one page. One is taken in a clock in which no request counts,
      after the requests before it and before those behind it.
    - `reset` makes every counter its initial value, as `initials` are in that clock, at once and in one
      clock: requests in front of it count on the old values, those behind it on the new ones.
    - Events wait in a queue. If one finds it full it is lost, and `lost` counts it: once the queue is empty
      `fired` is what was taken from `events`, and `lost`. The counter stays at 0 in either case.
    - After the reset of the hardware all counters are 0. Requests of the first pages / 8 clocks count
      nothing, as they would anyhow, and commands wait.

    How
    ---
    A reset gives a new tag, a number modulo 4, and renews no page. Pages lie in 8 banks, side by side, and
    the 8 of a row, one in each bank, share a tag: an operation that finds an old one writes its own page and,
    in the same clock, the initial values of the other 7. So a tag costs a quarter of a bit a page: 65,536
    pages of 2 x 12 bits, their tags and a queue of 512 are 90 DP16KD. Tags come again after 4 resets, so a
    sweep renews old rows in clocks without another operation; `sweeping` tells that it does. Only a reset
    that would be the fourth since the sweep's last full pass waits for it: `reset_ready`.

    Stages, a clock each, of an operation: 0 compared with those ahead, 1 its page is addressed, 2 read, 3
    registered and chosen among the memories, 4 merged with what is under way, 5 changed, 6 written. Two
    clocks before stage 0 a request is registered, one before it is looked at by the selectors, with the
    settings of that clock; then it, else a command, else a row of the sweep goes on. What operations 1 to 5
    clocks ahead make of the same page is forwarded.

    Parameters
    ----------
    pages : int
        a power of two, at least 16.
    masters : int
        a power of two, 1 to 8.
    contexts : int
        a power of two, 1 to 16.
    width : int
        bits of a counter, 2 to 16.
    queue_depth : int
        entries of the event queue, a power of two. The two events of one request share an entry.

    Attributes
    ----------
    request : Record(valid, request_layout(pages, masters, contexts)), in
    selectors : list of Record(selector_layout(pages, masters, contexts)), in
        by Counter.
    initials : list of Signal(width), in
        by Counter.
    reset, reset_ready : Signal, in and out
        while both are 1: a reset, in front of this clock's command, and of the requests that came two clocks
        before and later.
    command : stream.Endpoint(command_layout(pages, width)), in
        taken in the place of a request of two clocks before.
    answered, value : Signal, Signal(width), out
        strobe, `latency` clocks after a command was taken: what it read, or loaded; `value` stays.
    latency : int
    events : stream.Endpoint(event_layout(pages)), out
        the oldest first, DELAY first of those of one request. The first one of an empty queue is there 12
        clocks behind its request.
    fired, lost : Signal(32), out
        events, and those of them lost; modulo 2^32.
    sweeping : Signal, out
        rows of an earlier reset are being renewed.
    """

    latency = 8

    def __init__(
        self, pages: int, masters: int = 4, contexts: int = 8, width: int = 12, queue_depth: int = 512
    ) -> None:
        if pages < 2 * BANKS or not 1 <= masters <= MAX_MASTERS or not 1 <= contexts <= MAX_CONTEXTS:
            raise ValueError(
                f"RefCounters: {pages} pages, {masters} masters, {contexts} contexts: choose powers of two, "
                f"at least {2 * BANKS} pages, at most {MAX_MASTERS} masters and {MAX_CONTEXTS} contexts"
            )
        if not 2 <= width <= 16:
            raise ValueError(f"RefCounters: counters of {width} bits: choose 2 to 16")
        page_bits, bank_bits = width_of(pages), width_of(BANKS)
        self.pages = pages
        requests = request_layout(pages, masters, contexts)
        self.request = Record([("valid", 1), *requests])
        self.selectors = [Record(selector_layout(pages, masters, contexts)) for _ in Counter]
        self.initials = [Signal(width, name=f"initial{counter}") for counter in Counter]
        self.reset, self.reset_ready = Signal(), Signal()
        self.command = command = stream.Endpoint(command_layout(pages, width))
        self.answered, self.value = Signal(), Signal(width)
        self.sweeping = Signal()
        self.queue = queue = EventQueue(pages, queue_depth)
        self.events, self.fired, self.lost = queue.events, queue.fired, queue.lost

        # # #

        # Requests: registered, looked at, and those that count kept for the slot.
        came, slot_page, slot_counts = Record([("valid", 1), *requests]), Signal(page_bits), Signal(2)
        self.sync += [came.eq(self.request), slot_page.eq(came.page)]
        for counter in Counter:
            looks = RequestSelector(self.selectors[counter], came)
            self.add_module(f"selector{counter}", looks)
            self.sync += slot_counts[counter].eq(came.valid & looks.passes)

        # The slot: a request, else a command, else a row of the sweep.
        self.generations = generations = CounterGenerations(pages // BANKS, self.initials)
        layout = [
            *(("valid", 1), ("page", page_bits), ("tag", TAG_BITS), ("zero", 1)),
            *(("counts", 2), ("load", 2), ("value", width), ("asked", 1), ("counter", 1)),
        ]
        slot = Record(layout)
        stages = [Record(layout) for _ in range(WRITE + 1)]
        counted, commands = Signal(), Signal()
        self.comb += [
            counted.eq((slot_counts != 0) & ~generations.zeroing),
            command.ready.eq(~counted & ~generations.zeroing),
            commands.eq(command.ready & command.valid),
            generations.free.eq(~counted & ~commands),
            generations.reset.eq(self.reset),
            self.reset_ready.eq(generations.reset_ready),
            self.sweeping.eq(generations.sweeps),
            slot.valid.eq(counted | commands | generations.sweeps),
            If(counted, slot.page.eq(slot_page))
            .Elif(commands, slot.page.eq(command.page))
            .Else(slot.page.eq(generations.row << bank_bits)),
            slot.tag.eq(generations.tag),
            slot.zero.eq(generations.zeroing),
            If(counted, slot.counts.eq(slot_counts)),
            If(commands & command.load, slot.load.eq(1 << command.counter)),
            slot.value.eq(command.value),
            slot.asked.eq(commands),
            slot.counter.eq(command.counter),
        ]
        self.sync += [
            stages[0].eq(slot),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
        ]

        # Stage 0: which operations under way have a page of this row, with the same tag, and this very page.
        rows, rows_met, pages_met = (Signal(WINDOW) for _ in range(3))  # stage 1; bit n: n + 1 clocks ahead
        for n in range(WINDOW):
            mine, ahead, row, tag = stages[0], stages[n + 1], Signal(), Signal()
            self.comb += [
                row.eq(ahead.valid & (mine.page[bank_bits:] == ahead.page[bank_bits:])),
                tag.eq(mine.tag == ahead.tag),
            ]
            self.sync += [
                rows[n].eq(row),
                rows_met[n].eq(row & tag),
                pages_met[n].eq(row & tag & (mine.page[:bank_bits] == ahead.page[:bank_bits])),
            ]

        # Stage 1: of those, the youngest. Stages 2 and 3: kept.
        nearest = Signal(WINDOW)
        kept = [Record([("nearest", WINDOW), ("row_met", 1), ("oldest_row", 1)]) for _ in range(2)]
        self.comb += nearest.eq(pages_met & -pages_met)  # the lowest bit
        self.sync += [
            kept[0].nearest.eq(nearest),
            kept[0].row_met.eq(rows_met != 0),
            kept[0].oldest_row.eq(rows[-1]),
            kept[1].eq(kept[0]),
        ]
        met = kept[1]

        # Memories. What they read is blank if it is forwarded from 3 to 5 clocks ahead.
        self.banks = banks = CounterBanks(pages, width)
        new = [Signal(width, name=f"new{counter}") for counter in Counter]
        written = [[Signal(width) for _ in Counter] for _ in range(3)]  # by stages 6, 7, 8
        self.comb += [
            banks.page.eq(stages[0].page),
            banks.blank.eq(nearest[2:] != 0),
        ]

        # Stage 2: what a load or a row of an earlier reset put into the counters instead.
        fills = [Signal(width) for _ in Counter]  # stage 3
        self.sync += [
            fill.eq(Mux(stages[2].load[counter], stages[2].value, generations.initials[counter]))
            for counter, fill in enumerate(fills)
        ]

        # Stage 3: chosen. The tag of a row that is renewed in the clock in which it is read is not known.
        stale, forwarded, renews = Signal(), Signal(), Signal(WINDOW)
        self.comb += [
            forwarded.eq(met.nearest[2:] != 0),
            stale.eq(stages[CHOOSE].zero | (banks.tag != stages[CHOOSE].tag) | (met.oldest_row & renews[-1])),
        ]
        self.sync += renews.eq(Cat(stages[CHOOSE].valid & stale & ~met.row_met, renews))  # bit 0: stage 4
        chosen = [Signal(width) for _ in Counter]  # stage 4
        takes_new, takes_last = Signal(2), Signal(2)
        for counter in Counter:
            load, older = stages[CHOOSE].load[counter], zip(met.nearest[2:], written, strict=True)
            read = banks.word[counter * width : (counter + 1) * width]
            ahead = [Mux(hit, values[counter], 0) for hit, values in older]
            self.sync += [
                chosen[counter].eq(
                    Mux(load | (stale & ~forwarded), fills[counter], reduce(or_, [read, *ahead]))
                ),
                takes_new[counter].eq(met.nearest[0] & ~load),
                takes_last[counter].eq(met.nearest[1] & ~load),
            ]

        # Stages 4 and 5: merged and changed.
        fires = Signal(2)  # stage 6
        for counter in Counter:
            word, no_more, counts = Signal(width), Signal(), stages[CHANGE].counts[counter]
            self.comb += [
                no_more.eq(word[1:] == 0),
                new[counter].eq(Mux(counts & ~(no_more & ~word[0]), word - 1, word)),
            ]
            self.sync += [
                word.eq(
                    Mux(
                        takes_new[counter],
                        new[counter],
                        Mux(takes_last[counter], written[0][counter], chosen[counter]),
                    )
                ),
                fires[counter].eq(counts & no_more & word[0]),
                written[0][counter].eq(new[counter]),
                *(later[counter].eq(earlier[counter]) for earlier, later in pairwise(written)),
            ]

        # Stage 6: written.
        self.comb += [
            banks.write.eq(stages[CHANGE].valid),
            banks.write_page.eq(stages[CHANGE].page),
            banks.new.eq(Cat(new)),
            banks.renew.eq(renews[1]),
            banks.initial.eq(Cat(generations.initials)),
            banks.new_tag.eq(stages[CHANGE].tag),
            queue.page.eq(stages[WRITE].page),
            queue.fires.eq(fires),
        ]
        self.sync += [
            self.answered.eq(stages[WRITE].asked),
            If(
                stages[WRITE].asked,
                self.value.eq(Mux(stages[WRITE].counter, written[0][1], written[0][0])),
            ),
        ]
