# SPDX-License-Identifier: BSD-2-Clause
"""The page array of bucket_stack: 10 bits a page, one read and one write a cycle, and a concurrent sweep."""

from functools import reduce
from operator import xor

from litex.gen import LiteXModule
from migen import C, Cat, If, Mux, Signal, log2_int

from litemrc_gateware.memory import RegisteredMemory
from litemrc_gateware.records import width_of
from litemrc_gateware.stacks.bucket.sweep import LOOKUP, TOUCH, WRITE, BucketSweep, equal_halves


def is_claim(id, contexts: int):
    """Expression: an id is one of the last `contexts`, whose pages are invalid and claimed."""
    return id[log2_int(contexts) :] == 2 ** (len(id) - log2_int(contexts)) - 1


class BucketIds(LiteXModule):
    """A word for each id of this and of the previous generation, read for operations and for the sweep.

    A bucket is an id and, as the lowest bit, which of the id's two buckets it is: 0 the older, 1 the newer.
    Id 0, the invalid page, and the last `contexts` ids, of claims, are the same in every generation. The
    words of this generation hold the buckets of the id itself, so that a page's word of either generation is
    an address.

    Parameters
    ----------
    ids, contexts : int
        powers of two.

    Attributes
    ----------
    go : Signal, in
        0: reads stall.
    word, sweep_word : Signal, in
        a bucket, and above it the bit of its generation.
    bucket, owner, sweep_bucket : Signal, out
        the bucket in this generation and its owner, two cycles later.
    valid, owned : Signal, out
        with them: it holds pages; it holds pages or is a claim's.
    give, given_word, given_owner : Signal, in
        an id, with its generation, comes into use; its buckets are its own.
    map, map_word, map_older, map_newer, map_owner : Signal, in
        the buckets of an id become `map_older` and `map_newer`. Has priority over `give`.
    """

    def __init__(self, ids: int, contexts: int) -> None:
        bucket_bits, context_bits = width_of(ids) + 1, width_of(contexts)
        self.go = Signal()
        self.word, self.sweep_word = Signal(bucket_bits + 1), Signal(bucket_bits + 1)
        self.given_word, self.map_word = Signal(bucket_bits), Signal(bucket_bits)
        self.bucket, self.sweep_bucket = Signal(bucket_bits), Signal(bucket_bits)
        self.map_older, self.map_newer = Signal(bucket_bits), Signal(bucket_bits)
        self.owner, self.given_owner, self.map_owner = (Signal(context_bits) for _ in range(3))
        self.give, self.map = Signal(), Signal()
        self.valid, self.owned = Signal(), Signal()

        # # #

        # The two buckets of an id are read at once, and one is selected by the lowest bit of the page's word.
        self.entries = entries = RegisteredMemory((2 * bucket_bits + context_bits + 2,), 2 * ids)
        self.sweep_entries = sweep_entries = RegisteredMemory((2 * bucket_bits,), 2 * ids)
        older, newer, sweep_older, sweep_newer = (Signal(bucket_bits) for _ in range(4))
        is_newer, sweep_is_newer = self._delayed(self.word[0]), self._delayed(self.sweep_word[0])
        buckets_written, given_id = Signal(2 * bucket_bits), self.given_word[:-1]
        owner_written, valid_written, owned_written = Signal(context_bits), Signal(), Signal()
        self.comb += [
            entries.adr.eq(self.word[1:]),
            sweep_entries.adr.eq(self.sweep_word[1:]),
            Cat(older, newer, self.owner, self.valid, self.owned).eq(entries.dat_r),
            Cat(sweep_older, sweep_newer).eq(sweep_entries.dat_r),
            self.bucket.eq(Mux(is_newer, newer, older)),
            self.sweep_bucket.eq(Mux(sweep_is_newer, sweep_newer, sweep_older)),
            buckets_written.eq(
                Mux(self.map, Cat(self.map_older, self.map_newer), Cat(C(0, 1), given_id, C(1, 1), given_id))
            ),
            owner_written.eq(Mux(self.map, self.map_owner, self.given_owner)),
            owned_written.eq(self.map | (given_id != 0)),
            valid_written.eq(self.map | ((given_id != 0) & ~is_claim(given_id, contexts))),
            entries.write.dat_w.eq(Cat(buckets_written, owner_written, valid_written, owned_written)),
            sweep_entries.write.dat_w.eq(buckets_written),
        ]
        for memory in (entries, sweep_entries):
            self.comb += [
                memory.enable.eq(self.go),
                memory.write.adr.eq(Mux(self.map, self.map_word, self.given_word)),
                memory.write.we.eq(self.map | self.give),
            ]

    def _delayed(self, bit):
        """The bit two cycles later, as the word of a memory."""
        bits = Signal(2)
        self.sync += If(self.go, bits.eq(Cat(bit, bits)))
        return bits[1]


class BucketPages(LiteXModule):
    """A bucket and a generation bit for each page, in two banks; id 0 and the last ids are invalid pages.

    An operation reads its page's bucket and writes a new one seven cycles later. `flip` starts a new
    generation of ids: buckets of the previous generation are mapped when they are read, and a sweep rewrites
    them concurrently. The bank is the XOR of the frame's bits.

    Parameters
    ----------
    frames, ids, contexts : int
        powers of two.

    Attributes
    ----------
    ids : BucketIds
        its write ports are driven by the caller.
    go : Signal, in
        0: operations and sweep stall.
    touch, frame : Signal, in
        an operation that will be in stage 0 reads this page; only with `go`.
    ask, asked_id : Signal, in
        stage 3: look up this id of this generation instead; no operation may be in progress.
    bucket, owner, valid, owned : Signal, out
        stage LOOKUP: the page's bucket in this generation and its owner, as read; it is in a bucket; it is or
        was claimed.
    matches : Signal(WRITE), out
        stage LOOKUP: bit n: the youngest operation on the same page that had not written it when it was read
        is n + 1 cycles ahead.
    new_bucket : Signal, in
        stage TOUCH: the page's new bucket.
    generation : Signal, out
        flips with `flip`.
    flip : Signal, in
        strobe: the next generation starts. Only while `swept`, with no operation in progress.
    swept : Signal, out
        all ids are of this generation.
    zero, zero_row : Signal, in
        make the pages in this row of both banks invalid; cancels the sweep.
    """

    def __init__(self, frames: int, ids: int, contexts: int) -> None:
        frame_bits, id_bits = width_of(frames), width_of(ids)
        self.go, self.touch, self.ask, self.flip, self.swept = (Signal() for _ in range(5))
        self.zero, self.zero_row = Signal(), Signal(frame_bits - 1)
        self.frame = Signal(frame_bits)
        self.asked_id, self.bucket, self.new_bucket = (Signal(id_bits + n) for n in (0, 1, 1))
        self.owner, self.valid, self.owned = Signal(width_of(contexts)), Signal(), Signal()
        self.matches = Signal(WRITE)
        self.generation = generation = Signal()
        self.ids = table = BucketIds(ids, contexts)

        # # #

        go = self.go
        self.sync += If(self.flip, generation.eq(~generation))

        # Operations in progress, by stage.
        self.sweep = sweep = BucketSweep(frame_bits - 1)
        touch, bank, row = sweep.touch, sweep.bank, sweep.row
        same, matches = [Signal(WRITE) for _ in range(2)], [Signal(WRITE) for _ in range(LOOKUP + 1)]
        ahead = [Cat(bank[n], row[n]) for n in range(2, WRITE + 2)]
        low, high = equal_halves(Cat(bank[1], row[1]), ahead)
        self.comb += self.matches.eq(matches[LOOKUP])
        self.sync += If(
            go,
            touch[0].eq(sweep.coming),
            bank[0].eq(sweep.coming_bank),
            row[0].eq(sweep.coming_row),
            *(later[n + 1].eq(later[n]) for later in (touch, bank, row) for n in range(WRITE + 1)),
            same[0].eq(low),
            same[1].eq(high & Cat(*touch[2:])),
            If(~touch[1], same[1].eq(0)),
            matches[3].eq(same[0] & same[1]),
            # The lowest bit; `x & -x` needs carries.
            matches[4].eq(
                Cat(matches[3][0], *(matches[3][n] & (matches[3][:n] == 0) for n in range(1, WRITE)))
            ),
            matches[5].eq(matches[4]),
        )
        self.comb += [
            sweep.go.eq(go),
            sweep.skip.eq(self.zero),
            sweep.begin.eq(self.flip),
            sweep.coming.eq(self.touch),
            sweep.coming_bank.eq(reduce(xor, self.frame)),
            sweep.coming_row.eq(self.frame[1:]),
            self.swept.eq(sweep.swept),
        ]

        # Banks, with registers at all ports, two of them behind each RAM: its wire to where a part and a bank
        # are selected is long. Operation and sweep read different banks in stage 0, so they never write the
        # same one.
        sweep_bucket = Signal(id_bits + 1)  # stage TOUCH
        word_bits = len(sweep_bucket) + 1
        widest = word_bits if frames <= 2048 else 8  # a block RAM of 1,024 words has 18 bits
        columns = tuple(min(widest, word_bits - first) for first in range(0, word_bits, widest))
        words = []
        for number in range(2):
            memory = RegisteredMemory(columns, frames // 2, further_registers=1)
            setattr(self, f"bank{number}", memory)
            reads, writes = Signal(), Signal()
            self.comb += [
                memory.enable.eq(go),
                reads.eq(sweep.coming & (sweep.coming_bank == number)),
                writes.eq(touch[TOUCH] & (bank[TOUCH] == number)),
            ]
            self.sync += [
                If(
                    go,
                    memory.adr.eq(Mux(reads, sweep.coming_row, sweep.cursors[number])),
                    memory.write.we.eq(writes | (sweep.writes & (sweep.banks[TOUCH] == number))),
                    memory.write.adr.eq(Mux(writes, row[TOUCH], sweep.rows[TOUCH])),
                    memory.write.dat_w.eq(Cat(Mux(writes, self.new_bucket, sweep_bucket), generation)),
                ),
                If(
                    self.zero,
                    memory.write.we.eq(1),
                    memory.write.adr.eq(self.zero_row),
                    memory.write.dat_w.eq(0),
                ),
            ]
            words.append(memory.dat_r)

        # Stage 3: map the bucket of the generation read to this generation.
        word = Signal(word_bits)
        self.comb += [
            table.go.eq(go),
            word.eq(Mux(bank[3], words[1], words[0])),
            table.word.eq(Mux(self.ask, Cat(C(0, 1), self.asked_id, generation), word)),
            table.sweep_word.eq(Mux(sweep.banks[3], words[1], words[0])),
            self.bucket.eq(table.bucket),
            self.owner.eq(table.owner),
            self.valid.eq(table.valid),
            self.owned.eq(table.owned),
        ]
        self.sync += If(go, sweep_bucket.eq(table.sweep_bucket))
