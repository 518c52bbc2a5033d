# SPDX-License-Identifier: BSD-2-Clause
"""A target's controller with masters, the models of its memory, the tap, and faulty taps beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import litemrc_gateware.tap.dram_address as dram_address
import litemrc_gateware.tap.dram_tap as dram_tap
from litedram.common import GeomSettings
from litedram.core import LiteDRAMCore
from litemrc_gateware.tap.dram_address import complete_bank_row_column
from litex.gen import LiteXModule

from scripts.targets.dram import DRAM
from scripts.targets.masters import Master, master_words
from scripts.targets.model_phy import ModelPHY
from tests.mutation import mutated_module

PAGE_BYTES = 4096
TAP, MAPPING = Path(dram_tap.__file__), Path(dram_address.__file__)
_TAP_FAULTS = {
    "one row for all banks": (
        "rows.write.adr.eq(Cat(phase.bank[: geom.bankbits], number) if ranks > 1 else phase.bank)",
        "rows.write.adr.eq(0)",
    ),
    "a refresh counts": ("selected & phase.ras_n & ~phase.cas_n", "selected & ~phase.cas_n"),
    "reads are writes": ("write.eq(~phase.we_n)", "write.eq(phase.we_n)"),
}
_PHASE_FAULT = {"the first phase alone": ("for phase in dfi.phases:", "for phase in dfi.phases[:1]:")}
_RANK_FAULT = {"the rank is another one's": ("Mux(phase.cs_n[r], 0, r)", "Mux(phase.cs_n[r], r, 0)")}
_A10_FAULT = {"A10 is a column bit": ("column.eq(_column(phase.address))", "column.eq(phase.address)")}
_RANK_BANK_FAULT = ("bank, *ranks, *above", "*ranks, bank, *above")


def faulty_taps(dram: DRAM) -> dict[str, Callable[[Any, Any], Any]]:
    """Return seeded mutants of the tap by name, each made from a PHY and a controller."""
    sources = dict(_TAP_FAULTS)
    if dram.phy["nphases"] > 1:
        sources |= _PHASE_FAULT
    if dram.phy["nranks"] > 1:
        sources |= _RANK_FAULT
    if dram.geom["colbits"] > 10 and dram.phy["databits"] // 8 << 10 >= PAGE_BYTES:  # else within a page
        sources |= _A10_FAULT
    made = {name: mutated_module(TAP, *texts).DRAMTap.of_controller for name, texts in sources.items()} | {
        "a column bit too few": _narrow_columns
    }
    if dram.phy["nranks"] > 1:
        module = mutated_module(TAP, "import AddressMapping", "import AddressMapping")
        module.AddressMapping = mutated_module(MAPPING, *_RANK_BANK_FAULT).AddressMapping
        made["rank and bank swapped"] = module.DRAMTap.of_controller
    return made


def _narrow_columns(phy: Any, sdram: Any) -> Any:
    settings = sdram.controller.settings
    geom = settings.geom
    return dram_tap.DRAMTap(
        phy.dfi,
        GeomSettings(geom.bankbits, geom.rowbits + 1, geom.colbits - 1),
        column_bytes=phy.settings.databits // 8,
        bank_byte_alignment=settings.bank_byte_alignment,
        ranks=phy.settings.nranks,
    )


class TapBench(LiteXModule):
    """A LiteDRAM core with a target's settings in front of the models of its memory.

    Attributes
    ----------
    masters : list of Master
    taps : dict
        by name; "tap" is made as `add_monitor` makes it, the others have a fault.
    """

    def __init__(self, dram: DRAM):
        module = dram.module()
        self.phy = phy = ModelPHY(dram)
        self.core = core = LiteDRAMCore(
            phy,
            module.geom_settings,
            module.timing_settings,
            dram.clk_freq,
            controller_settings=dram.controller_settings(),
        )
        complete_bank_row_column(core.crossbar)
        width = 8 * dram.word_bytes
        self.masters = [
            Master(core.crossbar.get_port(data_width=words * width), words) for words in master_words(dram)
        ]
        self.taps = {"tap": dram_tap.DRAMTap.of_controller(phy, core)}
        self.taps |= {name: build(phy, core) for name, build in faulty_taps(dram).items()}
        self.submodules += [*self.masters, *self.taps.values()]
