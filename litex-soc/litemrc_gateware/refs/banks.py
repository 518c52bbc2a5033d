# SPDX-License-Identifier: BSD-2-Clause
"""The memory of the reference counters: rows of eight pages that can be reset together."""

from functools import reduce
from itertools import product
from operator import or_

from litex.gen import LiteXModule
from migen import Cat, If, Signal

from litemrc_gateware.memory import SimpleDualPort
from litemrc_gateware.records import width_of
from litemrc_gateware.refs.generations import TAG_BITS

BANKS = 8
# Widths and depths of the block RAMs of ECP5 and the 7 series. A width of 4 takes the same number of RAMs as
# 2, and more multiplexers.
BLOCK_SHAPES = ((9, 2048), (2, 8192), (1, 16384))


def block_columns(bits: int) -> list[tuple[int, int, int]]:
    """How to cut a word into columns that fill block RAMs: first bit, bits, and depth of each."""
    columns, first = [], 0
    for width, depth in BLOCK_SHAPES:
        while bits - first >= width:
            columns.append((first, width, depth))
            first += width
    return columns


class CounterBanks(LiteXModule):
    """Both counters of each page, in 8 banks, and a tag for each row of 8 pages, one of every bank.

    A block RAM shows zero unless the page is in it, so the outputs are simply OR-ed, in two stages. Before
    that, each has a register of its own, which is placed beside it: wires from so many block RAMs are long.
    24 bits a page are columns of 9, 9, 2, 2 and 2 bits: 88 DP16KD for 65,536 pages.
    A read in the cycle of a write to the same page is undefined.

    Parameters
    ----------
    pages : int
        a power of two.
    width : int
        bits of a counter.

    Attributes
    ----------
    page : Signal, in
        stage 0: the page to read.
    blank : Signal, in
        stage 1: read zeros.
    word, tag : Signal(2 * width), Signal(TAG_BITS), out
        stage 5: counters, DELAY lowest, and tag of the row.
    write, write_page, new : Signal, in
        stage 7: the page's counters become `new`.
    renew, new_tag : Signal, in
        stage 7: the counters of the other pages of its row become 0, and the row's tag `new_tag`.
    """

    def __init__(self, pages: int, width: int) -> None:
        bits, page_bits, bank_bits = 2 * width, width_of(pages), width_of(BANKS)
        rows = pages // BANKS
        self.page, self.blank = Signal(page_bits), Signal()
        self.word, self.tag = Signal(bits), Signal(TAG_BITS)
        self.write, self.write_page, self.new = Signal(), Signal(page_bits), Signal(bits)
        self.renew, self.new_tag = Signal(), Signal(TAG_BITS)

        # # #

        bank, own = Signal(BANKS, reset_less=True), Signal(BANKS)  # stages 1, 7
        next_row, row, write_row = (Signal(max=rows, reset_less=True) for _ in range(3))  # stages 1, 2, 8
        data = [Signal(bits, name=f"data{number}", reset_less=True) for number in range(BANKS)]  # stage 8
        self.comb += own.eq(1 << self.write_page[:bank_bits])
        self.sync += [
            bank.eq(1 << self.page[:bank_bits]),
            next_row.eq(self.page[bank_bits:]),
            row.eq(next_row),
            write_row.eq(self.write_page[bank_bits:]),
            *(
                If(self.renew & ~own[number], word.eq(0)).Else(word.eq(self.new))
                for number, word in enumerate(data)
            ),
        ]

        # Block RAMs: one for each bank, column of its words and part of its rows.
        out = []
        for first, column, depth in block_columns(bits):
            depth = min(depth, rows)
            parts, part_bits = rows // depth, width_of(depth)
            part, write_part = Signal(parts, reset=1, reset_less=True), Signal(parts, reset=1)  # stages 1, 7
            if parts > 1:
                self.sync += part.eq(1 << self.page[bank_bits + part_bits :])
                self.comb += write_part.eq(1 << self.write_page[bank_bits + part_bits :])
            blocks = []
            for number, p in product(range(BANKS), range(parts)):
                block = _Block(column, depth)
                self.add_module(f"bank{number}_bit{first}_part{p}", block)
                blocks.append(block.word)
                self.comb += [
                    block.adr.eq(row),
                    block.write.adr.eq(write_row),
                    block.write.dat_w.eq(data[number][first : first + column]),
                ]
                self.sync += [
                    block.hidden.eq(~(bank[number] & part[p] & ~self.blank)),
                    block.write.we.eq(self.write & (self.renew | own[number]) & write_part[p]),
                ]
            fours = [reduce(or_, blocks[n : n + 4]) for n in range(0, len(blocks), 4)]  # a LUT4 for each bit
            gathered = [Signal(column, reset_less=True) for _ in fours]  # stage 5
            self.sync += [word.eq(four) for word, four in zip(gathered, fours, strict=True)]
            out.append(reduce(or_, gathered))
        self.comb += self.word.eq(Cat(out))

        # Tags.
        self.tags = tags = SimpleDualPort(TAG_BITS, rows, block=True)
        self.comb += [tags.read.adr.eq(row), tags.write.adr.eq(write_row)]
        next_tag = Signal(TAG_BITS, reset_less=True)  # stage 4
        self.sync += [
            next_tag.eq(tags.read.dat_r),
            self.tag.eq(next_tag),
            tags.write.dat_w.eq(self.new_tag),
            tags.write.we.eq(self.write & self.renew),
        ]


class _Block(LiteXModule):
    """A block RAM; its word comes two cycles after its address and is zero if the address is `hidden`.

    The RAM zeroes its output by its synchronous reset, which yosys infers: there is no logic before the next
    register.
    """

    def __init__(self, bits: int, depth: int) -> None:
        self.memory = memory = SimpleDualPort(bits, depth, async_read=True)
        self.adr, self.write = memory.read.adr, memory.write
        self.hidden, self.word = Signal(reset_less=True), Signal(bits, reset_less=True)

        # # #

        output = Signal(bits, reset_less=True)  # the RAM's
        self.sync += [
            If(self.hidden, output.eq(0)).Else(output.eq(memory.read.dat_r)),
            self.word.eq(output),
        ]
