# SPDX-License-Identifier: BSD-2-Clause
"""The table of hot_pages: counts of pages in the sets of a cache, an access per cycle."""

from itertools import pairwise

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Record, Replicate, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

WINDOW = 5  # accesses between the read of a set and the write of an entry
WAYS = 4
ADMISSION_BITS = 16  # of a random number


class HotWindow(LiteXModule):
    """Compares each access with the WINDOW accesses before, and decides whether its entry is written.

    The set that an access reads lacks what the accesses in flight write. A page is not admitted if one of the
    WINDOW accesses before was to another page of its set (see hls/hot_pages). So at most one page of a set is
    admitted in flight, and three cases are left:

    - The accesses in flight to the same page that are written are added to the count that was read.
    - The page was admitted in flight: the access read the same set as that which was admitted, so it finds
      the same way and inherits the same count.
    - Another page was admitted to the way in which the page was found: the page was replaced in flight, and
      the access is not written.

    Which accesses are in flight depends on the cycles between them; the results do not.

    Parameters
    ----------
    set_bits, tag_bits, way_bits : int
        sizes of a set's number, a tag, a way's number.

    Attributes
    ----------
    valids : Signal, in
        the accesses in stages 1 (bit 0) to 1 + WINDOW, where entries are written.
    set, tag : Signal, in
        of the access in stage 1.
    forget : Signal, in
        strobe: the accesses before are of another epoch.
    matched, admits, way : Signal, in
        of the access in stage WINDOW: its page is in the set that was read; the entry with the smallest count
        would admit it; the way of its page, else of that entry.
    writes : Signal, out
        in the same cycle: its entry is written.
    adds : Signal, out
        in the next cycle: accesses to add to the count that was read, itself included.
    """

    def __init__(self, set_bits: int, tag_bits: int, way_bits: int) -> None:
        self.valids = Signal(WINDOW + 1)
        self.set, self.tag, self.forget = Signal(set_bits), Signal(tag_bits), Signal()
        self.matched, self.admits, self.way = Signal(), Signal(), Signal(way_bits)
        self.writes, self.adds = Signal(), Signal(max=WINDOW + 2)

        # # #

        # Stage 1. Bit n is for the access that came as (n + 1)-th before.
        before = [Record([("valid", 1), ("set", set_bits), ("tag", tag_bits)]) for _ in range(WINDOW)]
        stages = [Record([("others", WINDOW), ("same", WINDOW)]) for _ in range(WINDOW)]
        in_set, equal, in_flight = Signal(WINDOW), Signal(WINDOW), Signal(WINDOW)
        enters, leaves = self.valids[0], self.valids[-1]
        self.comb += [
            in_set.eq(Cat(*(each.valid & (each.set == self.set) for each in before))),
            equal.eq(Cat(*(each.tag == self.tag for each in before))),
            stages[0].others.eq(in_set & ~equal),
            stages[0].same.eq(in_set & equal & in_flight),
        ]
        self.sync += [
            If(
                enters,
                before[0].set.eq(self.set),
                before[0].tag.eq(self.tag),
                before[0].valid.eq(1),
                *(older.eq(newer) for newer, older in pairwise(before)),
            ),
            If(self.forget, *(each.valid.eq(0) for each in before)),
            # As many low bits as there are accesses in stages 2 to 1 + WINDOW.
            If(enters & ~leaves, in_flight.eq(Cat(1, in_flight))),
            If(~enters & leaves, in_flight.eq(in_flight[1:])),
            *(behind.eq(ahead) for ahead, behind in pairwise(stages)),
        ]

        # Stage WINDOW.
        here = stages[-1]
        done = [Record([("written", 1), ("admitted", 1), ("way", way_bits)]) for _ in range(WINDOW)]
        new = Record(done[0].layout)
        same, replaced = Signal(WINDOW), Signal()
        self.comb += [
            same.eq(here.same & Cat(*(each.written for each in done))),
            replaced.eq(
                Cat(*(here.others[n] & each.admitted & (each.way == self.way) for n, each in enumerate(done)))
                != 0
            ),
            new.way.eq(self.way),
            new.admitted.eq(~self.matched & (same == 0) & (here.others == 0) & self.admits),
            new.written.eq((same != 0) | (self.matched & ~replaced) | new.admitted),
            self.writes.eq(self.valids[WINDOW - 1] & new.written),
        ]
        self.sync += [
            If(
                self.valids[WINDOW - 1],
                done[0].eq(new),
                *(older.eq(newer) for newer, older in pairwise(done)),
            ),
            self.adds.eq(1 + sum(same)),
        ]


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
