"""Passive taps on the ports of a LiteDRAM crossbar: every access, and which master asked for it."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus
from migen import Array, Case, If, Signal, log2_int


class PortTaps(LiteXModule):
    """Names page, direction and master of the accesses of several native ports, one a cycle.

    An access happens when the crossbar takes a port's command. Behind the crossbar nobody knows any more
    whose it was, but before it several ports may be served in one cycle: each has a FIFO of a few records,
    and the FIFOs take turns. A DRAM serves at most one access a cycle, so faster than that comes only what
    the queues of the controller's banks have room for.

    Per master the order is kept; between masters it may change by what the FIFOs hold.
    The taps drive nothing: the controller cannot tell whether they are there.

    Parameters
    ----------
    ports : list of LiteDRAMNativePort
        a master's number is its place here; ports of one data width.
    page_shift : int
        log2 of the page size in bytes, at least the width of a port.
    contexts_log2 : int
        width of a context's number.
    depth : int
        records of each FIFO.

    Attributes
    ----------
    running : Signal(contexts_log2), in
        the context of the accesses that happen in this cycle.
    valid, page, write, master, context : Signal, out
        an access, two cycles later or more.
    lost : Signal(32), out
        accesses that found their FIFO full; saturates. A register.
    """

    def __init__(self, ports, page_shift, contexts_log2=3, depth=16):
        word_shift = log2_int(len(ports[0].wdata.data) // 8)
        if page_shift < word_shift:
            raise ValueError(
                f"PortTaps: pages of 2^{page_shift} bytes, but a port's words have 2^{word_shift}"
            )
        page_bits = len(ports[0].cmd.addr) + word_shift - page_shift
        self.pages = 1 << page_bits
        self.running = Signal(contexts_log2)
        self.valid = Signal()
        self.page = Signal(page_bits)
        self.write = Signal()
        self.master = Signal(max=max(2, len(ports)))
        self.context = Signal(contexts_log2)
        self._lost = CSRStatus(32, description="Accesses that were lost before any counter saw them.")
        self.lost = self._lost.status

        # # #

        layout = [("page", page_bits), ("write", 1), ("context", contexts_log2)]
        fifos = [stream.SyncFIFO(layout, depth) for _ in ports]
        self.submodules += fifos
        for port, fifo in zip(ports, fifos, strict=True):
            self.comb += [
                fifo.sink.valid.eq(port.cmd.valid & port.cmd.ready),
                fifo.sink.page.eq(port.cmd.addr[page_shift - word_shift :]),
                fifo.sink.write.eq(port.cmd.we),
                fifo.sink.context.eq(self.running),
            ]

        # The next one in turn that has something; the later of two assignments holds.
        last, chosen = Signal.like(self.master), Signal.like(self.master)
        count = len(fifos)
        turns = {now: [(now - behind) % count for behind in range(count)] for now in range(count)}
        self.comb += Case(
            last,
            {
                now: [If(fifos[number].source.valid, chosen.eq(number)) for number in turn]
                for now, turn in turns.items()
            },
        )
        sources = Array(fifo.source for fifo in fifos)
        self.comb += [fifo.source.ready.eq(chosen == number) for number, fifo in enumerate(fifos)]
        self.sync += [
            self.valid.eq(sources[chosen].valid),
            If(sources[chosen].valid, last.eq(chosen)),
            self.master.eq(chosen),
            *(
                getattr(self, name).eq(Array(getattr(fifo.source, name) for fifo in fifos)[chosen])
                for name, _ in layout
            ),
        ]

        lost_now = Signal(max=count + 1)
        self.comb += lost_now.eq(sum(fifo.sink.valid & ~fifo.sink.ready for fifo in fifos))
        self.sync += If(self.lost < 2**32 - count, self.lost.eq(self.lost + lost_now))
