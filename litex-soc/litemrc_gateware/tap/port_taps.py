# SPDX-License-Identifier: BSD-2-Clause
"""Passive taps on the ports of a LiteDRAM crossbar: every access and its master."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus
from migen import Array, Case, If, Signal, log2_int


class PortTaps(LiteXModule):
    """Reports page, direction and master of the accesses of several native ports, one a cycle.

    An access happens when the crossbar takes a port's command. The master is only known before the crossbar,
    where several ports may be served in one cycle: each port has a FIFO of a few records, and the FIFOs are
    read in turn. A DRAM serves at most one access a cycle, so only the queues of the controller's banks let
    accesses come faster for a while.

    The order within a master is kept; between masters it may change by the depth of the FIFOs.
    The taps are passive: they drive nothing and add no cycles.

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
        accesses dropped because their FIFO was full; saturates. Also a register.
    """

    def __init__(self, ports, page_shift, contexts_log2=3, depth=16):
        word_shift = log2_int(len(ports[0].wdata.data) // 8)
        if page_shift < word_shift:
            raise ValueError(
                f"PortTaps: page_shift must be at least {word_shift}, a port's word (got {page_shift})"
            )
        page_bits = len(ports[0].cmd.addr) + word_shift - page_shift
        self.pages = 1 << page_bits
        self.running = Signal(contexts_log2)
        self.valid = Signal()
        self.page = Signal(page_bits)
        self.write = Signal()
        self.master = Signal(max=max(2, len(ports)))
        self.context = Signal(contexts_log2)
        self._lost = CSRStatus(
            32, description="Accesses dropped before they reached a counter; saturates at 2^32 - 1."
        )
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

        # The next FIFO in turn that is not empty; the last assignment wins.
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
