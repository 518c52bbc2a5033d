"""The page array of bucket_stack: 9 bits a page, read and written once a clock and swept beside that."""

from functools import reduce
from operator import xor

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal

from litemrc_gateware.bucket_ids import BucketIds
from litemrc_gateware.bucket_sweep import STAGES, BucketSweep
from litemrc_gateware.memory import RegisteredMemory
from litemrc_gateware.records import width_of


class BucketPages(LiteXModule):
    """A bucket's id and a generation bit a page, in two banks; id 0 is an invalid page.

    An operation reads its page's id, and writes a new one five clocks later. `flip` begins a new generation
    of ids: those of the last one are mapped when they are read, and a sweep rewrites them beside the
    operations. The bank is the XOR of the frame's bits.

    Parameters
    ----------
    frames, ids, contexts : int
        powers of two.

    Attributes
    ----------
    ids : BucketIds
        its write ports are the user's.
    go : Signal, in
        0: operations and sweep wait.
    touch, frame : Signal, in
        an operation that will be in stage 0 reads this page; only with `go`.
    ask, asked_id : Signal, in
        stage 2: look up this id of this generation instead, while no operation is under way.
    id, owner : Signal, out
        stage 4: the page's bucket in this generation and its owner, older than the operation in `matches`.
    matches : Signal(5), out
        stage 4: bit n: of all operations under way that touched the same page the youngest is n + 1 clocks
        ahead.
    new_id : Signal, in
        stage 5: what the page's id becomes.
    generation : Signal, out
        flips with `flip`.
    flip : Signal, in
        strobe: the next generation begins. Only when `swept`, with no operation under way.
    swept : Signal, out
        all ids are of this generation.
    zero, zero_row : Signal, in
        make the pages in this row of both banks invalid; drops the sweep.
    """

    def __init__(self, frames: int, ids: int, contexts: int) -> None:
        frame_bits, id_bits = width_of(frames), width_of(ids)
        self.go, self.touch, self.ask, self.flip, self.swept = (Signal() for _ in range(5))
        self.zero, self.zero_row = Signal(), Signal(frame_bits - 1)
        self.frame = Signal(frame_bits)
        self.asked_id, self.id, self.new_id = Signal(id_bits), Signal(id_bits), Signal(id_bits)
        self.owner = Signal(width_of(contexts))
        self.matches = Signal(STAGES)
        self.generation = generation = Signal()
        self.ids = table = BucketIds(ids, contexts)

        # # #

        go = self.go
        self.sync += If(self.flip, generation.eq(~generation))

        # Operations under way, by stage.
        self.sweep = sweep = BucketSweep(frame_bits - 1)
        touch, bank, row = sweep.touch, sweep.bank, sweep.row
        matches = [Signal(STAGES) for _ in range(5)]
        coming_bank = reduce(xor, self.frame)
        same_page = (touch[n] & (bank[n] == bank[1]) & (row[n] == row[1]) for n in range(2, STAGES + 2))
        self.comb += [matches[1].eq(Cat(*same_page)), self.matches.eq(matches[4])]
        self.sync += If(
            go,
            touch[0].eq(self.touch),
            bank[0].eq(coming_bank),
            row[0].eq(self.frame[1:]),
            *(later[n + 1].eq(later[n]) for later in (touch, bank, row) for n in range(STAGES + 1)),
            *(matches[n + 1].eq(matches[n]) for n in range(1, 4)),
            If(~touch[1], matches[2].eq(0)),
            matches[3].eq(matches[2] & -matches[2]),  # the lowest bit
        )
        self.comb += [
            sweep.go.eq(go),
            sweep.skip.eq(self.zero),
            sweep.begin.eq(self.flip),
            sweep.coming.eq(self.touch),
            sweep.coming_bank.eq(coming_bank),
            sweep.coming_row.eq(self.frame[1:]),
            self.swept.eq(sweep.swept),
        ]

        # Banks. Operation and sweep, apart in stage 0, never write the same one.
        sweep_id = Signal(id_bits)  # stage 5
        words = []
        for number in range(2):
            memory = RegisteredMemory((id_bits, 1), frames // 2)
            setattr(self, f"bank{number}", memory)
            writes = Signal()
            self.comb += [
                memory.enable.eq(go),
                memory.adr.eq(Mux(touch[0] & (bank[0] == number), row[0], sweep.cursors[number])),
                writes.eq(touch[5] & (bank[5] == number)),
                memory.write.we.eq(self.zero | (go & (writes | (sweep.writes & (sweep.banks[5] == number))))),
                memory.write.adr.eq(Mux(self.zero, self.zero_row, Mux(writes, row[5], sweep.rows[5]))),
                memory.write.dat_w.eq(
                    Mux(self.zero, 0, Cat(Mux(writes, self.new_id, sweep_id), generation)),
                ),
            ]
            words.append(memory.dat_r)

        # Stage 2: from the generation read to this one.
        self.comb += [
            table.go.eq(go),
            table.word.eq(
                Mux(self.ask, Cat(self.asked_id, generation), Mux(bank[2], words[1], words[0])),
            ),
            table.sweep_word.eq(Mux(sweep.banks[2], words[1], words[0])),
            self.id.eq(table.id),
            self.owner.eq(table.owner),
        ]
        self.sync += If(go, sweep_id.eq(table.sweep_id))
