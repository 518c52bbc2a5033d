"""The page array of bucket_stack: 9 bits a page, read and written once a clock and swept beside that."""

from functools import reduce
from operator import or_, xor

from litex.gen import LiteXModule
from migen import READ_FIRST, Array, Cat, If, Memory, Mux, Signal

from litemrc_gateware.records import width_of

STAGES = 4  # clocks from the read of a page to its write


class BucketPages(LiteXModule):
    """A bucket's id and a generation bit a page, in two banks; id 0 is an invalid page.

    An operation reads its page's id, and writes a new one four clocks later. `flip` begins a new generation
    of ids: ids of the last one are mapped when they are read. Beside the operations a sweep rewrites them:
    in each clock it takes a page of the bank that no operation reads, and writes it back as many clocks
    later as an operation would, when that bank is free again. The bank is the XOR of the frame's bits.

    Parameters
    ----------
    frames, ids : int
        powers of two.

    Attributes
    ----------
    go : Signal, in
        0: operations and sweep wait.
    touch, frame : Signal, in
        stage 0: an operation reads this page; only with `go`.
    id : Signal, out
        stage 3: its id in this generation, older than the operations in `matches`.
    matches : Signal(4), out
        stage 3: bit n: the operation that `touch`ed n + 1 clocks before was for the same page.
    new_id : Signal, in
        stage 4: what the page's id becomes.
    map_adr, map_dat, map_we : Signal, in
        the map from the ids of this generation to those of the next one.
    flip : Signal, in
        strobe: the next generation begins. Only when `swept`, with no operation under way.
    swept : Signal, out
        all ids are of this generation.
    zero, zero_adr : Signal, in
        make two pages invalid, one of each bank; drops the sweep.
    """

    def __init__(self, frames: int, ids: int) -> None:
        frame_bits, id_bits = width_of(frames), width_of(ids)
        self.go, self.touch, self.flip, self.swept, self.zero = (Signal() for _ in range(5))
        self.frame = Signal(frame_bits)
        self.id, self.new_id = Signal(id_bits), Signal(id_bits)
        self.matches = Signal(STAGES)
        self.map_adr, self.map_dat, self.map_we = Signal(id_bits), Signal(id_bits), Signal()
        self.zero_adr = Signal(frame_bits - 1)

        # # #

        go = self.go
        generation = Signal()
        self.sync += If(self.flip, generation.eq(~generation))

        # Operations under way, by stage.
        touch = [self.touch, *(Signal() for _ in range(STAGES))]
        frame = [self.frame, *(Signal(frame_bits) for _ in range(STAGES))]
        bank = [Signal() for _ in range(STAGES + 1)]
        matches = [Signal(STAGES) for _ in range(4)]
        self.comb += [
            bank[0].eq(reduce(xor, self.frame)),
            matches[0].eq(Cat(*(touch[n] & (frame[n] == self.frame) for n in range(1, STAGES + 1)))),
            self.matches.eq(matches[3]),
        ]
        self.sync += If(
            go,
            *(later[n + 1].eq(later[n]) for later in (touch, frame, bank) for n in range(STAGES)),
            *(matches[n + 1].eq(matches[n]) for n in range(3)),
        )

        # Sweep: the next page of each bank; the highest bit: there is none.
        finished = 1 << (frame_bits - 1)
        cursor = [Signal(frame_bits, reset=finished) for _ in range(2)]
        turn, any_left = Signal(), Signal()
        sweeps = [Signal() for _ in range(STAGES + 1)]
        sweep_bank = [Signal() for _ in range(STAGES + 1)]
        sweep_frame = [Signal(frame_bits) for _ in range(STAGES + 1)]
        chosen, takes, in_flight = Signal(frame_bits), Signal(), Signal()
        self.comb += [
            any_left.eq(~Mux(turn, cursor[1][-1], cursor[0][-1])),
            sweep_bank[0].eq(Mux(self.touch, ~bank[0], Mux(any_left, turn, ~turn))),
            chosen.eq(Array(cursor)[sweep_bank[0]]),
            takes.eq(~chosen[-1]),
            sweep_frame[0].eq(Cat(sweep_bank[0] ^ reduce(xor, chosen[:-1]), chosen[:-1])),
            # An operation that has not written yet will bring the page up to date itself.
            in_flight.eq(
                reduce(or_, (touch[n] & (frame[n] == sweep_frame[0]) for n in range(1, STAGES + 1)))
            ),
            sweeps[0].eq(takes & ~in_flight),
            self.swept.eq(cursor[0][-1] & cursor[1][-1] & ~reduce(or_, sweeps[1:])),
        ]
        self.sync += [
            turn.eq(~turn),
            If(
                go,
                *(
                    later[n + 1].eq(later[n])
                    for later in (sweeps, sweep_bank, sweep_frame)
                    for n in range(STAGES)
                ),
            ),
            *(
                If(
                    self.zero,
                    position.eq(finished),
                )
                .Elif(
                    self.flip,
                    position.eq(0),
                )
                .Elif(
                    go & takes & (sweep_bank[0] == number),
                    position.eq(position + 1),
                )
                for number, position in enumerate(cursor)
            ),
        ]

        # Map: one port for operations, one for the sweep.
        ids_map = Memory(id_bits, ids)
        map_write = ids_map.get_port(write_capable=True)
        self.specials += ids_map, map_write
        self.comb += [
            map_write.adr.eq(self.map_adr),
            map_write.dat_w.eq(self.map_dat),
            map_write.we.eq(self.map_we),
        ]

        # Banks. A bare register behind each. A word that is written in the clock of its read is not used:
        # `matches` and `in_flight` see to that, or the sweep leaves the write to the operation that reads.
        words = [Signal(id_bits + 1) for _ in range(2)]
        sweep_id = [Signal(id_bits) for _ in range(2)]
        for number in range(2):
            memory = Memory(id_bits + 1, frames // 2)
            memory.attr = {("no_rw_check", 1)}
            read = memory.get_port(has_re=True, mode=READ_FIRST)
            write = memory.get_port(write_capable=True, mode=READ_FIRST)
            self.specials += memory, read, write
            writes, sweep_writes = Signal(), Signal()
            self.comb += [
                read.re.eq(go),
                read.adr.eq(Mux(self.touch & (bank[0] == number), self.frame[1:], cursor[number])),
                writes.eq(touch[4] & (bank[4] == number)),
                sweep_writes.eq(
                    sweeps[4] & (sweep_bank[4] == number) & ~(self.touch & (self.frame == sweep_frame[4]))
                ),
                write.we.eq(self.zero | (go & (writes | sweep_writes))),
                write.adr.eq(
                    Mux(self.zero, self.zero_adr, Mux(writes, frame[4][1:], sweep_frame[4][1:])),
                ),
                write.dat_w.eq(
                    Mux(self.zero, 0, Cat(Mux(writes, self.new_id, sweep_id[1]), generation)),
                ),
            ]
            self.sync += If(go, words[number].eq(read.dat_r))

        # Stage 2: from the generation read to this one.
        for side, result in ((bank[2], self.id), (sweep_bank[2], sweep_id[0])):
            word, mapped = Signal(id_bits + 1), ids_map.get_port(async_read=True)
            self.specials += mapped
            self.comb += [word.eq(Mux(side, words[1], words[0])), mapped.adr.eq(word)]
            stays = (word[:-1] == 0) | (word[-1] == generation)
            self.sync += If(go, result.eq(Mux(stays, word[:-1], mapped.dat_r)))
        self.sync += If(go, sweep_id[1].eq(sweep_id[0]))
