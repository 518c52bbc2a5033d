"""Reference counters with their registers, their window on the bus and their interrupt."""

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from migen import If, Mux, Record, Signal

from litemrc_gateware.refs.records import Counter, request_layout
from litemrc_gateware.refs.ref_counters import RefCounters
from litemrc_gateware.refs.registers import RefCounterRegisters

LOAD_INITIAL = 31  # bit of a word written to the window


class RefCounterWindow(LiteXModule):
    """Every counter as a word on the SoC's bus: word 2 * page + Counter.

    A read returns the counter. A write loads it: with the word's low bits, or, if bit 31 is set, with the
    initial value of its register. So a write of 0x8000_0000 re-arms, a write of 0 disarms, and any other
    value is this page's own. An access is answered when it is done: behind a reset that was asked for before,
    and in the order of the requests. It waits for a cycle without a request that counts, and `latency` of the
    counters more.

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
        no access is taken.
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
    """Reference counters of a SoC: registers, window, interrupt; one class between taps and bus.

    Operation
    ---------
    Software writes initial values, selectors and ranges, then ``command.reset``, then ``control.enable``.
    The interrupt, and ``event.valid``, tell that ``event`` holds an event; ``command.next`` takes it. A
    counter that has fired is silent until software loads it through the window, or resets all.
    ``fired`` is always what was taken, what is queued and ``lost`` together.

    Settings count from the cycle after they are written on; change ``*_lower`` and ``*_upper`` with
    ``control.enable`` 0 if the time between the two writes matters.

    Parameters
    ----------
    pages, masters, contexts, width, queue_depth : int
        those of ``RefCounters``.
    page_shift : int
        log2 of a page's bytes, told in the register ``capabilities`` and nothing else: `request` has pages.

    Attributes
    ----------
    request : Record(valid, request_layout(pages, masters, contexts)), in
        one a cycle at most, never stalled.
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

        # A reset waits here for those before it, and the window for the reset.
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
