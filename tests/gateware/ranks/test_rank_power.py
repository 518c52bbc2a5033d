# SPDX-License-Identifier: BSD-2-Clause
"""Rank power refuses unsupported SoCs, and its times are those of the datasheet."""

from types import SimpleNamespace

import pytest
from litedram.common import PhySettings
from litedram.core import LiteDRAMCore
from litedram.core.controller import ControllerSettings
from litedram.core.refresher import Refresher
from litedram.modules import MT41K64M16, MT48LC16M16
from litedram.phy.dfi import Interface
from litemrc_gateware.ranks.ddr3_timings import PowerTimings
from litemrc_gateware.ranks.power import RankPower
from litemrc_gateware.ranks.refresher import RankRefresher

CLOCKS_HZ = {"800": 100e6, "1066": 400e6 / 3, "1600": 200e6}


def phy_settings(memtype="DDR3", nphases=4, nranks=1) -> PhySettings:
    return PhySettings(
        phytype="Test",
        memtype=memtype,
        databits=16,
        dfi_databits=32 if memtype == "DDR3" else 16,
        nphases=nphases,
        nranks=nranks,
        rdphase=0,
        wrphase=0,
        cl=6,
        cwl=5,
        read_latency=7,
        write_latency=2,
    )


def core(memtype="DDR3", nranks=1, refresh_cls=RankRefresher, **controller) -> LiteDRAMCore:
    ddr3 = memtype == "DDR3"
    settings = phy_settings(memtype, 4 if ddr3 else 1, nranks)
    module = MT41K64M16(100e6, "1:4", "800") if ddr3 else MT48LC16M16(100e6, "1:1")
    geometry = module.geom_settings
    dfi = Interface(geometry.addressbits, geometry.bankbits, nranks, settings.dfi_databits, settings.nphases)
    return LiteDRAMCore(
        SimpleNamespace(settings=settings, dfi=dfi),
        geometry,
        module.timing_settings,
        100e6,
        controller_settings=ControllerSettings(refresh_cls=refresh_cls, **controller),
    )


# 4 cycles of the DRAM are one of the controller, rounded up. JESD79-3F, table 68: tCKE max(3 nCK, 7.5, 5.625,
# 5 ns), tXP max(3 nCK, 7.5, 7.5, 6 ns), tXPDLL max(10 nCK, 24 ns), tXSDLL 512 nCK, tMOD max(12 nCK, 15 ns).
@pytest.mark.parametrize(
    ("grade", "expected"),
    [
        # tCK 2.5 ns: 3, 4, 3, 10, 512, 12 nCK
        ("800", {"tCKE": 1, "tCKESR": 1, "tXP": 1, "tXPDLL": 3, "tXSDLL": 128, "tMOD": 3}),
        # tCK 1.875 ns: 3, 4, 4, 13, 512, 12 nCK
        ("1066", {"tCKE": 1, "tCKESR": 1, "tXP": 1, "tXPDLL": 4, "tXSDLL": 128, "tMOD": 3}),
        # tCK 1.25 ns: 4, 5, 5, 20, 512, 12 nCK
        ("1600", {"tCKE": 1, "tCKESR": 2, "tXP": 2, "tXPDLL": 5, "tXSDLL": 128, "tMOD": 3}),
    ],
)
def test_exit_and_entry_times_are_the_datasheets(grade: str, expected: dict[str, int]) -> None:
    module = MT41K64M16(CLOCKS_HZ[grade], "1:4", grade)
    settings = SimpleNamespace(phy=phy_settings(), timing=module.timing_settings, geom=module.geom_settings)
    times = PowerTimings.of_controller(settings, CLOCKS_HZ[grade])
    assert {name: getattr(times, name) for name in expected} == expected
    # tRFC of 1 Gb and 10 ns: 120 ns
    assert times.tXS * 1e9 / CLOCKS_HZ[grade] >= 120


def test_a_memory_that_is_no_ddr3_is_refused() -> None:
    with pytest.raises(ValueError, match=r"SDR memory.*build it without rank power"):
        RankPower(core("SDR"), 100e6)


def test_a_clock_beyond_ddr3_is_refused() -> None:
    with pytest.raises(ValueError, match="faster than DDR3-2133"):
        RankPower(core(), 300e6)


def test_another_refresher_is_refused() -> None:
    with pytest.raises(ValueError, match="refresh_cls=RankRefresher"):
        RankPower(core(refresh_cls=Refresher), 100e6)


def test_a_buffered_command_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="cmd_buffer_buffered"):
        RankPower(core(cmd_buffer_buffered=True), 100e6)


@pytest.mark.parametrize(("nranks", "domains"), [(1, 3), (1, 32), (4, 8), (2, 1)])
def test_impossible_numbers_of_domains_are_refused(nranks: int, domains: int) -> None:
    with pytest.raises(ValueError, match=rf"domains must .*\(got {domains}\)"):
        RankPower(core(nranks=nranks), 100e6, domains=domains)


def test_a_finalised_crossbar_is_refused() -> None:
    sdram = core()
    sdram.crossbar.get_port()
    sdram.crossbar.finalize()
    with pytest.raises(ValueError, match="finalised already"):
        RankPower(sdram, 100e6)
