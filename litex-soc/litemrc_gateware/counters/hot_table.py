"""The table of hot_pages: counts of pages in the sets of a cache, an access per cycle."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Replicate, Signal

from litemrc_gateware.counters.hot_window import WINDOW, HotWindow
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

WAYS = 4
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

    Stages: 1 the set is addressed; 2 read; 3 tags compared, and the counts of ways 0 and 1, 2 and 3; 4 a way
    of each pair selected, their counts compared; 5 one of the two selected; 6 counted and written.
    Entries are not forwarded: HotWindow adds the accesses in flight to the count.

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
        an entry of the other bank: two cycles after its set, one cycle after its way.
    scan_clear : Signal, in
        empties that set.
    latency : int
        cycles from `valid` to the write.
    """

    latency = WINDOW + 1

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

        stages = [
            Record([("valid", 1), ("set", set_bits), ("tag", tag_bits), ("random", ADMISSION_BITS)])
            for _ in range(1 + WINDOW)
        ]
        first, last = stages[0], stages[-1]
        mix, mixing = mixed(self.frame[set_bits:], set_bits)
        self.window = window = HotWindow(set_bits, tag_bits, width_of(WAYS))
        self.comb += [
            *mixing,
            window.valids.eq(Cat(*(stage.valid for stage in stages))),
            window.set.eq(first.set),
            window.tag.eq(first.tag),
            window.forget.eq(self.forget),
            self.counted.eq(last.valid),
        ]
        self.sync += [
            first.valid.eq(self.valid),
            first.tag.eq(self.frame[set_bits:]),
            first.set.eq(self.frame[:set_bits] ^ mix),
            first.random.eq(self.random),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
        ]

        # Stages 1 and 2: registers behind the RAMs. In the bank that is scanned, all ways but one read as 0.
        banks = [[SimpleDualPort(word_bits, sets, block=sets > 32) for _ in range(WAYS)] for _ in range(2)]
        self.submodules += banks[0] + banks[1]
        raw = [[Signal(word_bits, reset_less=True) for _ in range(WAYS)] for _ in range(2)]
        for number, ways in enumerate(banks):
            counts = self.bank == number
            for way, memory in enumerate(ways):
                register = raw[number][way]
                self.comb += memory.read.adr.eq(Mux(counts, first.set, self.scan_set))
                self.sync += [
                    register.eq(memory.read.dat_r),
                    If(~counts & (self.scan_way != way), register.eq(0)),
                ]
        self.comb += self.scan_word.eq(Mux(self.bank, *(or_of(words) for words in raw)))

        # Stage 3.
        third = [Record(entry) for _ in range(WAYS)]
        fourth = [Record(entry) for _ in range(WAYS)]
        match, less = Signal(WAYS), Signal(WAYS // 2)
        for way, word in enumerate(third):
            self.comb += word.raw_bits().eq(Mux(self.bank, raw[1][way], raw[0][way]))
            self.sync += [
                fourth[way].eq(word),
                match[way].eq((word.tag == stages[2].tag) & (word.count != 0)),
            ]
        self.sync += [
            less.eq(Cat(*(odd.count < even.count for even, odd in zip(third[::2], third[1::2], strict=True))))
        ]

        # Stages 4 and 5: the page's way, else that with the smallest count, the first of equal ones.
        choice = [*entry[:2], ("match", 1), ("way", 1)]
        fourth_pairs, pairs = ([Record(choice) for _ in range(WAYS // 2)] for _ in range(2))
        for pair, (even, odd) in enumerate(zip(fourth[::2], fourth[1::2], strict=True)):
            here, matches = fourth_pairs[pair], match[2 * pair : 2 * pair + 2]
            self.comb += [
                here.match.eq(matches != 0),
                here.way.eq(matches[1] | (~matches[0] & less[pair])),
                here.count.eq(Mux(here.way, odd.count, even.count)),
                here.error.eq(Mux(here.way, odd.error, even.error)),
            ]
            self.sync += pairs[pair].eq(here)
        low, high = pairs
        high_less, high_way, matched = Signal(), Signal(), Signal()
        count, error, clips = Signal(count_bits), Signal(error_bits), Signal()
        random, barred = stages[3].random, Signal(count_bits)  # a count with a bit in it admits no page
        barring = [or_of(list(random[: bit + 1])) if bit < ADMISSION_BITS else 1 for bit in range(count_bits)]
        self.sync += [
            high_less.eq(fourth_pairs[1].count < fourth_pairs[0].count),
            barred.eq(Cat(*barring)),
        ]
        self.comb += [
            matched.eq(low.match | high.match),
            high_way.eq(high.match | (~low.match & high_less)),
            clips.eq(~matched & Mux(high_way, high.count[error_bits:] != 0, low.count[error_bits:] != 0)),
            # An entry inherits its count as error, at most the largest error.
            count.eq(
                Cat(
                    Mux(high_way, high.count, low.count)[:error_bits] | Replicate(clips, error_bits),
                    Mux(high_way, high.count, low.count)[error_bits:]
                    & Replicate(matched, count_bits - error_bits),
                )
            ),
            error.eq(Mux(matched, Mux(high_way, high.error, low.error), count[:error_bits])),
            window.matched.eq(matched),
            window.admits.eq(Mux(high_way, (high.count & barred) == 0, (low.count & barred) == 0)),
            window.way.eq(Cat(Mux(high_way, high.way, low.way), high_way)),
        ]

        # Stage 6.
        base, new_error, way = Signal(count_bits), Signal(error_bits), Signal(WAYS)
        sum_, new_count, full = Signal(count_bits + 1), Signal(count_bits), Signal()
        frame, unmix, unmixing = Signal(width_of(frames)), *mixed(last.tag, set_bits)
        self.sync += [
            base.eq(count),
            new_error.eq(error),
            way.eq(Cat(*(window.writes & (window.way == number) for number in range(WAYS)))),
            self.updated.eq((way != 0) & ~full),
            self.updated_frame.eq(frame),
            self.updated_count.eq(new_count),
            self.updated_error.eq(new_error),
        ]
        self.comb += [
            sum_.eq(base + window.adds),
            full.eq(sum_[-1]),  # the carry, which is there before a comparison would be
            new_count.eq(sum_[:-1] | Replicate(full, count_bits)),
            self.saturated.eq((way != 0) & full),
            *unmixing,
            frame.eq(Cat(last.set ^ unmix, last.tag)),
        ]
        for number, ways in enumerate(banks):
            counts = self.bank == number
            for at, memory in enumerate(ways):
                self.comb += [
                    memory.write.adr.eq(Mux(counts, last.set, self.scan_set)),
                    # An entry without a count is empty.
                    memory.write.dat_w.eq(
                        Cat(new_error, new_count & Replicate(counts, count_bits), last.tag)
                    ),
                    memory.write.we.eq(Mux(counts, way[at], self.scan_clear)),
                ]
