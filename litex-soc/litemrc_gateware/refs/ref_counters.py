# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters: two down-counters a page, DELAY and UPDATE, that fire when they reach zero."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Array, If, Record, Signal

from litemrc_gateware.records import width_of
from litemrc_gateware.refs.banks import BANKS
from litemrc_gateware.refs.event_queue import EventQueue
from litemrc_gateware.refs.generations import CounterGenerations
from litemrc_gateware.refs.pipeline import CounterPipeline
from litemrc_gateware.refs.registers import (
    MAX_CONTEXTS,
    MAX_MASTERS,
    Counter,
    command_layout,
    request_layout,
    selector_layout,
)


class RequestSelector(LiteXModule):
    """Compares a request with a selector, in the same cycle.

    Parameters
    ----------
    selector : Record(selector_layout)
    request : Record(request_layout)

    Attributes
    ----------
    passes : Signal, out
    """

    def __init__(self, selector, request) -> None:
        self.passes = Signal()

        # # #

        direction, master, context, in_range = Signal(), Signal(), Signal(), Signal()
        self.comb += [
            direction.eq((selector.reads & ~request.write) | (selector.writes & request.write)),
            master.eq(Array(selector.masters)[request.master]),
            context.eq(Array(selector.contexts)[request.context]),
            in_range.eq((request.page >= selector.lower) & (request.page <= selector.upper)),
            self.passes.eq(direction & master & context & in_range),
        ]


class RefCounters(LiteXModule):
    """Reference counters as in the paper on DELAY and UPDATE counters; bit-identical to hls/ref_counters.

    Operation
    ---------
    - A counter holds a value from 0 to 2^width - 1. A request that it counts decrements it. The request that
      brings it to 0 makes one event (page, counter); at 0 it is inactive until it is loaded or reset. A
      counter loaded with v fires on the v-th request; one loaded with 0 is off.
    - `selectors`, one for each counter, select the requests it counts: reads, writes, masters, contexts and a
      range of pages. A request must pass all of them. Either, both or none of the counters may count it.
    - One request a cycle is always taken, for any sequence of pages and during all other work: there is no
      `ready`.
    - A command reads or loads one counter of one page. It is taken in a cycle in which no request counts,
      in order with the requests.
    - `reset` sets every counter to its initial value, that of `initials` in this cycle, within one cycle:
      earlier requests count on the old values, later ones on the new values.
    - Events wait in a queue. An event that finds it full is lost and counted in `lost`: when the queue is
      empty, `fired` is the number of events taken from `events` plus `lost`. The counter stays at 0 in
      either case.
    - After the reset of the hardware all counters are 0. For pages / 8 + 10 cycles requests change nothing,
      because the counters are off, and commands and resets wait.

    How
    ---
    A reset starts a new tag, a number modulo 4, and rewrites no page. Pages are in 8 banks; the 8 pages of a
    row, one in each bank, share a tag. An operation that finds an old tag writes its own page and, in the
    same cycle, the initial values of the other 7. A tag therefore takes a quarter of a bit for each page:
    65,536 pages of 2 x 12 bits, their tags and a queue of 512 are 90 DP16KD. Tags repeat after 4 resets, so a
    sweep renews old rows in cycles without another operation (`sweeping`). Only a reset that would be the
    fourth since the sweep's last full pass waits for it (`reset_ready`).

    A request is registered two cycles before the pipeline and compared with the selectors one cycle before
    it, with the settings of that cycle. Then the request, else a command, else a row of the sweep goes into
    `CounterPipeline`.

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
        both 1: a reset, before this cycle's command and before the requests of two cycles ago and later.
    command : stream.Endpoint(command_layout(pages, width)), in
        taken in place of a request of two cycles ago.
    answered, value : Signal, Signal(width), out
        strobe, `latency` cycles after a command was taken: the value it read or loaded; `value` stays.
    latency : int
    events : stream.Endpoint(event_layout(pages)), out
        oldest first; of one request, DELAY first. The first event of an empty queue comes 16 cycles after its
        request.
    fired, lost : Signal(32), out
        events, and lost events; modulo 2^32.
    sweeping : Signal, out
        rows of an earlier reset are being renewed.
    """

    latency = 9

    def __init__(
        self, pages: int, masters: int = 4, contexts: int = 8, width: int = 12, queue_depth: int = 512
    ) -> None:
        if pages < 2 * BANKS or not 1 <= masters <= MAX_MASTERS or not 1 <= contexts <= MAX_CONTEXTS:
            raise ValueError(
                f"RefCounters: {pages} pages, {masters} masters, {contexts} contexts; they must be powers of "
                f"two, at least {2 * BANKS} pages, at most {MAX_MASTERS} masters and {MAX_CONTEXTS} contexts"
            )
        if not 2 <= width <= 16:
            raise ValueError(f"RefCounters: width must be 2 to 16 bits (got {width})")

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

        # Requests: registered and selected; those that count are kept for the slot.
        came = Record([("valid", 1), *requests], reset_less=True)
        came.valid.reset_less = False
        slot_page, slot_counts = Signal(width_of(pages), reset_less=True), Signal(2)
        self.sync += [came.eq(self.request), slot_page.eq(came.page)]
        for counter in Counter:
            looks = RequestSelector(self.selectors[counter], came)
            self.add_module(f"selector{counter}", looks)
            self.sync += slot_counts[counter].eq(came.valid & looks.passes)

        # The slot: a request, else a command, else a row of the sweep.
        self.generations = generations = CounterGenerations(pages // BANKS, self.initials)
        self.pipeline = pipeline = CounterPipeline(pages, width)
        slot, counted, commands = pipeline.slot, Signal(), Signal()
        self.comb += [
            counted.eq((slot_counts != 0) & ~generations.zeroing),
            command.ready.eq(~counted & ~generations.zeroing & ~generations.behind_reset),
            commands.eq(command.ready & command.valid),
            generations.free.eq(~counted & ~commands),
            generations.reset.eq(self.reset),
            self.reset_ready.eq(generations.reset_ready),
            self.sweeping.eq(generations.sweeps),
            slot.valid.eq(counted | commands | generations.sweeps),
            If(counted, slot.page.eq(slot_page))
            .Elif(commands, slot.page.eq(command.page))
            .Else(slot.page.eq(generations.row << width_of(BANKS))),
            slot.tag.eq(generations.tag),
            slot.behind_reset.eq(generations.behind_reset),
            slot.zero.eq(generations.zeroing),
            If(counted, slot.counts.eq(slot_counts)),
            If(commands & command.load, slot.load.eq(1 << command.counter)),
            slot.value.eq(command.value ^ Array(generations.last)[command.counter]),
            slot.asked.eq(commands),
            slot.counter.eq(command.counter),
        ]

        self.comb += [
            *(to.eq(initial) for to, initial in zip(pipeline.initials, generations.in_force, strict=True)),
            self.answered.eq(pipeline.answered),
            self.value.eq(pipeline.value),
            queue.page.eq(pipeline.page),
            queue.fires.eq(pipeline.fires),
        ]
