"""Simulation only: DDR3 with several ranks behind a DFI, its model and rule checker in C++ (ddr3_model/)."""

from litedram.phy.dfi import Interface
from litedram.phy.model import get_sdram_phy_settings
from litex.build.generic_platform import Pins, Subsignal
from litex.gen import LiteXModule
from migen import Cat, Replicate

NPHASES = 4  # of LiteDRAM's DDR3: one burst of 8 a clock

# Ports of the design: field of the DFI, whether the design drives it.
_COMMAND = ("cs_n", "cke", "odt", "ras_n", "cas_n", "we_n", "reset_n", "bank", "address")
_WRITE = ("wrdata", "wrdata_mask", "wrdata_en", "rddata_en")


def pad_widths(module, data_width, nranks=1):
    """Bits of each port of :class:`DDR3ModelPHY`, by name."""
    burst = 2 * NPHASES * data_width
    geometry = module.geom_settings
    return {
        **{name: NPHASES * nranks for name in ("cs_n", "cke", "odt")},
        **{name: NPHASES for name in ("ras_n", "cas_n", "we_n", "reset_n", "wrdata_en", "rddata_en")},
        "bank": NPHASES * geometry.bankbits,
        "address": NPHASES * geometry.addressbits,
        "wrdata": burst,
        "wrdata_mask": burst // 8,
        "rddata": burst,
        "rddata_valid": 1,
    }


def ddr3_io(module, data_width, nranks=1):
    """The pads of :class:`DDR3ModelPHY` as LiteX's simulated platform takes them: ``("ddr3", 0, ...)``."""
    widths = pad_widths(module, data_width, nranks)
    return ("ddr3", 0, *(Subsignal(name, Pins(width)) for name, width in widths.items()))


class DDR3ModelPHY(LiteXModule):
    """A PHY without logic: the DFI on the pads of a simulated design, where the C++ model takes it.

    Parameters
    ----------
    module : litedram.modules.DDR3Module
        geometry; its timings are the controller's, the model has its own.
    pads : Record
        of ``ddr3_io``, or Signals of ``pad_widths``.
    clk_freq : float
        of the controller, Hz: the DRAM's clock is four times that.
    data_width : int
        data lines.
    nranks : int
        ranks on them, a power of two.

    Attributes
    ----------
    settings : PhySettings
    dfi : Interface
    """

    def __init__(self, module, pads, clk_freq, data_width=16, nranks=1):
        self.module = module
        self.settings = get_sdram_phy_settings("DDR3", data_width, clk_freq)
        self.settings.nranks = nranks
        geometry = module.geom_settings
        self.dfi = dfi = Interface(
            geometry.addressbits, geometry.bankbits, nranks, self.settings.dfi_databits, NPHASES
        )

        # # #

        self.comb += [
            *(
                getattr(pads, name).eq(Cat(*(getattr(phase, name) for phase in dfi.phases)))
                for name in _COMMAND + _WRITE
            ),
            Cat(*(phase.rddata for phase in dfi.phases)).eq(pads.rddata),
            Cat(*(phase.rddata_valid for phase in dfi.phases)).eq(Replicate(pads.rddata_valid, NPHASES)),
        ]
