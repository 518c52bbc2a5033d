# SPDX-License-Identifier: BSD-2-Clause
"""Commands as the memory sees them at its pins: from the DFI through LiteDRAM's translation, and back.

`commands` has one command a phase, with the `cs_n`, `ras_n`, `cas_n`, `we_n`, `bank` and `address` of a DFI
phase; `data` are the phases with write and read data. The decoding follows the truth tables of the memory's
standard, not LiteDRAM.
"""

from types import SimpleNamespace

from litedram.phy.dfi import DDR4DFIMux, Interface
from litedram.phy.lpddr4.commands import DFIPhaseAdapter
from litedram.phy.utils import CommandsPipeline
from litex.gen import LiteXModule
from migen import Cat, If, Signal

_NAMES = ("cs_n", "ras_n", "cas_n", "we_n", "bank", "address")


class DFICommands(LiteXModule):
    """SDR to DDR3: the DFI has the pins of the memory."""

    delay = 0

    def __init__(self, dfi, nphases):
        self.commands = self.data = dfi.phases[:nphases]


class DDR4Commands(LiteXModule):
    """DDR4: ACT_n marks ACTIVATE, whose row has A14 to A16 on WE_n, CAS_n and RAS_n (JESD79-4, table 16)."""

    delay = 0

    def __init__(self, dfi, nphases):
        first = dfi.phases[0]
        sizes = (len(first.address), len(first.bank), len(first.cs_n), len(first.wrdata))
        pins = Interface(*sizes, len(dfi.phases))
        self.mux = DDR4DFIMux(dfi, pins)
        self.commands, self.data = [], pins.phases[:nphases]

        # # #

        for pin in pins.phases[:nphases]:
            command = SimpleNamespace(**{name: Signal(len(getattr(pin, name))) for name in _NAMES})
            self.commands.append(command)
            self.comb += [
                *(getattr(command, name).eq(getattr(pin, name)) for name in _NAMES),
                If(
                    ~pin.act_n,
                    Cat(command.ras_n, command.cas_n, command.we_n).eq(0b110),
                    command.address.eq(Cat(pin.address[:14], pin.we_n, pin.cas_n, pin.ras_n)),
                ),
            ]


class LPDDR4Commands(LiteXModule):
    """LPDDR4: a command takes two or four cycles of CS and CA (JESD209-4, table 63).

    ``DFIPhaseAdapter`` and ``CommandsPipeline`` are those of LiteDRAM's PHY; eight phases are eight cycles.
    A command is decoded when the four cycles after its first one are there.
    """

    delay = 2  # cycles of the controller: the pipeline, and this decoder

    def __init__(self, dfi, nphases):
        adapters = [DFIPhaseAdapter(phase) for phase in dfi.phases[:nphases]]
        self.submodules += adapters
        self.pipeline = pipeline = CommandsPipeline(
            adapters, cs_ser_width=nphases, ca_ser_width=nphases, ca_nbits=6, cmd_nphases_span=4
        )
        self.commands, self.data = [], dfi.phases[:nphases]

        # # #

        before = [Signal(nphases) for _ in range(7)]
        lines = [pipeline.cs, *pipeline.ca]
        self.sync += [old.eq(new) for old, new in zip(before, lines, strict=True)]
        cs, *ca = (Cat(old, new) for old, new in zip(before, lines, strict=True))
        for start in range(nphases):
            high, low, second_high, second_low = ([line[start + at] for line in ca] for at in range(4))
            self.commands.append(self._decoded(cs[start], cs[start + 2], high, low, second_high, second_low))

    def _decoded(self, select, second_select, high, low, second_high, second_low):
        command = SimpleNamespace(
            cs_n=Signal(reset=1), bank=Signal(3), address=Signal(17),
            **{name: Signal(reset=1) for name in ("ras_n", "cas_n", "we_n")},
        )  # fmt: skip
        cas2 = second_select & _is(second_high, "LHLLH")
        column = Cat(0, 0, *second_low, second_high[5], low[4], low[5])  # C9 and, as A10, AP
        row = Cat(*second_low, *second_high[2:], low[4], low[5], *high[2:], low[3])
        self.comb += [
            command.bank.eq(Cat(*low[:3])),
            If(
                select & _is(high, "HL") & second_select & _is(second_high, "HH"),
                Cat(command.cs_n, command.ras_n, command.address).eq(Cat(0, 0, row)),
            ),
            If(
                select & _is(high, "LHLLL") & cas2,
                Cat(command.cs_n, command.cas_n, command.address).eq(Cat(0, 0, column)),
            ),
            If(
                select & (_is(high, "LLHLL") | _is(high, "LLHHL")) & cas2,
                Cat(command.cs_n, command.cas_n, command.we_n, command.address).eq(Cat(0, 0, 0, column)),
            ),
            If(
                select & _is(high, "LLLLH"),
                Cat(command.cs_n, command.ras_n, command.we_n).eq(0),
                command.address[10].eq(high[5]),
            ),
        ]
        return command


def _is(levels, pattern):
    """Whether the first lines of CA have these levels."""
    equal = 1
    for level, letter in zip(levels, pattern, strict=False):
        equal = equal & (level if letter == "H" else ~level)
    return equal


COMMANDS = {"DDR4": DDR4Commands, "LPDDR4": LPDDR4Commands}
