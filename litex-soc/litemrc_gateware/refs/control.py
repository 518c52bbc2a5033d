# SPDX-License-Identifier: BSD-2-Clause
"""Reference counters with their registers, their window on the bus and their interrupt."""

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import If, Mux, Record, Signal

from litemrc_gateware.refs.ref_counters import RefCounters
from litemrc_gateware.refs.registers import Counter, RefCounterRegisters, request_layout

LOAD_INITIAL = 31  # bit of a word written to the window


class RefCounterWindow(LiteXModule):
    """Every counter as a word on the SoC's bus: word 2 * page + Counter.

    A read returns the counter. A write loads it with the word's low bits or, if bit 31 is set, with the
    initial value of its register: 0x8000_0000 re-arms the counter, 0 disarms it, and any other value is
    specific to this page. An access is acknowledged when it is done, after earlier resets and in the order of
    the requests. It takes the wait for a cycle without a request that counts, plus the counters' `latency`.

    Parameters
    ----------
    counters : RefCounters
    initials : list of Signal
        the registers' initial values, by Counter.

    Attributes
    ----------
    bus : wishbone.Interface
        to be mapped uncached; ``bytes`` is its size.
    wait : Signal, in
        accesses wait.
    """

    def __init__(self, counters, initials):
        self.wait = Signal()
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word", mode="rw")
        self.bytes = 8 * counters.pages

        # # #

        command, width = counters.command, len(initials[0])
        asked, initial = Signal(), Signal(width)
        self.comb += [
            initial.eq(Mux(bus.adr[0], initials[Counter.UPDATE], initials[Counter.DELAY])),
            command.valid.eq(bus.cyc & bus.stb & ~bus.ack & ~asked & ~self.wait),
            command.page.eq(bus.adr[1:]),
            command.counter.eq(bus.adr[0]),
            command.load.eq(bus.we),
            command.value.eq(Mux(bus.dat_w[LOAD_INITIAL], initial, bus.dat_w[:width])),
            bus.dat_r.eq(counters.value),
        ]
        self.sync += [
            bus.ack.eq(0),
            If(command.valid & command.ready, asked.eq(1)),
            If(asked & counters.answered, asked.eq(0), bus.ack.eq(1)),
        ]


class RefCounterControl(RefCounterRegisters):
    """Reference counters of a SoC with registers, window and interrupt, between taps and bus.

    Operation
    ---------
    Software writes initial values, selectors and ranges, then ``command.reset``, then ``control.enable``.
    The interrupt, and ``event.valid``, report that ``event`` holds an event; ``command.next`` takes it. A
    counter that has fired is inactive until software loads it through the window, or resets all.
    ``fired`` is always the sum of the events taken, queued and ``lost``.

    Settings take effect in the cycle after the write; change ``*_lower`` and ``*_upper`` with
    ``control.enable`` 0 if the time between the two writes matters.

    Parameters
    ----------
    pages, masters, contexts, width, queue_depth : int
        those of ``RefCounters``.
    page_shift : int
        log2 of a page's bytes; only reported in the register ``capabilities``, as `request` has page numbers.

    Attributes
    ----------
    request : Record(valid, request_layout(pages, masters, contexts)), in
        at most one a cycle, never stalled.
    window : RefCounterWindow
        ``bus`` and ``bytes``: every counter, to be read and loaded.
    ev : EventManager
        interrupt: there is an event.
    """

    def __init__(self, pages, masters=4, contexts=8, width=12, queue_depth=512, page_shift=12):
        super().__init__(pages, masters, contexts, width, queue_depth, page_shift)
        self.counters = counters = RefCounters(pages, masters, contexts, width, queue_depth)
        self.initials = [getattr(self, f"_{counter.name.lower()}_initial").storage for counter in Counter]
        self.window = RefCounterWindow(counters, self.initials)
        self.request = request = Record([("valid", 1), *request_layout(pages, masters, contexts)])

        # # #

        self.comb += [
            counters.request.eq(request),
            counters.request.valid.eq(request.valid & self._control.fields.enable),
        ]
        for counter in Counter:
            name = counter.name.lower()
            select, selector = getattr(self, f"_{name}_select"), counters.selectors[counter]
            self.comb += [
                counters.initials[counter].eq(self.initials[counter]),
                *(
                    getattr(selector, field).eq(getattr(select.fields, field))
                    for field in ("reads", "writes", "masters", "contexts")
                ),
                *(
                    getattr(selector, bound).eq(getattr(self, f"_{name}_{bound}").storage)
                    for bound in ("lower", "upper")
                ),
            ]

        # A reset waits here for earlier ones, and the window waits for the reset.
        resets, reset_pending = self._command.fields.reset, Signal()
        self.comb += [
            counters.reset.eq(reset_pending),
            self.window.wait.eq(resets | reset_pending),
        ]
        self.sync += [
            If(counters.reset_ready, reset_pending.eq(0)),
            If(resets, reset_pending.eq(1)),
        ]

        events = counters.events
        self.comb += [
            events.ready.eq(self._command.fields.next),
            self._event.fields.page.eq(events.page),
            self._event.fields.counter.eq(events.counter),
            self._event.fields.valid.eq(events.valid),
            self.ev.event.trigger.eq(events.valid),
            self._status.fields.event.eq(events.valid),
            self._status.fields.sweeping.eq(counters.sweeping),
            self._status.fields.reset_pending.eq(reset_pending),
            self._fired.status.eq(counters.fired),
            self._lost.status.eq(counters.lost),
        ]
