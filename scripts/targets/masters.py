# SPDX-License-Identifier: BSD-2-Clause
"""Masters of LiteDRAM's ports: random and adversarial reads and writes, whose data name their address."""

import random
from collections import deque
from collections.abc import Iterator

from litex.gen import LiteXModule
from migen import Cat, If, Replicate, Signal

from scripts.targets.dram import DRAM

PORT_SHIFT = 1  # of the bits of a word's address that are the master's number; below are those of wide ports
MASTERS = 3  # at most
_PATTERNS = ("next", "flip", "random", "same", "ends", "conflict")


def marker(word: int, bits: int) -> int:
    """Return what masters write to a word of the memory, or the first 64 bits of it, which repeat."""
    return (word * 0x9E37_79B9_7F4A_7C15 >> 17 ^ word) & (1 << bits) - 1


class Master(LiteXModule):
    """A port of one or two words of the memory, with data of at most 64 bits to drive.

    Attributes
    ----------
    data, read : list of Signal
        of each word; the port has it repeated.
    lanes : Signal(8)
        bytes to write of each 64 bits.
    """

    def __init__(self, port, words: int):
        self.port, self.words = port, words
        word_bits = port.data_width // words
        self.bits = min(64, word_bits)
        self.data = [Signal(self.bits) for _ in range(words)]
        self.read = [Signal(self.bits) for _ in range(words)]
        self.lanes = Signal(8)
        copies = word_bits // self.bits
        self.comb += [
            port.wdata.data.eq(Cat(*(Replicate(data, copies) for data in self.data))),
            port.wdata.we.eq(Replicate(self.lanes[: self.bits // 8], copies * words)),
            port.rdata.ready.eq(1),
            *(
                If(port.rdata.valid, read.eq(port.rdata.data[number * word_bits :]))
                for number, read in enumerate(self.read)
            ),
        ]

    @property
    def signals(self) -> list[Signal]:
        """All that `requests` reads or writes."""
        port = self.port
        ends = (port.cmd.valid, port.cmd.ready, port.cmd.addr, port.cmd.we)
        return [
            *ends,
            port.wdata.valid,
            port.wdata.ready,
            port.rdata.valid,
            *self.data,
            *self.read,
            self.lanes,
        ]


def master_words(dram: DRAM) -> list[int]:
    """Return the words of each master's port.

    LPDDR4 has one master: a LiteDRAM PHY of LPDDR4 drops column commands in the cycle of another bank's
    ACTIVATE or PRECHARGE, because the commands overlap on CA, and only several masters use several banks.
    """
    return [1] if dram.phy["memtype"] == "LPDDR4" else [1, 1, 2]


def addresses(dram: DRAM, number: int, words: int, dice: random.Random) -> Iterator[int]:
    """Yield word addresses of one master, without end, in stretches of one pattern each."""
    bits = (dram.bytes // dram.word_bytes).bit_length() - 1
    own = ((1 << MASTERS.bit_length()) - 1) << PORT_SHIFT
    row_bytes = dram.phy["databits"] // 8 << dram.geom["colbits"]
    ranked_banks = dram.geom["bankbits"] + (dram.phy["nranks"].bit_length() - 1)
    row = (row_bytes // dram.word_bytes) << ranked_banks  # the next row of the same bank, if banks interleave
    at = dice.getrandbits(bits)
    while True:
        pattern = dice.choice(_PATTERNS)
        for _ in range(dice.randint(4, 40)):
            if pattern == "next":
                at += 1 << PORT_SHIFT + MASTERS.bit_length()
            elif pattern == "flip":
                at ^= 1 << dice.randrange(bits)
            elif pattern == "random":
                at = dice.getrandbits(bits)
            elif pattern == "ends":
                at = dice.choice([0, -1])
            elif pattern == "conflict":
                at += row
            at %= 1 << bits
            yield (at & ~own | number << PORT_SHIFT) & -words


def requests(master: Master, dram: DRAM, number: int, accesses: int, faults: list[str]) -> Iterator:
    """Request accesses and compare what is read with what was written; append differences to `faults`."""
    dice = random.Random(f"master {number}")
    port, bits = master.port, master.bits
    where = addresses(dram, number, master.words, dice)
    written: dict[int, int] = {}  # lanes by word
    to_write: deque[tuple[int, int]] = deque()
    to_read: deque[tuple[int, list[int]]] = deque()
    asked = pause = waited = 0
    offered = False
    while asked < accesses or offered or to_write or to_read:
        if offered and (yield port.cmd.ready):
            offered = False
            waited = 0
            yield port.cmd.valid.eq(0)
        waited += 1
        if waited > 5000:
            faults.append(f"master {number} was not answered for 5000 cycles")
            return
        if (yield port.wdata.ready) and to_write:
            to_write.popleft()
        if (yield port.rdata.valid):
            word, expected = to_read.popleft()
            found = []
            for read in master.read:
                found.append((yield read))
            if found != expected:
                faults.append(f"master {number} read {found} at word {word:#x}, expected {expected}")
        if not offered and asked < accesses and not pause:
            word, write = next(where), dice.random() < 0.5
            lanes = dice.choice([0xFF, 0xFF, dice.getrandbits(8)])
            places = range(word, word + master.words)
            if write:
                written |= {place: written.get(place, 0) | lanes for place in places}
                to_write.append((word, lanes))
            else:
                to_read.append((word, [_masked(place, bits, written.get(place, 0)) for place in places]))
            yield port.cmd.addr.eq(word // master.words)
            yield port.cmd.we.eq(write)
            yield port.cmd.valid.eq(1)
            offered, asked = True, asked + 1
            pause = dice.choice([0, 0, 0, 0, 1, 3, 40])
        pause = max(0, pause - 1)
        yield port.wdata.valid.eq(bool(to_write))
        if to_write:
            word, lanes = to_write[0]
            yield master.lanes.eq(lanes)
            for place, data in enumerate(master.data):
                yield data.eq(marker(word + place, bits))
        yield


def _masked(word: int, bits: int, lanes: int) -> int:
    mask = sum(0xFF << 8 * lane for lane in range(8) if lanes >> lane & 1)
    return marker(word, bits) & mask
