# SPDX-License-Identifier: BSD-2-Clause
"""Simulation only: DDR3 with several ranks at a DFI; contents and rule checker are C++ (ddr3_model/).

    platform = SimPlatform("SIM", [..., ddr3_io(module, data_width, nranks)])
    phy = DDR3ModelPHY(module, platform.request("ddr3"), sys_clk_freq, data_width, nranks)
    soc.add_sdram("sdram", phy=phy, module=module)
    sim_config.add_module("ddr3", "ddr3", args=ddr3_arguments(phy, sys_clk_freq, "1600K", gigabits=2))

``copy_ddr3_model`` puts ``ddr3_model`` where the simulation module ``sim_modules/ddr3`` is compiled.
"""

import shutil
from pathlib import Path

from litedram.phy.dfi import Interface
from litedram.phy.model import get_sdram_phy_settings
from litex.build.generic_platform import Pins, Subsignal
from litex.gen import LiteXModule
from migen import Cat, Replicate, Signal

HERE = Path(__file__).resolve().parents[2]
NPHASES = 4  # of LiteDRAM's DDR3: one burst of 8 a cycle
MAPS = ("row_bank_column", "bank_row_column")

_COMMAND = ("cs_n", "cke", "odt", "ras_n", "cas_n", "we_n", "reset_n", "bank", "address")
_DATA = ("wrdata", "wrdata_mask", "wrdata_en", "rddata_en")
# Pads of the simulation module besides the DFI.
_SEEN = {"access": 1, "access_write": 1, "access_address": 32}


def pad_widths(module, data_width, nranks=1):
    """Widths of the DFI's ports by name; phase 0 is in the lowest bits."""
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
    """The pads of :class:`DDR3ModelPHY` for LiteX's simulated platform: ``("ddr3", 0, ...)``."""
    widths = {**pad_widths(module, data_width, nranks), **_SEEN, "snapshot": 1}
    return ("ddr3", 0, *(Subsignal(name, Pins(width)) for name, width in widths.items()))


class DDR3ModelPHY(LiteXModule):
    """A PHY without logic: the DFI is on the pads of a simulated design and read by the C++ model.

    Parameters
    ----------
    module : litedram.modules.DDR3Module
        geometry, at least 4096 rows; its timings are used by the controller only, the model has its own.
    pads : Record
        of ``ddr3_io``, or an object with Signals of ``pad_widths`` alone.
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
    access, access_write, access_address : Signal(), Signal(), Signal(32)
        with pads of ``ddr3_io``: the model saw a RD or WR of that byte address in the cycle before.
    snapshot : Signal()
        to be connected: the record of commands gets a mark in each cycle in which it is 1.
    """

    def __init__(self, module, pads, clk_freq, data_width=16, nranks=1):
        self.module = module
        self.settings = get_sdram_phy_settings("DDR3", data_width, clk_freq)
        self.settings.nranks = nranks
        geometry = module.geom_settings
        self.dfi = dfi = Interface(
            geometry.addressbits, geometry.bankbits, nranks, self.settings.dfi_databits, NPHASES
        )
        self.snapshot = Signal()

        # # #

        self.comb += [
            *(
                getattr(pads, name).eq(Cat(*(getattr(phase, name) for phase in dfi.phases)))
                for name in _COMMAND + _DATA
            ),
            Cat(*(phase.rddata for phase in dfi.phases)).eq(pads.rddata),
            Cat(*(phase.rddata_valid for phase in dfi.phases)).eq(Replicate(pads.rddata_valid, NPHASES)),
        ]
        if hasattr(pads, "snapshot"):
            self.comb += pads.snapshot.eq(self.snapshot)
            for name in _SEEN:
                setattr(self, name, getattr(pads, name))


def ddr3_arguments(
    phy,
    clk_freq,
    grade,
    gigabits,
    chip_bits=16,
    address_map="row_bank_column",
    initialised=False,
    report="ddr3.json",
    **files,
):
    """Return the arguments of the simulation module for the DRAM of a :class:`DDR3ModelPHY`.

    Parameters
    ----------
    grade : str
        speed grade by the model's tables: 800E, 1066F, 1333H, 1600K.
    gigabits, chip_bits : int
        a chip's density (1, 2, 4, 8) and data lines (8, 16), for its timings; the size is the PHY's.
    address_map : str
        one of ``MAPS``; bank_row_column: ``ControllerSettings.bank_byte_alignment`` is the bytes of a bank.
    initialised : bool
        the DRAM starts with loaded mode registers; otherwise software must load them.
    report : str
        file of the report, written at the end.
    files
        optional: ``commands``, file of the DFI's record; ``contents``, dict of byte address to file.
    """
    if address_map not in MAPS:
        raise ValueError(f"ddr3_arguments: address_map must be one of {', '.join(MAPS)} (got {address_map})")
    settings, geometry = phy.settings, phy.module.geom_settings
    return {
        "ranks": settings.nranks,
        "row_bits": geometry.rowbits,
        "column_bits": geometry.colbits,
        "data_bytes": settings.databits // 8,
        "map": address_map,
        "grade": grade,
        "gigabits": gigabits,
        "chip_bits": chip_bits,
        "clock_fs": round(1e15 / (clk_freq * NPHASES)),
        "cl": settings.cl if initialised else 0,
        "cwl": settings.cwl if initialised else 0,
        "read_latency": settings.read_latency,
        "write_latency": settings.write_latency,
        "address_bits": geometry.addressbits,
        "report": report,
        **files,
    }


def copy_ddr3_model(modules):
    """Copy the model's sources next to the simulation modules (pathlib.Path) that LiteX compiles."""
    shutil.copytree(
        HERE / "ddr3_model", modules / "ddr3_model", dirs_exist_ok=True, copy_function=shutil.copyfile
    )
