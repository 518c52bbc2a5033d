# SPDX-License-Identifier: BSD-2-Clause
"""The list of hot_pages: scans a table and keeps the pages with the largest counts in order."""

from litex.gen import LiteXModule
from migen import Cat, If, Mux, Signal
from migen.genlib.fsm import FSM, NextState, NextValue

from litemrc_gateware.counters.hot_table import WAYS, HotTable, mixed
from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of

SHARE_LOG2 = 12  # a hot page has at least 1 / 2^12 of the accesses


class HotList(LiteXModule):
    """Scans the bank of a table that does not count, empties it, and lists its hot pages: insertion sort.

    A set takes 22 cycles, a hot page 3 more, and one for each page of the list behind it. The list is double
    buffered.

    Parameters
    ----------
    table : HotTable
    frames, sets, count_bits, error_bits : int
        its sizes.
    pages : int
        length of the list, a power of two.

    Attributes
    ----------
    start : Signal, in
        strobe while `idle`; with `publish` 0 the bank is only emptied.
    accesses, threshold, wanted : Signal, in
        of the epoch; they must hold until `idle`.
    idle : Signal, out
    published : Signal, out
        strobe: the window shows a new list, of `listed` pages; `more` were hot if it is 1.
    window_adr, window_dat_r : Signal, in and out
        page 0 has the largest count: frame in the low bits, then count. One cycle.
    """

    def __init__(
        self, table: HotTable, frames: int, sets: int, count_bits: int, error_bits: int, pages: int
    ) -> None:
        set_bits, frame_bits = width_of(sets), width_of(frames)
        self.start, self.publish, self.idle = Signal(), Signal(), Signal()
        self.accesses, self.threshold = Signal(32), Signal(count_bits)
        self.wanted = Signal(width_of(pages) + 1, reset=pages)
        self.published, self.more = Signal(), Signal()
        self.listed = Signal(width_of(pages) + 1)
        self.window_adr = Signal(width_of(pages))
        self.window_dat_r = Signal(frame_bits + count_bits)

        # # #

        # The insertion sort reads the list in the making. `window` has its copy, and the list that is read.
        self.making = making = SimpleDualPort(frame_bits + count_bits, pages, block=pages > 32)
        self.window = window = SimpleDualPort(frame_bits + count_bits, 2 * pages, block=pages > 32)
        made, we = Signal(), Signal()
        read_adr, write_adr = Signal(width_of(pages)), Signal(width_of(pages))
        dat_w, value = Signal(frame_bits + count_bits), Signal(frame_bits + count_bits)
        self.comb += [
            making.read.adr.eq(read_adr),
            making.write.adr.eq(write_adr),
            window.write.adr.eq(Cat(write_adr, made)),
            window.read.adr.eq(Cat(self.window_adr, ~made)),
            self.window_dat_r.eq(window.read.dat_r),
            *(memory.write.dat_w.eq(dat_w) for memory in (making, window)),
            *(memory.write.we.eq(we) for memory in (making, window)),
        ]
        self.sync += value.eq(making.read.dat_r)

        # An entry, and whether it is hot.
        way, word = table.scan_way, Signal(len(table.scan_word))
        error, count, tag = (
            word[:error_bits],
            word[error_bits : error_bits + count_bits],
            word[error_bits + count_bits :],
        )
        guaranteed, page = Signal(count_bits), Signal(frame_bits)
        share = Signal(32 - SHARE_LOG2)
        mix, mixing = mixed(tag, set_bits)
        hot, full = Signal(), Signal()
        self.comb += mixing
        self.sync += [
            word.eq(table.scan_word),
            guaranteed.eq(count - error),
            page.eq(Cat(table.scan_set ^ mix, tag)),
            hot.eq((guaranteed >= self.threshold) & (guaranteed >= share) & (count != 0)),
        ]

        # Insertion: `at` is the place to write, `value` that before it. A full list loses its last page.
        at, listed = Signal(width_of(pages) + 1), Signal(width_of(pages) + 1)
        moves, loses = Signal(), Signal()
        self.comb += [
            moves.eq((at != 0) & (value[frame_bits:] < guaranteed)),
            dat_w.eq(Mux(moves, value, Cat(page, guaranteed))),
            write_adr.eq(at),
        ]
        self.sync += full.eq(listed == self.wanted)

        wait, publish = Signal(2), Signal()
        next_way = [If(way == WAYS - 1, NextState("EMPTY")).Else(NextValue(way, way + 1), NextState("ENTRY"))]
        self.fsm = fsm = FSM(reset_state="IDLE")
        fsm.act(
            "IDLE",
            self.idle.eq(1),
            NextValue(share, self.accesses[SHARE_LOG2:]),
            NextValue(publish, self.publish),
            NextValue(wait, 0),
            If(self.start, NextValue(listed, 0), NextValue(self.more, 0), NextState("SET")),
        )
        fsm.act(  # the set is addressed
            "SET",
            NextValue(way, 0),
            If(publish, NextState("ENTRY")).Else(NextState("EMPTY")),
        )
        fsm.act(  # the way's register, `word`, `guaranteed` and `page`, `hot`
            "ENTRY",
            NextValue(wait, wait + 1),
            If(wait == 3, NextState("TEST")),
        )
        fsm.act(
            "TEST",
            NextValue(at, listed),
            NextValue(read_adr, listed - 1),
            NextValue(loses, full),
            If(hot & full, NextValue(self.more, 1)),
            If(hot, NextState("FETCH")).Else(*next_way),
        )
        fsm.act(
            "FETCH",
            NextValue(read_adr, read_adr - 1),
            NextValue(wait, wait + 1),
            If(wait == 1, NextValue(wait, 0), NextState("INSERT")),
        )
        fsm.act(
            "INSERT",
            we.eq(~loses),
            NextValue(loses, 0),
            NextValue(read_adr, read_adr - 1),
            NextValue(at, at - 1),
            If(~moves, If(~full, NextValue(listed, listed + 1)), *next_way),
        )
        fsm.act(
            "EMPTY",
            table.scan_clear.eq(1),
            NextValue(table.scan_set, table.scan_set + 1),
            NextState("SET"),
            If(table.scan_set == sets - 1, NextState("IDLE"), If(publish, NextState("PUBLISH"))),
        )
        fsm.act(
            "PUBLISH",
            self.published.eq(1),
            NextValue(self.listed, listed),
            NextValue(made, ~made),
            NextState("IDLE"),
        )
