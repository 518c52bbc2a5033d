"""Reference counters: two down-counters a page, DELAY and UPDATE, that tell when they reach zero."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import Array, If, Record, Signal

from litemrc_gateware.records import width_of
from litemrc_gateware.refs.banks import BANKS
from litemrc_gateware.refs.event_queue import EventQueue
from litemrc_gateware.refs.generations import CounterGenerations
from litemrc_gateware.refs.pipeline import CounterPipeline
from litemrc_gateware.refs.records import (
    MAX_CONTEXTS,
    MAX_MASTERS,
    Counter,
    command_layout,
    request_layout,
    selector_layout,
)
from litemrc_gateware.refs.selector import RequestSelector


class RefCounters(LiteXModule):
    """Reference counters as in the paper on DELAY and UPDATE counters; bit-identical to hls/ref_counters.

    Operation
    ---------
    - A counter holds a value from 0 to 2^width - 1. A request that it counts takes 1 away. The one that
      brings it to 0 makes one event (page, counter); at 0 it is silent until it is loaded or reset. So a
      counter loaded with v tells the v-th request, and one loaded with 0 is off.
    - `selectors`, one a counter, say which requests it counts: reads, writes, masters, contexts and a range
      of pages, all of which must let a request pass. Either, both or none may count it.
    - A request a cycle, always: there is no `ready`, whatever pages follow one another and whatever else
      goes on.
    - Commands read or load one counter of one page. One is taken in a cycle in which no request counts,
      after the requests before it and before those behind it.
    - `reset` makes every counter its initial value, as `initials` are in that cycle, at once and in one
      cycle: requests in front of it count on the old values, those behind it on the new ones.
    - Events wait in a queue. If one finds it full it is lost, and `lost` counts it: once the queue is empty
      `fired` is what was taken from `events`, and `lost`. The counter stays at 0 in either case.
    - After the reset of the hardware all counters are 0. For pages / 8 + 9 cycles requests count nothing, as
      they would anyhow, and commands and resets wait.

    How
    ---
    A reset gives a new tag, a number modulo 4, and renews no page. Pages lie in 8 banks, side by side, and
    the 8 of a row, one in each bank, share a tag: an operation that finds an old one writes its own page and,
    in the same cycle, the initial values of the other 7. So a tag costs a quarter of a bit a page: 65,536
    pages of 2 x 12 bits, their tags and a queue of 512 are 90 DP16KD. Tags come again after 4 resets, so a
    sweep renews old rows in cycles without another operation; `sweeping` tells that it does. Only a reset
    that would be the fourth since the sweep's last full pass waits for it: `reset_ready`.

    Two cycles before the pipeline a request is registered, one before it is looked at by the selectors, with
    the settings of that cycle; then it, else a command, else a row of the sweep goes into `CounterPipeline`.

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
        while both are 1: a reset, in front of this cycle's command, and of the requests that came two cycles
        before and later.
    command : stream.Endpoint(command_layout(pages, width)), in
        taken in the place of a request of two cycles before.
    answered, value : Signal, Signal(width), out
        strobe, `latency` cycles after a command was taken: what it read, or loaded; `value` stays.
    latency : int
    events : stream.Endpoint(event_layout(pages)), out
        the oldest first, DELAY first of those of one request. The first one of an empty queue is there 15
        cycles behind its request.
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
