"""The table of hot_pages: counts of pages in the sets of a cache, an access per cycle."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Array, Cat, If, Mux, Record, Replicate, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

WAYS = 4
WINDOW = 4  # accesses between the read of a set and the write of an entry
ADMISSION_BITS = 16  # of a random number


def or_of(signals):
    """The OR of signals of equal width."""
    first, *others = signals
    return first | or_of(others) if others else first


def mixed(tag: Signal, set_bits: int):
    """The number that spreads the pages of a stride over the sets, from their tag."""
    bits = [
        [tag[bit] for bit in range(len(tag)) if set_bits - 1 - bit % set_bits == at] for at in range(set_bits)
    ]
    mix = Signal(set_bits)
    return mix, [mix[at].eq(sum_xor(each)) for at, each in enumerate(bits) if each]


def sum_xor(signals):
    """The XOR of bits."""
    first, *others = signals
    return first ^ sum_xor(others) if others else first


class HotTable(LiteXModule):
    """Counts an access per cycle in one of two banks; the other one is scanned and emptied.

    Stages: 1 the set is addressed, and compared with those of the WINDOW accesses before; 2 read; 3 tags and
    counts compared; 4 a way selected; 5 counted and written. What the accesses before wrote is taken from
    registers, only for their own page: another page of their set is not admitted (see hls/hot_pages).

    Parameters
    ----------
    frames, sets, count_bits, error_bits : int
        as in hls/hot_pages.

    Attributes
    ----------
    valid, frame, random : Signal, in
        an access, and the bits that decide on its admission.
    forget : Signal, in
        strobe, with an empty pipeline: the accesses before are of another epoch.
    bank : Signal, in
        that counts; changes with an empty pipeline.
    counted, updated, saturated : Signal, out
        strobes: an access was counted; its page is in the table, with `updated_frame`, `updated_count` and
        `updated_error`; its count stays at its limit.
    scan_set, scan_way : Signal, in; scan_word : Signal, out
        an entry of the other bank: two cycles after its set, in the cycle of its way.
    scan_clear : Signal, in
        empties that set.
    latency : int
        cycles from `valid` to the write.
    """

    latency = 5

    def __init__(self, frames: int, sets: int, count_bits: int, error_bits: int) -> None:
        set_bits = width_of(sets)
        tag_bits = width_of(frames) - set_bits
        entry = [("error", error_bits), ("count", count_bits), ("tag", tag_bits)]
        word_bits = sum(bits for _, bits in entry)
        self.valid, self.frame, self.random = Signal(), Signal(width_of(frames)), Signal(ADMISSION_BITS)
        self.forget, self.bank = Signal(), Signal()
        self.counted, self.updated, self.saturated = Signal(), Signal(), Signal()
        self.updated_frame = Signal(width_of(frames))
        self.updated_count, self.updated_error = Signal(count_bits), Signal(error_bits)
        self.scan_set, self.scan_clear = Signal(set_bits), Signal()
        self.scan_way, self.scan_word = Signal(max=WAYS), Signal(word_bits)

        # # #

        # Stage 1. Of those before, `near` are to other pages of the set, `same` is the newest to this one.
        layout = [("valid", 1), ("set", set_bits), ("tag", tag_bits), ("near", WINDOW), ("same", WINDOW)]
        stages = [Record(layout) for _ in range(5)]
        first = stages[0]
        mix, mixing = mixed(self.frame[set_bits:], set_bits)
        before = [Record([("valid", 1), ("set", set_bits), ("tag", tag_bits)]) for _ in range(WINDOW)]
        in_set, equal = Signal(WINDOW), Signal(WINDOW)
        self.comb += [
            *mixing,
            first.valid.eq(self.valid),
            first.tag.eq(self.frame[set_bits:]),
            first.set.eq(self.frame[:set_bits] ^ mix),
            in_set.eq(Cat(*(each.valid & (each.set == first.set) for each in before))),
            equal.eq(in_set & Cat(*(each.tag == first.tag for each in before))),
            first.near.eq(in_set & ~equal),
            first.same.eq(Cat(*(equal[age] & (equal[:age] == 0 if age else 1) for age in range(WINDOW)))),
        ]
        self.sync += [
            If(self.valid, before[0].set.eq(first.set), before[0].tag.eq(first.tag), before[0].valid.eq(1)),
            If(self.valid, *(older.eq(newer) for newer, older in pairwise(before))),
            If(self.forget, *(each.valid.eq(0) for each in before)),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
        ]

        # Stage 2: the sets, in registers behind the RAMs. A count with a bit in `barred` admits no page.
        banks = [[SimpleDualPort(word_bits, sets, block=sets > 32) for _ in range(WAYS)] for _ in range(2)]
        self.submodules += banks[0] + banks[1]
        raw = [[Signal(word_bits, reset_less=True) for _ in range(WAYS)] for _ in range(2)]
        random, barred = Signal(ADMISSION_BITS), Signal(count_bits)
        self.sync += [random.eq(self.random)]
        self.sync += barred.eq(
            Cat(*(or_of(list(random[: bit + 1])) if bit < ADMISSION_BITS else 1 for bit in range(count_bits)))
        )
        for number, ways in enumerate(banks):
            for memory, register in zip(ways, raw[number], strict=True):
                self.comb += memory.read.adr.eq(Mux(self.bank == number, first.set, self.scan_set))
                self.sync += register.eq(memory.read.dat_r)
        scanned = [Array(words)[self.scan_way] for words in raw]
        self.comb += self.scan_word.eq(Mux(self.bank, *scanned))

        # Stage 3.
        third = [Record(entry) for _ in range(WAYS)]
        fourth = [Record(entry) for _ in range(WAYS)]
        match, admits, clipped = Signal(WAYS), Signal(WAYS), Signal(WAYS)
        less = {
            (a, b): Signal() for a in range(WAYS) for b in range(a + 1, WAYS)
        }  # b has a smaller count than a
        for way, word in enumerate(third):
            self.comb += word.raw_bits().eq(Mux(self.bank, raw[1][way], raw[0][way]))
            self.sync += [
                fourth[way].eq(word),
                match[way].eq((word.tag == stages[2].tag) & (word.count != 0)),
                admits[way].eq((word.count & barred) == 0),
                clipped[way].eq(word.count[error_bits:] != 0),
            ]
        self.sync += [signal.eq(third[b].count < third[a].count) for (a, b), signal in less.items()]

        # Stage 4: the page's way, else that with the smallest count, the first of equal ones.
        least, way, chosen = Signal(WAYS), Signal(WAYS), Record(entry)
        inherits, inherited = Signal(), Signal(error_bits)
        smaller = [[less[i, j] if i < j else ~less[j, i] for j in range(WAYS) if j != i] for i in range(WAYS)]
        way1, matched, admitted = Signal(WAYS), Signal(), Signal()
        count1, error1 = Signal(count_bits), Signal(error_bits)
        self.comb += [
            least.eq(Cat(*(~or_of(each) for each in smaller))),
            inherits.eq(match == 0),
            way.eq(Mux(inherits, least, match)),
            chosen.count.eq(
                or_of([Replicate(way[i], count_bits) & each.count for i, each in enumerate(fourth)])
            ),
            chosen.error.eq(
                or_of([Replicate(way[i], error_bits) & each.error for i, each in enumerate(fourth)])
            ),
            inherited.eq(chosen.count[:error_bits] | Replicate((least & clipped) != 0, error_bits)),
        ]
        self.sync += [
            way1.eq(way),
            matched.eq(~inherits),
            admitted.eq((least & admits) != 0),
            count1.eq(Mux(inherits, inherited, chosen.count)),
            error1.eq(Mux(inherits, inherited, chosen.error)),
        ]

        # Stage 5: what the accesses before left, and this one's count.
        last = stages[4]
        result = [
            ("present", 1),
            ("admitted", 1),
            ("way", WAYS),
            ("count", count_bits),
            ("error", error_bits),
        ]
        new, done = Record(result), [Record(result) for _ in range(WINDOW)]
        follows, replaced, full = Signal(), Signal(), Signal()
        base, sum_ = Signal(count_bits), Signal(count_bits + 1)

        def of_same(name, width):
            return or_of(
                [Replicate(last.same[n], width) & getattr(each, name) for n, each in enumerate(done)]
            )

        self.comb += [
            follows.eq(of_same("present", 1)),
            replaced.eq(
                or_of(
                    [last.near[n] & each.admitted & ((each.way & way1) != 0) for n, each in enumerate(done)]
                )
            ),
            base.eq(Mux(follows, of_same("count", count_bits), count1)),
            new.error.eq(Mux(follows, of_same("error", error_bits), error1)),
            new.way.eq(Mux(follows, of_same("way", WAYS), way1)),
            new.admitted.eq(~follows & ~matched & (last.near == 0) & admitted),
            new.present.eq(follows | (matched & ~replaced) | new.admitted),
            sum_.eq(base + 1),
            full.eq(sum_[-1]),  # the carry, which is there before a comparison would be
            new.count.eq(sum_[:-1] | Replicate(full, count_bits)),
            self.counted.eq(last.valid),
            self.saturated.eq(last.valid & new.present & full),
        ]
        frame, unmix, unmixing = Signal(width_of(frames)), *mixed(last.tag, set_bits)
        self.comb += [*unmixing, frame.eq(Cat(last.set ^ unmix, last.tag))]
        self.sync += [
            If(last.valid, done[0].eq(new), *(older.eq(newer) for newer, older in pairwise(done))),
            self.updated.eq(last.valid & new.present & ~full),
            self.updated_frame.eq(frame),
            self.updated_count.eq(new.count),
            self.updated_error.eq(new.error),
        ]
        for number, ways in enumerate(banks):
            counts = Signal()
            self.comb += counts.eq(self.bank == number)
            for n, memory in enumerate(ways):
                self.comb += [
                    memory.write.adr.eq(Mux(counts, last.set, self.scan_set)),
                    # An entry without a count is empty.
                    memory.write.dat_w.eq(
                        Cat(new.error, new.count & Replicate(counts, count_bits), last.tag)
                    ),
                    memory.write.we.eq(Mux(counts, last.valid & new.present & new.way[n], self.scan_clear)),
                ]
