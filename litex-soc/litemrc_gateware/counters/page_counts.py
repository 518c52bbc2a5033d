"""One bank of page counts: read-modify-write of one count a cycle, with forwarding."""

from litex.gen import LiteXModule
from migen import If, Mux, Signal

from litemrc_gateware.memory import SimpleDualPort


class PageCounts(LiteXModule):
    """Counts in a block RAM; each is read two cycles before it is written.

    Stages: 0 addressed, 1 read, 2 changed and written. The count of the preceding cycle is forwarded. Changes
    of one count must not be exactly two cycles apart. `GroupMoves` guarantees that: two moves of a walk share
    a group only if they are consecutive, and two cycles without a move precede and follow a page's own move.

    Parameters
    ----------
    depth, count_bits : int

    Attributes
    ----------
    adr : Signal, in
    change, up : Signal, in
        increment (`up`) or decrement the count at `adr`.
    count : Signal(count_bits), out
        the count at the `adr` of two cycles ago, before a change in that cycle.
    zero : Signal, in
        the count at `adr` becomes 0; no change may be in progress.
    busy : Signal, out
        changes are in progress.
    """

    def __init__(self, depth: int, count_bits: int) -> None:
        self.adr = Signal(max=max(2, depth))
        self.change, self.up, self.zero = Signal(), Signal(), Signal()
        self.count = count = Signal(count_bits)
        self.busy = Signal()

        # # #

        self.memory = memory = SimpleDualPort(count_bits, max(2, depth), block=True)
        adr1, change1, up1 = Signal.like(self.adr), Signal(), Signal()
        adr2, change2, up2 = Signal.like(self.adr), Signal(), Signal()
        changed = Signal(count_bits)
        self.comb += [
            memory.read.adr.eq(self.adr),
            changed.eq(Mux(up2, count + 1, count - 1)),
            memory.write.adr.eq(Mux(self.zero, self.adr, adr2)),
            memory.write.dat_w.eq(Mux(self.zero, 0, changed)),
            memory.write.we.eq(self.zero | change2),
            self.busy.eq(change1 | change2),
        ]
        self.sync += [
            adr1.eq(self.adr),
            change1.eq(self.change),
            up1.eq(self.up),
            adr2.eq(adr1),
            change2.eq(change1),
            up2.eq(up1),
            count.eq(memory.read.dat_r),
            If(change2 & (adr2 == adr1), count.eq(changed)),
        ]
