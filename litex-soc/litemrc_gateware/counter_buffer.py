"""One buffer of hit counters: a counter for each context and group, and three totals for each context."""

from litex.gen import LiteXModule
from migen import Cat, If, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of


class CounterBuffer(LiteXModule):
    """Memories of one epoch's counters with one read and one write port; `zero` overrides the write port.

    Parameters
    ----------
    groups, contexts, counter_bits : int

    Attributes
    ----------
    context, group : Signal, in
        what to read; the counters are there two clocks later.
    hits, misses, accesses, touched : Signal(counter_bits), out
    write_context, write_group : Signal, in
    write_hits, write_totals : Signal, in
        store `new_hits`, and `new_misses` with `new_accesses` and `new_touched`.
    new_hits, new_misses, new_accesses, new_touched : Signal(counter_bits), in
    zero, zero_adr : Signal, in
        zero the counter `zero_adr` = context * groups + group, and the context's totals.
    """

    def __init__(self, groups: int, contexts: int, counter_bits: int) -> None:
        group_bits, context_bits = width_of(groups), width_of(contexts)
        self.context, self.group = Signal(context_bits), Signal(group_bits)
        self.hits, self.misses, self.accesses, self.touched = (Signal(counter_bits) for _ in range(4))
        self.write_context, self.write_group = Signal(context_bits), Signal(group_bits)
        self.write_hits, self.write_totals = Signal(), Signal()
        self.new_hits, self.new_misses = Signal(counter_bits), Signal(counter_bits)
        self.new_accesses, self.new_touched = Signal(counter_bits), Signal(counter_bits)
        self.zero, self.zero_adr = Signal(), Signal(group_bits + context_bits)

        # # #

        self.hit_memory = hits = SimpleDualPort(counter_bits, groups << context_bits)
        self.total_memory = totals = SimpleDualPort(3 * counter_bits, 1 << context_bits)
        self.comb += [
            hits.read.adr.eq(Cat(self.group, self.context)),
            totals.read.adr.eq(self.context),
            If(
                self.zero,
                hits.write.adr.eq(self.zero_adr),
                hits.write.we.eq(1),
                totals.write.adr.eq(self.zero_adr[group_bits:]),
                totals.write.we.eq(1),
            ).Else(
                hits.write.adr.eq(Cat(self.write_group, self.write_context)),
                hits.write.dat_w.eq(self.new_hits),
                hits.write.we.eq(self.write_hits),
                totals.write.adr.eq(self.write_context),
                totals.write.dat_w.eq(Cat(self.new_misses, self.new_accesses, self.new_touched)),
                totals.write.we.eq(self.write_totals),
            ),
        ]
        # Registers right behind the memories: a block RAM takes most of a clock to show its word.
        self.sync += [
            self.hits.eq(hits.read.dat_r),
            Cat(self.misses, self.accesses, self.touched).eq(totals.read.dat_r),
        ]
