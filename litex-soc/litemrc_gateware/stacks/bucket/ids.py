"""The id tables of bucket_stack: each id's number in this generation, and its owner."""

from litex.gen import LiteXModule
from migen import Cat, Mux, Signal

from litemrc_gateware.memory import RegisteredMemory
from litemrc_gateware.records import width_of


class BucketIds(LiteXModule):
    """A word for each id of this and of the previous generation, read for operations and for the sweep.

    Id 0, the invalid page, stays 0 in every generation. The words of this generation hold the id itself, so
    that a page's word of either generation is an address.

    Parameters
    ----------
    ids, contexts : int
        powers of two.

    Attributes
    ----------
    go : Signal, in
        0: reads stall.
    word, sweep_word : Signal, in
        an id, and above it the bit of its generation.
    id, owner, sweep_id : Signal, out
        its number in this generation and its owner, two cycles later.
    give, given_word, given_owner : Signal, in
        an id comes into use; it is its own number.
    map, map_word, map_id, map_owner : Signal, in
        an id gets the number `map_id`. Has priority over `give`.
    """

    def __init__(self, ids: int, contexts: int) -> None:
        id_bits, context_bits = width_of(ids), width_of(contexts)
        self.go = Signal()
        self.word, self.sweep_word, self.given_word, self.map_word = (Signal(id_bits + 1) for _ in range(4))
        self.id, self.sweep_id, self.map_id = (Signal(id_bits) for _ in range(3))
        self.owner, self.given_owner, self.map_owner = (Signal(context_bits) for _ in range(3))
        self.give, self.map = Signal(), Signal()

        # # #

        self.entries = entries = RegisteredMemory((id_bits + context_bits,), 2 * ids)
        self.sweep_entries = sweep_entries = RegisteredMemory((id_bits,), 2 * ids)
        id_written = Signal(id_bits)
        self.comb += [
            entries.adr.eq(self.word),
            sweep_entries.adr.eq(self.sweep_word),
            Cat(self.id, self.owner).eq(entries.dat_r),
            self.sweep_id.eq(sweep_entries.dat_r),
            id_written.eq(Mux(self.map, self.map_id, self.given_word[:-1])),
            entries.write.dat_w.eq(Cat(id_written, Mux(self.map, self.map_owner, self.given_owner))),
            sweep_entries.write.dat_w.eq(id_written),
        ]
        for memory in (entries, sweep_entries):
            self.comb += [
                memory.enable.eq(self.go),
                memory.write.adr.eq(Mux(self.map, self.map_word, self.given_word)),
                memory.write.we.eq(self.map | self.give),
            ]
