# SPDX-License-Identifier: BSD-2-Clause
"""RAMs with one read and one write port."""

from litex.gen import LiteXModule
from migen import READ_FIRST, Array, If, Memory, Record, Signal, log2_int

DEEPEST_WORDS = 16384  # of the deepest block RAM of ECP5 and of the 7 series


class SimpleDualPort(LiteXModule):
    """One memory with one read and one write port: every FPGA family has it as block RAM (or as LUT RAM).

    The result of a read that meets a write to the same address in the same cycle is undefined: units must not
    depend on it. `no_rw_check` lets synthesis leave out the comparator and bypass for that case.

    Parameters
    ----------
    width, depth : int
        bits of a word, number of words.
    async_read : bool
        the word appears in the cycle of its address, not in the next one; for a few words in LUT RAM only.
    block : bool
        use block RAM even for few words.

    Attributes
    ----------
    read : memory port; `adr` in, `dat_r` out.
    write : memory port; `adr`, `dat_w`, `we` in.
    """

    def __init__(self, width: int, depth: int, async_read: bool = False, block: bool = False) -> None:
        memory = Memory(width, depth)  # no attribute: LiteX would map it onto the CSR bus
        memory.attr = {("no_rw_check", 1)}
        if block:
            memory.attr.add(("ram_style", "block"))
        self.read = memory.get_port(mode=READ_FIRST, async_read=async_read)
        self.write = memory.get_port(write_capable=True, mode=READ_FIRST)
        self.specials += memory, self.read, self.write


class RegisteredMemory(LiteXModule):
    """A `SimpleDualPort` with a register directly at its output: a word comes two cycles after its address.

    The read of a block RAM takes most of a fast cycle (5.8 ns from clock edge to output on ECP5, speed grade
    6), so there must be no logic before the next register. For the same reason a deep memory is cut into
    parts, which are selected after their registers, and into columns, because synthesis would otherwise
    combine wide and shallow RAMs with a multiplexer. A further register cuts the wire from a RAM that is far
    away; the word comes a cycle later for each.

    Parameters
    ----------
    widths : tuple of int
        bits of each column; 1, 2, 4, 8 or 9 in a deep memory.
    depth : int
        number of words.
    part_words : int
        words of a part at most, a power of two.
    further_registers : int
        behind the one at each part's output, before a part is selected.

    Attributes
    ----------
    enable : Signal, in
        0: reads stall. 1 after reset.
    adr, dat_r : Signal, in and out
        of the read port; the first column lowest.
    write : Record; `adr`, `dat_w`, `we` in.
    """

    def __init__(
        self,
        widths: tuple[int, ...],
        depth: int,
        part_words: int = DEEPEST_WORDS,
        further_registers: int = 0,
    ) -> None:
        width, part_words = sum(widths), min(depth, part_words)
        self.enable = Signal(reset=1)
        self.adr, self.dat_r = Signal(max=depth), Signal(width)
        self.write = Record([("adr", len(self.adr)), ("dat_w", width), ("we", 1)])

        # # #

        parts = []
        for first in range(0, depth, part_words):
            word = Signal(width, reset_less=True)
            number = first // part_words
            part_bits = log2_int(part_words)
            start = 0
            for column in widths:
                memory = Memory(column, part_words)
                memory.attr = {("no_rw_check", 1)}
                read = memory.get_port(has_re=True, mode=READ_FIRST)
                write = memory.get_port(write_capable=True, mode=READ_FIRST)
                self.specials += memory, read, write
                bits = slice(start, start + column)
                start += column
                self.comb += [
                    read.adr.eq(self.adr),
                    read.re.eq(self.enable),
                    write.adr.eq(self.write.adr),
                    write.dat_w.eq(self.write.dat_w[bits]),
                    write.we.eq(
                        self.write.we & (self.write.adr[part_bits:] == number)
                        if depth > part_words
                        else self.write.we
                    ),
                ]
                self.sync += If(self.enable, word[bits].eq(read.dat_r))
            parts.append(self._delayed(word, further_registers))
        if len(parts) == 1:
            self.comb += self.dat_r.eq(parts[0])
        else:
            chosen, chosen1 = Signal(max=len(parts)), Signal(max=len(parts))
            self.sync += If(self.enable, chosen1.eq(self.adr[part_bits:]), chosen.eq(chosen1))
            self.comb += self.dat_r.eq(Array(parts)[self._delayed(chosen, further_registers)])

    def _delayed(self, signal: Signal, cycles: int) -> Signal:
        """The signal that many cycles later, not counting those in which reads stall."""
        for _ in range(cycles):
            later = Signal(len(signal), reset_less=True)
            self.sync += If(self.enable, later.eq(signal))
            signal = later
        return signal


class DeepMemory(LiteXModule):
    """A `SimpleDualPort`, or, if that is deeper than a block RAM, parts with registers at all ports.

    The RAMs of a very deep memory are spread over the device: the wires to and from them take a cycle each.
    Reads and writes keep their order.

    Parameters
    ----------
    width, depth : int
        bits of a word, number of words.
    part_words : int
        words of a part at most, a power of two.

    Attributes
    ----------
    read : `adr` in, `dat_r` out.
    write : `adr`, `dat_w`, `we` in.
    latency : int
        cycles from an address to its word.
    """

    def __init__(self, width: int, depth: int, part_words: int = DEEPEST_WORDS) -> None:
        if depth <= part_words:
            self.memory = memory = SimpleDualPort(width, depth)
            self.read, self.write, self.latency = memory.read, memory.write, 1
            return
        self.memory = memory = RegisteredMemory((1,) * width, depth, part_words)
        self.read = Record([("adr", len(memory.adr)), ("dat_r", width)])
        self.write = Record(memory.write.layout)
        self.latency = 4
        self.sync += [
            memory.adr.eq(self.read.adr),
            memory.write.eq(self.write),
            self.read.dat_r.eq(memory.dat_r),
        ]
