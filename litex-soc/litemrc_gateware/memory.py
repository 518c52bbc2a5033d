"""A block RAM with one read and one write port."""

from litex.gen import LiteXModule
from migen import READ_FIRST, Memory


class SimpleDualPort(LiteXModule):
    """One memory, one read and one write port: what every FPGA family has as block RAM (or as LUT RAM).

    What a read returns that meets a write to the same address in the same clock is left open: units must
    not depend on it. `no_rw_check` tells synthesis so, else it would add a comparator and a bypass to each
    memory.

    Parameters
    ----------
    width, depth : int
        bits of a word, number of words.
    async_read : bool
        the word appears in the clock of its address instead of the next one; for a few words in LUT RAM only.

    Attributes
    ----------
    read : memory port; `adr` in, `dat_r` out.
    write : memory port; `adr`, `dat_w`, `we` in.
    """

    def __init__(self, width: int, depth: int, async_read: bool = False) -> None:
        memory = Memory(width, depth)  # no attribute: LiteX would map it onto the CSR bus
        memory.attr = {("no_rw_check", 1)}
        self.read = memory.get_port(mode=READ_FIRST, async_read=async_read)
        self.write = memory.get_port(write_capable=True, mode=READ_FIRST)
        self.specials += memory, self.read, self.write
