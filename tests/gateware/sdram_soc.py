# SPDX-License-Identifier: BSD-2-Clause
"""Adds SDRAM to a SoC of LiteX's parts: 32 MB each, 8,192 frames of 4 KB."""

from litedram.core import LiteDRAMCore
from litedram.modules import MT48LC16M16
from litedram.phy.model import SDRAMPHYModel

CLOCK_HZ = 50_000_000
DATA_WIDTH = 16


def _module_and_phy():
    module = MT48LC16M16(CLOCK_HZ, "1:1")
    return module, SDRAMPHYModel(module, data_width=DATA_WIDTH, clk_freq=CLOCK_HZ)


def add_sdram(soc):
    """The main memory, at `soc.sdrphy` and `soc.sdram`."""
    module, soc.sdrphy = _module_and_phy()
    soc.add_sdram("sdram", phy=soc.sdrphy, module=module, l2_cache_size=0)


def add_second_sdram(soc):
    """Another memory, at `soc.second_phy` and `soc.second`, with a port that nobody uses."""
    module, soc.second_phy = _module_and_phy()
    soc.second = LiteDRAMCore(soc.second_phy, module.geom_settings, module.timing_settings, CLOCK_HZ)
    soc.second.crossbar.get_port()
